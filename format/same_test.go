package format

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	rnd "testing/cryptotest"
)

// TestSameForAllWorkers: from the same random bytes, all numbers of workers make
// the same file, by ranges and as a stream.
func TestSameForAllWorkers(t *testing.T) {
	suites := Suites()
	if testing.Short() {
		suites = []Suite{DefaultSuite(), {3, 16, 4}}
	}
	plain := pattern(5<<20 + 12345)
	for _, s := range suites {
		var want []byte
		for _, workers := range []int{1, 2, 3, 7} {
			o := Options{Suite: s, Workers: workers}
			rnd.SetGlobalRandom(t, 11)
			var ranges sliceAt
			if _, err := EncryptFile(&ranges, bytes.NewReader(plain), int64(len(plain)), testRing(t), o); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = ranges.b
			}
			rnd.SetGlobalRandom(t, 11)
			var stream bytes.Buffer
			w, err := NewWriter(&stream, testRing(t), o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.ReadFrom(bytes.NewReader(plain)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(ranges.b, want) || !bytes.Equal(stream.Bytes(), want) {
				t.Errorf("%v: %d workers make another file", s, workers)
			}
		}
		// One other seed, so that the comparison is not of constants.
		rnd.SetGlobalRandom(t, 12)
		if bytes.Equal(encrypt(t, testRing(t), Options{Suite: s}, plain), want) {
			t.Errorf("%v: no random bytes in it", s)
		}
	}
}

// Files of the system are written under a lock, and come out the same.
func TestSystemFiles(t *testing.T) {
	k := testRing(t)
	dir := t.TempDir()
	plain := pattern(5<<20 + 1)
	open := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	sealed, opened := open("sealed"), open("opened")
	n, err := EncryptFile(sealed, bytes.NewReader(plain), int64(len(plain)), k, Options{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecryptFile(opened, sealed, n, k, WithWorkers(4)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(opened); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
}
