package format

import (
	"errors"
	"fmt"
	"io"
)

// Options say how a file is written. The zero value is right for most.
type Options struct {
	Suite    Suite // zero: DefaultSuite
	ChunkLog int   // log2 of the chunk size in bytes, 12 to 23; 0: 16 (64 KiB)
	LogN     int   // log2 of scrypt's N for passphrases, 10 to 22; 0: DefaultLogN

	// Workers bounds how many batches of chunks are worked at once, and is cut so
	// that all buffers stay within 48 MiB; 0: as many as Go uses cores.
	Workers int

	// Header, where set, receives the header, which is then kept apart from the
	// payload.
	Header io.Writer
}

// begin makes a file's header and payload.
func (o Options) begin(k *Keyring) (*header, *payload, error) {
	if o.Suite == (Suite{}) {
		o.Suite = DefaultSuite()
	}
	if o.ChunkLog == 0 {
		o.ChunkLog = defaultChunkLog
	}
	if !o.Suite.valid() {
		return nil, nil, errors.New("format: no such suite")
	}
	if o.ChunkLog < minChunkLog || o.ChunkLog > maxChunkLog {
		return nil, nil, fmt.Errorf("format: chunks of 2^%d bytes, want 2^%d to 2^%d", o.ChunkLog, minChunkLog, maxChunkLog)
	}
	logN, err := checkLogN(o.LogN)
	if err != nil {
		return nil, nil, err
	}
	h, prk, err := k.create(o.Suite, o.ChunkLog, logN)
	if err != nil {
		return nil, nil, err
	}
	var base int64
	if o.Header == nil {
		base = int64(len(h.raw))
	}
	return h, k.newPayload(h, prk, base), nil
}

// A Writer encrypts what is written to it. It is not for concurrent use.
type Writer struct {
	dst  io.Writer
	line *pipeline
	cur  *job // being filled; nil once closed or failed
	err  error
}

// NewWriter writes a header to w, which every secret of k will open, and
// returns a Writer for the plaintext. Close must be called to end the file;
// where the plaintext is not complete, Abort must be called instead. Memory
// stays under 64 MiB for every chunk size; scrypt takes 2^(LogN+10) bytes more
// for a moment.
func NewWriter(w io.Writer, k *Keyring, o Options) (*Writer, error) {
	return newWriter(w, k, o, 0)
}

// newWriter begins at a chunk other than 0 for tests.
func newWriter(w io.Writer, k *Keyring, o Options, first uint64) (*Writer, error) {
	h, p, err := o.begin(k)
	if err != nil {
		return nil, err
	}
	line, err := newPipeline(p, p.seal, o.Workers)
	if err != nil {
		p.wipe()
		return nil, err
	}
	line.index = first
	to := w
	if o.Header != nil {
		to = o.Header
	}
	if err := writeAll(to, h.raw); err != nil {
		line.wipe()
		return nil, fmt.Errorf("format: writing the header: %w", err)
	}
	return &Writer{dst: w, line: line, cur: line.next()}, nil
}

func writeAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Write takes plaintext. Encrypted chunks reach the underlying writer some
// batches later. Every error is final and returned again by Write and Close.
func (w *Writer) Write(p []byte) (n int, err error) {
	for len(p) > 0 && w.err == nil {
		m := copy(w.space(), p)
		w.advance(m)
		n += m
		p = p[m:]
	}
	return n, w.err
}

// ReadFrom takes plaintext from r until it ends, and does not close w. An error
// of r is final as well: half a file must not end as if it were whole.
func (w *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	for w.err == nil {
		m, err := fill(r, w.space())
		w.advance(m)
		n += int64(m)
		if err == io.EOF {
			break
		} else if err != nil {
			w.fail(fmt.Errorf("format: reading plaintext: %w", err))
		}
	}
	return n, w.err
}

// space returns where plaintext goes next: the rest of a batch and the one byte
// after it that shows that the batch is not the last.
func (w *Writer) space() []byte {
	full := w.cur.chunks * w.line.p.chunk()
	return w.cur.plainBuf[len(w.cur.plain) : full+1]
}

// advance takes n bytes that lie in space.
func (w *Writer) advance(n int) {
	j := w.cur
	if w.err != nil {
		return
	}
	j.plain = j.plainBuf[:len(j.plain)+n]
	full := j.chunks * w.line.p.chunk()
	if len(j.plain) <= full {
		return
	}
	beyond := j.plain[full]
	j.plain = j.plain[:full]
	w.line.start(j, false)
	w.cur = nil
	w.flush(false)
	if w.err == nil {
		w.cur = w.line.next()
		w.cur.plainBuf[0] = beyond
		w.cur.plain = w.cur.plainBuf[:1]
	}
}

// flush writes what is done, and waits where there is no room for another batch
// or where all must go.
func (w *Writer) flush(all bool) {
	for w.err == nil && (all || w.line.ready() || !w.line.room()) {
		j := w.line.oldest()
		if j == nil {
			return
		}
		err := j.err
		if err == nil {
			if err = writeAll(w.dst, j.sealed); err != nil {
				err = fmt.Errorf("format: writing: %w", err)
			}
		}
		w.line.recycle(j)
		if err != nil {
			w.fail(err)
		}
	}
}

// fail ends the writer with its first error.
func (w *Writer) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	if w.cur != nil {
		w.line.recycle(w.cur)
		w.cur = nil
	}
	w.line.wipe()
}

// Close seals the last chunk and writes all that is left; it does not close the
// underlying writer. It returns the Writer's first error if there was one, and
// an error when called again.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.line.start(w.cur, true)
	w.cur = nil
	w.flush(true)
	if w.err != nil {
		return w.err
	}
	w.fail(errClosed)
	return nil
}

// Abort gives up: the file stays without its end, so that no reader takes it for
// whole, and plaintext and keys are wiped. After Close it does nothing.
func (w *Writer) Abort() { w.fail(errClosed) }
