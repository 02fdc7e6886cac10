package camellia

import (
	"encoding/binary"
	"math/bits"

	"blkcrypt/internal/bulk"
)

// generic is the portable tier. It works two blocks side by side, since one
// alone leaves most of a processor waiting for its lookups.
var generic = &bulk.Kernels{
	Name:    "generic",
	Width:   2,
	Expand:  expand,
	Encrypt: func(k *bulk.Key, dst, src []byte) { crypt(&k.Enc, turnWords*k.Rounds/6, dst, src) },
	Decrypt: func(k *bulk.Key, dst, src []byte) { crypt(&k.Dec, turnWords*k.Rounds/6, dst, src) },
}

// expand is the key schedule: two words a subkey, the high one first.
func expand(k *bulk.Key, key []byte) {
	table.s1.touch()
	var s subkeys
	s.expand(func(x uint64) uint64 { return f(&table.s1, x) }, key)
	k.Rounds = s.rounds()
	words(&k.Enc, s.enc[:s.n])
	words(&k.Dec, s.dec[:s.n])
	s = subkeys{}
}

func words(to *schedule, s []uint64) {
	for i, w := range s {
		to[2*i], to[2*i+1] = uint32(w>>32), uint32(w)
	}
}

// f is the F-function of RFC 3713, section 2.4.1, on an input to which the
// subkey is already added.
func f(s *sbox, x uint64) uint64 {
	hi, lo := mix(0, 0, s.left(uint32(x>>32)), s.right(uint32(x)))
	return uint64(hi)<<32 | uint64(lo)
}

// crypt runs whole blocks through the data randomizing part of RFC 3713,
// section 2.3. The whitening at the end takes its subkeys from word end of rk.
// Decryption is the same with the subkeys reversed.
func crypt(rk *schedule, end int, dst, src []byte) {
	s := &table.s1
	for len(src) >= 2*bulk.BlockSize && len(dst) >= 2*bulk.BlockSize {
		s.touch()
		crypt2(s, rk, end, (*[32]byte)(dst), (*[32]byte)(src))
		dst, src = dst[2*bulk.BlockSize:], src[2*bulk.BlockSize:]
	}
	if len(src) > 0 {
		s.touch()
		crypt1(s, rk, end, (*[16]byte)(dst), (*[16]byte)(src))
	}
}

// crypt1 works one block, whose halves D1 and D2 are the words a, b and c, d.
func crypt1(s *sbox, rk *schedule, end int, dst, src *[16]byte) {
	k := (*[4]uint32)(rk[:])
	a := binary.BigEndian.Uint32(src[0:]) ^ k[0]
	b := binary.BigEndian.Uint32(src[4:]) ^ k[1]
	c := binary.BigEndian.Uint32(src[8:]) ^ k[2]
	d := binary.BigEndian.Uint32(src[12:]) ^ k[3]
	i := 4 // word of the subkeys to use next
	for {
		k = (*[4]uint32)(rk[i:])
		i += 4
		u, v := s.left(a^k[0]), s.right(b^k[1])
		c, d = mix(c, d, u, v)
		u, v = s.left(c^k[2]), s.right(d^k[3])
		a, b = mix(a, b, u, v)
		if i%turnWords != 0 {
			continue
		}
		if i == end {
			break
		}
		k = (*[4]uint32)(rk[i:])
		i += 4
		a, b = fl(a, b, k[0], k[1])
		c, d = flInverse(c, d, k[2], k[3])
	}
	k = (*[4]uint32)(rk[end:])
	binary.BigEndian.PutUint32(dst[0:], c^k[0])
	binary.BigEndian.PutUint32(dst[4:], d^k[1])
	binary.BigEndian.PutUint32(dst[8:], a^k[2])
	binary.BigEndian.PutUint32(dst[12:], b^k[3])
}

// crypt2 is crypt1 for two blocks, so that the lookups of one fill the wait for
// those of the other.
func crypt2(s *sbox, rk *schedule, end int, dst, src *[32]byte) {
	k := (*[4]uint32)(rk[:])
	a0 := binary.BigEndian.Uint32(src[0:]) ^ k[0]
	b0 := binary.BigEndian.Uint32(src[4:]) ^ k[1]
	c0 := binary.BigEndian.Uint32(src[8:]) ^ k[2]
	d0 := binary.BigEndian.Uint32(src[12:]) ^ k[3]
	a1 := binary.BigEndian.Uint32(src[16:]) ^ k[0]
	b1 := binary.BigEndian.Uint32(src[20:]) ^ k[1]
	c1 := binary.BigEndian.Uint32(src[24:]) ^ k[2]
	d1 := binary.BigEndian.Uint32(src[28:]) ^ k[3]
	i := 4 // word of the subkeys to use next
	for {
		k = (*[4]uint32)(rk[i:])
		i += 4
		u, v := s.left(a0^k[0]), s.right(b0^k[1])
		c0, d0 = mix(c0, d0, u, v)
		u, v = s.left(a1^k[0]), s.right(b1^k[1])
		c1, d1 = mix(c1, d1, u, v)
		u, v = s.left(c0^k[2]), s.right(d0^k[3])
		a0, b0 = mix(a0, b0, u, v)
		u, v = s.left(c1^k[2]), s.right(d1^k[3])
		a1, b1 = mix(a1, b1, u, v)
		if i%turnWords != 0 {
			continue
		}
		if i == end {
			break
		}
		k = (*[4]uint32)(rk[i:])
		i += 4
		a0, b0 = fl(a0, b0, k[0], k[1])
		c0, d0 = flInverse(c0, d0, k[2], k[3])
		a1, b1 = fl(a1, b1, k[0], k[1])
		c1, d1 = flInverse(c1, d1, k[2], k[3])
	}
	k = (*[4]uint32)(rk[end:])
	binary.BigEndian.PutUint32(dst[0:], c0^k[0])
	binary.BigEndian.PutUint32(dst[4:], d0^k[1])
	binary.BigEndian.PutUint32(dst[8:], a0^k[2])
	binary.BigEndian.PutUint32(dst[12:], b0^k[3])
	binary.BigEndian.PutUint32(dst[16:], c1^k[0])
	binary.BigEndian.PutUint32(dst[20:], d1^k[1])
	binary.BigEndian.PutUint32(dst[24:], a1^k[2])
	binary.BigEndian.PutUint32(dst[28:], b1^k[3])
}

// fl is the function FL of RFC 3713, section 2.4.2, on the halves of its input
// and subkey.
func fl(x1, x2, k1, k2 uint32) (y1, y2 uint32) {
	x2 ^= bits.RotateLeft32(x1&k1, 1)
	x1 ^= x2 | k2
	return x1, x2
}

// flInverse is FLINV, the inverse of fl.
func flInverse(y1, y2, k1, k2 uint32) (x1, x2 uint32) {
	y1 ^= y2 | k2
	y2 ^= bits.RotateLeft32(y1&k1, 1)
	return y1, y2
}
