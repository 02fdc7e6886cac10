package format

import (
	"fmt"
	"io"
)

// A ReadOption changes how a file is read.
type ReadOption func(*readConfig)

type readConfig struct {
	header  io.Reader
	workers int
}

func configure(options []ReadOption) readConfig {
	var c readConfig
	for _, o := range options {
		o(&c)
	}
	return c
}

// WithHeader reads the header from r, where it is kept apart from the payload.
func WithHeader(r io.Reader) ReadOption { return func(c *readConfig) { c.header = r } }

// WithWorkers bounds how many batches of chunks are worked at once, and is cut
// so that all buffers stay within 48 MiB. 0 is the default: as many as Go uses
// cores.
func WithWorkers(n int) ReadOption { return func(c *readConfig) { c.workers = n } }

// begin reads and proves a file's header, which r begins with unless it is kept
// apart.
func (c readConfig) begin(r io.Reader, k *Keyring) (*header, *payload, error) {
	if c.header != nil {
		r = c.header
	}
	h, err := readHeader(r)
	if err != nil {
		return nil, nil, err
	}
	prk, fileKey, _, err := k.open(h)
	if err != nil {
		return nil, nil, err
	}
	wipe(fileKey)
	var base int64
	if c.header == nil {
		base = int64(len(h.raw))
	}
	return h, k.newPayload(h, prk, base), nil
}

// A Reader decrypts. It gives out proven plaintext only: where a chunk is not
// authentic, or the file's end is missing, all whole chunks before it are read
// first, then the error. It is not for concurrent use.
type Reader struct {
	src    io.Reader
	h      *header
	line   *pipeline
	carry  []byte // the byte read beyond the last batch, in beyond
	beyond [1]byte
	end    error // why src gives no more

	cur   *job   // whose plaintext is being read
	plain []byte // the rest of it
	err   error  // what Read returns after that
}

// NewReader reads the header from r and proves it with a secret of k before it
// returns. Memory stays under 64 MiB for every file; scrypt takes as much more
// as k allows for a moment. Its errors and those of Read are an [Error], or wrap
// those of r. Unless it is read to its end or to an error, a Reader should be
// closed.
//
// A Reader reads ahead. What has come in may wait for more to come, or for the
// end: it is not for a conversation whose other side waits for an answer.
func NewReader(r io.Reader, k *Keyring, options ...ReadOption) (*Reader, error) {
	return newReader(r, k, 0, options)
}

// newReader begins at a chunk other than 0 for tests.
func newReader(r io.Reader, k *Keyring, first uint64, options []ReadOption) (*Reader, error) {
	c := configure(options)
	h, p, err := c.begin(r, k)
	if err != nil {
		return nil, err
	}
	line, err := newPipeline(p, p.open, c.workers)
	if err != nil {
		p.wipe()
		return nil, err
	}
	line.index = first
	return &Reader{src: r, h: h, line: line}, nil
}

// Info describes the file. What it says is authentic.
func (r *Reader) Info() *Info { return r.h.info(true) }

// Read reads plaintext. After all of it, it returns io.EOF; every other error is
// final too.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.plain) == 0 {
		if r.err != nil {
			return 0, r.finish()
		}
		r.advance()
	}
	n := copy(p, r.plain)
	r.plain = r.plain[n:]
	return n, nil
}

// WriteTo writes all plaintext to w, a batch at a time. An error of w is
// returned as it is.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	for {
		if len(r.plain) > 0 {
			m, err := w.Write(r.plain)
			n += int64(m)
			if err == nil && m < len(r.plain) {
				err = io.ErrShortWrite
			}
			r.plain = r.plain[m:]
			if err != nil {
				return n, err
			}
		}
		if r.err != nil {
			if err := r.finish(); err != io.EOF {
				return n, err
			}
			return n, nil
		}
		r.advance()
	}
}

// advance moves to the next batch's plaintext, or sets err. The last plaintext
// and the error may come together.
func (r *Reader) advance() {
	if r.cur != nil {
		r.line.recycle(r.cur)
		r.cur = nil
	}
	for r.end == nil && r.line.room() && !r.line.ready() {
		r.load()
	}
	j := r.line.oldest()
	if j == nil {
		r.fail(r.end)
		return
	}
	r.cur, r.plain = j, j.plain
	if j.err != nil {
		r.fail(j.err)
	}
}

// load reads a batch and begins to open it. A byte more than a batch shows that
// the batch is not the last.
func (r *Reader) load() {
	j := r.line.next()
	full := j.chunks * r.line.p.piece()
	buf := j.sealedBuf[:full+1]
	n := copy(buf, r.carry)
	r.carry = nil
	m, err := fill(r.src, buf[n:])
	n += m
	switch {
	case err == nil:
		r.beyond[0] = buf[full]
		r.carry = r.beyond[:]
		j.sealed = buf[:full]
	case err == io.EOF:
		r.end = io.EOF
		j.sealed = buf[:n]
	default:
		// What is followed by at least a byte is whole and not the last.
		r.end = fmt.Errorf("format: reading: %w", err)
		j.sealed = buf[:max(n-1, 0)/r.line.p.piece()*r.line.p.piece()]
		if len(j.sealed) == 0 {
			r.line.recycle(j)
			return
		}
	}
	r.line.start(j, err == io.EOF)
}

// fail ends the reader with its first error. The plaintext before it can still be
// read.
func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.line.wipe()
	}
}

// finish returns the error after all plaintext before it has been read.
func (r *Reader) finish() error {
	if r.cur != nil {
		r.line.p.release(r.cur)
		r.cur, r.plain = nil, nil
	}
	return r.err
}

// Close wipes plaintext and keys; what was not read is lost. It does not close
// the underlying reader, and returns nil.
func (r *Reader) Close() error {
	r.fail(errClosed)
	r.finish()
	return nil
}
