package cryptotest

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math"
	"slices"

	"blkcrypt/aead"
)

// foreign hides that an AEAD is one of this module's.
type foreign struct{ cipher.AEAD }

// batches holds batches to a loop over Seal and Open.
func (s *aeadTest) batches() {
	lanes := s.lanes()
	for count := range sparse(2*lanes + 2) {
		for _, size := range []int{0, 17, 64} {
			s.batch(s.AEAD, count, size, count%3*5)
		}
	}
	for _, count := range []int{1, 3, lanes, lanes + 1, 2*lanes + 1} {
		for _, size := range []int{1, 15, 16, 255, 1025, 3001} {
			s.batch(s.AEAD, count, size, 48)
		}
	}
	if !Thin() {
		s.batch(s.AEAD, lanes+1, 40, 0xff01)
		s.batch(s.AEAD, 2, 70000, 0)
		s.batchTampered(s.AEAD, lanes, (2*s.width+1)*bs+3)
	}
	for count := range 4 {
		s.batch(foreign{s.AEAD}, count, 40, 7)
	}
	s.batchTampered(s.AEAD, lanes, 50)
	s.batchTampered(foreign{s.AEAD}, 3, 50)
	s.batchFences(lanes)
	s.batchPanics()
}

// chunks is a batch, and what must come of it.
type chunks struct {
	aead.Batch
	plain, sealed [][]byte
}

// chunks seals count messages one by one.
func (s *aeadTest) chunks(count, size, ad int) chunks {
	c := chunks{Batch: aead.Batch{Size: size, Count: count, Nonces: ruled(count*s.NonceSize(), 101, 7, size), AD: ruled(ad, 3, 1, size)}}
	for j := range count {
		p := ruled(size, 11, 13, j+1)
		c.plain = append(c.plain, p)
		c.sealed = append(c.sealed, s.Seal(nil, c.Nonces[j*s.NonceSize():][:s.NonceSize()], p, c.AD))
	}
	return c
}

// layout is where the chunks of a batch lie.
type layout struct {
	name        string
	plain, text int // stride beyond the size
	inPlace     bool
	power       bool // the stride of the plaintext is a power of two
}

var layouts = []layout{
	{"contiguous", 0, 0, false, false},
	{"spread", 3, 21, false, false},
	{"in place", 0, 0, true, false},
	{"in place, spread", 0, 50, true, false},
	{"at powers of two", 0, 5, false, true},
	{"in place at powers of two", 0, 0, true, true},
}

// batch seals and opens a batch in every layout.
func (s *aeadTest) batch(a cipher.AEAD, count, size, ad int) {
	s.Helper()
	c := s.chunks(count, size, ad)
	for _, l := range layouts {
		what := fmt.Sprintf("batch of %d chunks of %d bytes, %s", count, size, l.name)
		plainStride, textStride := l.strides(size, s.Overhead())
		plain, text := lay(c.plain, plainStride, size), lay(c.sealed, textStride, size+s.Overhead())

		b := c.Batch
		b.Src, b.SrcStride, b.Dst, b.DstStride = plain, plainStride, blank(text, textStride, count, size+s.Overhead()), textStride
		if l.inPlace {
			b.Dst = lay(c.plain, textStride, size+s.Overhead())
			b.Src, b.SrcStride = b.Dst, textStride
		}
		nonces, associated := bytes.Clone(b.Nonces), bytes.Clone(b.AD)
		aead.SealBatch(a, &b)
		s.laid(what+", sealed", b.Dst, c.sealed, textStride)
		if !l.inPlace {
			s.laid(what+", sealed: the input", b.Src, c.plain, plainStride)
		}

		b.Src, b.SrcStride, b.Dst, b.DstStride = text, textStride, blank(plain, plainStride, count, size), plainStride
		if l.inPlace {
			b.Dst, b.DstStride = text, textStride
		}
		if bad := aead.OpenBatch(a, &b); bad != -1 {
			s.Errorf("%s: chunk %d does not open", what, bad)
		}
		if l.inPlace {
			s.opened(what, b.Dst, c.plain, textStride)
		} else {
			s.laid(what+", opened", b.Dst, c.plain, plainStride)
			s.laid(what+", opened: the input", b.Src, c.sealed, textStride)
		}
		if !bytes.Equal(nonces, b.Nonces) || !bytes.Equal(associated, b.AD) {
			s.Errorf("%s: nonces or associated data changed", what)
		}
	}
}

