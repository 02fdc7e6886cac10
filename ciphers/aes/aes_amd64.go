//go:build !purego

package aes

import (
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// The tiers with AES instructions differ in the width of their registers: 16, 32
// and 64 bytes. One block at a time, which is the key schedule and the modes in
// which each block waits for the one before, is the same on all.
//
// They look nothing up in memory at an index that depends on key or text.
var tiers = []*bulk.Kernels{vaesAvx512, vaesAvx2, aesniAvx, amd64Table, generic}

var vaesAvx512 = &bulk.Kernels{
	Name:          "vaes-avx512",
	Need:          cpu.AESNI | cpu.VAES | cpu.AVX512,
	Width:         32,
	Expand:        expandAesni,
	Encrypt:       encryptVaesAvx512,
	Decrypt:       decryptVaesAvx512,
	CTR:           ctrVaesAvx512,
	CTR32:         ctr32VaesAvx512,
	CTRTails:      true,
	CBCEncrypt:    cbcEncryptAesni,
	CBCDecrypt:    cbcDecryptVaesAvx512,
	CFBEncrypt:    cfbEncryptAesni,
	CFBDecrypt:    cfbDecryptVaesAvx512,
	FeedbackTails: true,
	OFB:           ofbAesni,
	GCM:           gcmVaesAvx512,
	GCMWidth:      64,
	GCMHash:       "vpclmul-avx512",
	OCBEncrypt:    ocbEncryptVaesAvx512,
	OCBDecrypt:    ocbDecryptVaesAvx512,
	OCBAuth:       ocbAuthVaesAvx512,
	OCBTails:      true,
	XTSEncrypt:    xtsEncryptVaesAvx512,
	XTSDecrypt:    xtsDecryptVaesAvx512,
	XTSTails:      true,
	MACLanes:      macLanesVaesAvx512,
}

var vaesAvx2 = &bulk.Kernels{
	Name:       "vaes-avx2",
	Need:       cpu.AESNI | cpu.VAES | cpu.AVX2,
	Width:      16,
	Expand:     expandAesni,
	Encrypt:    encryptVaesAvx2,
	Decrypt:    decryptVaesAvx2,
	CTR:        ctrVaesAvx2,
	CTR32:      ctr32VaesAvx2,
	CTRTails:   true,
	CBCEncrypt: cbcEncryptAesni,
	CBCDecrypt: cbcDecryptVaesAvx2,
	CFBEncrypt: cfbEncryptAesni,
	CFBDecrypt: cfbDecryptVaesAvx2,
	OFB:        ofbAesni,
	GCM:        gcmVaesAvx2,
	GCMWidth:   16,
	GCMHash:    "vpclmul-avx2",
	OCBEncrypt: ocbEncryptVaesAvx2,
	OCBDecrypt: ocbDecryptVaesAvx2,
	OCBAuth:    ocbAuthVaesAvx2,
	XTSEncrypt: xtsEncryptVaesAvx2,
	XTSDecrypt: xtsDecryptVaesAvx2,
	MACLanes:   macLanesVaesAvx2,
}

var aesniAvx = &bulk.Kernels{
	Name:       "aesni-avx",
	Need:       cpu.AESNI | cpu.AVX,
	Width:      8,
	Expand:     expandAesni,
	Encrypt:    encryptAesniAvx,
	Decrypt:    decryptAesniAvx,
	CTR:        ctrAesniAvx,
	CTR32:      ctr32AesniAvx,
	CTRTails:   true,
	CBCEncrypt: cbcEncryptAesni,
	CBCDecrypt: cbcDecryptAesniAvx,
	CFBEncrypt: cfbEncryptAesni,
	CFBDecrypt: cfbDecryptAesniAvx,
	OFB:        ofbAesni,
	GCM:        gcmAesniAvx,
	GCMWidth:   8,
	GCMHash:    "pclmul",
	OCBEncrypt: ocbEncryptAesniAvx,
	OCBDecrypt: ocbDecryptAesniAvx,
	OCBAuth:    ocbAuthAesniAvx,
	XTSEncrypt: xtsEncryptAesniAvx,
	XTSDecrypt: xtsDecryptAesniAvx,
	MACLanes:   macLanesAesniAvx,
}

// expandAesni is the key schedule by AES instructions. The round keys of both
// directions lie as the instructions take them, 16 bytes each.
func expandAesni(k *bulk.Key, key []byte) {
	expandEnc(k, key, subWordAesni)
	decryptionKeysAesni(k)
}

// amd64Table is the portable tier in assembly, with the same tables, for processors
// without AES instructions.
var amd64Table = &bulk.Kernels{
	Name:    "amd64-table",
	Width:   2,
	Expand:  expand,
	Encrypt: func(k *bulk.Key, dst, src []byte) { encryptTable(k, lookup, dst, src) },
	Decrypt: func(k *bulk.Key, dst, src []byte) { decryptTable(k, lookup, dst, src) },
}
