//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stall starts an encryption from a FIFO, which goes on until the returned file
// is closed, and waits for its temporary file.
func stall(t *testing.T, dir string, c *exec.Cmd) (feed *os.File, tmp string) {
	t.Helper()
	return stallTo(t, dir, c, dir, "-o", "o")
}

// stallTo makes the output in the folder beside.
func stallTo(t *testing.T, dir string, c *exec.Cmd, beside string, flags ...string) (feed *os.File, tmp string) {
	t.Helper()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "p", "pw")
	c.Args = append(append(append(c.Args, fast...), flags...), "--passphrase-file", "p", "fifo")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	feed, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { feed.Close() })
	if _, err := feed.Write(pattern(50000)); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(beside, ".blkcrypt-*.tmp")); len(found) > 0 {
			return feed, found[0]
		}
	}
	t.Fatal("no temporary file was made")
	return nil, ""
}

// A signal in the middle of the work leaves nothing behind.
func TestSignalWhileWriting(t *testing.T) {
	t.Parallel()
	hear(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := as(t, dir, "blkcrypt")
			var errs strings.Builder
			c.Stderr = &errs
			stall(t, dir, c)
			c.Process.Signal(s)
			c.Wait()
			if got := c.ProcessState.ExitCode(); got != 128+int(s) {
				t.Errorf("exit code %d, want %d", got, 128+int(s))
			}
			wantLines(t, errs.String(), 1)
			wantOnly(t, dir, "fifo", "p")
		})
	}
}

// So it does with a folder that was made for the output.
func TestSignalInNewFolder(t *testing.T) {
	t.Parallel()
	hear(syscall.SIGTERM)
	dir := t.TempDir()
	c := as(t, dir, "blkcrypt")
	stallTo(t, dir, c, filepath.Join(dir, "new"), "--output-dir", "new/")
	c.Process.Signal(syscall.SIGTERM)
	c.Wait()
	if got, want := c.ProcessState.ExitCode(), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
	wantOnly(t, dir, "fifo", "p")
}

// What the caller has ignored stays ignored.
func TestIgnoredHangup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := as(t, dir, "nohup", "blkcrypt")
	feed, _ := stall(t, dir, c)
	c.Process.Signal(syscall.SIGHUP)
	feed.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	wantOnly(t, dir, "fifo", "p", "o")
}

// B10, B11: the temporary file lies beside the output, has a random name and is
// its owner's alone all the time, whatever the umask.
func TestB10B11Temporary(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 2 {
		dir := t.TempDir()
		c := as(t, dir, "umask0", "blkcrypt")
		feed, tmp := stall(t, dir, c)
		info, err := os.Lstat(tmp)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("the temporary file has mode %v", info.Mode())
		}
		name := filepath.Base(tmp)
		if len(name) < 26 || seen[name] {
			t.Errorf("the temporary file's name %q can be guessed", name)
		}
		seen[name] = true
		// Another output under the name meanwhile is not overwritten.
		write(t, dir, "o", "theirs")
		feed.Close()
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != exitRefused {
			t.Errorf("exit code %d, want %d", got, exitRefused)
		}
		wantFile(t, filepath.Join(dir, "o"), "theirs")
		wantOnly(t, dir, "fifo", "p", "o")
	}
}

// The group of a file gets no more than it had.
func TestKeepGroup(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	own := groupOf(info)
	for _, test := range []struct {
		mode, want fs.FileMode
		gid        int
	}{
		{0o640, 0o640, own},
		{0o640, 0o640, -1},
		{0o600, 0o600, own + 1},
	} {
		if got, err := keepGroup(f, test.mode, test.gid); err != nil || got != test.want {
			t.Errorf("keepGroup(%o, %d) = %o, %v; want %o", test.mode, test.gid, got, err, test.want)
		}
	}
	if os.Geteuid() == 0 {
		if got, err := keepGroup(f, 0o640, own+1); err != nil || got != 0o640 {
			t.Errorf("%o, %v", got, err)
		}
		if info, err = f.Stat(); err != nil || groupOf(info) != own+1 {
			t.Errorf("the file has group %d, want %d", groupOf(info), own+1)
		}
		return
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0o640: 0o600, 0o664: 0o644, 0o660: 0o600, 0o751: 0o711} {
		if got, err := keepGroup(f, mode, strangeGroup(t)); err != nil || got != want {
			t.Errorf("keepGroup(%o) = %o, %v; want %o", mode, got, err, want)
		}
	}
}

// strangeGroup is a group that this user is not in.
func strangeGroup(t *testing.T) int {
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	most := os.Getegid()
	for _, g := range groups {
		most = max(most, g)
	}
	return most + 1
}

// Without renames that keep what exists, links do it.
func TestLinkNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := write(t, dir, "a", "new"), filepath.Join(dir, "b")
	if err := linkNew(a, b); err != nil {
		t.Fatal(err)
	}
	wantFile(t, b, "new")
	wantOnly(t, dir, "b")
	write(t, dir, "a", "newer")
	if err := linkNew(a, b); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	wantFile(t, b, "new")
}

// B09: no space, no file, an error, whatever the size; on a device, through
// standard output, and on a file system that fills up.
func TestB09NoSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	full := fullDevice(t, dir)
	for _, n := range []int{0, 1, 1 << 16, 10 << 16} {
		name := fmt.Sprint("f", n)
		write(t, dir, name, string(pattern(n)))
		if code, _, errs := run(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", name)...)); code != 0 {
			t.Fatal(errs)
		}
		enc := append(fast, "--passphrase-file", "p", name, "-o")
		dec := []string{"dec", "--passphrase-file", "p", name + ".blk", "-o"}
		for _, args := range [][]string{enc, dec} {
			if n == 0 && args[0] == "dec" {
				continue // nothing is written
			}
			wantNoSpace(t, as(t, dir, "blkcrypt", append(args, full)...))
			c := as(t, dir, "blkcrypt", append(args, "-")...)
			out, err := os.OpenFile(full, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			c.Stdout = out
			wantNoSpace(t, c)
			out.Close()
		}
	}
	if !exists(full) {
		t.Error("the device was removed")
	}
}

func wantNoSpace(t *testing.T, c *exec.Cmd) {
	t.Helper()
	code, _, errs := run(t, c)
	if code != exitFailure || !strings.Contains(errs, "no space left") {
		t.Errorf("%v: exit code %d, %q", c.Args, code, errs)
	}
	wantLines(t, errs, 1)
}

// B09: the limit on the size of files is an error, too, not the end of the process.
func TestB09FileSizeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	write(t, dir, "f", string(pattern(1<<20)))
	code, _, errs := run(t, as(t, dir, "smallfiles", append(append([]string{"blkcrypt"}, fast...), "--passphrase-file", "p", "f")...))
	if code != exitFailure || !strings.HasPrefix(errs, "blkcrypt: f.blk: file too large") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	wantOnly(t, dir, "f", "p")
}

// A header kept apart does not stay without its payload: a file that got the
// payload's name meanwhile is not replaced.
func TestHeaderOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := as(t, dir, "blkcrypt")
	feed, _ := stallTo(t, dir, c, dir, "--header", "h", "-o", "o")
	write(t, dir, "o", "of somebody else")
	feed.Close()
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != exitRefused {
		t.Errorf("exit code %d, want %d", got, exitRefused)
	}
	wantFile(t, filepath.Join(dir, "o"), "of somebody else")
	wantOnly(t, dir, "fifo", "o", "p")
}
