package ghash

import "encoding/binary"

// The portable implementation. A block is read as a big-endian number, in
// which GHASH's coefficient of x^i is bit 127-i (SP 800-38D, section 6.3). Read
// the other way, as a polynomial in t where bit i is the coefficient of t^i,
// such a number is the element's reflection. The reflection of a product of
// degree 254 is one bit to the right of where 256 bits have it, which a
// factor t in the key makes up for; and reducing modulo the reflected
// polynomial
//
//	Q = t^128 + t^127 + t^126 + t^121 + 1
//
// means dividing by t^128: adding multiples of Q until the low half is zero,
// and taking the high half. (RFC 8452, appendix A, has the same relation between
// GHASH and POLYVAL.)

// group is the number of blocks whose products are added up before they are
// recombined and reduced: y = (y+b1)·H^8 + b2·H^7 + … + b8·H. Measured with
// 4, 8, 16 and 32 on Zen 5: 5.4, 4.5, 4.2 and 4.1 cycles a byte, while each power
// more is 0.3 KiB of key and 260 cycles of setting it up.
const group = 8

// powers holds H^group·t, …, H·t, each as its low half, its high half and their
// sum (Karatsuba).
type powers [group][3]factor

// timesT returns the halves of H·t modulo Q.
func timesT(h *[BlockSize]byte) (high, low uint64) {
	hi, lo := binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:])
	carry := -(hi >> 63)
	return hi<<1 | lo>>63 ^ carry&(0xc2<<56), lo<<1 ^ carry&1
}

func (p *powers) init(hi, lo uint64) {
	last := &p[group-1]
	setPower(last, hi, lo)
	var s sum
	for i := group - 2; i >= 0; i-- {
		s.mulAdd(hi, lo, last)
		hi, lo = s.reduce()
		setPower(&p[i], hi, lo)
	}
}

func setPower(f *[3]factor, hi, lo uint64) {
	f[0].set(lo)
	f[1].set(hi)
	f[2].set(lo ^ hi)
}

func (p *powers) update(y *[BlockSize]byte, blocks []byte) {
	hi, lo := binary.BigEndian.Uint64(y[:8]), binary.BigEndian.Uint64(y[8:])
	var s sum
	for len(blocks) > 0 {
		n := min(len(blocks)/BlockSize, group)
		for i := group - n; i < group; i++ {
			hi ^= binary.BigEndian.Uint64(blocks[:8])
			lo ^= binary.BigEndian.Uint64(blocks[8:16])
			s.mulAdd(hi, lo, &p[i])
			hi, lo = 0, 0
			blocks = blocks[BlockSize:]
		}
		hi, lo = s.reduce()
	}
	binary.BigEndian.PutUint64(y[:8], hi)
	binary.BigEndian.PutUint64(y[8:], lo)
}

// sum is a sum of carry-less products of 128 bits by 128: of the low halves, of
// the high halves, and of the sums of both.
type sum [3]product

func (s *sum) mulAdd(hi, lo uint64, f *[3]factor) {
	s[0].mulAdd(lo, &f[0])
	s[1].mulAdd(hi, &f[1])
	s[2].mulAdd(lo^hi, &f[2])
}

// reduce returns s divided by t^128 modulo Q, and sets s to zero.
func (s *sum) reduce() (hi, lo uint64) {
	d1, d0 := s[0].value()
	d3, d2 := s[1].value()
	m1, m0 := s[2].value()
	*s = sum{}
	// Karatsuba: (lo+hi)(lo'+hi') - lo·lo' - hi·hi' belongs at t^64.
	m1, m0 = m1^d1^d3, m0^d0^d2
	d1, d2 = d1^m0, d2^m1
	// Adding d0·Q clears the lowest word, then d1·Q·t^64 the next.
	d1 ^= d0<<63 ^ d0<<62 ^ d0<<57
	d2 ^= d0 ^ d0>>1 ^ d0>>2 ^ d0>>7
	d2 ^= d1<<63 ^ d1<<62 ^ d1<<57
	d3 ^= d1 ^ d1>>1 ^ d1>>2 ^ d1>>7
	return d3, d2
}
