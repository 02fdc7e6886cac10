package aead

import (
	"crypto/subtle"
	"encoding/binary"

	"blkcrypt/internal/ghash"
)

// pieceBlocks is about how many blocks are encrypted before they are hashed:
// few enough to lie in the first-level cache from one step to the next.
const pieceBlocks = 1024

func (a *AEAD) initGCM() {
	var h [blockSize]byte
	a.key.EncryptBlocks(h[:], h[:])
	a.hash = new(ghash.Key)
	a.hash.Init(&h, a.key.Features())
	clear(h[:])
}

// gcmMessage is the state of GCM within one message.
type gcmMessage struct {
	counter [blockSize]byte // of the next block
	mask    [blockSize]byte // the encrypted pre-counter block, which hides the tag
	sum     [blockSize]byte // GHASH so far
}

// startGCM derives the pre-counter block J_0 (SP 800-38D, section 7.1, step 2)
// and goes on from sum, the hash of the associated data.
func (a *AEAD) startGCM(m *gcmMessage, nonce []byte, sum *[blockSize]byte) {
	m.counter = [blockSize]byte{}
	if len(nonce) == 12 {
		copy(m.counter[:], nonce)
		m.counter[15] = 1
	} else {
		a.hashPadded(&m.counter, nonce)
		a.hashLengths(&m.counter, 0, len(nonce))
	}
	a.key.EncryptBlocks(m.mask[:], m.counter[:])
	last := m.counter[12:]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+1)
	m.sum = *sum
}

// hashPadded hashes data followed by zeros up to a whole block.
func (a *AEAD) hashPadded(sum *[blockSize]byte, data []byte) {
	for len(data) >= blockSize {
		n := min(len(data)&^(blockSize-1), pieceBlocks*blockSize)
		a.hash.Update(sum, data[:n])
		data = data[n:]
	}
	if len(data) > 0 {
		var last [blockSize]byte
		copy(last[:], data)
		a.hash.Update(sum, last[:])
	}
}

// hashLengths hashes the block of the two lengths, given in bytes.
func (a *AEAD) hashLengths(sum *[blockSize]byte, ad, text int) {
	var block [blockSize]byte
	binary.BigEndian.PutUint64(block[:8], uint64(ad)*8)
	binary.BigEndian.PutUint64(block[8:], uint64(text)*8)
	a.hash.Update(sum, block[:])
}

// tagGCM completes the tag in m.mask, which it returns.
func (a *AEAD) tagGCM(m *gcmMessage, ad, text int) []byte {
	a.hashLengths(&m.sum, ad, text)
	subtle.XORBytes(m.mask[:], m.mask[:], m.sum[:])
	return m.mask[:a.tagSize]
}

// cryptGCM encrypts or decrypts part of a message; only its last part may end
// within a block.
func (a *AEAD) cryptGCM(m *gcmMessage, dst, src []byte) {
	whole := len(src) &^ (blockSize - 1)
	a.key.CTR32(&m.counter, dst[:whole], src[:whole])
	if whole < len(src) {
		a.key.EncryptBlocks(m.counter[:], m.counter[:])
		subtle.XORBytes(dst[whole:], src[whole:], m.counter[:])
	}
}

func (a *AEAD) sealGCM(b *Batch) {
	var ad [blockSize]byte
	a.hashPadded(&ad, b.AD)
	piece := wholeGroups(a.key, pieceBlocks) * blockSize
	var m gcmMessage
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size+a.tagSize, b.Size)
		a.startGCM(&m, b.nonce(j, a.nonceSize), &ad)
		for i := 0; i < b.Size; i += piece {
			end := min(i+piece, b.Size)
			a.cryptGCM(&m, dst[i:end], src[i:end])
			a.hashPadded(&m.sum, dst[i:end])
		}
		copy(dst[b.Size:], a.tagGCM(&m, len(b.AD), b.Size))
	}
	m = gcmMessage{}
}

func (a *AEAD) openGCM(b *Batch) int {
	var ad [blockSize]byte
	a.hashPadded(&ad, b.AD)
	var m gcmMessage
	bad := -1
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size, b.Size+a.tagSize)
		text, tag := src[:b.Size], src[b.Size:]
		a.startGCM(&m, b.nonce(j, a.nonceSize), &ad)
		a.hashPadded(&m.sum, text)
		if subtle.ConstantTimeCompare(a.tagGCM(&m, len(b.AD), b.Size), tag) != 1 {
			bad = j
			break
		}
		a.cryptGCM(&m, dst, text)
	}
	m = gcmMessage{}
	return bad
}
