//go:build unix && !linux

package main

import "os"

// renameNew renames tmp to name unless that exists.
func renameNew(tmp, name string) error { return linkNew(tmp, name) }

// startSync has no counterpart here.
func startSync(*os.File) {}

// widen has no counterpart here: pipes grow by themselves.
func widen(*os.File) {}
