package bulk

import (
	"crypto/subtle"
	"encoding/binary"
)

// checkBlocks panics unless dst and src are whole blocks of the same number.
func checkBlocks(dst, src []byte) {
	if len(src)%BlockSize != 0 || len(dst) != len(src) {
		panic("bulk: lengths are not equal whole blocks")
	}
}

// callBytes bounds the work of one kernel call: assembly can't be preempted, and
// no call should hold a thread for more than about a million cycles.
const callBytes = 1 << 17

// run gives a mode kernel as many full groups of Width blocks as there are, or, if it
// has code for tails, all blocks, and returns what is left for the derived code. f may
// be nil.
func run[S any](k *Key, f func(*Key, *S, []byte, []byte), tails bool, s *S, dst, src []byte) (restDst, restSrc []byte) {
	if f == nil {
		return dst, src
	}
	group := k.kern.Width * BlockSize
	if tails {
		group = BlockSize
	}
	for len(src) >= group {
		n := min(len(src), max(group, callBytes))
		n -= n % group
		f(hide(k), hide(s), hideBytes(dst[:n]), hideBytes(src[:n]))
		dst, src = dst[n:], src[n:]
	}
	return dst, src
}

// EncryptBlocks encrypts each block of src by itself (ECB).
func (k *Key) EncryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if k.block != nil {
		k.foreign(k.block.Encrypt, dst, src)
		return
	}
	for len(src) > callBytes {
		k.kern.Encrypt(hide(k), hideBytes(dst[:callBytes]), hideBytes(src[:callBytes]))
		dst, src = dst[callBytes:], src[callBytes:]
	}
	if len(src) > 0 {
		k.kern.Encrypt(hide(k), hideBytes(dst), hideBytes(src))
	}
}

// DecryptBlocks is the inverse of EncryptBlocks.
func (k *Key) DecryptBlocks(dst, src []byte) {
	checkBlocks(dst, src)
	if k.block != nil {
		k.foreign(k.block.Decrypt, dst, src)
		return
	}
	for len(src) > callBytes {
		k.kern.Decrypt(hide(k), hideBytes(dst[:callBytes]), hideBytes(src[:callBytes]))
		dst, src = dst[callBytes:], src[callBytes:]
	}
	if len(src) > 0 {
		k.kern.Decrypt(hide(k), hideBytes(dst), hideBytes(src))
	}
}

// CTR XORs src with the encryption of successive counters. The counter is one
// 128-bit big-endian number (SP 800-38A, section 6.5) and is left at the first
// value not used.
func (k *Key) CTR(ctr *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	// A kernel adds to the low half only. A carry out of it comes once in 2^64
	// blocks from a random start, and is left to the derived code.
	if lo := binary.BigEndian.Uint64(ctr[8:]); lo <= -uint64(len(src)/BlockSize)-1 {
		dst, src = run(k, k.kern.CTR, k.kern.CTRTails, ctr, dst, src)
	}
	derive(k, (*Key).ctr, ctr, dst, src)
}

func (k *Key) ctr(buf []byte, ctr *[BlockSize]byte, dst, src []byte) {
	hi, lo := binary.BigEndian.Uint64(ctr[:8]), binary.BigEndian.Uint64(ctr[8:])
	for len(src) > 0 {
		n := min(len(src), len(buf))
		for b := buf[:n]; len(b) >= BlockSize; b = b[BlockSize:] {
			binary.BigEndian.PutUint64(b[:8], hi)
			binary.BigEndian.PutUint64(b[8:], lo)
			lo++
			if lo == 0 {
				hi++
			}
		}
		k.EncryptBlocks(buf[:n], buf[:n])
		subtle.XORBytes(dst[:n], src[:n], buf[:n])
		dst, src = dst[n:], src[n:]
	}
	binary.BigEndian.PutUint64(ctr[:8], hi)
	binary.BigEndian.PutUint64(ctr[8:], lo)
}

// CTR32 is CTR with a counter in the last four bytes only, modulo 2^32 (GCM's
// inc_32, SP 800-38D, section 6.2).
func (k *Key) CTR32(ctr *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	dst, src = run(k, k.kern.CTR32, k.kern.CTRTails, ctr, dst, src)
	derive(k, (*Key).ctr32, ctr, dst, src)
}

