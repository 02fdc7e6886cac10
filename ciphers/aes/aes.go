// Package aes is the block cipher AES (FIPS 197) as a table of kernels for the
// modes of this module: 16-byte blocks, keys of 16, 24 or 32 bytes.
package aes

import (
	"encoding/hex"

	"blkcrypt/internal/bulk"
)

// Cipher is AES with its tiers, best first.
var Cipher = &bulk.Cipher{
	Name:     "aes",
	KeySizes: []int{16, 24, 32},
	Tiers:    tiers,
	Vectors: []bulk.Vector{
		// FIPS 197, appendix B.
		vector("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
		// FIPS 197, appendices C.1, C.2 and C.3.
		vector("000102030405060708090a0b0c0d0e0f",
			"00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
		vector("000102030405060708090a0b0c0d0e0f1011121314151617",
			"00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"),
		vector("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
			"00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"),
	},
}

func vector(key, plain, cipher string) bulk.Vector {
	return bulk.Vector{Key: unhex(key), Plain: unhex(plain), Cipher: unhex(cipher)}
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic("aes: " + err.Error())
	}
	return b
}
