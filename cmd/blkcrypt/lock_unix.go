//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock keeps others who lock it from f until it is closed. It returns false where
// one has it. Not all file systems can lock.
func lock(f *os.File) bool {
	return !errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// tellsPipes says that os.SameFile knows one pipe from another.
const tellsPipes = true

// keepOwner gives f the owner of the file that it is to replace.
func keepOwner(f *os.File, of fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	new, ok := now.Sys().(*syscall.Stat_t)
	old, ok2 := of.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || new.Uid == old.Uid {
		return nil
	}
	return f.Chown(int(old.Uid), -1)
}

// releaseForRename does nothing: open files can be replaced.
func releaseForRename(*os.File) error { return nil }
