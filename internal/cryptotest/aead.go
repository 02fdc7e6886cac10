package cryptotest

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"slices"
	"testing"

	"blkcrypt/aead"
)

// AEADSuite holds a, which must be the mode of that name over the cipher b, to
// the contract of cipher.AEAD, to the mode done block by block over b, and to the
// contract of package aead's batches. b may be another implementation of the
// cipher; width is the number of blocks that a's works at once.
func AEADSuite(t *testing.T, mode string, b cipher.Block, width int, a cipher.AEAD) {
	s := aeadTest{T: t, AEAD: a, mode: mode, block: b, width: width}
	s.matches()
	s.appends()
	s.inPlace()
	s.refuses()
	s.panics()
	s.offsets()
	s.fences()
	s.together()
	s.allocations()
	s.batches()
}

// aeadTest is a test of one AEAD.
type aeadTest struct {
	*testing.T
	cipher.AEAD
	mode  string
	block cipher.Block
	width int
}

// message is a message with all that goes with it.
type message struct{ nonce, ad, plain, sealed []byte }

// message makes one of n bytes with ad bytes of associated data and computes
// its ciphertext slowly.
func (s *aeadTest) message(n, ad int) message {
	m := message{ruled(s.NonceSize(), 97, 0, n+ad), ruled(ad, 5, 3, n), ruled(n, 7, 9, ad), nil}
	text, tag := Seal(s.mode, s.block, m.nonce, m.ad, m.plain, s.Overhead())
	m.sealed = append(text, tag...)
	return m
}

// clone copies the parts so that a change of them can be seen.
func (m message) clone() message {
	return message{bytes.Clone(m.nonce), bytes.Clone(m.ad), bytes.Clone(m.plain), bytes.Clone(m.sealed)}
}

func (m message) equal(n message) bool {
	return bytes.Equal(m.nonce, n.nonce) && bytes.Equal(m.ad, n.ad) && bytes.Equal(m.plain, n.plain) && bytes.Equal(m.sealed, n.sealed)
}

// lengths are every length of a few blocks, and those around full groups.
func (s *aeadTest) lengths() []int {
	var all []int
	for n := range 100 {
		all = append(all, n)
	}
	for _, groups := range []int{1, 2, 4} {
		full := groups * s.width * bs
		for _, d := range []int{-1, 0, 1, bs, bs + 1} {
			all = append(all, full+d)
		}
	}
	all = append(all, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025)
	slices.Sort(all)
	all = slices.Compact(all)
	var some []int
	for i := range sparse(len(all)) {
		some = append(some, all[i])
	}
	return some
}

// matches compares with the mode done slowly, over lengths of text and of
// associated data.
func (s *aeadTest) matches() {
	for i, n := range s.lengths() {
		s.check(fmt.Sprintf("%d bytes", n), s.message(n, i*5%37))
		s.check(fmt.Sprintf("%d bytes of associated data", n), s.message(i*7%41, n))
	}
	s.check("65279 bytes of associated data", s.message(1, 0xfeff))
	s.check("65280 bytes of associated data", s.message(1, 0xff00))
	if !Thin() {
		s.check("a long message", s.message(70001, 3000))
	}
}

// check seals and opens m, and sees that neither changes its input.
func (s *aeadTest) check(what string, m message) {
	s.Helper()
	before := m.clone()
	sealed := s.Seal(nil, m.nonce, m.plain, m.ad)
	if !bytes.Equal(sealed, m.sealed) {
		s.Errorf("%s: sealed to\n%.100x, want\n%.100x", what, sealed, m.sealed)
	}
	plain, err := s.Open(nil, m.nonce, m.sealed, m.ad)
	if err != nil || !bytes.Equal(plain, m.plain) {
		s.Errorf("%s: opened to\n%.100x (%v), want\n%.100x", what, plain, err, m.plain)
	}
	if !m.equal(before) {
		s.Errorf("%s: an input changed", what)
	}
}

// appends checks what becomes of dst: kept, extended in its own memory if that
// is large enough, and not written beyond.
func (s *aeadTest) appends() {
	for _, n := range []int{0, 1, 16, 33, 300} {
		m := s.message(n, 20)
		for _, prefix := range []int{0, 1, 16, 31} {
			for _, spare := range []int{-1, 0, 1, 64} {
				for _, seal := range []bool{true, false} {
					want, run := m.plain, func(dst []byte) []byte {
						out, err := s.Open(dst, m.nonce, m.sealed, m.ad)
						if err != nil {
							s.Errorf("open: %v", err)
						}
						return out
					}
					if seal {
						want, run = m.sealed, func(dst []byte) []byte { return s.Seal(dst, m.nonce, m.plain, m.ad) }
					}
					s.appendTo(fmt.Sprintf("dst of %d bytes, %d to spare, seal %v", prefix, spare, seal), prefix, spare, want, run)
				}
			}
		}
	}
}

func (s *aeadTest) appendTo(what string, prefix, spare int, want []byte, run func(dst []byte) []byte) {
	s.Helper()
	if len(want)+spare < 0 {
		return
	}
	mem := bytes.Repeat([]byte{0xa5}, prefix+len(want)+spare+32)
	capacity := prefix + len(want) + spare
	out := run(mem[:prefix:capacity])
	if len(out) != prefix+len(want) || !bytes.Equal(out[prefix:], want) {
		s.Errorf("%s: wrong output", what)
	}
	if !bytes.Equal(out[:prefix], mem[:prefix]) || !only(0xa5, mem[:prefix]) {
		s.Errorf("%s: dst did not keep its contents", what)
	}
	if spare < 0 {
		if !only(0xa5, mem) {
			s.Errorf("%s: wrote to memory that is too small", what)
		}
		return
	}
	if len(out) > 0 && &out[0] != &mem[0] {
		s.Errorf("%s: not in dst's memory", what)
	}
	if !only(0xa5, mem[prefix+len(want):]) {
		s.Errorf("%s: wrote beyond the output", what)
	}
}

// only reports whether there is nothing but x in b.
func only(x byte, b []byte) bool { return bytes.Count(b, []byte{x}) == len(b) }

// inPlace checks that dst may be the input's own memory.
func (s *aeadTest) inPlace() {
	for _, n := range s.lengths() {
		m := s.message(n, n%23)
		buf := append(make([]byte, 0, n+s.Overhead()), m.plain...)
		sealed := s.Seal(buf[:0], m.nonce, buf, m.ad)
		if !bytes.Equal(sealed, m.sealed) {
			s.Errorf("%d bytes: wrong when sealed in place", n)
		}
		if plain, err := s.Open(sealed[:0], m.nonce, sealed, m.ad); err != nil || !bytes.Equal(plain, m.plain) {
			s.Errorf("%d bytes: wrong when opened in place: %v", n, err)
		}
	}
}

// lanes is the number of chunks that the AEAD works side by side.
func (s *aeadTest) lanes() int {
	if a := s.own(); a != nil {
		return a.Lanes()
	}
	return 1
}

// own returns the AEAD if it is one of package aead's, else nil.
func (s *aeadTest) own() *aead.AEAD {
	a, _ := s.AEAD.(*aead.AEAD)
	return a
}
