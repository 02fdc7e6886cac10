package camellia

import (
	"encoding/binary"
	"math/bits"
)

// This file is Camellia a second time, slowly and straight from the text of
// RFC 3713, to hold the package against. It shares nothing with it.

// refSBox1 is SBOX1, from the specification's algebra by another way than the
// package's: with the field's elements as polynomials over GF(2) in β, and the
// inverse found by trying.
var refSBox1 = func() (box [256]byte) {
	mul := func(a, b byte) (c byte) { // modulo x^8 + x^6 + x^5 + x^3 + 1
		for ; b != 0; b >>= 1 {
			if b&1 != 0 {
				c ^= a
			}
			carry := a&0x80 != 0
			if a <<= 1; carry {
				a ^= 0x69
			}
		}
		return c
	}
	power := func(a byte, n int) byte {
		p := byte(1)
		for range n {
			p = mul(p, a)
		}
		return p
	}
	// rows maps a byte a1 … a8 (a1 is the most significant bit) to a byte whose
	// bits are sums of those listed.
	rows := func(a byte, sums [8][]int) (b byte) {
		for _, sum := range sums {
			b <<= 1
			for _, i := range sum {
				b ^= a >> (8 - i) & 1
			}
		}
		return b
	}
	const beta = 2
	alpha := power(beta, 238)
	var element [256]byte // of a8 + a7 α + a6 α^2 + a5 α^3 + (a4 + a3 α + a2 α^2 + a1 α^3) β
	var name [256]byte    // its inverse
	for a := range element {
		for i := range 8 {
			if a>>i&1 != 0 {
				element[a] ^= mul(power(alpha, i%4), power(beta, i/4))
			}
		}
		name[element[a]] = byte(a)
	}
	for x := range box {
		e := element[rows(byte(x)^0xc5, [8][]int{{6, 2}, {7, 1}, {8, 5, 3}, {8, 3}, {7, 4}, {5, 2}, {8, 1}, {6, 4}})]
		inverse := byte(0)
		for y := range 256 {
			if mul(e, byte(y)) == 1 {
				inverse = byte(y)
			}
		}
		box[x] = 0x6e ^ rows(name[inverse], [8][]int{{5, 6, 2}, {6, 2}, {7, 4}, {8, 2}, {7, 3}, {8, 1}, {5, 1}, {6, 3}})
	}
	return box
}()

func refSBox2(x byte) byte { return bits.RotateLeft8(refSBox1[x], 1) }
func refSBox3(x byte) byte { return bits.RotateLeft8(refSBox1[x], 7) }
func refSBox4(x byte) byte { return refSBox1[bits.RotateLeft8(x, 1)] }

// refF is section 2.4.1.
func refF(in, ke uint64) uint64 {
	x := in ^ ke
	t1 := refSBox1[byte(x>>56)]
	t2 := refSBox2(byte(x >> 48))
	t3 := refSBox3(byte(x >> 40))
	t4 := refSBox4(byte(x >> 32))
	t5 := refSBox2(byte(x >> 24))
	t6 := refSBox3(byte(x >> 16))
	t7 := refSBox4(byte(x >> 8))
	t8 := refSBox1[byte(x)]
	return binary.BigEndian.Uint64([]byte{
		t1 ^ t3 ^ t4 ^ t6 ^ t7 ^ t8,
		t1 ^ t2 ^ t4 ^ t5 ^ t7 ^ t8,
		t1 ^ t2 ^ t3 ^ t5 ^ t6 ^ t8,
		t2 ^ t3 ^ t4 ^ t5 ^ t6 ^ t7,
		t1 ^ t2 ^ t6 ^ t7 ^ t8,
		t2 ^ t3 ^ t5 ^ t7 ^ t8,
		t3 ^ t4 ^ t5 ^ t6 ^ t8,
		t1 ^ t4 ^ t5 ^ t6 ^ t7,
	})
}

// refFL and refFLINV are section 2.4.2.
func refFL(in, ke uint64) uint64 {
	x1, x2 := uint32(in>>32), uint32(in)
	k1, k2 := uint32(ke>>32), uint32(ke)
	x2 ^= bits.RotateLeft32(x1&k1, 1)
	x1 ^= x2 | k2
	return uint64(x1)<<32 | uint64(x2)
}

func refFLINV(in, ke uint64) uint64 {
	y1, y2 := uint32(in>>32), uint32(in)
	k1, k2 := uint32(ke>>32), uint32(ke)
	y1 ^= y2 | k2
	y2 ^= bits.RotateLeft32(y1&k1, 1)
	return uint64(y1)<<32 | uint64(y2)
}

