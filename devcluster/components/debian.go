package components

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/myuser/db-operator/devcluster/console"
)

// Packages by what proves that they are installed. A program may also have come
// from somewhere else than Debian's package, which is as good.
type debianPackage struct {
	name  string
	proof []string // any one of these: a program's name or an absolute path
}

var buildPackages = []debianPackage{
	{"gcc", []string{"gcc"}},
	{"libc6-dev", []string{"/usr/include/stdio.h"}},
	{"pkg-config", []string{"pkg-config"}},
	{"libseccomp-dev", []string{"/usr/include/seccomp.h"}},
	{"ca-certificates", []string{"/etc/ssl/certs/ca-certificates.crt"}},
}

// RunPackages is what a running cluster needs of the machine.
var RunPackages = []debianPackage{
	{"iproute2", []string{"ip", "/sbin/ip"}},
	{"nftables", []string{"nft", "/usr/sbin/nft"}},
	{"conntrack", []string{"conntrack", "/usr/sbin/conntrack"}},
	{"containernetworking-plugins", []string{"/usr/lib/cni/ptp"}},
	{"xfsprogs", []string{"mkfs.xfs", "/sbin/mkfs.xfs"}},
	{"libseccomp2", []string{"/usr/lib/x86_64-linux-gnu/libseccomp.so.2", "/usr/lib/aarch64-linux-gnu/libseccomp.so.2"}},
	{"util-linux", []string{"nsenter"}},
	{"mount", []string{"losetup", "/sbin/losetup"}},
}

// InstallPackages installs, with apt-get, those of the packages that are
// missing. It blocks while apt runs and is idempotent.
func InstallPackages(ctx context.Context, out *console.Console, packages []debianPackage) error {
	missing := missingOf(packages)
	if len(missing) == 0 {
		return nil
	}
	return out.Step("installing "+strings.Join(missing, " "), func() error {
		install := append([]string{"install", "-y", "-qq", "--no-install-recommends"}, missing...)
		if aptGet(ctx, install...) == nil {
			return nil
		}
		// The package lists may be old or, on a fresh machine, absent.
		if err := aptGet(ctx, "update", "-qq"); err != nil {
			return fmt.Errorf("updating the package lists: %w", err)
		}
		if err := aptGet(ctx, install...); err != nil {
			return fmt.Errorf("installing %s: %w", strings.Join(missing, " "), err)
		}
		return nil
	})
}

func missingOf(packages []debianPackage) []string {
	var missing []string
	for _, p := range packages {
		if !present(p.proof) {
			missing = append(missing, p.name)
		}
	}
	return missing
}

func present(proof []string) bool {
	for _, candidate := range proof {
		if strings.HasPrefix(candidate, "/") {
			if _, err := os.Stat(candidate); err == nil {
				return true
			}
		} else if _, err := exec.LookPath(candidate); err == nil {
			return true
		}
	}
	return false
}

func aptGet(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "apt-get", args...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, tail(string(output)))
	}
	return nil
}
