package cryptotest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"blkcrypt/aead"
)

// refuses checks that nothing opens but what was sealed, and that a failure
// leaves no plaintext.
func (s *aeadTest) refuses() {
	for _, n := range []int{0, 1, 15, 16, 17, 100, (2*s.width + 1) * bs} {
		m := s.message(n, 19)
		for i := range sparse(len(m.sealed)) {
			// All of the tag, and some of the text.
			if i >= n || i%29 == 0 || i == n-1 {
				s.flipped(fmt.Sprintf("byte %d of %d of the ciphertext", i, n), m, m.sealed, i)
			}
		}
		for i := range m.nonce {
			s.flipped(fmt.Sprintf("byte %d of the nonce", i), m, m.nonce, i)
		}
		for i := range m.ad {
			s.flipped(fmt.Sprintf("byte %d of the associated data", i), m, m.ad, i)
		}
		for what, c := range map[string]message{
			"no associated data":       {m.nonce, nil, m.plain, m.sealed},
			"shorter associated data":  {m.nonce, m.ad[1:], m.plain, m.sealed},
			"longer associated data":   {m.nonce, append(bytes.Clone(m.ad), 0), m.plain, m.sealed},
			"a longer ciphertext":      {m.nonce, m.ad, m.plain, append(bytes.Clone(m.sealed), 0)},
			"a shorter ciphertext":     {m.nonce, m.ad, m.plain, m.sealed[:len(m.sealed)-1]},
			"ciphertext, first cut":    {m.nonce, m.ad, m.plain, m.sealed[1:]},
			"associated data moved in": {m.nonce, nil, m.plain, append(bytes.Clone(m.ad), m.sealed...)},
		} {
			s.bad(what, c)
		}
	}
	m := s.message(0, 3)
	for n := range s.Overhead() {
		s.bad(fmt.Sprintf("a ciphertext of %d bytes", n), message{m.nonce, m.ad, nil, m.sealed[:n]})
		s.bad(fmt.Sprintf("a ciphertext of %d zeros", n), message{m.nonce, m.ad, nil, make([]byte, n)})
	}
}

// flipped changes a bit of byte i of part, which belongs to m, and back.
func (s *aeadTest) flipped(what string, m message, part []byte, i int) {
	s.Helper()
	bit := byte(1) << (i % 8)
	part[i] ^= bit
	s.bad("a change in "+what, m)
	part[i] ^= bit
}

// bad checks that m does not open, out of place and in place.
func (s *aeadTest) bad(what string, m message) {
	s.Helper()
	n := max(0, len(m.sealed)-s.Overhead())
	dst := bytes.Repeat([]byte{0xa5}, 8+n)
	out, err := s.Open(dst[:8], m.nonce, m.sealed, m.ad)
	s.failed(what, out, err, dst[8:])
	if !only(0xa5, dst[:8]) {
		s.Errorf("%s: dst did not keep its contents", what)
	}
	in := bytes.Clone(m.sealed)
	out, err = s.Open(in[:0], m.nonce, in, m.ad)
	s.failed(what+", in place", out, err, in[:n])
}

// failed checks the outcome of an Open that must fail. In mem there must be
// nothing of the plaintext: it must be zero if it was used.
func (s *aeadTest) failed(what string, out []byte, err error, mem []byte) {
	s.Helper()
	if err == nil || out != nil {
		s.Errorf("%s: opened (%x, %v)", what, out, err)
	}
	if len(mem) > 0 && !only(0, mem) {
		s.Errorf("%s: %x is left in dst", what, mem)
	}
}

// panics checks that the mistakes of a caller that cipher.AEAD names are not
// passed over.
func (s *aeadTest) panics() {
	m := s.message(40, 20)
	for n := range s.NonceSize() + 20 {
		if n == s.NonceSize() {
			continue
		}
		s.panicsWith(fmt.Sprintf("sealing with a nonce of %d bytes", n), func() { s.Seal(nil, make([]byte, n), m.plain, m.ad) })
		s.panicsWith(fmt.Sprintf("opening with a nonce of %d bytes", n), func() { s.Open(nil, make([]byte, n), m.sealed, m.ad) })
	}
	const n = 100
	size := n + s.Overhead()
	buf := make([]byte, 3*size)
	for _, shift := range []int{-size + 1, -n + 1, -16, -1, 1, 16, n - 1} {
		in := buf[size:]
		out := buf[size+shift:]
		s.panicsWith(fmt.Sprintf("sealing %d bytes from the input", shift), func() { s.Seal(out[:0], m.nonce, in[:n], nil) })
		if shift > -n {
			s.panicsWith(fmt.Sprintf("opening %d bytes from the input", shift), func() { s.Open(out[:0], m.nonce, in[:size], nil) })
		}
	}
	for _, ad := range [][]byte{buf[:20], buf[10:20], buf[len(m.plain)-1:]} {
		s.panicsWith("sealing over the associated data", func() { s.Seal(buf[:0], m.nonce, m.plain, ad) })
		s.panicsWith("opening over the associated data", func() { s.Open(buf[:0], m.nonce, m.sealed, ad) })
	}
	s.panicsWith("sealing behind the input in its memory", func() { s.Seal(buf[:1], m.nonce, buf[:n], nil) })

	// What touches without overlapping is allowed.
	copy(buf[size:], m.plain)
	copy(buf[size+len(m.plain):], m.ad)
	s.Seal(buf[size-len(m.sealed):][:0], m.nonce, buf[size:][:40], buf[size+40:][:20])
	if !bytes.Equal(buf[size-len(m.sealed):size], m.sealed) {
		s.Error("wrong when sealed right before the input")
	}
}

