package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
)

func TestC01Files(t *testing.T) {
	k := testRing(t)
	lengths := append(gridLengths(testChunk), 300*testChunk+3)
	for _, n := range lengths {
		for _, workers := range []int{1, 3} {
			name := fmt.Sprintf("%d bytes, %d workers", n, workers)
			plain := pattern(n)
			var file, out sliceAt
			o := small
			o.Workers = workers
			size, err := EncryptFile(&file, bytes.NewReader(plain), int64(n), k, o)
			if err != nil || size != int64(len(file.b)) {
				t.Fatalf("%s: wrote %d, file of %d, %v", name, size, len(file.b), err)
			}
			if got, err := decrypt(k, file.b); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s, as a stream: %v", name, err)
			}
			size, err = DecryptFile(&out, bytes.NewReader(file.b), size, k, WithWorkers(workers))
			if err != nil || size != int64(n) || !bytes.Equal(out.b, plain) {
				t.Errorf("%s: read %d, %v", name, size, err)
			}
		}
	}
}

func TestFileDetachedHeader(t *testing.T) {
	k := testRing(t)
	plain := pattern(3 * testChunk)
	var header bytes.Buffer
	o := small
	o.Header = &header
	var file, out sliceAt
	size, err := EncryptFile(&file, bytes.NewReader(plain), int64(len(plain)), k, o)
	if err != nil || size != int64(3*testPiece) || header.Len() != headerUnit {
		t.Fatal(size, err)
	}
	n, err := DecryptFile(&out, bytes.NewReader(file.b), size, k, WithHeader(&header))
	if err != nil || n != int64(len(plain)) || !bytes.Equal(out.b, plain) {
		t.Fatal(n, err)
	}
}

// failAt fails for what touches a byte offset.
type failAt struct {
	r   io.ReaderAt
	w   io.WriterAt
	off int64
	err error
}

func (f failAt) ReadAt(p []byte, off int64) (int, error) {
	if f.off >= off && f.off < off+int64(len(p)) {
		return 0, f.err
	}
	return f.r.ReadAt(p, off)
}

func (f failAt) WriteAt(p []byte, off int64) (int, error) {
	if f.off >= off && f.off < off+int64(len(p)) {
		return 0, f.err
	}
	return f.w.WriteAt(p, off)
}

// TestC23FileErrors: an error in the middle ends all workers, the first one in
// the file is reported, and no goroutine is left.
func TestC23FileErrors(t *testing.T) {
	k := testRing(t)
	const n = 520 // three batches
	plain := pattern(n * testChunk)
	o := small
	o.Workers = 8
	var file sliceAt
	size, err := EncryptFile(&file, bytes.NewReader(plain), int64(len(plain)), k, o)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	broken := errors.New("broken")
	for _, off := range []int64{5, 1 << 20, int64(len(plain)) - 1} {
		f := failAt{r: bytes.NewReader(plain), w: new(sliceAt), off: off, err: broken}
		if _, err := EncryptFile(new(discardAt), f, int64(len(plain)), k, o); !errors.Is(err, broken) {
			t.Errorf("reading plaintext at %d: %v", off, err)
		}
		if _, err := EncryptFile(failAt{w: new(discardAt), off: off, err: broken}, bytes.NewReader(plain), int64(len(plain)), k, o); !errors.Is(err, broken) {
			t.Errorf("writing the file at %d: %v", off, err)
		}
		f.r = bytes.NewReader(file.b)
		if _, err := DecryptFile(new(discardAt), f, size, k); !errors.Is(err, broken) || kindOf(err) != 0 {
			t.Errorf("reading the file at %d: %v", off, err)
		}
		if _, err := DecryptFile(failAt{w: new(discardAt), off: off, err: broken}, bytes.NewReader(file.b), size, k); !errors.Is(err, broken) {
			t.Errorf("writing plaintext at %d: %v", off, err)
		}
	}
	for _, first := range []int{0, 300} {
		bad := bytes.Clone(file.b)
		for i := first; i < n; i += 250 {
			bad[headerUnit+i*testPiece] ^= 1
		}
		_, err := DecryptFile(new(discardAt), bytes.NewReader(bad), size, k, WithWorkers(8))
		if e := wantKind(t, err, Damaged); e.Chunk != uint64(first) {
			t.Errorf("reported chunk %d, want %d", e.Chunk, first)
		}
	}
	for _, by := range []int64{1, -1, testPiece, -testPiece} {
		want := io.ErrUnexpectedEOF
		if by < 0 {
			want = errGrown
		}
		if _, err := EncryptFile(new(discardAt), bytes.NewReader(plain), int64(len(plain))+by, k, o); !errors.Is(err, want) {
			t.Errorf("plaintext of %d bytes where there should be %d more: %v", len(plain), by, err)
		}
		if _, err := DecryptFile(new(discardAt), bytes.NewReader(file.b), size+by, k); !errors.Is(err, want) {
			t.Errorf("file of %d bytes where there should be %d more: %v", size, by, err)
		}
	}
	wantNoGoroutines(t, before)
}

// window is a file of which one piece is there.
type window struct {
	off int64
	b   []byte
}

func (w *window) WriteAt(p []byte, off int64) (int, error) {
	w.off, w.b = off, bytes.Clone(p)
	return len(p), nil
}

func (w *window) ReadAt(p []byte, off int64) (int, error) {
	if off < w.off || off > w.off+int64(len(w.b)) {
		return 0, fmt.Errorf("read at %d, there are %d bytes at %d", off, len(w.b), w.off)
	}
	n := copy(p, w.b[off-w.off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// TestC08Offsets seals and opens the last batches of files whose sizes need more
// than 32 bits, where words may have no more.
func TestC08Offsets(t *testing.T) {
	k := testRing(t)
	for _, size := range []int64{1<<32 - 1, 1<<32 + 5, 9<<30 + testChunk, 1<<43 + 1} {
		head, p := rawPayload(t, k)
		seal := transfer{p: p, dstOff: int64(len(head)), size: size, seal: true}
		seal.cut(1, 2)
		first := (seal.batches - 1) * int64(seal.perBatch)
		plain := window{first * testChunk, pattern(int(size - first*testChunk))}
		var sealed, opened window
		seal.src, seal.dst = &plain, &sealed
		j := p.job(seal.perBatch*testChunk, seal.perBatch*testPiece, 1)
		if err := seal.batch(j, seal.batches-1); err != nil {
			t.Fatal(err)
		}
		if want := int64(len(head)) + first*testPiece; sealed.off != want {
			t.Errorf("%d bytes: sealed at %d, want %d", size, sealed.off, want)
		}
		open := transfer{p: p, src: &sealed, srcOff: int64(len(head)), dst: &opened, size: p.sealedSize(size)}
		if open.cut(1, 2); open.batches != seal.batches {
			t.Fatalf("%d bytes: %d batches to open, of %d sealed", size, open.batches, seal.batches)
		}
		if err := open.batch(j, open.batches-1); err != nil {
			t.Fatal(err)
		}
		if opened.off != plain.off || !bytes.Equal(opened.b, plain.b) || p.plainSize(open.size) != size {
			t.Errorf("%d bytes: opened to %d at %d", size, len(opened.b), opened.off)
		}
		p.release(j)
		p.wipe()
	}
}

// discardAt takes writes at any offset and forgets them.
type discardAt struct{}

func (*discardAt) WriteAt(p []byte, off int64) (int, error) { return len(p), nil }
