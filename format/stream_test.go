package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"blkcrypt/internal/cryptotest"
)

// gridLengths are the lengths around chunk edges.
func gridLengths(c int) []int {
	return []int{0, 1, c - 1, c, c + 1, 2*c - 1, 2 * c, 2*c + 1, 7 * c}
}

// stepWriter writes n bytes at a time.
type stepWriter struct {
	w io.Writer
	n int
}

func (s stepWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var m int
		m, err = s.w.Write(p[:min(s.n, len(p))])
		n, p = n+m, p[m:]
	}
	return n, err
}

// stepReader reads at most n bytes at a time, and nothing at all before each.
type stepReader struct {
	r    io.Reader
	n    int
	idle bool
}

func (s *stepReader) Read(p []byte) (int, error) {
	if s.idle = !s.idle; s.idle {
		return 0, nil
	}
	return s.r.Read(p[:min(s.n, len(p))])
}

func TestC01LengthsAndSteps(t *testing.T) {
	k := testRing(t)
	for _, n := range gridLengths(testChunk) {
		plain := pattern(n)
		for _, step := range []int{1, 16, 1000, testChunk - 1, testChunk, testChunk + 16, testChunk + 17, 1 << 20} {
			if step == 1 && n > 2*testChunk {
				continue
			}
			var file bytes.Buffer
			w, err := NewWriter(&file, k, small)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (stepWriter{w, step}).Write(plain); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			chunks := max((n+testChunk-1)/testChunk, 1)
			if want := headerUnit + n + chunks*tagSize; file.Len() != want {
				t.Errorf("%d bytes in steps of %d: file of %d bytes, want %d", n, step, file.Len(), want)
			}
			r, err := NewReader(&stepReader{r: &file, n: step}, k)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(&stepReader{r: r, n: step})
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%d bytes in steps of %d: %v, equal %v", n, step, err, bytes.Equal(got, plain))
			}
		}
	}
}

func TestC01EverySuite(t *testing.T) {
	k := testRing(t)
	for _, s := range Suites() {
		for _, n := range []int{0, 1, testChunk, testChunk + 1, 3*testChunk - 1} {
			plain := pattern(n)
			file := encrypt(t, k, Options{Suite: s, ChunkLog: minChunkLog}, plain)
			got, err := decrypt(k, file)
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%v, %d bytes: %v, equal %v", s, n, err, bytes.Equal(got, plain))
			}
		}
		file := encrypt(t, k, Options{Suite: s, ChunkLog: minChunkLog}, pattern(2*testChunk))
		file[len(file)-1] ^= 1
		_, err := decrypt(k, file)
		wantKind(t, err, Damaged)
	}
}

// One encoding for each plaintext: an empty last chunk behind others is refused
// though it is authentic, and so is a first chunk that is full and not last.
func TestC01OneEncoding(t *testing.T) {
	k := testRing(t)
	file, p := rawPayload(t, k)
	for _, n := range []int{1, 2, 3} {
		forged := append([]byte(nil), file...)
		for i := range n {
			forged = append(forged, sealChunk(t, p, uint64(i), pattern(testChunk), false)...)
		}
		forged = append(forged, sealChunk(t, p, uint64(n), nil, true)...)
		got, err := decrypt(k, forged)
		e := wantKind(t, err, Truncated)
		if len(got) != n*testChunk || e.Chunk != uint64(n) {
			t.Errorf("%d chunks: %d bytes came out, %+v", n, len(got), e)
		}
	}
}

// rawPayload returns a header and the payload that belongs to it.
func rawPayload(t *testing.T, k *Keyring) ([]byte, *payload) {
	h, prk, err := k.create(DefaultSuite(), minChunkLog, testLogN)
	if err != nil {
		t.Fatal(err)
	}
	return h.raw, k.newPayload(h, prk, int64(len(h.raw)))
}

// sealChunk seals one chunk by itself, also one that no writer makes.
func sealChunk(t *testing.T, p *payload, i uint64, plain []byte, last bool) []byte {
	k, err := p.acquire(i)
	if err != nil {
		t.Fatal(err)
	}
	defer p.releaseKey(k)
	nonce := make([]byte, nonceSize)
	k.nonce(nonce, i, last)
	return k.Seal(nil, nonce, plain, nil)
}

