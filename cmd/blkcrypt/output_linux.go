package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames tmp to name unless that exists, in one step where the file
// system can.
func renameNew(tmp, name string) error {
	err := error(unix.EINTR)
	for err == unix.EINTR {
		err = unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE)
	}
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

// widePipe is as large as a pipe may be made without privileges (proc(5),
// pipe-max-size): a batch at a time instead of 64 KiB.
const widePipe = 1 << 20

// widen lets f hold more where it is a pipe and the system allows that, so that
// its two ends wait less often for each other.
func widen(f *os.File) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		if n, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && n < widePipe {
			unix.FcntlInt(fd, unix.F_SETPIPE_SZ, widePipe)
		}
	})
}
