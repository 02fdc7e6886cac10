//go:build !purego

package sm4

import (
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// The tiers differ in how they invert in the S-box, by GFNI or with AES's last
// round, and in the width of their registers. One block at a time, which is the key
// schedule and the modes in which each block waits for the one before, is the same
// on those that invert alike.
//
// None looks anything up in memory at an index that depends on key or text.
var tiers = []*bulk.Kernels{gfniAvx512, gfniAvx2, aesniAvx2, aesniAvx, generic}

var gfniAvx512 = &bulk.Kernels{
	Name:          "gfni-avx512",
	Need:          cpu.GFNI | cpu.AVX512,
	Width:         80,
	Expand:        expandGfni,
	Encrypt:       encryptGfniAvx512,
	Decrypt:       decryptGfniAvx512,
	CTR:           ctrGfniAvx512,
	CTR32:         ctr32GfniAvx512,
	CTRTails:      true,
	CBCEncrypt:    cbcEncryptGfni,
	CBCDecrypt:    cbcDecryptGfniAvx512,
	CFBEncrypt:    cfbEncryptGfni,
	CFBDecrypt:    cfbDecryptGfniAvx512,
	FeedbackTails: true,
	OFB:           ofbGfni,
	OCBEncrypt:    ocbEncryptGfniAvx512,
	OCBDecrypt:    ocbDecryptGfniAvx512,
	OCBAuth:       ocbAuthGfniAvx512,
	OCBTails:      true,
	XTSEncrypt:    xtsEncryptGfniAvx512,
	XTSDecrypt:    xtsDecryptGfniAvx512,
	XTSEncryptGB:  xtsEncryptGBGfniAvx512,
	XTSDecryptGB:  xtsDecryptGBGfniAvx512,
	XTSTails:      true,
	MACLanes:      macLanesGfniAvx512,
}

var gfniAvx2 = &bulk.Kernels{
	Name:         "gfni-avx2",
	Need:         cpu.GFNI | cpu.AVX2,
	Width:        16,
	Expand:       expandGfni,
	Encrypt:      encryptGfniAvx2,
	Decrypt:      decryptGfniAvx2,
	CTR:          ctrGfniAvx2,
	CTR32:        ctr32GfniAvx2,
	CTRTails:     true,
	CBCEncrypt:   cbcEncryptGfni,
	CBCDecrypt:   cbcDecryptGfniAvx2,
	CFBEncrypt:   cfbEncryptGfni,
	CFBDecrypt:   cfbDecryptGfniAvx2,
	OFB:          ofbGfni,
	OCBEncrypt:   ocbEncryptGfniAvx2,
	OCBDecrypt:   ocbDecryptGfniAvx2,
	OCBAuth:      ocbAuthGfniAvx2,
	XTSEncrypt:   xtsEncryptGfniAvx2,
	XTSDecrypt:   xtsDecryptGfniAvx2,
	XTSEncryptGB: xtsEncryptGBGfniAvx2,
	XTSDecryptGB: xtsDecryptGBGfniAvx2,
	MACLanes:     macLanesGfniAvx2,
}

var aesniAvx2 = &bulk.Kernels{
	Name:         "aesni-avx2",
	Need:         cpu.AESNI | cpu.AVX2,
	Width:        16,
	Expand:       expandAesni,
	Encrypt:      encryptAesniAvx2,
	Decrypt:      decryptAesniAvx2,
	CTR:          ctrAesniAvx2,
	CTR32:        ctr32AesniAvx2,
	CTRTails:     true,
	CBCEncrypt:   cbcEncryptAesni,
	CBCDecrypt:   cbcDecryptAesniAvx2,
	CFBEncrypt:   cfbEncryptAesni,
	CFBDecrypt:   cfbDecryptAesniAvx2,
	OFB:          ofbAesni,
	OCBEncrypt:   ocbEncryptAesniAvx2,
	OCBDecrypt:   ocbDecryptAesniAvx2,
	OCBAuth:      ocbAuthAesniAvx2,
	XTSEncrypt:   xtsEncryptAesniAvx2,
	XTSDecrypt:   xtsDecryptAesniAvx2,
	XTSEncryptGB: xtsEncryptGBAesniAvx2,
	XTSDecryptGB: xtsDecryptGBAesniAvx2,
	MACLanes:     macLanesAesniAvx2,
}

var aesniAvx = &bulk.Kernels{
	Name:         "aesni-avx",
	Need:         cpu.AESNI | cpu.AVX,
	Width:        8,
	Expand:       expandAesni,
	Encrypt:      encryptAesniAvx,
	Decrypt:      decryptAesniAvx,
	CTR:          ctrAesniAvx,
	CTR32:        ctr32AesniAvx,
	CTRTails:     true,
	CBCEncrypt:   cbcEncryptAesni,
	CBCDecrypt:   cbcDecryptAesniAvx,
	CFBEncrypt:   cfbEncryptAesni,
	CFBDecrypt:   cfbDecryptAesniAvx,
	OFB:          ofbAesni,
	OCBEncrypt:   ocbEncryptAesniAvx,
	OCBDecrypt:   ocbDecryptAesniAvx,
	OCBAuth:      ocbAuthAesniAvx,
	XTSEncrypt:   xtsEncryptAesniAvx,
	XTSDecrypt:   xtsDecryptAesniAvx,
	XTSEncryptGB: xtsEncryptGBAesniAvx,
	XTSDecryptGB: xtsDecryptGBAesniAvx,
	MACLanes:     macLanesAesniAvx,
}
