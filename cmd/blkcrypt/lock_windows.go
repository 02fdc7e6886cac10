package main

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock keeps others who lock it from f until it is closed. It returns false where
// one has it. Not all file systems can lock.
//
// Locked bytes can't be read or written by others on Windows, so that the one locked
// here is far beyond the end of any file.
func lock(f *os.File) bool {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := &windows.Overlapped{OffsetHigh: 1<<31 - 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, at)
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// tellsPipes says that os.SameFile holds any pipe for the same as any other.
const tellsPipes = false

func keepOwner(*os.File, fs.FileInfo) error { return nil }

// releaseForRename closes a file, which could not be replaced otherwise.
func releaseForRename(f *os.File) error { return f.Close() }
