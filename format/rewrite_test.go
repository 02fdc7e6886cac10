package format

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// onDisk writes a file and returns its name, an editor that has added a slot, and
// the header that this makes.
func onDisk(t *testing.T, k *Keyring, added *Secret) (path string, file []byte, e *Editor, header []byte) {
	t.Helper()
	file = encrypt(t, k, small, []byte("text"))
	path = filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	e = editor(t, k, file)
	if err := e.Add(added, testLogN); err != nil {
		t.Fatal(err)
	}
	header, moved, err := e.Header()
	if err != nil || moved {
		t.Fatal(moved, err)
	}
	return path, file, e, header
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func copyIsThere(path string) bool {
	_, err := os.Lstat(HeaderCopy(path))
	return err == nil
}

func TestRewrite(t *testing.T) {
	k, added := testRing(t), passphrase(t, "new")
	path, file, e, header := onDisk(t, k, added)
	if err := e.Rewrite(path); err != nil {
		t.Fatal(err)
	}
	if copyIsThere(path) {
		t.Error("the copy is left over")
	}
	got := read(t, path)
	opens(t, got, added, true)
	if !bytes.Equal(got, append(bytes.Clone(header), file[headerUnit:]...)) {
		t.Error("more than the header was changed")
	}
	if did, err := RecoverHeader(path, k); did != NothingToRecover || err != nil {
		t.Error(did, err)
	}
}

// What is not the file that was read, or can't be rewritten in place, stays as it
// is, and no copy is left.
func TestRewriteRefuses(t *testing.T) {
	k := testRing(t)
	path, file, e, header := onDisk(t, k, keyFile(t, 2))
	dir := filepath.Dir(path)
	refused := func(what string, e *Editor, path string) error {
		t.Helper()
		err := e.Rewrite(path)
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		return err
	}
	for what, b := range map[string][]byte{
		"changed meanwhile": append(bytes.Clone(header), file[headerUnit:]...),
		"another file":      encrypt(t, k, small, []byte("text")),
		"cut":               file[:headerUnit-1],
		"empty":             nil,
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(what, e, path)
		if !bytes.Equal(read(t, path), b) || copyIsThere(path) {
			t.Errorf("%s: something was written", what)
		}
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := refused("no file", e, path+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	refused("a folder", e, dir)
	moved := editor(t, k, file)
	for i := range 5 {
		if err := moved.Add(keyFile(t, byte(10+i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	refused("a longer header", moved, path)
	closed := editor(t, k, file)
	closed.Close()
	if err := refused("closed", closed, path); err != errClosed {
		t.Error(err)
	}

	if err := os.Symlink(filepath.Join(dir, "victim"), HeaderCopy(path)); err != nil {
		t.Fatal(err)
	}
	if err := refused("a planted link", e, path); !errors.Is(err, os.ErrExist) || !copyIsThere(path) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "victim")); err == nil {
		t.Error("wrote through a planted link")
	}
	if _, err := RecoverHeader(path, k); err == nil {
		t.Error("recovered from a link")
	}
	if !bytes.Equal(read(t, path), file) {
		t.Error("the file was changed")
	}
}

// Power fails at every byte of every step: the file opens before or after
// RecoverHeader, and the copy is gone in the end.
func TestRewriteInterrupted(t *testing.T) {
	k, added := testRing(t), keyFile(t, 2)
	path, file, _, header := onDisk(t, k, added)
	rings := []*Keyring{k, NewKeyring(added)}
	set := func(copied, written int) {
		if err := os.WriteFile(HeaderCopy(path), header[:copied], 0o600); err != nil {
			t.Fatal(err)
		}
		torn := append(bytes.Clone(header[:written]), file[written:]...)
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < len(header); n += 37 {
		set(n, 0) // while the copy is written
		did, err := RecoverHeader(path, k)
		if did != RewriteUndone || err != nil || copyIsThere(path) || !bytes.Equal(read(t, path), file) {
			t.Fatalf("copy cut at %d: %v, %v", n, did, err)
		}
	}
	for n := 0; n <= len(header); n += 32 {
		for _, ring := range rings {
			set(len(header), n) // while the header is written
			did, err := RecoverHeader(path, ring)
			if did != RewriteFinished || err != nil || copyIsThere(path) {
				t.Fatalf("header torn at %d: %v, %v", n, did, err)
			}
			opens(t, read(t, path), added, true)
		}
	}
}

// What is not proven is not written.
func TestRecoverRefuses(t *testing.T) {
	k, added := testRing(t), keyFile(t, 2)
	path, file, _, header := onDisk(t, k, added)
	_, _, _, other := onDisk(t, k, added)
	forged := bytes.Clone(header)
	forged[atScrypt+5] ^= 1
	fixChecksum(forged)
	damaged := bytes.Clone(header)
	damaged[100] ^= 1
	for name, x := range map[string]struct {
		copy []byte
		ring *Keyring
	}{
		"wrong key":                {header, NewKeyring(keyFile(t, 9))},
		"of another file":          {other, k},
		"forged":                   {forged, k},
		"not complete, wrong key":  {header[:100], NewKeyring(keyFile(t, 9))},
		"damaged, wrong key":       {damaged, NewKeyring(keyFile(t, 9))},
		"data after it, wrong key": {append(bytes.Clone(header), 0), NewKeyring(keyFile(t, 9))},
	} {
		if err := os.WriteFile(HeaderCopy(path), x.copy, 0o600); err != nil {
			t.Fatal(err)
		}
		did, err := RecoverHeader(path, x.ring)
		if err == nil || did != NothingToRecover || !copyIsThere(path) || !bytes.Equal(read(t, path), file) {
			t.Errorf("%s: %v, %v", name, did, err)
		}
	}
	// A header torn in the file and a copy that is not complete: nothing is sure.
	if err := os.WriteFile(HeaderCopy(path), header[:100], 0o600); err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(file)
	bad[60] ^= 1
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := RecoverHeader(path, k); kindOf(err) != Checksum || !copyIsThere(path) {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := RecoverHeader(path, k); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
