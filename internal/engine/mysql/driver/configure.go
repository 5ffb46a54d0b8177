package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// Configure implements engine.Driver. New parameters are shown to the server
// program first: a file that it would refuse never replaces one that it takes.
// A running server is given what has changed, setting by setting, never by SET
// PERSIST: the file is the truth. What it does not take waits for a restart.
func (d *Driver) Configure(ctx context.Context, c engine.Config) ([]string, error) {
	wanted, err := mysql.Effective(c)
	if err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	if err := d.writeFiles(ctx, c); err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	d.mu.Lock()
	before := d.scheduler()
	d.config, d.written = c, wanted
	running, gate, scheduler := d.running, d.gate, d.scheduler()
	d.mu.Unlock()
	if running == nil {
		return nil, nil // no server was started by this driver yet
	}
	taken, pending, err := d.give(ctx, running, wanted)
	if err == nil && gate == engine.GateOpen && scheduler != before {
		err = d.exec(ctx, "SET GLOBAL event_scheduler = "+scheduler)
	}
	if errors.Is(err, engine.ErrNotRunning) {
		return nil, nil // the next start reads the files
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running, d.pending = taken, pending
	if err != nil {
		return pending, fmt.Errorf("configuring: %w", err)
	}
	return slices.Clone(pending), nil
}

// writeFiles renders the files, has the server check them if the user set
// anything new, and puts them in place.
func (d *Driver) writeFiles(ctx context.Context, c engine.Config) error {
	files, err := d.profile.Files(c)
	if err != nil {
		return err
	}
	d.mu.Lock()
	known := maps.Equal(d.config.Parameters, c.Parameters) && d.config.Version == c.Version
	d.mu.Unlock()
	for _, f := range files {
		path := filepath.Join(c.Paths.ConfigDir, f.Name)
		if f.Name == mysql.ConfigFile && !known && len(c.Parameters) > 0 {
			if err := validate(ctx, path+".new", f.Content); err != nil {
				return err
			}
		}
		if err := writeFile(path, f.Content); err != nil {
			return err
		}
	}
	return writeAccounts(c)
}

// validate asks the server program whether it would start with this file.
func validate(ctx context.Context, path, content string) error {
	if err := writeFile(path, content); err != nil {
		return err
	}
	defer os.Remove(path)
	output, err := command(ctx, server, "--defaults-file="+path, "--validate-config").CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("checking the parameters: %w", ctx.Err())
	case !ended(err):
		return fmt.Errorf("checking the parameters: %w", err)
	default:
		return fmt.Errorf("%w: %s", engine.ErrConfigRefused, lastErrors(string(output)))
	}
}

// ended tells a program that ended by itself from one that did not start or was
// killed, by a lack of memory for instance: that one has refused nothing, and
// nobody would ask again.
func ended(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && !(status.Signaled() && status.Signal() == syscall.SIGKILL)
}

// writeFile replaces a file as a whole. It is rendered anew before each start,
// so it need not be durable.
func writeFile(path, content string) error {
	next := path + ".next"
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// give sets what differs. It returns what the server has taken and the names
// that wait for a restart.
func (d *Driver) give(ctx context.Context, running, wanted map[string]string) (map[string]string, []string, error) {
	taken := maps.Clone(running)
	var pending []string
	for _, setting := range differing(running, wanted) {
		value, set := wanted[setting]
		literal := "DEFAULT"
		if set {
			literal = literalOf(value)
		}
		err := d.set(ctx, setting, literal)
		switch {
		case number(err) != 0 || errors.Is(err, errRounded):
			pending = append(pending, setting)
		case err != nil:
			return taken, pending, err
		case set:
			taken[setting] = value
		default:
			delete(taken, setting)
		}
	}
	return taken, pending, nil
}

// resizing is how long a change of the buffer pool may be under way; another
// one is ignored meanwhile, without an error (measured).
const (
	resizing    = time.Second
	resizeEvery = 50 * time.Millisecond
)

// set gives one setting to the running server.
func (d *Driver) set(ctx context.Context, setting, literal string) error {
	begin := time.Now()
	for {
		err := d.exec(ctx, "SET GLOBAL "+setting+" = "+literal)
		if err == nil {
			err = d.expectNumber(ctx, setting, literal)
		}
		if setting != "innodb_buffer_pool_size" || !errors.Is(err, errRounded) || time.Since(begin) > resizing {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(resizeEvery):
		}
	}
}

// errRounded: the server took another number than it was given.
var errRounded = errors.New("the server has rounded the value")

// expectNumber catches what only a start can do exactly: a running server
// rounds the buffer pool up to whole chunks, whose size is fixed.
func (d *Driver) expectNumber(ctx context.Context, setting, literal string) error {
	want, err := strconv.ParseInt(literal, 10, 64)
	if err != nil {
		return nil
	}
	var got string
	if err := d.pool().QueryRowContext(ctx, "SELECT @@GLOBAL."+setting).Scan(&got); err != nil {
		return reachable(err)
	}
	if is, err := strconv.ParseInt(got, 10, 64); err == nil && is != want {
		return errRounded
	}
	return nil
}

func differing(a, b map[string]string) []string {
	var out []string
	for k, v := range a {
		if w, found := b[k]; !found || w != v {
			out = append(out, k)
		}
	}
	for k := range b {
		if _, found := a[k]; !found {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

var (
	plainNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	sizedNumber = regexp.MustCompile(`^[0-9]+[kKmMgGtT]$`)
)

// literalOf writes an option file's value as SET takes it: sizes have no
// suffix there, and truth no quotes.
func literalOf(value string) string {
	upper := strings.ToUpper(value)
	switch {
	case plainNumber.MatchString(value):
		return value
	case sizedNumber.MatchString(value):
		n, err := strconv.ParseInt(value[:len(value)-1], 10, 64)
		shift := 10 * (1 + strings.Index("KMGT", upper[len(upper)-1:]))
		if err != nil || n<<shift>>shift != n {
			return text(value) // refused by the server, and so pending
		}
		return strconv.FormatInt(n<<shift, 10)
	case upper == "TRUE" || upper == "FALSE":
		return upper
	}
	return text(value)
}

// ReloadCertificates implements engine.Driver. Sessions keep theirs.
func (d *Driver) ReloadCertificates(ctx context.Context) error {
	if err := d.exec(ctx, "ALTER INSTANCE RELOAD TLS"); err != nil {
		return fmt.Errorf("reloading certificates: %w", err)
	}
	return nil
}
