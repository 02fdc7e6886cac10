package bulk

import "crypto/subtle"

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
