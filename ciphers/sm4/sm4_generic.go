package sm4

import (
	"encoding/binary"
	"math/bits"

	"blkcrypt/internal/bulk"
)

// generic is the portable tier. Beside the 256 bytes of the S-box it uses no table:
// the linear maps are computed on whole words. That is slower than a table of 1 KiB
// with the linear map in it, but four lines of cache tell less than sixteen.
var generic = &bulk.Kernels{
	Name:    "generic",
	Width:   2,
	Expand:  expandGeneric,
	Encrypt: func(k *bulk.Key, dst, src []byte) { cryptGeneric((*[rounds]uint32)(k.Enc[:]), dst, src) },
	Decrypt: func(k *bulk.Key, dst, src []byte) { cryptGeneric((*[rounds]uint32)(k.Dec[:]), dst, src) },
}

// expandGeneric is the key expansion of section 7.3. The only intermediate values,
// four words, stay in registers where there are enough of them.
func expandGeneric(k *bulk.Key, key []byte) {
	touch(sbox)
	s := sbox
	mk := (*[KeySize]byte)(key)
	// The system parameter FK (section 7.3).
	k0 := binary.BigEndian.Uint32(mk[0:]) ^ 0xa3b1bac6
	k1 := binary.BigEndian.Uint32(mk[4:]) ^ 0x56aa3350
	k2 := binary.BigEndian.Uint32(mk[8:]) ^ 0x677d9197
	k3 := binary.BigEndian.Uint32(mk[12:]) ^ 0xb27022dc
	for i := 0; i < rounds; i += 4 {
		k0 = mixKey(k0, substitute(s, ck(i)^k1^k2^k3))
		k1 = mixKey(k1, substitute(s, ck(i+1)^k2^k3^k0))
		k2 = mixKey(k2, substitute(s, ck(i+2)^k3^k0^k1))
		k3 = mixKey(k3, substitute(s, ck(i+3)^k0^k1^k2))
		k.Enc[i], k.Enc[i+1], k.Enc[i+2], k.Enc[i+3] = k0, k1, k2, k3
	}
	for i := range rounds {
		k.Dec[i] = k.Enc[rounds-1-i]
	}
	k.Rounds = rounds
}

// ck returns the fixed parameter CK_i: byte j of it, the first being the highest, is
// 7(4i+j) modulo 256 (section 7.3).
func ck(i int) uint32 {
	b := uint32(28 * i)
	return b&0xff<<24 | (b+7)&0xff<<16 | (b+14)&0xff<<8 | (b+21)&0xff
}

// mixKey returns k XOR L'(b), L' being the linear map of the key expansion
// (section 7.3).
func mixKey(k, b uint32) uint32 {
	return k ^ b ^ (bits.RotateLeft32(b, 13) ^ bits.RotateLeft32(b, 23))
}

// mix returns x XOR L(b), L being the linear map of the rounds (section 6.2). The
// order of the operations, here and in substitute, makes the way from b to the result
// short: two blocks side by side wait for results more than for execution units.
func mix(x, b uint32) uint32 {
	return (x ^ b ^ bits.RotateLeft32(b, 24)) ^
		(bits.RotateLeft32(b, 2) ^ bits.RotateLeft32(b, 10) ^ bits.RotateLeft32(b, 18))
}

// substitute applies the S-box to each byte of x: the nonlinear map of section 6.2.
func substitute(s *[256]byte, x uint32) uint32 {
	return (uint32(s[x>>24])<<24 | uint32(s[byte(x>>16)])<<16) | (uint32(s[byte(x>>8)])<<8 | uint32(s[byte(x)]))
}

// cryptGeneric works on whole blocks, which it encrypts under rk or, when that is in
// reverse order, decrypts (sections 7.1 and 7.2).
func cryptGeneric(rk *[rounds]uint32, dst, src []byte) {
	touch(sbox)
	for len(src) >= 2*bulk.BlockSize {
		cryptTwo(sbox, rk, (*[2 * bulk.BlockSize]byte)(dst), (*[2 * bulk.BlockSize]byte)(src))
		dst, src = dst[2*bulk.BlockSize:], src[2*bulk.BlockSize:]
	}
	if len(src) > 0 {
		cryptOne(sbox, rk, (*[bulk.BlockSize]byte)(dst), (*[bulk.BlockSize]byte)(src))
	}
}

// cryptTwo works on two blocks, a and b. A round replaces the word that comes round
// again four rounds later (section 6.1), so that after four nothing has to move. The
// word made last is added last.
func cryptTwo(s *[256]byte, rk *[rounds]uint32, dst, src *[2 * bulk.BlockSize]byte) {
	a0 := binary.BigEndian.Uint32(src[0:])
	a1 := binary.BigEndian.Uint32(src[4:])
	a2 := binary.BigEndian.Uint32(src[8:])
	a3 := binary.BigEndian.Uint32(src[12:])
	b0 := binary.BigEndian.Uint32(src[16:])
	b1 := binary.BigEndian.Uint32(src[20:])
	b2 := binary.BigEndian.Uint32(src[24:])
	b3 := binary.BigEndian.Uint32(src[28:])
	for i := 0; i < rounds; i += 4 {
		k := rk[i]
		a, b := substitute(s, k^a1^a2^a3), substitute(s, k^b1^b2^b3)
		a0, b0 = mix(a0, a), mix(b0, b)
		k = rk[i+1]
		a, b = substitute(s, k^a2^a3^a0), substitute(s, k^b2^b3^b0)
		a1, b1 = mix(a1, a), mix(b1, b)
		k = rk[i+2]
		a, b = substitute(s, k^a3^a0^a1), substitute(s, k^b3^b0^b1)
		a2, b2 = mix(a2, a), mix(b2, b)
		k = rk[i+3]
		a, b = substitute(s, k^a0^a1^a2), substitute(s, k^b0^b1^b2)
		a3, b3 = mix(a3, a), mix(b3, b)
	}
	binary.BigEndian.PutUint32(dst[0:], a3)
	binary.BigEndian.PutUint32(dst[4:], a2)
	binary.BigEndian.PutUint32(dst[8:], a1)
	binary.BigEndian.PutUint32(dst[12:], a0)
	binary.BigEndian.PutUint32(dst[16:], b3)
	binary.BigEndian.PutUint32(dst[20:], b2)
	binary.BigEndian.PutUint32(dst[24:], b1)
	binary.BigEndian.PutUint32(dst[28:], b0)
}

// cryptOne works on one block as cryptTwo on two.
func cryptOne(s *[256]byte, rk *[rounds]uint32, dst, src *[bulk.BlockSize]byte) {
	x0 := binary.BigEndian.Uint32(src[0:])
	x1 := binary.BigEndian.Uint32(src[4:])
	x2 := binary.BigEndian.Uint32(src[8:])
	x3 := binary.BigEndian.Uint32(src[12:])
	for i := 0; i < rounds; i += 4 {
		x0 = mix(x0, substitute(s, rk[i]^x1^x2^x3))
		x1 = mix(x1, substitute(s, rk[i+1]^x2^x3^x0))
		x2 = mix(x2, substitute(s, rk[i+2]^x3^x0^x1))
		x3 = mix(x3, substitute(s, rk[i+3]^x0^x1^x2))
	}
	binary.BigEndian.PutUint32(dst[0:], x3)
	binary.BigEndian.PutUint32(dst[4:], x2)
	binary.BigEndian.PutUint32(dst[8:], x1)
	binary.BigEndian.PutUint32(dst[12:], x0)
}
