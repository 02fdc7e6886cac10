package ghash

import "math/bits"

// Carry-less multiplication by means of the integer one, which takes the same
// time for all operands on 64-bit processors, if not on every small 32-bit one.
//
// A word in which only every fourth bit may be set is a polynomial in t^4. The
// integer product of two such words has, in the four bits from 4k, the number
// of pairs of coefficients that meet at t^4k; the lowest of the four bits is
// their sum over GF(2) and the other three are garbage, provided that no number
// exceeds 15 and carries into its neighbour. The garbage may stay until many
// products have been added up by XOR, and is masked away once.
//
// Any word is a0 + a1·t + a2·t^2 + a3·t^3 with four such polynomials, which two
// levels of Karatsuba multiply in nine products instead of sixteen.

const classMask = 0x1111111111111111

// classes combines the nine products of the Karatsuba terms, in the order in
// which set and mulAdd make them, into the coefficients of t^0 to t^6.
func classes(p *[9]uint64) (c0, c1, c2, c3, c4, c5, c6 uint64) {
	c0, c6 = p[0], p[4]
	c1 = p[2] ^ p[0] ^ p[1]
	c5 = p[5] ^ p[3] ^ p[4]
	c2 = p[6] ^ p[0] ^ p[3] ^ p[1]
	c4 = p[7] ^ p[1] ^ p[4] ^ p[3]
	c3 = p[8] ^ p[6] ^ p[7] ^ c1 ^ c5
	return
}

// factor64 is a 64-bit polynomial made ready to be multiplied by.
//
// The words made from it have 16 coefficients, and where all of them are one and
// meet 16 more, one number reaches 16. So its uppermost coefficients, bits 60
// to 63, are taken out of the products and kept as masks.
type factor64 struct {
	class [9]uint64
	top   [4]uint64
}

func (f *factor64) set(x uint64) {
	for i := range f.top {
		f.top[i] = -(x >> (60 + i) & 1)
	}
	x &^= 0xf << 60
	a0, a1, a2, a3 := x&classMask, x>>1&classMask, x>>2&classMask, x>>3&classMask
	f.class = [9]uint64{a0, a1, a0 ^ a1, a2, a3, a2 ^ a3, a0 ^ a2, a1 ^ a3, a0 ^ a1 ^ a2 ^ a3}
}

// product64 is a sum of products of 64 bits by 64.
type product64 struct {
	lo, hi [9]uint64
	top    [4]uint64
}

// mulAdd adds x·f to p.
func (p *product64) mulAdd(x uint64, f *factor64) {
	a0, a1, a2, a3 := x&classMask, x>>1&classMask, x>>2&classMask, x>>3&classMask
	p.mulAddClass(0, a0, f)
	p.mulAddClass(1, a1, f)
	p.mulAddClass(2, a0^a1, f)
	p.mulAddClass(3, a2, f)
	p.mulAddClass(4, a3, f)
	p.mulAddClass(5, a2^a3, f)
	a0, a1 = a0^a2, a1^a3
	p.mulAddClass(6, a0, f)
	p.mulAddClass(7, a1, f)
	p.mulAddClass(8, a0^a1, f)
	p.top[0] ^= x & f.top[0]
	p.top[1] ^= x & f.top[1]
	p.top[2] ^= x & f.top[2]
	p.top[3] ^= x & f.top[3]
}

func (p *product64) mulAddClass(i int, x uint64, f *factor64) {
	hi, lo := bits.Mul64(x, f.class[i])
	p.lo[i] ^= lo
	p.hi[i] ^= hi
}

// value returns the sum.
func (p *product64) value() (hi, lo uint64) {
	l0, l1, l2, l3, l4, l5, l6 := classes(&p.lo)
	h0, h1, h2, h3, h4, h5, h6 := classes(&p.hi)
	lo = (l0^l4<<4)&classMask | (l1^l5<<4)&classMask<<1 | (l2^l6<<4)&classMask<<2 | l3&classMask<<3
	hi = (h0^h4<<4^l4>>60)&classMask | (h1^h5<<4^l5>>60)&classMask<<1 |
		(h2^h6<<4^l6>>60)&classMask<<2 | h3&classMask<<3
	t := &p.top
	lo ^= t[0]<<60 ^ t[1]<<61 ^ t[2]<<62 ^ t[3]<<63
	hi ^= t[0]>>4 ^ t[1]>>3 ^ t[2]>>2 ^ t[3]>>1
	return hi, lo
}

// factor32 is factor64 for machines that multiply 32 bits by 32: the low half,
// the high half and their sum. Their words have eight coefficients, so that
// all numbers fit.
type factor32 [3][9]uint32

func (f *factor32) set(x uint64) {
	for i, x := range [3]uint32{uint32(x), uint32(x >> 32), uint32(x) ^ uint32(x>>32)} {
		const mask = classMask & (1<<32 - 1)
		a0, a1, a2, a3 := x&mask, x>>1&mask, x>>2&mask, x>>3&mask
		f[i] = [9]uint32{a0, a1, a0 ^ a1, a2, a3, a2 ^ a3, a0 ^ a2, a1 ^ a3, a0 ^ a1 ^ a2 ^ a3}
	}
}

// product32 is product64 for such machines.
type product32 [3][9]uint64

func (p *product32) mulAdd(x uint64, f *factor32) {
	mulAdd32(&p[0], uint32(x), &f[0])
	mulAdd32(&p[1], uint32(x>>32), &f[1])
	mulAdd32(&p[2], uint32(x)^uint32(x>>32), &f[2])
}

func mulAdd32(p *[9]uint64, x uint32, f *[9]uint32) {
	const mask = classMask & (1<<32 - 1)
	a0, a1, a2, a3 := x&mask, x>>1&mask, x>>2&mask, x>>3&mask
	p[0] ^= uint64(a0) * uint64(f[0])
	p[1] ^= uint64(a1) * uint64(f[1])
	p[2] ^= uint64(a0^a1) * uint64(f[2])
	p[3] ^= uint64(a2) * uint64(f[3])
	p[4] ^= uint64(a3) * uint64(f[4])
	p[5] ^= uint64(a2^a3) * uint64(f[5])
	a0, a1 = a0^a2, a1^a3
	p[6] ^= uint64(a0) * uint64(f[6])
	p[7] ^= uint64(a1) * uint64(f[7])
	p[8] ^= uint64(a0^a1) * uint64(f[8])
}

func (p *product32) value() (hi, lo uint64) {
	l, h, m := value32(&p[0]), value32(&p[1]), value32(&p[2])
	m ^= l ^ h
	return h ^ m>>32, l ^ m<<32
}

func value32(p *[9]uint64) uint64 {
	c0, c1, c2, c3, c4, c5, c6 := classes(p)
	return (c0^c4<<4)&classMask | (c1^c5<<4)&classMask<<1 | (c2^c6<<4)&classMask<<2 | c3&classMask<<3
}
