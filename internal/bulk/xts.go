package bulk

import "encoding/binary"

// XTS multiplies its tweaks by x in one of two representations of the same
// field. IEEE 1619-2018, section 5.2, has the coefficient of x^i in bit i%8 of
// byte i/8, GB/T 17964-2021 in bit 7-i%8, as GCM does.

// doubleIEEE multiplies the number of the little-endian halves lo and hi.
func doubleIEEE(hi, lo uint64) (uint64, uint64) {
	return hi<<1 | lo>>63, lo<<1 ^ -(hi>>63)&0x87
}

// doubleGB multiplies the number of the big-endian halves hi and lo.
func doubleGB(hi, lo uint64) (uint64, uint64) {
	return hi>>1 ^ -(lo&1)&(0xe1<<56), lo>>1 | hi<<63
}

// XTSDouble moves tweak on to the next block, by GB/T 17964-2021 if gb is set,
// else by IEEE 1619.
func XTSDouble(tweak *[BlockSize]byte, gb bool) {
	var this [BlockSize]byte
	xtsTweaks(tweak, gb, this[:])
	clear(this[:])
}

// xtsTweaks writes the tweaks of whole blocks, of which tweak is the first, and
// leaves tweak at the next.
func xtsTweaks(tweak *[BlockSize]byte, gb bool, out []byte) {
	if gb {
		hi, lo := binary.BigEndian.Uint64(tweak[:8]), binary.BigEndian.Uint64(tweak[8:])
		for ; len(out) >= BlockSize; out = out[BlockSize:] {
			binary.BigEndian.PutUint64(out[:8], hi)
			binary.BigEndian.PutUint64(out[8:], lo)
			hi, lo = doubleGB(hi, lo)
		}
		binary.BigEndian.PutUint64(tweak[:8], hi)
		binary.BigEndian.PutUint64(tweak[8:], lo)
		return
	}
	lo, hi := binary.LittleEndian.Uint64(tweak[:8]), binary.LittleEndian.Uint64(tweak[8:])
	for ; len(out) >= BlockSize; out = out[BlockSize:] {
		binary.LittleEndian.PutUint64(out[:8], lo)
		binary.LittleEndian.PutUint64(out[8:], hi)
		hi, lo = doubleIEEE(hi, lo)
	}
	binary.LittleEndian.PutUint64(tweak[:8], lo)
	binary.LittleEndian.PutUint64(tweak[8:], hi)
}

// XTSEncrypt encrypts whole blocks of a data unit (IEEE 1619-2018, section
// 5.3.1). tweak is that of the first block, encrypted already, and is left at
// that of the block behind the last. Its doubling is as [XTSDouble] says.
func (k *Key) XTSEncrypt(tweak *[BlockSize]byte, gb bool, dst, src []byte) {
	checkBlocks(dst, src)
	kernel := k.kern.XTSEncrypt
	if gb {
		kernel = k.kern.XTSEncryptGB
	}
	dst, src = run(k, kernel, k.kern.XTSTails, tweak, dst, src)
	k.xts(true, tweak, gb, dst, src)
}

// XTSDecrypt is the inverse of XTSEncrypt (section 5.4.1).
func (k *Key) XTSDecrypt(tweak *[BlockSize]byte, gb bool, dst, src []byte) {
	checkBlocks(dst, src)
	kernel := k.kern.XTSDecrypt
	if gb {
		kernel = k.kern.XTSDecryptGB
	}
	dst, src = run(k, kernel, k.kern.XTSTails, tweak, dst, src)
	k.xts(false, tweak, gb, dst, src)
}

func (k *Key) xts(encrypt bool, tweak *[BlockSize]byte, gb bool, dst, src []byte) {
	if len(src) == BlockSize { // as in ciphertext stealing
		k.xex(encrypt, tweak[:], dst, src)
		XTSDouble(tweak, gb)
		return
	}
	derive(k, func(k *Key, tweaks []byte, tweak *[BlockSize]byte, dst, src []byte) {
		for len(src) > 0 {
			n := min(len(src), len(tweaks))
			xtsTweaks(tweak, gb, tweaks[:n])
			k.xex(encrypt, tweaks[:n], dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}, tweak, dst, src)
}
