package format

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
)

func openAt(k *Keyring, file []byte) (*ReaderAt, error) {
	return NewReaderAt(bytes.NewReader(file), int64(len(file)), k)
}

func TestC19Ranges(t *testing.T) {
	k := testRing(t)
	for _, n := range append(gridLengths(testChunk), 300*testChunk) {
		plain := pattern(n)
		r, err := openAt(k, encrypt(t, k, small, plain))
		if err != nil {
			t.Fatal(err)
		}
		if r.Size() != int64(n) {
			t.Errorf("size %d, want %d", r.Size(), n)
		}
		want := bytes.NewReader(plain)
		for _, off := range []int{0, 1, testChunk - 1, testChunk, testChunk + 1, 2 * testChunk, n - 1, n, n + 1} {
			for _, count := range []int{0, 1, 16, testChunk - 1, testChunk, testChunk + 1, 3 * testChunk, 290 * testChunk, n} {
				if off < 0 {
					continue
				}
				got, ref := make([]byte, count), make([]byte, count)
				m, err := r.ReadAt(got, int64(off))
				m2, err2 := want.ReadAt(ref, int64(off))
				if m != m2 || err != err2 || !bytes.Equal(got[:m], ref[:m]) {
					t.Errorf("%d bytes at %d of %d: %d, %v, want %d, %v", count, off, n, m, err, m2, err2)
				}
			}
		}
		if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("read at a negative offset")
		}
		all, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		if err != nil || !bytes.Equal(all, plain) {
			t.Errorf("%d bytes through a section: %v", n, err)
		}
	}
}

// TestC18EndFirst: a file that lost or gained chunks does not open at all.
func TestC18EndFirst(t *testing.T) {
	k := testRing(t)
	for _, n := range []int{3 * testChunk, 3*testChunk + 100} {
		file := encrypt(t, k, small, pattern(n))
		for i := 0; headerUnit+i*testPiece < len(file); i++ {
			for _, beyond := range []int{0, 1, 15} {
				_, err := openAt(k, file[:headerUnit+i*testPiece+beyond])
				wantKind(t, err, Truncated)
			}
		}
		bad := bytes.Clone(file)
		bad[len(bad)-1] ^= 1
		_, err := openAt(k, bad)
		wantKind(t, err, Damaged)
	}
	file := encrypt(t, k, small, pattern(2*testChunk))
	for _, more := range []int{1, 16, 17, testPiece} {
		_, err := openAt(k, append(bytes.Clone(file), make([]byte, more)...))
		if e := wantKind(t, err, Trailing); e.Offset != int64(len(file)) {
			t.Errorf("%+v", e)
		}
	}
}

func TestRangeDamage(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, pattern(6*testChunk))
	file[headerUnit+3*testPiece] ^= 1
	r, err := openAt(k, file)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 6*testChunk)
	n, err := r.ReadAt(buf, testChunk)
	if e := wantKind(t, err, Damaged); e.Chunk != 3 || n != 2*testChunk || !zero(buf[n:]) {
		t.Errorf("%d bytes, %+v", n, e)
	}
	n, err = r.ReadAt(buf[:100], 4*testChunk)
	if n != 100 || err != nil || !bytes.Equal(buf[:100], pattern(6 * testChunk)[4*testChunk:][:100]) {
		t.Errorf("behind the damage: %d, %v", n, err)
	}
}

// changing is a file whose content can be exchanged.
type changing struct{ b []byte }

func (c *changing) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(c.b).ReadAt(p, off)
}

func TestResize(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, pattern(3*testChunk))
	src := &changing{file}
	r, err := NewReaderAt(src, int64(len(file)), k)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	src.b = file[:headerUnit+2*testPiece]
	if _, err := r.ReadAt(buf, 3*testChunk-10); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read of what is gone: %v", err)
	}
	wantKind(t, r.Resize(int64(len(src.b))), Truncated)
	_, err = r.ReadAt(buf, 0)
	wantKind(t, err, Truncated)
	wantKind(t, r.Resize(0), Truncated)
	src.b = file
	if err := r.Resize(int64(len(file))); err != nil || r.Size() != 3*testChunk {
		t.Fatal(err)
	}
	if _, err = r.ReadAt(buf, 0); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = r.ReadAt(buf, 0); err != errClosed || r.Resize(int64(len(file))) != errClosed || r.Close() != nil {
		t.Errorf("after Close: %v", err)
	}
}

func TestRangesAtOnce(t *testing.T) {
	k := testRing(t)
	const n = 50*testChunk + 77
	plain := pattern(n)
	r, err := openAt(k, encrypt(t, k, small, plain))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 40 {
				off := (i*7919*(g+1) + g) % n
				buf := make([]byte, min(5000, n-off))
				if _, err := r.ReadAt(buf, int64(off)); err != nil || !bytes.Equal(buf, plain[off:off+len(buf)]) {
					t.Errorf("at %d: %v", off, err)
				}
			}
		})
	}
	all.Wait()
}
