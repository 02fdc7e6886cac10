package bulk

// The modes in which each block waits for the one before. A tier may have
// kernels for them that keep the round keys in registers and pay for nothing
// but the cipher's latency.

// serialBytes is to these kernels what callBytes is to the others, which are ten
// to thirty times as fast.
const serialBytes = 1 << 15

// runSerial has a kernel do all the work, and reports whether there is one.
func runSerial(k *Key, f func(*Key, *[BlockSize]byte, []byte, []byte), iv *[BlockSize]byte, dst, src []byte) bool {
	if f == nil {
		return false
	}
	for len(src) > 0 {
		n := min(len(src), serialBytes)
		f(hide(k), hide(iv), hideBytes(dst[:n]), hideBytes(src[:n]))
		dst, src = dst[n:], src[n:]
	}
	return true
}

// CBCEncrypt chains cipher blocks (SP 800-38A, section 6.2) and leaves the last
// ciphertext block in iv.
func (k *Key) CBCEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	if runSerial(k, k.kern.CBCEncrypt, iv, dst, src) {
		return
	}
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		xor16(iv, iv, (*[BlockSize]byte)(src))
		k.EncryptBlocks(iv[:], iv[:])
		copy(dst, iv[:])
	}
}

// CFBEncrypt encrypts with 128-bit cipher feedback (SP 800-38A, section 6.3) and
// leaves the last ciphertext block in iv.
func (k *Key) CFBEncrypt(iv *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	if runSerial(k, k.kern.CFBEncrypt, iv, dst, src) {
		return
	}
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		k.EncryptBlocks(iv[:], iv[:])
		xor16(iv, iv, (*[BlockSize]byte)(src))
		copy(dst, iv[:])
	}
}

// OFB XORs src with the repeated encryption of iv (SP 800-38A, section 6.4),
// which is left at the last block of that key stream.
func (k *Key) OFB(iv *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	if runSerial(k, k.kern.OFB, iv, dst, src) {
		return
	}
	for ; len(src) > 0; dst, src = dst[BlockSize:], src[BlockSize:] {
		k.EncryptBlocks(iv[:], iv[:])
		xor16((*[BlockSize]byte)(dst), (*[BlockSize]byte)(src), iv)
	}
}
