package bulk

import "crypto/subtle"

// tweakStage is the size of a buffer of tweaks. It is larger than stage because
// XEX needs no second buffer: it works in dst.
const tweakStage = 128 * BlockSize

// tweakBatch returns how many bytes of src to make tweaks for at once: whole
// groups of the tier's width where there are.
func (k *Key) tweakBatch(src []byte) int {
	n := tweakStage
	if group := k.kern.Width * BlockSize; group < n {
		n -= n % group
	}
	return min(len(src), n)
}

// xex encrypts or decrypts each block with its tweak added before and after
// (Rogaway's XEX): dst = E(src XOR tweak) XOR tweak.
func (k *Key) xex(encrypt bool, tweaks, dst, src []byte) {
	subtle.XORBytes(dst, src, tweaks)
	if encrypt {
		k.EncryptBlocks(dst, dst)
	} else {
		k.DecryptBlocks(dst, dst)
	}
	subtle.XORBytes(dst, dst, tweaks)
}