// panicsWith checks that f panics, and does so with words: an index out of range
// would be found too late, if at all.
func (s *aeadTest) panicsWith(what string, f func()) {
	s.Helper()
	defer func() {
		s.Helper()
		if v := recover(); v == nil {
			s.Errorf("%s: no panic", what)
		} else if _, ok := v.(string); !ok {
			s.Errorf("%s: panics with %v", what, v)
		}
	}()
	f()
}

// offsets works on memory that is not aligned.
func (s *aeadTest) offsets() {
	m := s.message((s.width+2)*bs+5, 49)
	in, out, ad, nonce := make([]byte, len(m.sealed)+64), make([]byte, len(m.sealed)+64), make([]byte, 49+64), make([]byte, s.NonceSize()+64)
	at := func(buf []byte, off int, content []byte) []byte {
		off %= 64
		copy(buf[off:], content)
		return buf[off : off+len(content) : off+len(content)]
	}
	for off := range sparse(64) {
		dst := out[off*21%64:][:0]
		n, a := at(nonce, off*5, m.nonce), at(ad, off*11, m.ad)
		if got := s.Seal(dst, n, at(in, off, m.plain), a); !bytes.Equal(got, m.sealed) {
			s.Errorf("offset %d: wrong when sealed", off)
		}
		if got, err := s.Open(dst, n, at(in, off, m.sealed), a); err != nil || !bytes.Equal(got, m.plain) {
			s.Errorf("offset %d: wrong when opened: %v", off, err)
		}
	}
}

// fences works on memory next to pages that can't be touched. What ends at a page
// begins, by its length, at each offset from a multiple of 64.
func (s *aeadTest) fences() {
	w := s.width * bs
	lengths := []int{0, 1, 15, 16, 17, 31, 33, w - 1, w, w + 1, 2*w + 15, 4*w + 16, 4*w + 65}
	for off := range sparse(64) {
		lengths = append(lengths, (w+127)&^63-off)
	}
	size := 5*w + 200
	in, out, ad, nonce := NewFence(s, size), NewFence(s, size), NewFence(s, size), NewFence(s, 4096)
	put := func(f *Fence, side int, content []byte) []byte {
		mem := f.Either(side, len(content))
		copy(mem, content)
		return mem
	}
	for i, n := range lengths {
		m := s.message(n, n*7%(w+17))
		for side := range 4 {
			no, a := put(nonce, side, m.nonce), put(ad, side/2, m.ad)
			dst := out.Either(side/2, len(m.sealed))
			if got := s.Seal(dst[:0], no, put(in, side+i, m.plain), a); !bytes.Equal(got, m.sealed) {
				s.Errorf("%d bytes at a page's edge: wrong when sealed", n)
			}
			dst = out.Either(side/2, n)
			if got, err := s.Open(dst[:0:n], no, put(in, side+i, m.sealed), a); err != nil || !bytes.Equal(got, m.plain) {
				s.Errorf("%d bytes at a page's edge: wrong when opened: %v", n, err)
			}
		}
	}
}

// together has goroutines share the AEAD.
func (s *aeadTest) together() {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { s.batch(s.AEAD, s.lanes()+i, 40*i, 9) })
	}
	for i := range 4 {
		m := s.message(700+i, 31*i)
		wg.Go(func() {
			for range 5 {
				s.check("in several goroutines", m)
			}
		})
	}
	wg.Wait()
}

// allocations checks that neither Seal nor Open allocates where dst is large
// enough.
func (s *aeadTest) allocations() {
	for _, n := range []int{0, 16, 5000} {
		m := s.message(n, 21)
		buf := make([]byte, 0, len(m.sealed))
		bad := bytes.Clone(m.sealed)
		bad[len(bad)-1] ^= 1
		for what, f := range map[string]func(){
			"Seal":           func() { s.Seal(buf, m.nonce, m.plain, m.ad) },
			"Open":           func() { s.Open(buf, m.nonce, m.sealed, m.ad) },
			"Open in vain":   func() { s.Open(buf, m.nonce, bad, m.ad) },
			"Seal and stack": s.onStack(n),
			"a batch":        s.onBatch(n),
		} {
			if a := testing.AllocsPerRun(10, f); a != 0 {
				s.Errorf("%s of %d bytes: %v allocations", what, n, a)
			}
		}
	}
}

// onBatch returns the sealing and opening of a batch in place. (The race detector
// has pools of memory drop some of it.)
func (s *aeadTest) onBatch(n int) func() {
	if raceEnabled {
		return func() {}
	}
	count, size := 2*s.lanes()+1, n+s.Overhead()
	buf := make([]byte, count*size)
	b := aead.Batch{Dst: buf, Src: buf, DstStride: size, SrcStride: size,
		Size: n, Count: count, Nonces: make([]byte, count*s.NonceSize()), AD: make([]byte, 21)}
	return func() {
		aead.SealBatch(s.AEAD, &b)
		if aead.OpenBatch(s.AEAD, &b) != -1 {
			panic("a batch does not open")
		}
	}
}

// onStack returns a use of an AEAD of this module with a nonce, and a short
// message, that a caller has on its stack.
func (s *aeadTest) onStack(n int) func() {
	a := s.own()
	if a == nil || n > 64 || a.NonceSize() > 16 {
		return func() {}
	}
	return func() {
		var nonce [16]byte
		var buf [64 + 16]byte
		sealed := a.Seal(buf[:0], nonce[:a.NonceSize()], buf[:n], nil)
		if _, err := a.Open(sealed[:0], nonce[:a.NonceSize()], sealed, nil); err != nil {
			panic(err)
		}
	}
}
