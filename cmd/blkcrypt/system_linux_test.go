package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	systemCommands["smallfs"] = smallfs
	systemCommands["nooverride"] = noOverride
}

// fullDevice returns a device that is always full, private to the test where
// the user could remove a shared one.
func fullDevice(t *testing.T, dir string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return "/dev/full"
	}
	full := filepath.Join(dir, "full")
	if err := unix.Mknod(full, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 7))); err != nil {
		t.Skip("no device nodes here: ", err)
	}
	if f, err := os.OpenFile(full, os.O_WRONLY, 0); err != nil {
		t.Skip("no device nodes here: ", err)
	} else {
		f.Close()
	}
	return full
}

// B09, B13: a file system fills up before the output is complete: nothing of it
// is left, and the input stays though it was to be removed.
func TestB09SmallFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	write(t, dir, "f", string(pattern(200000)))
	if err := os.Mkdir(filepath.Join(dir, "small"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := run(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", "f")...)); code != 0 {
		t.Fatal(errs)
	}
	for _, args := range [][]string{
		append(fast, "--rm", "--passphrase-file", "p", "-o", "small/o", "f"),
		{"dec", "--rm", "--passphrase-file", "p", "-o", "small/o", "f.blk"},
	} {
		c := as(t, dir, "smallfs", append([]string{"small"}, args...)...)
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
		if os.Geteuid() != 0 {
			c.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
			c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		var out strings.Builder
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Skip("no mount namespaces here: ", err)
		}
		c.Wait()
		switch c.ProcessState.ExitCode() {
		case 100:
			t.Skip("no small file system here: ", out.String())
		case exitFailure:
		default:
			t.Errorf("%v", c.ProcessState)
		}
		if want := "blkcrypt: small/o: no space left on device\nleft: []\n"; out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
		wantOnly(t, dir, "f", "f.blk", "p", "small")
	}
}

// smallfs DIR ARGUMENTS mounts 64 KiB on DIR, runs blkcrypt and tells what it
// left there.
func smallfs() {
	dir := os.Args[1]
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		fail(err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		fail(err)
	}
	exe, _ := os.Executable()
	p, err := os.StartProcess(exe, append([]string{"blkcrypt"}, os.Args[2:]...), &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		fail(err)
	}
	state, err := p.Wait()
	if err != nil {
		fail(err)
	}
	left, _ := names(dir)
	fmt.Println("left:", left)
	os.Exit(state.ExitCode())
}

// B18: a folder that can't be written is found before a passphrase is asked
// for. (The superuser has to give up what lets it write everywhere.)
func TestB18Folder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	s := onScreen(t, as(t, dir, "nooverride", "blkcrypt", "enc", "-o", "locked/o", "f"))
	s.wait("blkcrypt: locked: permission denied")
	s.end(exitFailure)
	if strings.Contains(s.text(), "passphrase for") {
		t.Errorf("asked first: %q", s.text())
	}
	wantOnly(t, locked)
}

func noOverride() {
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_DAC_OVERRIDE, 0, 0, 0); err != nil {
			fail(err)
		}
	}
	become()
}
