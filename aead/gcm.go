package aead

import (
	"crypto/subtle"
	"encoding/binary"

	"blkcrypt/internal/bulk"
)

// gcmMessage is the state of GCM within one message.
type gcmMessage struct {
	bulk.GCMState
	mask [blockSize]byte // the encrypted pre-counter block, which hides the tag
}

// startGCM derives the pre-counter block J_0 (SP 800-38D, section 7.1, step 2)
// and goes on from sum, the hash of the associated data.
func (a *AEAD) startGCM(m *gcmMessage, nonce []byte, sum *[blockSize]byte) {
	m.Hash = a.hash
	m.Counter = [blockSize]byte{}
	if len(nonce) == 12 {
		copy(m.Counter[:], nonce)
		m.Counter[15] = 1
	} else {
		a.hashPadded(&m.Counter, nonce)
		a.hashLengths(&m.Counter, 0, len(nonce))
	}
	a.key.EncryptBlocks(m.mask[:], m.Counter[:])
	last := m.Counter[12:]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+1)
	m.Sum = *sum
}

// hashPadded hashes data followed by zeros up to a whole block.
func (a *AEAD) hashPadded(sum *[blockSize]byte, data []byte) {
	whole := len(data) &^ (blockSize - 1)
	if whole > 0 {
		a.hash.Update(sum, data[:whole])
	}
	if whole < len(data) {
		var last [blockSize]byte
		copy(last[:], data[whole:])
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
	a.hashLengths(&m.Sum, ad, text)
	subtle.XORBytes(m.mask[:], m.mask[:], m.Sum[:])
	return m.mask[:a.tagSize]
}

// lastGCM encrypts or decrypts what is behind the whole blocks of a message.
func (a *AEAD) lastGCM(m *gcmMessage, dst, src []byte) {
	if len(src) > 0 {
		a.key.EncryptBlocks(m.Counter[:], m.Counter[:])
		subtle.XORBytes(dst, src, m.Counter[:])
	}
}

func (a *AEAD) sealGCM(b *Batch) {
	var ad [blockSize]byte
	a.hashPadded(&ad, b.AD)
	whole := b.Size &^ (blockSize - 1)
	var m gcmMessage
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size+a.tagSize, b.Size)
		a.startGCM(&m, b.nonce(j, a.nonceSize), &ad)
		a.key.GCMEncrypt(&m.GCMState, dst[:whole], src[:whole])
		a.lastGCM(&m, dst[whole:b.Size], src[whole:])
		a.hashPadded(&m.Sum, dst[whole:b.Size])
		copy(dst[b.Size:], a.tagGCM(&m, len(b.AD), b.Size))
	}
	m = gcmMessage{}
	clear(ad[:]) // who knows it and the data can solve for the hash key
}

func (a *AEAD) openGCM(b *Batch) int {
	var ad [blockSize]byte
	a.hashPadded(&ad, b.AD)
	whole := b.Size &^ (blockSize - 1)
	// To verify before anything is decrypted costs as good as nothing, unless both
	// would be done at once.
	group := a.key.GCMGroup(a.hash)
	atOnce := group > 0 && whole >= group
	var m gcmMessage
	bad := -1
	for j := range b.Count {
		dst, src := b.chunk(j, b.Size, b.Size+a.tagSize)
		text, tag := src[:b.Size], src[b.Size:]
		a.startGCM(&m, b.nonce(j, a.nonceSize), &ad)
		if atOnce {
			a.key.GCMDecrypt(&m.GCMState, dst[:whole], text[:whole])
			a.hashPadded(&m.Sum, text[whole:])
		} else {
			a.hashPadded(&m.Sum, text)
		}
		if subtle.ConstantTimeCompare(a.tagGCM(&m, len(b.AD), b.Size), tag) != 1 {
			bad = j
			break
		}
		if !atOnce {
			a.key.CTR32(&m.Counter, dst[:whole], text[:whole])
		}
		a.lastGCM(&m, dst[whole:], text[whole:])
	}
	m = gcmMessage{}
	clear(ad[:])
	return bad
}
