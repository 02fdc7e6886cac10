package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames tmp to name unless that exists, in one step where the file
// system can.
func renameNew(tmp, name string) error {
	err := unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return linkNew(tmp, name)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: tmp, New: name, Err: err}
	}
	return nil
}

// startSync begins to write f's contents to disk. When many files are begun
// before the first is waited for, they share the file system's transactions.
func startSync(f *os.File) {
	unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
