package sm4

import "math/bits"

// page holds the S-box at the start of 4096 bytes of its own.
type page struct {
	sbox [256]byte
	_    [4096 - 256]byte
}

// sbox is the S-box (section 6.2). It lies on the heap because that aligns it: an
// object of 4096 bytes starts at a multiple of 4096 there, so the table fills four
// whole cache lines of 64 bytes, and no data that changes shares a line or a
// 4096-byte page with it. Both would tell a watcher of the cache more about the
// entries read.
var sbox = newSbox()

// newSbox computes the S-box. The standard only lists it; that it is an inversion
// in GF(2^8) between twice the same affine map was found by Liu, Ji, Hu et al.,
// "Analysis of the SMS4 block cipher", ACISP 2007. In powers of x an inverse is
// a change of sign.
func newSbox() *[256]byte {
	var power [255]byte
	inverse := new([256]byte)
	p := byte(1)
	for i := range power {
		power[i] = p
		p = double(p)
	}
	for i, p := range power {
		inverse[p] = power[(255-i)%255]
	}
	s := &new(page).sbox
	for i := range s {
		s[i] = affine(inverse[affine(byte(i))])
	}
	return s
}

// double multiplies by x modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1, of which x
// is a primitive root.
func double(b byte) byte { return b<<1 ^ -(b>>7)&0xf5 }

// affine multiplies by t^7 + t^6 + t^3 + t + 1 modulo t^8 + 1 and adds a constant.
func affine(b byte) byte {
	return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 6) ^ bits.RotateLeft8(b, 7) ^ 0xd3
}

// touch reads every cache line of the table, so that the look-ups that follow find
// all of it in the cache whatever their index. Lines are 32 bytes or more. The
// compiler can't tell that a function it may not inline has no effect, so it keeps
// the call though nobody needs the result.
//
//go:noinline
func touch(s *[256]byte) (sum byte) {
	for i := 0; i < len(s); i += 32 {
		sum |= s[i]
	}
	return sum
}
