package format

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// A ReaderAt decrypts any range of a file. Its methods may be called by several
// goroutines at once, each of which takes buffers of its own of 2 MiB or two
// chunks.
type ReaderAt struct {
	src      io.ReaderAt
	h        *header
	p        *payload
	perBatch int

	mu     sync.RWMutex
	sealed int64 // bytes of payload
	size   int64 // bytes of plaintext, as last proven
	err    error // of the last proof, or errClosed
}

// NewReaderAt reads the header of src, a file of size bytes, proves it with a
// secret of k, and then proves the last chunk: so that the size of the plaintext
// is known for certain before anything is read. Its errors and those of ReadAt are
// an [Error], or wrap those of src.
func NewReaderAt(src io.ReaderAt, size int64, k *Keyring, options ...ReadOption) (*ReaderAt, error) {
	h, p, err := configure(options).begin(io.NewSectionReader(src, 0, size), k)
	if err != nil {
		return nil, err
	}
	r := &ReaderAt{src: src, h: h, p: p}
	lanes, err := p.lanes()
	if err == nil {
		r.perBatch, _ = plan(p.chunk(), lanes, 1)
		err = r.Resize(size)
	}
	if err != nil {
		p.wipe()
		return nil, err
	}
	return r, nil
}

// Info describes the file. What it says is authentic.
func (r *ReaderAt) Info() *Info { return r.h.info(true) }

// Size returns the size of the plaintext in bytes, as last proven.
func (r *ReaderAt) Size() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.size
}

// Resize is for a file whose size has changed to size bytes while it was open.
// It proves the last chunk again. A file never grows or shrinks rightly, so that
// other sizes than the first are errors; after one, reads fail until a Resize
// succeeds.
func (r *ReaderAt) Resize(size int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == errClosed {
		return errClosed
	}
	r.sealed = max(size-r.p.base, 0)
	if r.err = r.proveEnd(); r.err == nil {
		r.size = r.p.plainSize(r.sealed)
	}
	return r.err
}

// proveEnd opens the last chunk. Where that fails it opens the one before as
// well, which shows whether data were appended.
func (r *ReaderAt) proveEnd() error {
	if r.p.plainSize(r.sealed) > maxPlaintext {
		return &Error{Kind: TooLarge}
	}
	n := pieces(r.sealed, r.p.piece())
	var e *Error
	err := r.prove(n-1, n)
	if n == 1 || !errors.As(err, &e) {
		return err
	}
	if before := r.prove(n-2, n); errors.As(before, &e) && e.Kind == Trailing {
		return e
	}
	return err
}

// prove opens chunk i of n and forgets it.
func (r *ReaderAt) prove(i, n int64) error {
	j := r.job(1)
	defer r.p.release(j)
	return r.load(j, i, 1, n)
}

// load opens count chunks from the i-th of n on into j.
func (r *ReaderAt) load(j *job, i, count, n int64) error {
	piece := int64(r.p.piece())
	j.index, j.last = uint64(i), i+count == n
	j.sealed = j.sealedBuf[:min(count*piece, r.sealed-i*piece)]
	if err := readAllAt(r.src, j.sealed, r.p.base+i*piece); err != nil {
		return fmt.Errorf("format: reading: %w", err)
	}
	return r.p.open(&j.run)
}

func (r *ReaderAt) job(n int) *job { return r.p.job(n*r.p.chunk(), n*r.p.piece(), 1) }

// ReadAt reads plaintext as [io.ReaderAt] says. Whole chunks are opened for it
// each time, so that many small reads in a row are better done through a buffer.
func (r *ReaderAt) ReadAt(b []byte, off int64) (n int, err error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.err != nil {
		return 0, r.err
	}
	if off < 0 {
		return 0, errors.New("format: negative offset")
	}
	if off >= r.size {
		return 0, io.EOF
	}
	if int64(len(b)) > r.size-off {
		b, err = b[:r.size-off], io.EOF
	}
	chunk := int64(r.p.chunk())
	total := pieces(r.sealed, r.p.piece())
	for n < len(b) {
		first := (off + int64(n)) / chunk
		skip := int(off + int64(n) - first*chunk)
		count := min(pieces(int64(skip+len(b)-n), int(chunk)), int64(r.perBatch))
		j := r.job(int(count))
		failure := r.load(j, first, count, total)
		if len(j.plain) > skip {
			n += copy(b[n:], j.plain[skip:])
		}
		r.p.release(j)
		if failure != nil {
			return n, failure
		}
	}
	return n, err
}

// Close wipes the keys. It waits for reads and does not close the underlying
// file; it returns nil.
func (r *ReaderAt) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != errClosed {
		r.err = errClosed
		r.p.wipe()
	}
	return nil
}
