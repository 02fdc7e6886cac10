package main

import (
	"os"
	"path/filepath"
	"testing"
)

// One at a time changes a file's keys; others can read the file meanwhile.
func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("contents"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if !lock(first) {
		t.Fatal("a file that nobody has can't be locked")
	}
	if lock(second) {
		t.Error("two have the lock")
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "contents" {
		t.Errorf("read while locked: %q, %v", b, err)
	}
	first.Close()
	if !lock(second) {
		t.Error("the lock outlives its owner")
	}
}
