package camellia

import "math/bits"

// sbox is the S-box s1 (SBOX1 of RFC 3713, section 2.4.1). The other three are
// rotations of it: s2(x) = s1(x) <<< 1, s3(x) = s1(x) >>> 1, s4(x) = s1(x <<< 1).
type sbox [256]byte

// cacheLine is the usual size in bytes of what a cache loads at once.
const cacheLine = 64

// page holds the S-box in 4096 bytes of its own. The allocator aligns an object
// of that size to it, so that no data that changes shares a page or a cache
// line with the S-box.
type page struct {
	s1 sbox
	_  [4096 - 256]byte
}

// table is made once and never changes.
var table = newPage()

// newPage computes the S-box from its definition in the specification of
// Camellia by NTT and Mitsubishi (version 2.0, 2001): a multiplicative inverse
// between two affine maps.
//
// The field is GF(2^8) written as pairs of GF(2^4) = GF(2)[α]/(α^4 + α + 1): a
// byte stands for high·β + low. The specification takes a root β of
// x^8 + x^6 + x^5 + x^3 + 1 and α = β^238, so that β^17 = 1/α = α^3 + 1. Over
// GF(2^4), β has this norm and trace 1: β^2 = β + (α^3 + 1).
func newPage() *page {
	p := new(page)
	for x := range p.s1 {
		p.s1[x] = linear(&mapH, inverse(linear(&mapF, byte(x)^0xc5))) ^ 0x6e
	}
	return p
}

// mapF and mapH are the specification's linear maps f and h of bytes, as the
// images of the bits 1, 2, 4 … 128.
var (
	mapF = [8]byte{0x32, 0x48, 0x81, 0x24, 0x09, 0x30, 0x84, 0x42}
	mapH = [8]byte{0x14, 0x28, 0xc1, 0x82, 0x20, 0x09, 0xd0, 0x06}
)

func linear(m *[8]byte, x byte) (y byte) {
	for i, image := range m {
		y ^= image & -(x >> i & 1)
	}
	return y
}

// inverse returns 1/x in GF(2^8), and 0 for 0. With x = hβ + l, the conjugate is
// hβ + (h + l), and their product is the norm n = l^2 + hl + (α^3 + 1)h^2 in
// GF(2^4), where 1/n = n^14.
func inverse(x byte) byte {
	h, l := x>>4, x&15
	n := mul16(l, h^l) ^ mul16(9, mul16(h, h))
	n2 := mul16(n, n)
	n4 := mul16(n2, n2)
	n8 := mul16(n4, n4)
	inv := mul16(n2, mul16(n4, n8))
	return mul16(h, inv)<<4 | mul16(h^l, inv)
}

// mul16 multiplies in GF(2^4).
func mul16(a, b byte) (c byte) {
	for i := 3; i >= 0; i-- {
		c = c<<1 ^ c>>3*0x13 ^ a&-(b>>i&1)
	}
	return c
}

// touch reads one byte of every cache line of s, which has the cache load those
// it does not hold, so that whether a later lookup misses does not depend on
// its index. It is kept out of line because the compiler would drop loads that
// nobody uses.
//
//go:noinline
func (s *sbox) touch() (x byte) {
	for i := 0; i < len(s); i += cacheLine {
		x ^= s[i]
	}
	return x
}

// left and right are the S-boxes and the P-function of RFC 3713, section 2.4.1,
// for one half of F's input each. Call the input bytes x1 … x8, from the most
// significant down. Of the outputs, y1 … y4 are u^v and y5 … y8 are
// u^v ^ (u >>> 8), where u gathers x1 … x4 and v gathers x5 … x8: u and v are
// the sum of the substituted bytes, each put at three of four places by a
// multiplication.

// left returns u for x = x1 … x4, which go through s1, s2, s3 and s4.
func (s *sbox) left(x uint32) uint32 {
	return uint32(s[byte(x>>24)])*0x01010100 ^
		uint32(s[bits.RotateLeft8(byte(x), 1)])*0x01010001 ^
		uint32(bits.RotateLeft8(s[byte(x>>16)], 1))*0x00010101 ^
		uint32(bits.RotateLeft8(s[byte(x>>8)], -1))*0x01000101
}

// right returns v for x = x5 … x8, which go through s2, s3, s4 and s1.
func (s *sbox) right(x uint32) uint32 {
	return uint32(s[byte(x)])*0x01010100 ^
		uint32(s[bits.RotateLeft8(byte(x>>8), 1)])*0x01010001 ^
		uint32(bits.RotateLeft8(s[byte(x>>24)], 1))*0x00010101 ^
		uint32(bits.RotateLeft8(s[byte(x>>16)], -1))*0x01000101
}

// mix ends F: it adds y1 … y4 to a and y5 … y8 to b.
func mix(a, b, u, v uint32) (uint32, uint32) {
	v ^= u
	return a ^ v, b ^ v ^ bits.RotateLeft32(u, -8)
}