func (k *Key) ctr32(buf []byte, ctr *[BlockSize]byte, dst, src []byte) {
	hi, lo := binary.BigEndian.Uint64(ctr[:8]), binary.BigEndian.Uint64(ctr[8:])
	for len(src) > 0 {
		n := min(len(src), len(buf))
		for b := buf[:n]; len(b) >= BlockSize; b = b[BlockSize:] {
			binary.BigEndian.PutUint64(b[:8], hi)
			binary.BigEndian.PutUint64(b[8:], lo)
			lo = lo&^0xffffffff | uint64(uint32(lo)+1)
		}
		k.EncryptBlocks(buf[:n], buf[:n])
		subtle.XORBytes(dst[:n], src[:n], buf[:n])
		dst, src = dst[n:], src[n:]
	}
	binary.BigEndian.PutUint64(ctr[8:], lo)
}

// CBCDecrypt undoes cipher block chaining (SP 800-38A, section 6.2) and leaves
// the last ciphertext block in iv.
func (k *Key) CBCDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	dst, src = run(k, k.kern.CBCDecrypt, k.kern.FeedbackTails, iv, dst, src)
	derive(k, (*Key).cbcDecrypt, iv, dst, src)
}

func (k *Key) cbcDecrypt(buf []byte, iv *[BlockSize]byte, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), len(buf))
		last := [BlockSize]byte(src[n-BlockSize:])
		k.DecryptBlocks(buf[:n], src[:n])
		xor16((*[BlockSize]byte)(buf), (*[BlockSize]byte)(buf), iv)
		subtle.XORBytes(buf[BlockSize:n], buf[BlockSize:n], src[:n-BlockSize])
		copy(dst, buf[:n])
		*iv = last
		dst, src = dst[n:], src[n:]
	}
}

// CFBDecrypt undoes 128-bit cipher feedback (SP 800-38A, section 6.3) and
// leaves the last ciphertext block in iv.
func (k *Key) CFBDecrypt(iv *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	dst, src = run(k, k.kern.CFBDecrypt, k.kern.FeedbackTails, iv, dst, src)
	derive(k, (*Key).cfbDecrypt, iv, dst, src)
}

func (k *Key) cfbDecrypt(buf []byte, iv *[BlockSize]byte, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), len(buf))
		copy(buf, iv[:])
		copy(buf[BlockSize:n], src[:n-BlockSize])
		copy(iv[:], src[n-BlockSize:n])
		k.EncryptBlocks(buf[:n], buf[:n])
		subtle.XORBytes(dst[:n], src[:n], buf[:n])
		dst, src = dst[n:], src[n:]
	}
}

// MACLanes advances independent CBC-MACs side by side: lane j's 16 bytes of
// macs become E(mac XOR block) for each of the blocks that start at
// src[j*stride]. It panics where those are not all in macs and src.
func (k *Key) MACLanes(macs, src []byte, stride, lanes, blocks int) {
	if lanes == 0 || blocks == 0 {
		return
	}
	size := (lanes-1)*stride + blocks*BlockSize
	if lanes < 0 || blocks < 0 || stride < 0 || len(macs) < lanes*BlockSize || len(src) < size {
		panic("bulk: lanes outside of the buffers")
	}
	macs, src = macs[:lanes*BlockSize], src[:size]
	if k.kern.MACLanes != nil {
		for ; lanes > k.kern.Width; lanes -= k.kern.Width {
			k.macGroup(macs, src, stride, k.kern.Width, blocks)
			macs, src = macs[k.kern.Width*BlockSize:], src[k.kern.Width*stride:]
		}
		k.macGroup(macs, src, stride, lanes, blocks)
		return
	}
	for i := range blocks {
		for j := range lanes {
			m := (*[BlockSize]byte)(macs[j*BlockSize:])
			xor16(m, m, (*[BlockSize]byte)(src[j*stride+i*BlockSize:]))
		}
		k.EncryptBlocks(macs, macs)
	}
}

// macGroup has the kernel do MACLanes for at most Width lanes. A step takes the
// cipher's latency, however few lanes there are, and most of what Width lanes take
// where a tier has no code for few, so that steps are bounded too.
func (k *Key) macGroup(macs, src []byte, stride, lanes, blocks int) {
	macs = macs[:lanes*BlockSize]
	for most := min(serialBytes, callBytes/max(lanes, k.kern.Width/4)) / BlockSize; blocks > 0; {
		n := min(blocks, max(1, most))
		k.kern.MACLanes(hide(k), hideBytes(macs), hideBytes(src[:(lanes-1)*stride+n*BlockSize]), stride, lanes, n)
		if blocks -= n; blocks > 0 {
			src = src[n*BlockSize:]
		}
	}
}
