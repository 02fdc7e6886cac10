//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// privateUmask makes all files created from here on private to their owner and
// returns the umask that was in force.
func privateUmask() fs.FileMode { return fs.FileMode(unix.Umask(0o077)) }

// openFile is os.OpenFile without the attempt to have files polled, which costs
// more system calls than all the rest does for a small file.
func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	for {
		fd, err := unix.Open(name, flag|unix.O_CLOEXEC, uint32(perm))
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if err != unix.EINTR {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// writableFolder returns an error where files can't be made in dir.
func writableFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.ENOTDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// syncFolder makes the names in dir permanent. File systems that can't do that
// for folders say EINVAL.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		// A folder may be writable and searchable, but not readable.
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// linkNew gives the file tmp the name name unless that exists, in one step
// where the file system has hard links.
func linkNew(tmp, name string) error {
	err := os.Link(tmp, name)
	switch {
	case err == nil:
		return os.Remove(tmp)
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EMLINK):
		if _, err := os.Lstat(name); err == nil {
			return fs.ErrExist
		}
		return os.Rename(tmp, name)
	}
	return err
}

// descriptorOf returns the number of the descriptor of this process that name
// stands for, -1 for none.
func descriptorOf(name string) int {
	name = filepath.Clean(name)
	switch name {
	case "/dev/stdin":
		return 0
	case "/dev/stdout":
		return 1
	case "/dev/stderr":
		return 2
	}
	for _, prefix := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if s, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.ParseUint(s, 10, 20); err == nil {
				return int(n)
			}
		}
	}
	return -1
}

// openStraight opens what is there for writing, a descriptor of this process as
// it is: opening its name again would lose its position.
func openStraight(name string) (*os.File, error) {
	if n := descriptorOf(name); n >= 0 {
		fd, err := unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(fd), name), nil
	}
	return os.OpenFile(name, os.O_WRONLY|unix.O_NOCTTY, 0)
}

// inherited returns the descriptor n if the caller passed it on. This process
// opens its own to be closed on exec.
func inherited(n int) *os.File {
	flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC != 0 {
		return nil
	}
	switch n {
	case 0:
		return os.Stdin
	case 1:
		return os.Stdout
	case 2:
		return os.Stderr
	}
	return os.NewFile(uintptr(n), "descriptor "+strconv.Itoa(n))
}

func groupOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Gid)
	}
	return -1
}

// fileID tells files apart.
type fileID struct{ dev, ino uint64 }

// idOf identifies a file that is not a character device.
func idOf(info fs.FileInfo) (fileID, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || isCharDevice(info) {
		return fileID{}, false
	}
	return fileID{uint64(st.Dev), uint64(st.Ino)}, true
}

// linksOf returns how many names a file has.
func linksOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// keepGroup gives f the group gid, that mode was meant for. Where that is not
// allowed, the group f has is given no more than everybody.
func keepGroup(f *os.File, mode fs.FileMode, gid int) (fs.FileMode, error) {
	if gid < 0 || mode&0o070 == 0 {
		return mode, nil
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if groupOf(info) == gid || f.Chown(-1, gid) == nil {
		return mode, nil
	}
	return mode&^0o070 | mode&(mode<<3)&0o070, nil
}
