package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// EncryptFile encrypts the size bytes of src to dst, whole batches at a time on
// all cores, and returns how many bytes it made: offset 0 of dst is the file's
// first. That src has less or more than size bytes by the time it is read is an
// error. What is in dst after an error is of no use. Memory is as for
// [NewWriter].
func EncryptFile(dst io.WriterAt, src io.ReaderAt, size int64, k *Keyring, o Options) (written int64, err error) {
	if size < 0 {
		return 0, errors.New("format: negative size")
	}
	if size > maxPlaintext {
		return 0, &Error{Kind: TooLarge}
	}
	h, p, err := o.begin(k)
	if err != nil {
		return 0, err
	}
	defer p.wipe()
	t := transfer{p: p, src: src, dst: dst, dstOff: p.base, size: size, seal: true}
	if o.Header == nil {
		t.header = h.raw
	} else if err := writeAll(o.Header, h.raw); err != nil {
		return 0, fmt.Errorf("format: writing the header: %w", err)
	}
	if err := t.run(o.Workers); err != nil {
		return 0, err
	}
	return p.base + p.sealedSize(size), nil
}

// DecryptFile decrypts src, a file of size bytes, to dst, whole batches at a
// time on all cores, and returns how many bytes of plaintext it made. Only proven
// chunks are written, but on an error not all before the bad one may be: what is
// in dst then is of no use. A size that changes is an error. Memory and other
// errors are as for [NewReader].
func DecryptFile(dst io.WriterAt, src io.ReaderAt, size int64, k *Keyring, options ...ReadOption) (written int64, err error) {
	if size < 0 {
		return 0, errors.New("format: negative size")
	}
	c := configure(options)
	// Most headers are read in one call.
	_, p, err := c.begin(bufio.NewReaderSize(io.NewSectionReader(src, 0, size), headerUnit), k)
	if err != nil {
		return 0, err
	}
	defer p.wipe()
	if p.plainSize(size-p.base) > maxPlaintext {
		return 0, &Error{Kind: TooLarge}
	}
	t := transfer{p: p, src: src, srcOff: p.base, dst: dst, size: size - p.base}
	if err := t.run(c.workers); err != nil {
		return 0, err
	}
	return p.plainSize(size - p.base), nil
}

// sealedSize returns the payload's size for n bytes of plaintext.
func (p *payload) sealedSize(n int64) int64 { return n + tagSize*pieces(n, p.chunk()) }

// plainSize returns the plaintext's size for a payload of n bytes.
func (p *payload) plainSize(n int64) int64 { return n - tagSize*pieces(n, p.piece()) }

// pieces returns into how many pieces of the given size n bytes are cut.
func pieces(n int64, size int) int64 {
	return max((n+int64(size)-1)/int64(size), 1)
}

// A transfer seals or opens a payload from file to file. Workers claim one batch
// after another, so that all batches before one that failed are worked too, and
// the first error in the file is the one reported.
type transfer struct {
	p              *payload
	src            io.ReaderAt
	dst            io.WriterAt
	srcOff, dstOff int64
	size           int64 // bytes of src
	seal           bool
	header         []byte // to write first, with the payload where that is one batch

	// Writes to one file take turns in the kernel anyway, where a turn that has to
	// be waited for costs more than under this lock. Nil lets them run side by side.
	turn *sync.Mutex

	perBatch int
	batches  int64
	jobs     int // at once
	claimed  atomic.Int64
	failed   atomic.Bool

	mu    sync.Mutex
	err   error
	errAt int64 // the batch that err is of
}

// in and out are a full piece's size in src and dst.
func (t *transfer) in() int {
	if t.seal {
		return t.p.chunk()
	}
	return t.p.piece()
}

func (t *transfer) out() int { return t.p.chunk() + t.p.piece() - t.in() }

