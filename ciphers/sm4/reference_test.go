package sm4_test

import "encoding/binary"

// reference is SM4 as the standard's text has it, a byte, a word and a round at a
// time, with an S-box of its own.
type reference struct{ rk [32]uint32 }

// sections 6.2 (tau, L), 7.3 (L', FK, CK)
func newReference(key []byte) *reference {
	fk := [4]uint32{0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC}
	var k [36]uint32
	for i := range 4 {
		k[i] = binary.BigEndian.Uint32(key[4*i:]) ^ fk[i]
	}
	r := new(reference)
	for i := range 32 {
		var c [4]byte
		for j := range c {
			c[j] = byte((4*i + j) * 7 % 256)
		}
		b := tau(k[i+1] ^ k[i+2] ^ k[i+3] ^ binary.BigEndian.Uint32(c[:]))
		k[i+4] = k[i] ^ b ^ left(b, 13) ^ left(b, 23)
		r.rk[i] = k[i+4]
	}
	return r
}

func (r *reference) encrypt(block [16]byte) [16]byte {
	return r.crypt(block, func(round int) uint32 { return r.rk[round] })
}

func (r *reference) decrypt(block [16]byte) [16]byte {
	return r.crypt(block, func(round int) uint32 { return r.rk[31-round] })
}

// section 7.1: 32 rounds and the reversal R
func (r *reference) crypt(block [16]byte, key func(int) uint32) (out [16]byte) {
	var x [36]uint32
	for i := range 4 {
		x[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := range 32 {
		b := tau(x[i+1] ^ x[i+2] ^ x[i+3] ^ key(i))
		x[i+4] = x[i] ^ b ^ left(b, 2) ^ left(b, 10) ^ left(b, 18) ^ left(b, 24)
	}
	for i := range 4 {
		binary.BigEndian.PutUint32(out[4*i:], x[35-i])
	}
	return out
}

func tau(a uint32) (b uint32) {
	for i := 24; i >= 0; i -= 8 {
		b = b<<8 | uint32(referenceSbox[byte(a>>i)])
	}
	return b
}

func left(x uint32, n int) uint32 { return x<<n | x>>(32-n) }

// referenceSbox finds inverses by trying all products.
var referenceSbox = func() (s [256]byte) {
	const field, ring = 0x1f5, 0x101
	affine := func(x int) int { return product(x, 0xcb, ring) ^ 0xd3 }
	for x := range 256 {
		y := 0
		for try := range 256 {
			if product(affine(x), try, field) == 1 {
				y = try
			}
		}
		s[x] = byte(affine(y))
	}
	return s
}()

// product multiplies polynomials over GF(2) of degree 7 modulo one of degree 8.
func product(a, b, modulus int) (p int) {
	for i := range 8 {
		p ^= a << i * (b >> i & 1)
	}
	for i := 14; i >= 8; i-- {
		p ^= modulus << (i - 8) * (p >> i & 1)
	}
	return p
}
