package main

import "math/bits"

// aesPoly is the polynomial of AES's field, x^8 + x^4 + x^3 + x + 1 (FIPS 197,
// section 4.2), in which the processor inverts.
const aesPoly = 0x11b

// mul multiplies in GF(2)[x] modulo a polynomial of degree 8.
func mul(a, b byte, poly int) byte {
	var p int
	for i := range 8 {
		if b>>i&1 == 1 {
			p ^= int(a) << i
		}
	}
	for i := 15; i >= 8; i-- {
		if p>>i&1 == 1 {
			p ^= poly << (i - 8)
		}
	}
	return byte(p)
}

// inverse inverts in such a field, 0 to 0: a^254.
func inverse(a byte, poly int) byte {
	r := byte(1)
	for range 254 {
		r = mul(r, a, poly)
	}
	return r
}

// A matrix maps bytes to bytes over GF(2): bit i of the result is the parity of
// row i AND the argument.
type matrix [8]byte

func (m matrix) apply(x byte) byte {
	var y byte
	for i, row := range m {
		y |= byte(bits.OnesCount8(row&x)&1) << i
	}
	return y
}

// fromFunc is the matrix of a linear f.
func fromFunc(f func(byte) byte) matrix {
	var m matrix
	for j := range 8 {
		col := f(1 << j)
		for i := range 8 {
			m[i] |= col >> i & 1 << j
		}
	}
	return m
}

// times is the map that applies n first.
func (m matrix) times(n matrix) matrix {
	return fromFunc(func(x byte) byte { return m.apply(n.apply(x)) })
}

// inverse undoes m.
func (m matrix) inverse() matrix {
	var back [256]byte
	for x := range 256 {
		back[m.apply(byte(x))] = byte(x)
	}
	return fromFunc(func(y byte) byte { return back[y] })
}

// gfni is the form that VGF2P8AFFINEQB takes: row i in byte 7-i.
func (m matrix) gfni() uint64 {
	var q uint64
	for i, row := range m {
		q |= uint64(row) << (8 * (7 - i))
	}
	return q
}

// toAES is an isomorphism from the field of poly to AES's: it maps x to the least
// root of poly there.
func toAES(poly int) matrix {
	for root := 2; ; root++ {
		var sum byte
		for i, p := 0, byte(1); i <= 8; i, p = i+1, mul(p, byte(root), aesPoly) {
			if poly>>i&1 == 1 {
				sum ^= p
			}
		}
		if sum != 0 {
			continue
		}
		return fromFunc(func(x byte) byte {
			var y byte
			for i, p := 0, byte(1); i < 8; i, p = i+1, mul(p, byte(root), aesPoly) {
				if x>>i&1 == 1 {
					y ^= p
				}
			}
			return y
		})
	}
}

// An affine map is x -> M x + c.
type affine struct {
	m matrix
	c byte
}

func (a affine) apply(x byte) byte { return a.m.apply(x) ^ a.c }

// after is the map that applies b first.
func (a affine) after(b affine) affine {
	return affine{a.m.times(b.m), a.m.apply(b.c) ^ a.c}
}

func (a affine) inverse() affine {
	m := a.m.inverse()
	return affine{m, m.apply(a.c)}
}

// aesAffine is the affine map of AES's S-box, which follows the inversion (FIPS
// 197, section 5.1.1).
var aesAffine = affine{fromFunc(func(b byte) byte {
	return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 2) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 4)
}), 0x63}

// nibbles are the two tables of 16 bytes that make an affine map by two byte
// shuffles: of the low half, with the constant, and of the high half.
func (a affine) nibbles() (low, high [16]byte) {
	for i := range 16 {
		low[i] = a.apply(byte(i))
		high[i] = a.m.apply(byte(i << 4))
	}
	return low, high
}
