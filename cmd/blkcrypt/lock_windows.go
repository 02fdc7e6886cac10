package main

import (
	"io/fs"
	"os"
)

// lock leaves it to the user that no two processes change a file's keys at once.
func lock(*os.File) bool { return true }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

// releaseForRename closes a file, which could not be replaced otherwise.
func releaseForRename(f *os.File) error { return f.Close() }
