package format

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// FuzzHeader: no header makes a reader panic, spend scrypt work that is not
// allowed, or say anything but an Error; what is accepted survives an editor.
func FuzzHeader(f *testing.F) {
	k, file := twoSlots(f)
	k.MaxWork = 1 << testLogN
	f.Add(file[:headerSize(file)], false)
	f.Add(file[:fixedSize], true)
	f.Add([]byte(magic), false)
	for _, name := range []string{goldenUnknown, goldenGrown, goldenName(Suites()[5], 0)} {
		b, err := os.ReadFile(filepath.Join(goldenDir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:headerSize(b)], true)
	}
	f.Fuzz(func(t *testing.T, b []byte, signed bool) {
		if signed && len(b) >= fixedSize && headerSize(b) >= minHeader && headerSize(b) <= len(b) {
			b = bytes.Clone(b)
			fixChecksum(b)
		}
		i, err := ReadInfo(bytes.NewReader(b))
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("not an Error: %v", err)
		}
		if err == nil && (i.HeaderSize > len(b) || len(i.Slots) == 0 || len(i.Slots) > maxSlots) {
			t.Fatalf("%+v", i)
		}
		edit, err := NewEditor(bytes.NewReader(b), k)
		if err != nil {
			if !errors.As(err, &e) {
				t.Fatalf("not an Error: %v", err)
			}
			return
		}
		defer edit.Close()
		h, _, err := edit.Header()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewEditor(bytes.NewReader(h), k); err != nil {
			t.Fatalf("the editor made a header that does not open: %v", err)
		}
	})
}

// FuzzStream changes a file of three chunks and wants nothing of it that was not
// in it, from the stream and from ranges alike.
func FuzzStream(f *testing.F) {
	k := testRing(f)
	plain := pattern(2*testChunk + 50)
	file := encrypt(f, k, small, plain)
	body := file[headerUnit:]
	f.Add(0, 0, []byte{}, 16)
	f.Add(100, 1, []byte{1}, 1000)
	f.Add(testPiece, testPiece, []byte{}, 1)
	f.Add(len(body), 0, make([]byte, 20), 4096)
	f.Fuzz(func(t *testing.T, at, drop int, insert []byte, step int) {
		at = min(max(at, 0), len(body))
		drop = min(max(drop, 0), len(body)-at)
		changed := bytes.Join([][]byte{file[:headerUnit], body[:at], insert, body[at+drop:]}, nil)
		same := bytes.Equal(changed, file)

		r, err := NewReader(&stepReader{r: bytes.NewReader(changed), n: max(step, 1)}, k)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		var e *Error
		if (err == nil) != same || err != nil && !errors.As(err, &e) || !bytes.HasPrefix(plain, got) || same && len(got) != len(plain) {
			t.Fatalf("%d bytes came out, %v", len(got), err)
		}
		var out sliceAt
		if _, err := DecryptFile(&out, bytes.NewReader(changed), int64(len(changed)), k); (err == nil) != same {
			t.Fatalf("as a file: %v", err)
		}
		ra, err := openAt(k, changed)
		if err != nil {
			if same || !errors.As(err, &e) {
				t.Fatalf("ranges: %v", err)
			}
			return
		}
		buf := make([]byte, ra.Size())
		n, err := ra.ReadAt(buf, 0)
		if (err == nil) != same || !bytes.HasPrefix(plain, buf[:n]) {
			t.Fatalf("ranges: %d bytes, %v", n, err)
		}
	})
}
