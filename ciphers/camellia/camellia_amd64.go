//go:build !purego

package camellia

import (
	"math/bits"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// The tiers in assembly work many blocks sliced into bytes, and few in one register
// a block. None looks anything up in memory at an index that depends on key or text.
var tiers = []*bulk.Kernels{gfniAvx512, gfniAvx2, vaesAvx2, aesniAvx2, aesniAvx, generic}

var gfniAvx512 = &bulk.Kernels{
	Name:       "gfni-avx512",
	Need:       cpu.GFNI | cpu.AVX512,
	Width:      64,
	Expand:     func(k *bulk.Key, key []byte) { expandAssembly(fGfniAvx512, k, key) },
	Encrypt:    encryptGfniAvx512,
	Decrypt:    decryptGfniAvx512,
	CTR:        ctrGfniAvx512,
	CTR32:      ctr32GfniAvx512,
	CTRTails:   true,
	CBCEncrypt: cbcEncryptGfniAvx512,
	CBCDecrypt: cbcDecryptGfniAvx512,
	CFBEncrypt: cfbEncryptGfniAvx512,
	CFBDecrypt: cfbDecryptGfniAvx512,
	OFB:        ofbGfniAvx512,
	OCBEncrypt: ocbEncryptGfniAvx512,
	OCBDecrypt: ocbDecryptGfniAvx512,
	OCBAuth:    ocbAuthGfniAvx512,
	XTSEncrypt: xtsEncryptGfniAvx512,
	XTSDecrypt: xtsDecryptGfniAvx512,
	MACLanes:   macLanesGfniAvx512,
}

var gfniAvx2 = &bulk.Kernels{
	Name:       "gfni-avx2",
	Need:       cpu.GFNI | cpu.AVX2,
	Width:      64,
	Expand:     func(k *bulk.Key, key []byte) { expandAssembly(fGfniAvx2, k, key) },
	Encrypt:    encryptGfniAvx2,
	Decrypt:    decryptGfniAvx2,
	CTR:        ctrGfniAvx2,
	CTR32:      ctr32GfniAvx2,
	CBCEncrypt: cbcEncryptGfniAvx2,
	CBCDecrypt: cbcDecryptGfniAvx2,
	CFBEncrypt: cfbEncryptGfniAvx2,
	CFBDecrypt: cfbDecryptGfniAvx2,
	OFB:        ofbGfniAvx2,
	OCBEncrypt: ocbEncryptGfniAvx2,
	OCBDecrypt: ocbDecryptGfniAvx2,
	OCBAuth:    ocbAuthGfniAvx2,
	XTSEncrypt: xtsEncryptGfniAvx2,
	XTSDecrypt: xtsDecryptGfniAvx2,
	MACLanes:   macLanesGfniAvx2,
}

var vaesAvx2 = &bulk.Kernels{
	Name:       "vaes-avx2",
	Need:       cpu.AESNI | cpu.VAES | cpu.AVX2,
	Width:      64,
	Expand:     func(k *bulk.Key, key []byte) { expandAssembly(fVaesAvx2, k, key) },
	Encrypt:    encryptVaesAvx2,
	Decrypt:    decryptVaesAvx2,
	CTR:        ctrVaesAvx2,
	CTR32:      ctr32VaesAvx2,
	CBCEncrypt: cbcEncryptVaesAvx2,
	CBCDecrypt: cbcDecryptVaesAvx2,
	CFBEncrypt: cfbEncryptVaesAvx2,
	CFBDecrypt: cfbDecryptVaesAvx2,
	OFB:        ofbVaesAvx2,
	OCBEncrypt: ocbEncryptVaesAvx2,
	OCBDecrypt: ocbDecryptVaesAvx2,
	OCBAuth:    ocbAuthVaesAvx2,
	XTSEncrypt: xtsEncryptVaesAvx2,
	XTSDecrypt: xtsDecryptVaesAvx2,
	MACLanes:   macLanesVaesAvx2,
}

var aesniAvx2 = &bulk.Kernels{
	Name:       "aesni-avx2",
	Need:       cpu.AESNI | cpu.AVX2,
	Width:      64,
	Expand:     func(k *bulk.Key, key []byte) { expandAssembly(fAesniAvx2, k, key) },
	Encrypt:    encryptAesniAvx2,
	Decrypt:    decryptAesniAvx2,
	CTR:        ctrAesniAvx2,
	CTR32:      ctr32AesniAvx2,
	CBCEncrypt: cbcEncryptAesniAvx2,
	CBCDecrypt: cbcDecryptAesniAvx2,
	CFBEncrypt: cfbEncryptAesniAvx2,
	CFBDecrypt: cfbDecryptAesniAvx2,
	OFB:        ofbAesniAvx2,
	OCBEncrypt: ocbEncryptAesniAvx2,
	OCBDecrypt: ocbDecryptAesniAvx2,
	OCBAuth:    ocbAuthAesniAvx2,
	XTSEncrypt: xtsEncryptAesniAvx2,
	XTSDecrypt: xtsDecryptAesniAvx2,
	MACLanes:   macLanesAesniAvx2,
}

var aesniAvx = &bulk.Kernels{
	Name:       "aesni-avx",
	Need:       cpu.AESNI | cpu.AVX,
	Width:      32,
	Expand:     func(k *bulk.Key, key []byte) { expandAssembly(fAesniAvx, k, key) },
	Encrypt:    encryptAesniAvx,
	Decrypt:    decryptAesniAvx,
	CTR:        ctrAesniAvx,
	CTR32:      ctr32AesniAvx,
	CBCEncrypt: cbcEncryptAesniAvx,
	CBCDecrypt: cbcDecryptAesniAvx,
	CFBEncrypt: cfbEncryptAesniAvx,
	CFBDecrypt: cfbDecryptAesniAvx,
	OFB:        ofbAesniAvx,
	OCBEncrypt: ocbEncryptAesniAvx,
	OCBDecrypt: ocbDecryptAesniAvx,
	OCBAuth:    ocbAuthAesniAvx,
	XTSEncrypt: xtsEncryptAesniAvx,
	XTSDecrypt: xtsDecryptAesniAvx,
	MACLanes:   macLanesAesniAvx,
}

// expandAssembly is the key schedule for assembly, big-endian.
func expandAssembly(f func(x uint64) uint64, k *bulk.Key, key []byte) {
	var s subkeys
	s.expand(f, key)
	k.Rounds = s.rounds()
	carry(s.enc[:s.n])
	carry(s.dec[:s.n])
	bigEndian(&k.Enc, s.enc[:s.n])
	bigEndian(&k.Dec, s.dec[:s.n])
	s = subkeys{}
}

func bigEndian(to *schedule, s []uint64) {
	for i, w := range s {
		to[2*i], to[2*i+1] = bits.ReverseBytes32(uint32(w>>32)), bits.ReverseBytes32(uint32(w))
	}
}

// carry changes subkeys so that F need not add one to its input: a half of the block
// carries the subkey of the round that it next goes into, and what a round adds to
// the other half, beside F, takes that from one subkey to the next. FL lets such a
// difference pass, changed but independent of the text, and the whitening is part of
// it too.
//
// What comes out stands where what it replaces stood: the whitening of the block,
// what rounds 1 to 6 add, the subkeys ke1 and ke2 of FL and its inverse as they
// were, what rounds 7 to 12 add, and so on; at last the whitening of D2. (What the
// last round adds is that of D1.)
func carry(s []uint64) {
	end := len(s) - 2
	d1, d2 := s[2], uint64(0) // what the halves carry
	s[0] ^= d1
	for k := s[2:]; len(k) > 0; k = k[8:] {
		// k is the subkeys of six rounds, of FL and its inverse, and so on.
		last := len(k) == 8
		for i := range 6 {
			next := k[i+1]
			switch {
			case i == 5 && last:
				next = s[end+1]
			case i == 5:
				next = throughFL(k[8], k[6])
			}
			k[i] = d2 ^ next
			d1, d2 = next, d1 // the halves take turns
		}
		if !last {
			d1, d2 = k[8], throughFL(d2, k[7])
		}
	}
	s[end] ^= d2
	s[end+1] = 0
}

// throughFL is the difference of FL's results for a difference of x in its argument,
// backwards (the inverse of FL, section 2.4.2, on differences): also what FL's
// inverse makes of a difference.
func throughFL(x, ke uint64) uint64 {
	x1, x2 := uint32(x>>32), uint32(x)
	x1 ^= x2 &^ uint32(ke)
	x2 ^= bits.RotateLeft32(x1&uint32(ke>>32), 1)
	return uint64(x1)<<32 | uint64(x2)
}