// strides returns the strides of the plaintext and the ciphertext side. In place,
// the latter counts.
func (l *layout) strides(size, overhead int) (plain, text int) {
	plain, text = size+l.plain, size+overhead+l.text
	stride := &plain
	if l.inPlace {
		stride = &text
	}
	if l.power {
		power := 1
		for power < *stride {
			power *= 2
		}
		*stride = power
	}
	return plain, text
}

// lay puts chunks a stride apart, between bytes of 0xa5. The last has room for
// size bytes, and nothing follows.
func lay(chunks [][]byte, stride, size int) []byte {
	if len(chunks) == 0 {
		return nil
	}
	mem := bytes.Repeat([]byte{0xa5}, (len(chunks)-1)*stride+size)
	for j, c := range chunks {
		copy(mem[j*stride:], c)
	}
	return mem
}

// blank returns memory of the shape of like with other contents in the chunks.
func blank(like []byte, stride, count, size int) []byte {
	mem := bytes.Clone(like)
	for j := range count {
		for i := range size {
			mem[j*stride+i] = 0x3c
		}
	}
	return mem
}

// laid checks that the chunks lie in mem, and 0xa5 between them.
func (s *aeadTest) laid(what string, mem []byte, chunks [][]byte, stride int) {
	s.Helper()
	s.opened(what, mem, chunks, stride)
	for j := range len(chunks) - 1 {
		if gap := mem[j*stride+len(chunks[j]) : (j+1)*stride]; !only(0xa5, gap) {
			s.Errorf("%s: wrote behind chunk %d", what, j)
		}
	}
}

// opened checks that the chunks lie in mem.
func (s *aeadTest) opened(what string, mem []byte, chunks [][]byte, stride int) {
	s.Helper()
	for j, c := range chunks {
		if got := mem[j*stride:][:len(c)]; !bytes.Equal(got, c) {
			s.Errorf("%s: chunk %d is\n%.80x, want\n%.80x", what, j, got, c)
			return
		}
	}
}

// batchTampered changes one chunk or two: the first is named, those before it
// are opened and the rest cleared.
func (s *aeadTest) batchTampered(a cipher.AEAD, lanes, size int) {
	count := 2*lanes + 1
	c := s.chunks(count, size, 9)
	for bad := range sparse(count) {
		if size > 64 && bad%lanes != 0 {
			continue // long ones: only those at the ends of full lanes
		}
		for _, second := range []int{bad, count - 1} {
			for _, inPlace := range []bool{false, true} {
				what := fmt.Sprintf("batch of %d chunks, %d and %d changed, in place %v", count, bad, second, inPlace)
				b := c.Batch
				b.SrcStride = size + s.Overhead()
				b.Src = lay(c.sealed, b.SrcStride, size+s.Overhead())
				for _, j := range slices.Compact([]int{bad, second}) {
					// The tag, the last byte and the first in turn.
					b.Src[j*b.SrcStride+[]int{size, size - 1, 0}[j%3]] ^= 0x10
				}
				b.Dst, b.DstStride = bytes.Repeat([]byte{0x3c}, count*size), size
				if inPlace {
					b.Dst, b.DstStride = b.Src, b.SrcStride
				}
				if got := aead.OpenBatch(a, &b); got != bad {
					s.Errorf("%s: chunk %d is named", what, got)
				}
				want := append([][]byte(nil), c.plain[:bad]...)
				for range count - bad {
					want = append(want, make([]byte, size))
				}
				s.opened(what, b.Dst, want, b.DstStride)
			}
		}
	}
	// Another chunk's nonce, and other associated data.
	b := c.Batch
	b.SrcStride = size + s.Overhead()
	b.Src = lay(c.sealed, b.SrcStride, b.SrcStride)
	b.Dst, b.DstStride = make([]byte, count*size), size
	if s.NonceSize() > 0 {
		b.Nonces = bytes.Clone(b.Nonces)
		copy(b.Nonces[s.NonceSize():2*s.NonceSize()], b.Nonces)
		if got := aead.OpenBatch(a, &b); got != 1 {
			s.Errorf("batch with a wrong nonce for chunk 1: chunk %d is named", got)
		}
	}
	b.Nonces, b.AD = c.Nonces, b.AD[1:]
	if got := aead.OpenBatch(a, &b); got != 0 {
		s.Errorf("batch with wrong associated data: chunk %d is named", got)
	}
}

