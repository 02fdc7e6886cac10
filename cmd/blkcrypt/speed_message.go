package main

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
	"blkcrypt/ciphers/modes"
)

// subject is what speed measures: a cipher with a key size, in a mode, on a tier.
type subject struct {
	cipher string // "aes"
	bits   int    // of the cipher's key
	mode   string // "gcm"
	tier   string
	off    string // processor features not to use, separated by spaces
}

// peerTier stands for the standard library's AES-GCM.
const peerTier = "crypto/cipher"

// speedModes are in the order of the tables.
var speedModes = []string{"ecb", "cbc", "cfb", "ofb", "ctr", "xts", "lrw", "ccm", "eax", "gcm", "ocb"}

func isAEAD(mode string) bool { return slices.Contains([]string{"ccm", "eax", "gcm", "ocb"}, mode) }

// messages encrypts and decrypts whole messages, each with the same IV or nonce.
// (The texts are no secrets.)
type messages struct {
	enc, dec func(dst, src []byte)
	unit     int // sizes are multiples of this many bytes
	least    int // size in bytes
	width    int // blocks that fill the registers
	aead     cipher.AEAD
	nonce    []byte
	lanes    int   // chunks that fill the registers, 1 but for CCM and EAX
	err      error // of a call that failed
}

// bytesOf returns n bytes that look random enough; from tells several apart.
func bytesOf(n, from int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(7*i + 13*(i>>8) + from)
	}
	return b
}

// speedIV is an IV, or with its first 12 bytes a nonce. Taken as a counter it
// runs out of its last 32 bits after 16 blocks.
var speedIV = [16]byte{0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xff, 0xff, 0xff, 0xf0}

func newMessages(s subject) (*messages, error) {
	if s.tier == peerTier {
		b, err := aes.NewCipher(bytesOf(s.bits/8, 1))
		if err != nil {
			return nil, err
		}
		a, err := cipher.NewGCM(b)
		return newAEADMessages(a, 1, 1), err
	}
	newCipher := func(key []byte) (cipher.Block, error) { return newSpeedCipher(s, key) }
	b, err := newSpeedCipher(s, bytesOf(s.bits/8, 1))
	if err != nil {
		return nil, err
	}
	width := b.BulkKey().Width()
	if isAEAD(s.mode) {
		a, err := aead.New(s.mode, b)
		if err != nil {
			return nil, err
		}
		return newAEADMessages(a, width, a.Lanes()), nil
	}
	m := &messages{unit: 1, width: width, lanes: 1}
	iv := speedIV
	// A message begins with a copy of the state that an IV gives.
	switch s.mode {
	case "ecb":
		enc, dec := modes.NewECBEncrypter(b), modes.NewECBDecrypter(b)
		m.unit, m.enc, m.dec = 16, enc.CryptBlocks, dec.CryptBlocks
	case "cbc":
		enc, dec := modes.NewCBCEncrypter(b, iv[:]), modes.NewCBCDecrypter(b, iv[:])
		m.unit = 16
		m.enc = func(dst, src []byte) { c := *enc; c.CryptBlocks(dst, src) }
		m.dec = func(dst, src []byte) { c := *dec; c.CryptBlocks(dst, src) }
	case "cfb":
		enc, dec := modes.NewCFBEncrypter(b, iv[:]), modes.NewCFBDecrypter(b, iv[:])
		m.enc = func(dst, src []byte) { c := *enc; c.XORKeyStream(dst, src) }
		m.dec = func(dst, src []byte) { c := *dec; c.XORKeyStream(dst, src) }
	case "ofb":
		ofb := modes.NewOFB(b, iv[:])
		m.enc = func(dst, src []byte) { c := *ofb; c.XORKeyStream(dst, src) }
		m.dec = m.enc
	case "ctr":
		ctr := modes.NewCTR(b, iv[:])
		m.enc = func(dst, src []byte) { c := *ctr; c.XORKeyStream(dst, src) }
		m.dec = m.enc
	case "xts":
		x, err := modes.NewXTS(newCipher, bytesOf(2*s.bits/8, 1))
		if err != nil {
			return nil, err
		}
		m.least = modes.MinUnit
		m.enc = func(dst, src []byte) { x.Encrypt(dst, src, iv) }
		m.dec = func(dst, src []byte) { x.Decrypt(dst, src, iv) }
	case "lrw":
		l, err := modes.NewLRW(newCipher, bytesOf(s.bits/8+16, 1))
		if err != nil {
			return nil, err
		}
		m.unit = 16
		m.enc = func(dst, src []byte) { l.Encrypt(dst, src, iv) }
		m.dec = func(dst, src []byte) { l.Decrypt(dst, src, iv) }
	default:
		return nil, fmt.Errorf("no mode %q", s.mode)
	}
	return m, nil
}

func newAEADMessages(a cipher.AEAD, width, lanes int) *messages {
	m := &messages{unit: 1, width: width, lanes: lanes, aead: a, nonce: speedIV[:12]}
	m.enc = func(dst, src []byte) { a.Seal(dst[:0], m.nonce, src, nil) }
	m.dec = func(dst, src []byte) {
		if _, err := a.Open(dst[:0], m.nonce, src, nil); err != nil {
			m.err = err
		}
	}
	return m
}

// auth makes the tag of associated data alone.
func (m *messages) auth(tag, data []byte) { m.aead.Seal(tag[:0], m.nonce, nil, data) }

func (m *messages) overhead() int {
	if m.aead == nil {
		return 0
	}
	return m.aead.Overhead()
}

// takes reports whether there are messages of n bytes.
func (m *messages) takes(n int) bool { return n >= m.least && n%m.unit == 0 }

// batch is lanes messages of n bytes, laid out as those of a file are in memory:
// at a stride of whole chunks of 64 KiB, to which the ciphertext adds tags.
func (m *messages) batch(n int) aead.Batch {
	stride := max(n, 64<<10)
	b := aead.Batch{Size: n, Count: m.lanes, SrcStride: stride, DstStride: stride + m.overhead()}
	for j := range m.lanes {
		nonce := slices.Clone(m.nonce)
		nonce[0] = byte(j)
		b.Nonces = append(b.Nonces, nonce...)
	}
	b.Src = aligned(m.lanes*stride, 0)
	b.Dst = aligned(m.lanes*b.DstStride, 0)
	return b
}

// open returns the batch that opens what b has sealed.
func (m *messages) open(b aead.Batch) aead.Batch {
	b.Src, b.SrcStride, b.DstStride = b.Dst, b.DstStride, b.SrcStride
	b.Dst = aligned(b.Count*b.DstStride, 0)
	return b
}

func (m *messages) openBatch(b *aead.Batch) {
	if aead.OpenBatch(m.aead, b) >= 0 {
		m.err = aead.ErrAuth
	}
}

// aligned returns n bytes that begin so many bytes behind the beginning of a
// page.
func aligned(n, behind int) []byte {
	const large = 32<<10 + 1 // what is not small, Go allocates in whole pages
	b := make([]byte, max(n+behind, large))
	return b[behind : behind+n : behind+n]
}

// newSpeedCipher makes a key for s.
func newSpeedCipher(s subject, key []byte) (*ciphers.Block, error) {
	b, err := ciphers.New(s.cipher, key, s.options()...)
	if err != nil {
		return nil, err
	}
	if b.Tier() != s.tier {
		return nil, errors.New("not on the tier asked for")
	}
	return b, nil
}
