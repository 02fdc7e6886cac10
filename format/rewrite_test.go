package format

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// onDisk writes a file and returns its name and the header that a new key slot
// makes.
func onDisk(t *testing.T, k *Keyring, added *Secret) (path string, file, header []byte) {
	t.Helper()
	file = encrypt(t, k, small, []byte("text"))
	path = filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	e := editor(t, k, file)
	if err := e.Add(added, testLogN); err != nil {
		t.Fatal(err)
	}
	header, moved, err := e.Header()
	if err != nil || moved {
		t.Fatal(moved, err)
	}
	return path, file, header
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

func TestRewriteHeader(t *testing.T) {
	k, added := testRing(t), passphrase(t, "new")
	path, file, header := onDisk(t, k, added)
	if err := RewriteHeader(path, header); err != nil {
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

	// Not of this file, not of its size, a copy left over, no file.
	_, _, other := onDisk(t, k, added)
	longer := append(bytes.Clone(header), 0)
	for _, h := range [][]byte{other, longer, header[:100], nil} {
		if err := RewriteHeader(path, h); err == nil {
			t.Errorf("wrote a wrong header of %d bytes", len(h))
		}
	}
	if err := RewriteHeader(path+"x", header); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(path), "victim"), HeaderCopy(path)); err != nil {
		t.Fatal(err)
	}
	if err := RewriteHeader(path, header); !errors.Is(err, os.ErrExist) || !bytes.Equal(read(t, path), got) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "victim")); err == nil {
		t.Error("wrote through a planted link")
	}
	if _, err := RecoverHeader(path, k); err == nil {
		t.Error("recovered from a link")
	}
}

// Power fails at every byte of every step: the file opens before or after
// RecoverHeader, and the copy is gone in the end.
func TestRewriteInterrupted(t *testing.T) {
	k, added := testRing(t), keyFile(t, 2)
	path, file, header := onDisk(t, k, added)
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
	path, file, header := onDisk(t, k, added)
	_, _, other := onDisk(t, k, added)
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
