package aead

import (
	"crypto/subtle"
	"encoding/binary"

	"blkcrypt/internal/bulk"
)

// hashOCB is the function HASH of RFC 7253, section 4.1. It does not depend on
// the nonce.
func (a *AEAD) hashOCB(ad []byte) (sum [blockSize]byte) {
	if len(ad) == 0 {
		return sum
	}
	s := bulk.OCBState{Table: a.ocb}
	whole := len(ad) &^ (blockSize - 1)
	a.key.OCBAuth(&s, ad[:whole])
	if whole < len(ad) {
		block := padOne(ad[whole:])
		subtle.XORBytes(block[:], block[:], s.Offset[:])
		subtle.XORBytes(block[:], block[:], a.ocb.Star[:])
		a.key.EncryptBlocks(block[:], block[:])
		subtle.XORBytes(s.Sum[:], s.Sum[:], block[:])
		clear(block[:])
	}
	sum = s.Sum
	s = bulk.OCBState{}
	return sum
}

// padOne returns what there is of a block, a one bit and zeros.
func padOne(part []byte) (block [blockSize]byte) {
	copy(block[:], part)
	block[len(part)] = 0x80
	return block
}

// startOCB derives Offset_0 from the nonce (RFC 7253, section 4.2).
func (a *AEAD) startOCB(s *bulk.OCBState, nonce []byte) {
	// Seven bits of tag length modulo 128, zeros, a one bit, the nonce.
	var top [blockSize]byte
	copy(top[blockSize-len(nonce):], nonce)
	top[blockSize-1-len(nonce)] |= 1
	top[0] |= byte(a.tagSize*8%128) << 1
	bottom := uint(top[15] & 63)
	top[15] &^= 63
	a.key.EncryptBlocks(top[:], top[:])

	// Bits bottom to bottom+127 of Ktop || (Ktop[1..64] xor Ktop[9..72]). A shift
	// by 64 gives zero in Go, so bottom = 0 needs no case of its own.
	k0, k1 := binary.BigEndian.Uint64(top[:8]), binary.BigEndian.Uint64(top[8:])
	k2 := k0 ^ (k0<<8 | k1>>56)
	*s = bulk.OCBState{Table: a.ocb}
	binary.BigEndian.PutUint64(s.Offset[:8], k0<<bottom|k1>>(64-bottom))
	binary.BigEndian.PutUint64(s.Offset[8:], k1<<bottom|k2>>(64-bottom))
	clear(top[:])
}

// cryptOCB encrypts or decrypts a whole message and returns the tag, of which
// the first tagSize bytes count.
func (a *AEAD) cryptOCB(s *bulk.OCBState, dst, src []byte, ad *[blockSize]byte, seal bool) (tag [blockSize]byte) {
	whole := len(src) &^ (blockSize - 1)
	if seal {
		a.key.OCBEncrypt(s, dst[:whole], src[:whole])
	} else {
		a.key.OCBDecrypt(s, dst[:whole], src[:whole])
	}
	if whole < len(src) {
		dst, src = dst[whole:], src[whole:]
		subtle.XORBytes(s.Offset[:], s.Offset[:], a.ocb.Star[:])
		pad := s.Offset
		a.key.EncryptBlocks(pad[:], pad[:])
		last := padOne(src)
		subtle.XORBytes(dst, src, pad[:])
		if !seal {
			last = padOne(dst)
		}
		subtle.XORBytes(s.Sum[:], s.Sum[:], last[:])
		clear(pad[:])
		clear(last[:])
	}
	subtle.XORBytes(tag[:], s.Sum[:], s.Offset[:])
	subtle.XORBytes(tag[:], tag[:], a.ocb.Dollar[:])
	a.key.EncryptBlocks(tag[:], tag[:])
	subtle.XORBytes(tag[:], tag[:], ad[:])
	return tag
}

func (a *AEAD) sealOCB(b *Batch) {
	ad := a.hashOCB(b.AD)
	var s bulk.OCBState
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size+a.tagSize, b.Size)
		a.startOCB(&s, b.nonce(j, a.nonceSize))
		tag := a.cryptOCB(&s, dst[:b.Size], src, &ad, true)
		copy(dst[b.Size:], tag[:a.tagSize])
	}
	s = bulk.OCBState{}
	clear(ad[:])
}

func (a *AEAD) openOCB(b *Batch) int {
	ad := a.hashOCB(b.AD)
	var s bulk.OCBState
	bad := -1
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size, b.Size+a.tagSize)
		a.startOCB(&s, b.nonce(j, a.nonceSize))
		tag := a.cryptOCB(&s, dst, src[:b.Size], &ad, false)
		if subtle.ConstantTimeCompare(tag[:a.tagSize], src[b.Size:]) != 1 {
			clear(tag[:]) // it is the right one for a forgery
			bad = j
			break
		}
	}
	s = bulk.OCBState{}
	clear(ad[:])
	return bad
}