func TestC17Readers(t *testing.T) {
	k := testRing(t)
	wrappers := map[string]func(io.Reader) io.Reader{
		"one byte":               iotest.OneByteReader,
		"half":                   iotest.HalfReader,
		"data and EOF at once":   iotest.DataErrReader,
		"nothing, then a little": func(r io.Reader) io.Reader { return &stepReader{r: r, n: 777} },
	}
	for _, n := range []int{0, 1, testChunk, 3*testChunk + 5} {
		plain := pattern(n)
		for name, wrap := range wrappers {
			var file bytes.Buffer
			w, err := NewWriter(&file, k, small)
			if err != nil {
				t.Fatal(err)
			}
			if m, err := w.ReadFrom(wrap(bytes.NewReader(plain))); m != int64(n) || err != nil {
				t.Fatalf("%s: read %d, %v", name, m, err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := NewReader(wrap(&file), k)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := iotest.TestReader(r, plain); err != nil {
				t.Errorf("%s, %d bytes: %v", name, n, err)
			}
		}
	}
}

func TestReaderConforms(t *testing.T) {
	k := testRing(t)
	for _, n := range gridLengths(testChunk) {
		r, err := NewReader(bytes.NewReader(encrypt(t, k, small, pattern(n))), k)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(r, pattern(n)); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// A reader that fails: what was proven before comes out, then its error, which
// stays.
func TestReaderErrors(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, pattern(3*testChunk))
	broken := errors.New("broken")
	piece := testChunk + tagSize
	for _, cut := range []int{0, 10, fixedSize, 100, headerUnit, headerUnit + 1, headerUnit + piece,
		headerUnit + piece + 1, headerUnit + 2*piece + 100, len(file)} {
		src := io.MultiReader(bytes.NewReader(file[:cut]), iotest.ErrReader(broken))
		r, err := NewReader(src, k)
		if cut < headerUnit {
			if !errors.Is(err, broken) || kindOf(err) != 0 {
				t.Errorf("cut at %d: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		got, err := io.ReadAll(r)
		if !errors.Is(err, broken) || kindOf(err) != 0 {
			t.Errorf("cut at %d: %v", cut, err)
		}
		// The last whole chunk is proven only by a byte after it.
		if want := max(cut-headerUnit-1, 0) / piece * testChunk; len(got) != want || !bytes.Equal(got, pattern(want)) {
			t.Errorf("cut at %d: %d bytes came out, want %d", cut, len(got), want)
		}
		if n, again := r.Read(make([]byte, 1)); n != 0 || again != err {
			t.Errorf("cut at %d: second error %v", cut, again)
		}
	}
	r, err := NewReader(iotest.TimeoutReader(bytes.NewReader(file)), k)
	if err == nil {
		_, err = io.ReadAll(r)
	}
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("timeout: %v", err)
	}
	_, err = NewReader(&stuckReader{}, k)
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("reader without progress: %v", err)
	}
}

type stuckReader struct{}

func (*stuckReader) Read([]byte) (int, error) { return 0, nil }

// limitWriter fails after n bytes.
type limitWriter struct {
	n     int
	err   error
	short bool // by a short count and no error
}

func (l *limitWriter) Write(p []byte) (int, error) {
	if len(p) <= l.n {
		l.n -= len(p)
		return len(p), nil
	}
	n := l.n
	l.n = 0
	if l.short {
		return n, nil
	}
	return n, l.err
}

func TestWriterFailsAnywhere(t *testing.T) {
	k := testRing(t)
	writerFails(t, k, pattern(40*testChunk), 3001)
	step := 1
	if cryptotest.Thin() {
		step = 97
	}
	writerFails(t, k, pattern(1100), step)
}

// writerFails lets the destination fail at every step-th byte.
func writerFails(t *testing.T, k *Keyring, plain []byte, step int) {
	size := len(encrypt(t, k, small, plain))
	full := errors.New("no space")
	for _, short := range []bool{false, true} {
		want := full
		if short {
			want = io.ErrShortWrite
		}
		for at := 0; at < size; at += step {
			w, err := NewWriter(&limitWriter{at, full, short}, k, small)
			if at < headerUnit {
				if !errors.Is(err, want) {
					t.Fatalf("at %d: %v", at, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
			_, err = w.ReadFrom(bytes.NewReader(plain))
			closed := w.Close()
			if !errors.Is(closed, want) || err != nil && err != closed {
				t.Fatalf("at %d: %v, then %v", at, err, closed)
			}
			if _, err := w.Write([]byte{1}); err != closed {
				t.Fatalf("at %d: write after that: %v", at, err)
			}
		}
	}
}

func TestWriterAfterClose(t *testing.T) {
	k := testRing(t)
	var file bytes.Buffer
	w, err := NewWriter(&file, k, small)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	n := file.Len()
	_, err = w.Write([]byte("x"))
	_, err2 := w.ReadFrom(bytes.NewReader([]byte("x")))
	if err == nil || err2 == nil || w.Close() == nil || file.Len() != n {
		t.Errorf("write: %v, read from: %v, close: %v; %d bytes more", err, err2, w.Close(), file.Len()-n)
	}
}

// A source that fails must not end as a whole file.
func TestWriterSourceFails(t *testing.T) {
	k := testRing(t)
	var file bytes.Buffer
	w, err := NewWriter(&file, k, small)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	src := io.MultiReader(bytes.NewReader(pattern(5*testChunk)), iotest.ErrReader(broken))
	_, err = io.Copy(w, src)
	if !errors.Is(err, broken) || w.Close() != err {
		t.Fatalf("copy: %v, close: %v", err, w.Close())
	}
	if _, err := decrypt(k, file.Bytes()); kindOf(err) != Truncated {
		t.Errorf("the file made: %v", err)
	}

	file.Reset()
	if w, err = NewWriter(&file, k, small); err != nil {
		t.Fatal(err)
	}
	w.Write(pattern(3 * testChunk))
	w.Abort()
	if err := w.Close(); err == nil {
		t.Error("closed after it was aborted")
	}
	if _, err := decrypt(k, file.Bytes()); kindOf(err) != Truncated {
		t.Errorf("the file of an aborted writer: %v", err)
	}
}

// All numbers of workers make and read the same, at batches of all sizes.
func TestWorkers(t *testing.T) {
	k := testRing(t)
	plain := pattern(3<<19 + 12345)
	logs := []int{12, 16, 20}
	if testing.Short() {
		logs = logs[1:2]
	}
	for _, chunkLog := range logs {
		for _, workers := range []int{1, 3, 64} {
			name := fmt.Sprintf("2^%d, %d workers", chunkLog, workers)
			file := encrypt(t, k, Options{ChunkLog: chunkLog, Workers: workers}, plain)
			got, err := decrypt(k, file, WithWorkers(workers))
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s: %v, equal %v", name, err, bytes.Equal(got, plain))
			}
			var out bytes.Buffer
			r, err := NewReader(bytes.NewReader(file), k, WithWorkers(workers))
			if err != nil {
				t.Fatal(err)
			}
			if n, err := r.WriteTo(&out); n != int64(len(plain)) || err != nil || !bytes.Equal(out.Bytes(), plain) {
				t.Errorf("%s: WriteTo %d, %v", name, n, err)
			}
		}
	}
}

func TestDetachedHeader(t *testing.T) {
	k := testRing(t)
	plain := pattern(2*testChunk + 9)
	var header bytes.Buffer
	o := small
	o.Header = &header
	body := encrypt(t, k, o, plain)
	got, err := decrypt(k, body, WithHeader(bytes.NewReader(header.Bytes())))
	if err != nil || !bytes.Equal(got, plain) {
		t.Fatal(err)
	}
	joined := append(header.Bytes(), body...)
	if got, err = decrypt(k, joined); err != nil || !bytes.Equal(got, plain) {
		t.Fatal(err)
	}
	body[testChunk+tagSize] ^= 1
	_, err = decrypt(k, body, WithHeader(bytes.NewReader(header.Bytes())))
	if e := wantKind(t, err, Damaged); e.Chunk != 1 || e.Offset != testChunk+tagSize {
		t.Errorf("%+v", e)
	}
}

func TestReaderClose(t *testing.T) {
	k := testRing(t)
	r, err := NewReader(bytes.NewReader(encrypt(t, k, small, pattern(9*testChunk))), k)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 10)); n != 0 || err != errClosed {
		t.Errorf("read %d, %v", n, err)
	}
}

// A destination that fails ends WriteTo with its error; the rest can be read.
func TestWriteToFails(t *testing.T) {
	k := testRing(t)
	plain := pattern(5 * testChunk)
	r, err := NewReader(bytes.NewReader(encrypt(t, k, small, plain)), k)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space")
	n, err := r.WriteTo(&limitWriter{100, full, false})
	if n != 100 || err != full {
		t.Errorf("%d, %v", n, err)
	}
	m, err := r.WriteTo(&limitWriter{100, full, true})
	if m != 100 || err != io.ErrShortWrite {
		t.Errorf("%d, %v", m, err)
	}
	if rest, err := io.ReadAll(r); err != nil || !bytes.Equal(rest, plain[200:]) {
		t.Errorf("%d bytes are left, %v", len(rest), err)
	}
	bad := encrypt(t, k, small, plain)
	bad[len(bad)-1] ^= 1
	if r, err = NewReader(bytes.NewReader(bad), k); err != nil {
		t.Fatal(err)
	}
	n, err = r.WriteTo(io.Discard)
	if wantKind(t, err, Damaged); n != 4*testChunk {
		t.Errorf("%d bytes came out", n)
	}
}