// batchFences works on batches next to pages that can't be touched.
func (s *aeadTest) batchFences(lanes int) {
	count := lanes + 1
	for i, size := range []int{0, 16, 33} {
		c := s.chunks(count, size, 40)
		textStride := size + s.Overhead() + i
		text, plain := lay(c.sealed, textStride, size+s.Overhead()), lay(c.plain, size, size)
		in, out := NewFence(s, len(text)), NewFence(s, len(text))
		ad, nonces := NewFence(s, len(c.AD)), NewFence(s, len(c.Nonces))
		for side := range 4 {
			b := c.Batch
			b.AD, b.Nonces = ad.Either(side, len(c.AD)), nonces.Either(side, len(c.Nonces))
			copy(b.AD, c.AD)
			copy(b.Nonces, c.Nonces)
			b.Src, b.SrcStride, b.Dst, b.DstStride = in.Either(side, len(plain)), size, out.Either(side/2, len(text)), textStride
			copy(b.Src, plain)
			aead.SealBatch(s.AEAD, &b)
			s.opened("batch at a page's edge, sealed", b.Dst, c.sealed, textStride)
			b.Src, b.SrcStride, b.Dst, b.DstStride = in.Either(side, len(text)), textStride, out.Either(side/2, len(plain)), size
			copy(b.Src, text)
			if bad := aead.OpenBatch(s.AEAD, &b); bad != -1 {
				s.Errorf("batch at a page's edge: chunk %d does not open", bad)
			}
			s.opened("batch at a page's edge, opened", b.Dst, c.plain, size)
		}
	}
}

// batchPanics checks that batches that break a rule are refused, both ways.
func (s *aeadTest) batchPanics() {
	if s.NonceSize() == 0 {
		return
	}
	const size, count = 32, 3
	sealed := size + s.Overhead()
	for _, a := range []cipher.AEAD{s.AEAD, foreign{s.AEAD}} {
		s.batchBroken("sealing", count, size, sealed, size, func(b *aead.Batch) { aead.SealBatch(a, b) })
		s.batchBroken("opening", count, size, size, sealed, func(b *aead.Batch) { aead.OpenBatch(a, b) })
	}
}

// batchBroken runs batches that are right but for one rule. A chunk takes so many
// bytes in the destination and in the source.
func (s *aeadTest) batchBroken(doing string, count, size, dstSize, srcSize int, run func(b *aead.Batch)) {
	for what, breaks := range map[string]func(b *aead.Batch){
		"a nonce too few":                 func(b *aead.Batch) { b.Nonces = b.Nonces[s.NonceSize():] },
		"a nonce too many":                func(b *aead.Batch) { b.Nonces = append(b.Nonces, b.Nonces[:s.NonceSize()]...) },
		"part of a nonce":                 func(b *aead.Batch) { b.Nonces = append(b.Nonces, 0) },
		"a source too short":              func(b *aead.Batch) { b.Src = b.Src[:len(b.Src)-1] },
		"a destination too short":         func(b *aead.Batch) { b.Dst = b.Dst[:len(b.Dst)-1] },
		"a small stride of the source":    func(b *aead.Batch) { b.SrcStride = srcSize - 1 },
		"a small destination stride":      func(b *aead.Batch) { b.DstStride = dstSize - 1 },
		"a negative stride":               func(b *aead.Batch) { b.DstStride = -dstSize },
		"a negative count":                func(b *aead.Batch) { b.Count = -1 },
		"a negative size":                 func(b *aead.Batch) { b.Size = -1 },
		"an immense size":                 func(b *aead.Batch) { b.Size = math.MaxInt },
		"an immense stride":               func(b *aead.Batch) { b.SrcStride = 1<<31 - 1 },
		"unequal strides in place":        func(b *aead.Batch) { b.Src, b.Dst = b.Dst[:cap(b.Dst)], b.Dst[:cap(b.Dst)] },
		"a destination behind the source": func(b *aead.Batch) { b.Src, b.SrcStride = b.Dst[1:cap(b.Dst)], max(dstSize, srcSize) },
		"a destination on the data":       func(b *aead.Batch) { b.AD = b.Dst[dstSize : dstSize+4] },
		"a destination on the nonces":     func(b *aead.Batch) { b.Nonces = b.Dst[dstSize:][:len(b.Nonces)] },
	} {
		b := &aead.Batch{
			Dst: make([]byte, count*dstSize, count*max(dstSize, srcSize)+1), DstStride: dstSize,
			Src: make([]byte, count*srcSize), SrcStride: srcSize,
			Size: size, Count: count, Nonces: make([]byte, count*s.NonceSize()),
		}
		breaks(b)
		s.panicsWith(doing+" a batch with "+what, func() { run(b) })
	}
}