// refKey holds the subkeys by their names: kw[1] is kw1.
type refKey struct {
	kw [5]uint64
	k  [25]uint64
	ke [7]uint64
	n  int // rounds
}

type u128 struct{ hi, lo uint64 }

// rol is <<< on 128 bits, one bit at a time.
func (x u128) rol(n int) u128 {
	for range n {
		x = u128{x.hi<<1 | x.lo>>63, x.lo<<1 | x.hi>>63}
	}
	return x
}

// refExpand is section 2.2.
func refExpand(key []byte) *refKey {
	load := func(b []byte) u128 { return u128{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])} }
	kl, kr := load(key), u128{}
	switch len(key) {
	case 24:
		kr.hi = binary.BigEndian.Uint64(key[16:])
		kr.lo = ^kr.hi
	case 32:
		kr = load(key[16:])
	}
	d1, d2 := kl.hi^kr.hi, kl.lo^kr.lo
	d2 ^= refF(d1, 0xA09E667F3BCC908B)
	d1 ^= refF(d2, 0xB67AE8584CAA73B2)
	d1 ^= kl.hi
	d2 ^= kl.lo
	d2 ^= refF(d1, 0xC6EF372FE94F82BE)
	d1 ^= refF(d2, 0x54FF53A5F1D36F1C)
	ka := u128{d1, d2}
	d1, d2 = ka.hi^kr.hi, ka.lo^kr.lo
	d2 ^= refF(d1, 0x10E527FADE682D1D)
	d1 ^= refF(d2, 0xB05688C2B3E6C1FD)
	kb := u128{d1, d2}

	s := new(refKey)
	pair := func(to []uint64, x u128) { to[0], to[1] = x.hi, x.lo }
	pair(s.kw[1:], kl)
	if len(key) == 16 {
		s.n = 18
		pair(s.k[1:], ka)
		pair(s.k[3:], kl.rol(15))
		pair(s.k[5:], ka.rol(15))
		pair(s.ke[1:], ka.rol(30))
		pair(s.k[7:], kl.rol(45))
		s.k[9] = ka.rol(45).hi
		s.k[10] = kl.rol(60).lo
		pair(s.k[11:], ka.rol(60))
		pair(s.ke[3:], kl.rol(77))
		pair(s.k[13:], kl.rol(94))
		pair(s.k[15:], ka.rol(94))
		pair(s.k[17:], kl.rol(111))
		pair(s.kw[3:], ka.rol(111))
		return s
	}
	s.n = 24
	pair(s.k[1:], kb)
	pair(s.k[3:], kr.rol(15))
	pair(s.k[5:], ka.rol(15))
	pair(s.ke[1:], kr.rol(30))
	pair(s.k[7:], kb.rol(30))
	pair(s.k[9:], kl.rol(45))
	pair(s.k[11:], ka.rol(45))
	pair(s.ke[3:], kl.rol(60))
	pair(s.k[13:], kr.rol(60))
	pair(s.k[15:], kb.rol(60))
	pair(s.k[17:], kl.rol(77))
	pair(s.ke[5:], ka.rol(77))
	pair(s.k[19:], kr.rol(94))
	pair(s.k[21:], ka.rol(94))
	pair(s.k[23:], kl.rol(111))
	pair(s.kw[3:], kb.rol(111))
	return s
}

// encrypt is sections 2.3.1 and 2.3.2, for one block.
func (s *refKey) encrypt(dst, src []byte) {
	d1 := binary.BigEndian.Uint64(src) ^ s.kw[1]
	d2 := binary.BigEndian.Uint64(src[8:]) ^ s.kw[2]
	for i := 1; i <= s.n; i += 2 {
		if i > 1 && i%6 == 1 {
			d1 = refFL(d1, s.ke[i/6*2-1])
			d2 = refFLINV(d2, s.ke[i/6*2])
		}
		d2 ^= refF(d1, s.k[i])
		d1 ^= refF(d2, s.k[i+1])
	}
	binary.BigEndian.PutUint64(dst, d2^s.kw[3])
	binary.BigEndian.PutUint64(dst[8:], d1^s.kw[4])
}

// inverted is section 2.3.3: the key whose encryption is s's decryption.
func (s *refKey) inverted() *refKey {
	r := *s
	r.kw[1], r.kw[3] = s.kw[3], s.kw[1]
	r.kw[2], r.kw[4] = s.kw[4], s.kw[2]
	for i := 1; i <= s.n; i++ {
		r.k[i] = s.k[s.n+1-i]
	}
	for i, n := 1, s.n/3-2; i <= n; i++ {
		r.ke[i] = s.ke[n+1-i]
	}
	return &r
}
