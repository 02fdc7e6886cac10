//go:build unix && !linux

package main

// renameNew renames tmp to name unless that exists.
func renameNew(tmp, name string) error { return linkNew(tmp, name) }
