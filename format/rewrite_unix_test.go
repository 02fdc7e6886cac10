//go:build unix

package format

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// In a folder that all may write to, anybody could have put a copy beside the
// file.
func TestRecoverForeignCopy(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs the superuser, to make a file of another user")
	}
	k := testRing(t)
	path, file, _, header := onDisk(t, k, keyFile(t, 2))
	name := HeaderCopy(path)
	if err := os.WriteFile(name, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(name, 12345, -1); err != nil {
		t.Fatal(err)
	}
	_, err := RecoverHeader(path, k)
	if err == nil || !strings.Contains(err.Error(), "another user") || string(read(t, path)) != string(file) || !copyIsThere(path) {
		t.Errorf("a copy of a user who may not write the file: %v", err)
	}
	// The file's owner may.
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if did, err := RecoverHeader(path, k); did != RewriteFinished || err != nil {
		t.Error(did, err)
	}
}

func TestRecoverFIFO(t *testing.T) {
	k := testRing(t)
	path, _, e, _ := onDisk(t, k, keyFile(t, 2))
	for _, name := range []string{HeaderCopy(path), filepath.Join(t.TempDir(), "fifo")} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := RecoverHeader(strings.TrimSuffix(name, HeaderCopy("")), k); err == nil || !strings.Contains(err.Error(), "regular") {
			t.Errorf("%s: %v", name, err)
		}
		if err := e.Rewrite(name); err == nil || !strings.Contains(err.Error(), "regular") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
