package driver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// binDirs is where Debian's packages, and so the stock image, have the programs.
const binDirs = "/usr/lib/postgresql/*/bin"

// find returns the path of one of the image's programs: from PATH, else from
// the newest of Debian's directories.
func find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return filepath.Abs(path)
	}
	candidates, err := filepath.Glob(filepath.Join(binDirs, program))
	if err != nil || len(candidates) == 0 {
		return "", fmt.Errorf("finding %s: it is neither on the PATH %q nor in %s", program, os.Getenv("PATH"), binDirs)
	}
	slices.Sort(candidates)
	return candidates[len(candidates)-1], nil
}

var versionForm = regexp.MustCompile(`\(PostgreSQL\) (([0-9]+)[0-9.]*)`)

// Version asks the installed server for its version, "17.6".
func Version(ctx context.Context) (string, error) {
	version, _, err := programVersion(ctx, "postgres")
	return version, err
}

func programVersion(ctx context.Context, program string) (version, series string, err error) {
	path, err := find(program)
	if err != nil {
		return "", "", err
	}
	output, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	parts := versionForm.FindStringSubmatch(string(output))
	if parts == nil {
		return "", "", fmt.Errorf("asking %s for its version: it says %q", path, output)
	}
	return parts[1], parts[2], nil
}
