package aead

import (
	"crypto/cipher"

	"blkcrypt/internal/bulk"
)

// A Batch is Count messages (chunks) of Size plaintext bytes each, with a nonce
// each and associated data that they share. Chunk j begins at j*DstStride of
// Dst and j*SrcStride of Src. A chunk takes Size bytes on the plaintext side
// and Size plus the tag on the ciphertext side; strides are at least that (of
// one chunk, not negative), and what lies between chunks is not touched.
//
// Dst and Src are the same memory with equal strides, or do not overlap. Dst
// overlaps neither Nonces nor AD.
type Batch struct {
	Dst, Src             []byte
	DstStride, SrcStride int // bytes
	Size, Count          int
	Nonces               []byte // Count nonces one after another
	AD                   []byte
}

// SealBatch seals each chunk of b.Src into b.Dst. The result is that of Seal
// for each; CCM and EAX, which are serial within a message, work [AEAD.Lanes]
// chunks side by side. It panics where b breaks a rule of [Batch] and where Size
// is more than MaxSize.
func (a *AEAD) SealBatch(b *Batch) {
	b.check(a.nonceSize, b.Size+a.tagSize, b.Size)
	if int64(b.Size) > a.maxSize {
		panic("aead: message too large for " + a.mode.String())
	}
	a.seal(b)
}

// OpenBatch opens each chunk of b.Src into b.Dst. It returns -1 if all are
// authentic. Otherwise it returns the index of the first that is not: the chunks
// before it are valid, it and all after it are cleared in Dst. EAX, too, decrypts
// a batch before it is verified. It panics where b breaks a rule of [Batch].
func (a *AEAD) OpenBatch(b *Batch) int {
	b.check(a.nonceSize, b.Size, b.Size+a.tagSize)
	if b.Count == 0 {
		return -1
	}
	bad := 0
	if int64(b.Size) <= a.maxSize {
		bad = a.open(b)
	}
	b.clearFrom(bad)
	return bad
}

// Lanes returns how many chunks of a batch the mode works side by side: a batch
// of at least so many runs at full speed. It is 1 for GCM and OCB, which are
// parallel within a message.
func (a *AEAD) Lanes() int {
	if a.mode == gcm || a.mode == ocb {
		return 1
	}
	return min(max(a.key.Width(), minLanes), maxLanes)
}

// SealBatch does the work of [AEAD.SealBatch] with any AEAD: with one of this
// package by that method, with another by a loop over its Seal.
func SealBatch(a cipher.AEAD, b *Batch) {
	if own, ok := a.(*AEAD); ok {
		own.SealBatch(b)
		return
	}
	sealed := b.Size + a.Overhead()
	b.check(a.NonceSize(), sealed, b.Size)
	for j := range b.Count {
		dst, src := b.chunk(j, sealed, b.Size)
		out := a.Seal(dst[:0], b.nonce(j, a.NonceSize()), src, b.AD)
		if len(out) != sealed {
			panic("aead: ciphertext of a length other than plaintext and overhead")
		}
		copy(dst, out) // in place already, unless the AEAD allocates for itself
	}
}

// OpenBatch does the work of [AEAD.OpenBatch] with any AEAD: with one of this
// package by that method, with another by a loop over its Open.
func OpenBatch(a cipher.AEAD, b *Batch) int {
	if own, ok := a.(*AEAD); ok {
		return own.OpenBatch(b)
	}
	sealed := b.Size + a.Overhead()
	b.check(a.NonceSize(), b.Size, sealed)
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size, sealed)
		out, err := a.Open(dst[:0], b.nonce(j, a.NonceSize()), src, b.AD)
		if err != nil || len(out) != b.Size {
			b.clearFrom(j)
			return j
		}
		copy(dst, out)
	}
	return -1
}

// chunk returns chunk j of Dst and of Src, of the given sizes and no more
// capacity.
func (b *Batch) chunk(j, dstSize, srcSize int) (dst, src []byte) {
	dst = b.Dst[j*b.DstStride:][:dstSize:dstSize]
	src = b.Src[j*b.SrcStride:][:srcSize:srcSize]
	return dst, src
}

func (b *Batch) nonce(j, size int) []byte { return b.Nonces[j*size:][:size] }

// clearFrom clears the plaintext of chunk j and all after it, none if j is
// negative.
func (b *Batch) clearFrom(j int) {
	if j < 0 {
		return
	}
	for ; j < b.Count; j++ {
		clear(b.Dst[j*b.DstStride:][:b.Size])
	}
}

// check panics unless b keeps the rules of Batch.
func (b *Batch) check(nonceSize, dstSize, srcSize int) {
	if b.Size < 0 || b.Count < 0 || dstSize < b.Size || srcSize < b.Size {
		panic("aead: batch with a size out of range")
	}
	if n := len(b.Nonces); nonceSize == 0 && n != 0 || nonceSize > 0 && (n%nonceSize != 0 || n/nonceSize != b.Count) {
		panic("aead: batch with nonces of an incorrect length")
	}
	if b.Count == 0 {
		return
	}
	dst := span(b.Dst, b.DstStride, b.Count, dstSize)
	src := span(b.Src, b.SrcStride, b.Count, srcSize)
	inPlace := len(dst) > 0 && len(src) > 0 && &dst[0] == &src[0] && (b.Count == 1 || b.DstStride == b.SrcStride)
	if !inPlace && bulk.AnyOverlap(dst, src) {
		panic("aead: invalid buffer overlap of a batch's output and input")
	}
	if bulk.AnyOverlap(dst, b.AD) || bulk.AnyOverlap(dst, b.Nonces) {
		panic("aead: invalid buffer overlap of a batch's output and additional data or nonces")
	}
}

// span returns the part of buf that count chunks of size bytes lie in.
func span(buf []byte, stride, count, size int) []byte {
	// In this order nothing overflows.
	if size > len(buf) || stride < 0 || count > 1 && (stride < size || stride > (len(buf)-size)/(count-1)) {
		panic("aead: batch with a buffer too short or a stride too small")
	}
	return buf[:(count-1)*stride+size]
}