func (t *transfer) run(workers int) error {
	lanes, err := t.p.lanes()
	if err != nil {
		return err
	}
	t.cut(lanes, workers)
	if _, ok := t.dst.(*os.File); ok && t.jobs > 1 {
		t.turn = new(sync.Mutex)
	}
	if t.batches > 1 {
		if err := writeAllAt(t.dst, t.header, 0); err != nil {
			return fmt.Errorf("format: writing the header: %w", err)
		}
		t.header = nil
	}

	var all sync.WaitGroup
	for range t.jobs - 1 {
		all.Go(t.worker)
	}
	t.worker()
	all.Wait()
	return t.err
}

// cut cuts the payload into batches, for so many workers as there is memory for.
func (t *transfer) cut(lanes, workers int) {
	n := pieces(t.size, t.in())
	var jobs int
	t.perBatch, jobs = plan(t.p.chunk(), lanes, workersOf(workers))
	t.perBatch = int(min(int64(t.perBatch), n))
	t.batches = pieces(n, t.perBatch)
	t.jobs = int(min(int64(jobs), t.batches))
}

func (t *transfer) worker() {
	// A file of one short chunk needs no more than its size.
	j := t.p.job(int(min(int64(t.perBatch*t.p.chunk()), t.size)),
		len(t.header)+int(min(int64(t.perBatch*t.p.piece()), t.p.sealedSize(t.size))), t.jobs)
	defer t.p.release(j)
	if n := copy(j.sealedBuf, t.header); n > 0 {
		j.sealed = j.sealedBuf[n:n]
	}
	for !t.failed.Load() {
		b := t.claimed.Add(1) - 1
		if b >= t.batches {
			return
		}
		if err := t.batch(j, b); err != nil {
			t.fail(b, err)
		}
	}
}

func (t *transfer) fail(b int64, err error) {
	t.failed.Store(true)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil || b < t.errAt {
		t.err, t.errAt = err, b
	}
}

func (t *transfer) batch(j *job, b int64) error {
	first := b * int64(t.perBatch)
	at := first * int64(t.in())
	n := int(min(int64(t.perBatch*t.in()), t.size-at))
	j.index, j.last = uint64(first), b == t.batches-1

	from, work := &j.sealed, t.p.open
	if t.seal {
		from, work = &j.plain, t.p.seal
	}
	*from = (*from)[:n]
	err := readAllAt(t.src, *from, t.srcOff+at)
	if err == nil && j.last {
		err = endsAt(t.src, t.srcOff+t.size)
	}
	if err != nil {
		return fmt.Errorf("format: reading: %w", err)
	}
	if err := work(&j.run); err != nil {
		return err
	}
	to, off := j.plain, t.dstOff+first*int64(t.out())
	if t.seal {
		to = j.sealed
	}
	if n := len(t.header); n > 0 {
		to, off = j.sealedBuf[:n+len(j.sealed)], 0
	}
	if err := t.write(to, off); err != nil {
		return fmt.Errorf("format: writing: %w", err)
	}
	return nil
}

func (t *transfer) write(b []byte, off int64) error {
	if t.turn != nil {
		t.turn.Lock()
		defer t.turn.Unlock()
	}
	return writeAllAt(t.dst, b, off)
}

var errGrown = errors.New("the file grew while it was read")

// shrunkError is io.ErrUnexpectedEOF in the user's words.
type shrunkError struct{}

func (shrunkError) Error() string { return "the file became shorter while it was read" }
func (shrunkError) Unwrap() error { return io.ErrUnexpectedEOF }

// endsAt asks for one byte more than a file should have.
func endsAt(r io.ReaderAt, size int64) error {
	switch n, err := r.ReadAt(make([]byte, 1), size); {
	case n > 0:
		return errGrown
	case err != io.EOF:
		return err
	}
	return nil
}

// readAllAt fills b. A file that has become shorter is io.ErrUnexpectedEOF.
func readAllAt(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return shrunkError{}
	}
	return err
}

func writeAllAt(w io.WriterAt, b []byte, off int64) error {
	if len(b) == 0 {
		return nil
	}
	n, err := w.WriteAt(b, off)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}
