package format

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"blkcrypt/internal/cryptotest"
)

var large = flag.Bool("large", false, "run the tests that take minutes: 5 GiB through a pipe")

// wantNoGoroutines waits for those that began since before to end.
func wantNoGoroutines(t *testing.T, before int) {
	t.Helper()
	// A goroutine counts until it has ended, a little after its work has.
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
		}
		time.Sleep(time.Millisecond)
	}
}

// Whoever stops early, with Close or Abort or without, leaves no goroutine behind
// and waits for nothing.
func TestStopEarly(t *testing.T) {
	k := testRing(t)
	plain := pattern(300 * testChunk)
	file := encrypt(t, k, small, plain)
	before := runtime.NumGoroutine()
	for _, closes := range []bool{true, false} {
		for _, n := range []int{0, 1, 100000, len(plain)} {
			r, err := NewReader(bytes.NewReader(file), k, WithWorkers(4))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(r, make([]byte, n)); err != nil {
				t.Fatal(err)
			}
			o := small
			o.Workers = 4
			w, err := NewWriter(io.Discard, k, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(plain[:n]); err != nil {
				t.Fatal(err)
			}
			if closes {
				r.Close()
				w.Abort()
			}
		}
	}
	wantNoGoroutines(t, before)
}

// A pipe whose other end is closed ends both sides.
func TestPipeClosed(t *testing.T) {
	k := testRing(t)
	plain := pattern(300 * testChunk)
	before := runtime.NumGoroutine()
	gone := errors.New("gone")

	pr, pw := io.Pipe()
	done := make(chan error)
	go func() {
		w, err := NewWriter(pw, k, small)
		if err == nil {
			_, err = io.Copy(w, zeros{}) // without end
		}
		done <- err
	}()
	r, err := NewReader(pr, k)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	pr.CloseWithError(gone)
	if err := <-done; !errors.Is(err, gone) {
		t.Errorf("the writer says %v", err)
	}

	pr, pw = io.Pipe()
	go func() {
		file := encrypt(t, k, small, plain)
		pw.Write(file[:len(file)/2])
		pw.CloseWithError(gone)
	}()
	if r, err = NewReader(pr, k); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, gone) {
		t.Errorf("the reader says %v", err)
	}
	wantNoGoroutines(t, before)
}

// One keyring for everything at once: writers, readers, ranges and editors.
func TestKeyringAtOnce(t *testing.T) {
	pass, key := passphrase(t, "at once"), keyFile(t, 1)
	k := NewKeyring(pass, key)
	plain := pattern(20 * testChunk)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			var file sliceAt
			o := small
			o.Suite = Suites()[i]
			n, err := EncryptFile(&file, bytes.NewReader(plain), int64(len(plain)), k, o)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := decrypt(k, file.b); err != nil || !bytes.Equal(got, plain) {
				t.Error(err)
			}
			r, err := NewReaderAt(bytes.NewReader(file.b), n, k)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			buf := make([]byte, 100)
			if _, err := r.ReadAt(buf, 5000); err != nil || !bytes.Equal(buf, plain[5000:5100]) {
				t.Error(err)
			}
			e, err := NewEditor(bytes.NewReader(file.b), k)
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close()
			if err := e.Add(passphrase(t, "another"), testLogN); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// One run for the slots of all files, and one for each new slot.
	if len(k.roots) != 1+8 {
		t.Errorf("%d runs of scrypt", len(k.roots))
	}
}

// A source that grows or shrinks while it is read is an error, whatever reads it.
func TestSourceChanges(t *testing.T) {
	k := testRing(t)
	plain := pattern(600 * testChunk)
	var file sliceAt
	if _, err := EncryptFile(&file, bytes.NewReader(plain[:5*testChunk]), 5*testChunk, k, small); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{0, 1, 5 * testChunk, 600*testChunk - 1} {
		if _, err := EncryptFile(new(discardAt), bytes.NewReader(plain), size, k, small); !errors.Is(err, errGrown) {
			t.Errorf("source that grew from %d: %v", size, err)
		}
	}
	grown := append(bytes.Clone(file.b), file.b...)
	if _, err := DecryptFile(new(discardAt), bytes.NewReader(grown), int64(len(file.b)), k); !errors.Is(err, errGrown) {
		t.Errorf("file that grew: %v", err)
	}
	for _, left := range []int64{0, 1, testChunk, 512 * testChunk} {
		src := &shrinking{r: bytes.NewReader(plain), left: left}
		if _, err := EncryptFile(new(discardAt), src, int64(len(plain)), k, small); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("source cut at %d: %v", left, err)
		}
	}
	if _, err := DecryptFile(new(discardAt), bytes.NewReader(file.b), -1, k); err == nil {
		t.Error("decrypted a negative size")
	}
	_, err := DecryptFile(new(discardAt), bytes.NewReader(file.b), maxPlaintext+maxPlaintext/8, k)
	wantKind(t, err, TooLarge)
	_, err = DecryptFile(new(discardAt), bytes.NewReader(file.b), 1<<63-1, k)
	wantKind(t, err, TooLarge)
}

// shrinking is a file that ends sooner than its size said.
type shrinking struct {
	r    io.ReaderAt
	left int64
}

func (s *shrinking) ReadAt(p []byte, off int64) (int, error) {
	return io.NewSectionReader(s.r, 0, s.left).ReadAt(p, off)
}

// TestC08Large sends 5 GiB through a pipe: beyond 32 bits of bytes, in memory that
// does not grow. TestC08Counters is the fast variant.
func TestC08Large(t *testing.T) {
	if !*large {
		t.Skip("takes minutes; -large runs it")
	}
	if cryptotest.Thin() {
		t.Skip("the race detector makes it an hour")
	}
	k := testRing(t)
	const size = 5 << 30
	pr, pw := io.Pipe()
	go func() {
		w, err := NewWriter(pw, k, Options{})
		if err == nil {
			if _, err = io.Copy(w, io.LimitReader(zeros{}, size)); err == nil {
				err = w.Close()
			}
		}
		pw.CloseWithError(err)
	}()
	r, err := NewReader(pr, k)
	if err != nil {
		t.Fatal(err)
	}
	sum := new(zeroSum)
	if n, err := io.Copy(sum, r); n != size || err != nil || sum.other {
		t.Errorf("%d bytes, other than zeros %v, %v", n, sum.other, err)
	}
	if sum.heap > 96<<20 {
		t.Errorf("heap of %d MiB", sum.heap>>20)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// zeroSum sees whether all that is written is zero, and how much memory is used.
type zeroSum struct {
	other bool
	heap  uint64
	calls int
}

func (z *zeroSum) Write(p []byte) (int, error) {
	z.other = z.other || !zero(p)
	if z.calls++; z.calls%1000 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		z.heap = max(z.heap, m.HeapInuse)
	}
	return len(p), nil
}
