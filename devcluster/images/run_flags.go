package images

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

func runCommand(ctx context.Context, args []string) (int, error) {
	options, cache, err := parseRun(args)
	if err != nil {
		return exitUsage, err
	}
	cacheDir, err := cacheOf(cache)
	if err != nil {
		return exitSetup, err
	}
	return Run(ctx, cacheDir, options)
}

// parseRun reads the command line of run.
func parseRun(args []string) (options RunOptions, cache string, err error) {
	options.Tmpfs = map[string]string{}
	flags, cacheFlag := flagsOf("run")
	flags.StringVar(&options.User, "user", "", "`UID:GID` to run as (default: the image's own)")
	flags.StringVar(&options.WorkingDir, "workdir", "", "folder to start in")
	flags.Func("env", "`NAME=VALUE` for the command; may be repeated", func(text string) error {
		if !strings.Contains(text, "=") {
			return errors.New("not NAME=VALUE")
		}
		options.Env = append(options.Env, text)
		return nil
	})
	flags.Func("bind", "`SOURCE:TARGET[:ro]`, a file or folder of this machine; may be repeated", func(text string) error {
		bind, err := parseBind(text)
		options.Binds = append(options.Binds, bind)
		return err
	})
	flags.Func("tmpfs-size", "`PATH=SIZE`, a file system in memory (96m, 1g) that is the user's; may be repeated", func(text string) error {
		path, size, found := strings.Cut(text, "=")
		if !found || !strings.HasPrefix(path, "/") {
			return errors.New("not PATH=SIZE")
		}
		if _, err := parseBytes(size); err != nil {
			return err
		}
		options.Tmpfs[path] = size
		return nil
	})
	flags.Func("memory", "limit in `BYTES` (k, m and g are understood)", func(text string) (err error) {
		options.Memory, err = parseBytes(text)
		return err
	})
	network := flags.String("network", "none", "none (a loopback of its own) or host")
	if err := flags.Parse(args); err != nil {
		return options, "", err
	}
	if *network != "none" && *network != "host" {
		return options, "", fmt.Errorf("network %q is neither none nor host", *network)
	}
	options.HostNetwork = *network == "host"
	rest := flags.Args()
	if len(rest) == 0 {
		return options, "", errors.New("no image named")
	}
	options.Image = rest[0]
	if rest = rest[1:]; len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	options.Command = rest
	return options, *cacheFlag, nil
}

func parseBind(text string) (Bind, error) {
	parts := strings.Split(text, ":")
	if len(parts) == 3 && parts[2] == "ro" {
		return Bind{Source: parts[0], Target: parts[1], ReadOnly: true}, absolute(parts[1])
	}
	if len(parts) != 2 {
		return Bind{}, errors.New("not SOURCE:TARGET or SOURCE:TARGET:ro")
	}
	return Bind{Source: parts[0], Target: parts[1]}, absolute(parts[1])
}

func absolute(path string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("%q is not an absolute path", path)
	}
	return nil
}

// parseBytes reads a number of bytes with an optional k, m or g (powers of 1024).
func parseBytes(text string) (int64, error) {
	shift := 0
	if text != "" {
		switch text[len(text)-1] {
		case 'k', 'K':
			shift = 10
		case 'm', 'M':
			shift = 20
		case 'g', 'G':
			shift = 30
		}
	}
	digits := text
	if shift > 0 {
		digits = text[:len(text)-1]
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || number <= 0 || number > (1<<62)>>shift {
		return 0, fmt.Errorf("%q is not a size such as 1048576, 96m or 1g", text)
	}
	return number << shift, nil
}
