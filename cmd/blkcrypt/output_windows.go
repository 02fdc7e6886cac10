package main

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Access rights come from the folder on Windows; there is nothing to set.

func privateUmask() fs.FileMode { return 0 }

func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

func writableFolder(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = windows.ERROR_DIRECTORY
	}
	return err
}

// syncFolder does nothing: renameNew writes through.
func syncFolder(string) error { return nil }

func startSync(*os.File) {}

// renameNew renames tmp to name unless that exists.
func renameNew(tmp, name string) error {
	from, err := windows.UTF16PtrFromString(tmp)
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH); err != nil {
		return &os.LinkError{Op: "rename", Old: tmp, New: name, Err: err}
	}
	return nil
}

func descriptorOf(string) int { return -1 }

func openStraight(name string) (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }

// inherited knows standard input only: other descriptors have no numbers here.
func inherited(n int) *os.File {
	if n == 0 {
		return os.Stdin
	}
	return nil
}

type fileID struct{}

// idOf knows no files by number: names have to do.
func idOf(fs.FileInfo) (fileID, bool) { return fileID{}, false }

func linksOf(fs.FileInfo) uint64 { return 1 }

func groupOf(fs.FileInfo) int { return -1 }

func keepGroup(_ *os.File, mode fs.FileMode, _ int) (fs.FileMode, error) { return mode, nil }

// widen has no counterpart here.
func widen(*os.File) {}
