package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/myuser/db-operator/devcluster/images"
)

func init() {
	verbs["image"] = verb{
		usage: "image load FILE|NAME...\nimage build [NAME...]\nimage list|pack|run ...",
		help:  "put docker-archives or known images on all nodes; make and run images (image help)",
		run:   image,
	}
}

func image(ctx context.Context, t *tool, args []string) error {
	if len(args) > 0 && args[0] == "load" {
		return loadImages(ctx, t, args[1:])
	}
	if code := images.Main(args); code != 0 {
		return exitStatus(code)
	}
	return nil
}

// loadImages takes a file where there is one of that name, else a known image,
// which it builds when the cache lacks it.
func loadImages(ctx context.Context, t *tool, args []string) error {
	if len(args) == 0 {
		return errUsage{"say which image file or which known image: " + strings.Join(images.Known(), " ")}
	}
	c, err := t.existing()
	if err != nil {
		return err
	}
	for _, arg := range args {
		tar := arg
		if _, err := os.Stat(arg); err != nil {
			built, err := images.Build(ctx, t.out, t.cacheDir, []string{arg})
			if err != nil {
				return fmt.Errorf("%s is neither a file nor a known image: %w", arg, err)
			}
			tar = built[0].Tar
		}
		if err := t.out.Step("loading "+arg, func() error { return c.LoadImage(ctx, tar) }); err != nil {
			return err
		}
	}
	return nil
}
