// Package sm4 is the block cipher SM4 of GB/T 32907-2016 (once SMS4): blocks of
// 16 bytes, keys of 16 bytes, 32 rounds.
//
// It holds the table of tiers for package ciphers, which makes keys from it.
package sm4

import "blkcrypt/internal/bulk"

// KeySize is the only key size, in bytes.
const KeySize = 16

// rounds is the number of rounds and of 32-bit round keys (section 4).
const rounds = 32

// Cipher is SM4 with its tiers in order of preference. A key's schedule is in
// the first 32 words of Enc and, in reverse order, of Dec.
var Cipher = &bulk.Cipher{
	Name:     "sm4",
	KeySizes: []int{KeySize},
	Tiers:    tiers,
	Vectors:  []bulk.Vector{example1},
}

// example1 is example 1 of the standard's appendix A.
var example1 = bulk.Vector{
	Key:    []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10"),
	Plain:  []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10"),
	Cipher: []byte("\x68\x1e\xdf\x34\xd2\x06\x96\x5e\x86\xb3\xe9\x4f\x53\x6e\x42\x46"),
}
