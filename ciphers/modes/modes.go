// Package modes has the modes of operation without authentication: ECB, CBC,
// CFB, OFB and CTR of NIST SP 800-38A, XTS of IEEE 1619-2018 and GB/T
// 17964-2021, and LRW.
//
// They are here to read and write what other systems use. None of them notices
// that a ciphertext was changed, and some let an attacker change the plaintext
// bit by bit; where the choice is free, use package aead. ECB moreover shows
// which blocks are equal, CTR and OFB show the XOR of two messages that share an
// IV, CBC and CFB show equal beginnings then, and a receiver who tells in any
// way whether the padding of a CBC plaintext is right gives it all away.
//
// All work over any cipher.Block with blocks of 16 bytes, and on many blocks at
// once over one of this module's. All sizes are in bytes. ECB and CBC take whole
// blocks and add no padding; CFB (with feedback of 128 bits), OFB and CTR any
// number of bytes; XTS from [MinUnit] to [MaxUnit], by ciphertext stealing; LRW
// whole blocks. dst may be longer than src, and must be the same memory or not
// overlap it.
//
// As in crypto/cipher, an IV or a block cipher of the wrong size, a dst that is
// too short, overlapping memory and a length that the mode can't work with are
// errors of the program: they panic. Keys of XTS and LRW come from outside, so
// that [NewXTS] and [NewLRW] return errors.
//
// In every mode, what an attacker gains grows with the square of the number of
// blocks that one key encrypts. With 2^36 of them, 2^40 bytes, the odds are about
// 2^-57; a key should encrypt no more. A data unit of XTS has 2^20 blocks at most
// (IEEE 1619-2018, section 5.1; SP 800-38E).
//
// CBC and the streams keep a state and are for one goroutine; ECB, XTS and LRW keep
// none and are for any number. Over this module's ciphers, no method allocates
// memory.
package modes

import (
	"crypto/cipher"

	"blkcrypt/internal/bulk"
)

// BlockSize is the size of a block of every cipher here.
const BlockSize = bulk.BlockSize

// keyOf returns the key behind a cipher, for the constructors that return no
// error.
func keyOf(b cipher.Block) *bulk.Key {
	k, err := bulk.Of(b)
	if err != nil {
		panic("modes: the block cipher must have 16-byte blocks")
	}
	return k
}

func ivOf(iv []byte) [BlockSize]byte {
	if len(iv) != BlockSize {
		panic("modes: IV length must equal block size")
	}
	return [BlockSize]byte(iv)
}

// room returns the part of dst that src goes to.
func room(dst, src []byte) []byte {
	if len(dst) < len(src) {
		panic("modes: output smaller than input")
	}
	dst = dst[:len(src)]
	if bulk.InexactOverlap(dst, src) {
		panic("modes: invalid buffer overlap")
	}
	return dst
}

// wholeRoom is room for a mode that takes whole blocks.
func wholeRoom(dst, src []byte) []byte {
	if len(src)%BlockSize != 0 {
		panic("modes: input not full blocks")
	}
	return room(dst, src)
}
