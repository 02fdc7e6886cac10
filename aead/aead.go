// Package aead provides the authenticated modes of operation GCM, OCB, EAX and
// CCM over any block cipher with 16-byte blocks, one message or many at a time.
//
// An [AEAD] is a [crypto/cipher.AEAD]. Its ciphertext is as long as its
// plaintext and is followed by the tag.
//
// # Nonces
//
// A nonce must never serve twice under one key, in any mode: GCM then gives
// away its authentication key, and all four the XOR of two plaintexts or the
// equality of their blocks. The size of nonces and of tags is fixed when an
// AEAD is made; an AEAD never guesses either from its input. Use each key with
// one mode, one nonce size and one tag size only.
//
//	mode  nonce, bytes    tag, bytes         largest plaintext, bytes
//	GCM   1 and more      4, 8, 12 to 16     2^36 - 32
//	OCB   6 to 15         8, 12, 16          2^52 - 1
//	EAX   0 and more      4 to 16            2^63 - 1
//	CCM   7 to 13         4, 6, ... 16       2^(8q) - 1 with q = 15 - nonce bytes
//	                                         (q = 8: 2^63 - 1)
//
// A CCM nonce of 13 bytes thus leaves room for 65,535 bytes of plaintext, one
// of 12 bytes for 2^24 - 1. GCM hashes a nonce that is not of 12 bytes into a
// counter block, which then can collide with another's; 12 is the size to use.
// OCB's proof fails for the shortest nonces (IACR ePrint 2023/326): those of
// under 6 bytes are refused. An empty nonce, which EAX's paper allows, is for
// keys that seal one message in their life.
//
// A tag of t bits lets one forgery in 2^t tries pass at best. Tags of under 12
// bytes are here to read what other systems made. With GCM a short tag is worse
// than its size says: each accepted forgery helps the next (SP 800-38D,
// appendix C).
//
// # How much one key may do
//
// All four modes lose their proof near 2^64 blocks of 16 bytes; what an attacker
// gains from s blocks under one key is of the order of s²/2^128. Beyond that
// the standards say: GCM with nonces that are random, or not of 12 bytes, seals
// at most 2^32 messages (SP 800-38D, section 8.3); OCB handles at most 2^48
// blocks, associated data included (RFC 7253, section 5); CCM makes at most
// 2^61 block cipher calls (SP 800-38C, section 5.1). 2^36 blocks, one tebibyte,
// stay below 2^-50 in each of them.
//
// None of the modes commits to its key: one can make a ciphertext that opens
// under two keys. A protocol in which that matters adds a commitment.
//
// # Sources
//
// GCM: NIST SP 800-38D. OCB: OCB3 of RFC 7253. EAX: Bellare, Rogaway and Wagner,
// "The EAX Mode of Operation" (FSE 2004), with CMAC of NIST SP 800-38B. CCM:
// NIST SP 800-38C and RFC 3610.
package aead

import (
	"crypto/cipher"
	"errors"
	"fmt"
	"math"
	"strings"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/ghash"
)

const blockSize = bulk.BlockSize

// ErrAuth is the error of Open: the ciphertext, its nonce or its associated
// data are not what was sealed, or not with this key.
var ErrAuth = errors.New("aead: message is not authentic")

type mode int

const (
	gcm mode = iota
	ocb
	eax
	ccm
)

var modeNames = [...]string{gcm: "gcm", ocb: "ocb", eax: "eax", ccm: "ccm"}

func (m mode) String() string { return modeNames[m] }

// An AEAD is a mode with a key. Any number of goroutines may use it; only Wipe
// must be alone.
type AEAD struct {
	mode               mode
	nonceSize, tagSize int
	maxSize            int64 // of a plaintext
	key                *bulk.Key

	// What the modes derive from the key alone. It does not change once made.
	hash *ghash.Key     // gcm
	ocb  *bulk.OCBTable // ocb
	omac omacKey        // eax
}

var _ cipher.AEAD = (*AEAD)(nil)

// An Option sets a size that differs from the usual one.
type Option func(*AEAD)

// WithNonceSize sets the size of nonces in bytes; 12 if not given.
func WithNonceSize(n int) Option { return func(a *AEAD) { a.nonceSize = n } }

// WithTagSize sets the size of tags in bytes; 16 if not given.
func WithTagSize(n int) Option { return func(a *AEAD) { a.tagSize = n } }

// New returns the mode called name ("gcm", "ocb", "eax", "ccm", in any case)
// over the cipher b, which must have 16-byte blocks. Ciphers of this module work
// at full speed, any other one block at a time. Errors: an unknown name, a
// nonce or tag size that the mode does not have, a block size other than 16, and
// for GCM [blkcrypt/ciphers.ErrSelfTest].
func New(name string, b cipher.Block, options ...Option) (*AEAD, error) {
	for m, s := range modeNames {
		if strings.EqualFold(s, name) {
			return newAEAD(mode(m), b, options)
		}
	}
	return nil, fmt.Errorf("aead: no mode %q, want one of %s", name, strings.Join(modeNames[:], ", "))
}

// NewGCM returns Galois/Counter Mode (SP 800-38D) over b. It works as [New].
func NewGCM(b cipher.Block, options ...Option) (*AEAD, error) { return newAEAD(gcm, b, options) }

// NewOCB returns OCB3 (RFC 7253) over b. It works as [New].
func NewOCB(b cipher.Block, options ...Option) (*AEAD, error) { return newAEAD(ocb, b, options) }

// NewEAX returns EAX over b. It works as [New].
func NewEAX(b cipher.Block, options ...Option) (*AEAD, error) { return newAEAD(eax, b, options) }

// NewCCM returns Counter with CBC-MAC (SP 800-38C) over b. It works as [New].
func NewCCM(b cipher.Block, options ...Option) (*AEAD, error) { return newAEAD(ccm, b, options) }

func newAEAD(m mode, b cipher.Block, options []Option) (*AEAD, error) {
	a := &AEAD{mode: m, nonceSize: 12, tagSize: 16}
	for _, o := range options {
		o(a)
	}
	if err := a.checkSizes(); err != nil {
		return nil, err
	}
	key, err := bulk.Of(b)
	if err != nil {
		return nil, fmt.Errorf("aead: %w", err)
	}
	a.key = key
	switch m {
	case gcm:
		if a.hash, err = key.NewGCMHash(); err != nil {
			return nil, fmt.Errorf("aead: %w", err)
		}
	case ocb:
		a.ocb = bulk.NewOCBTable(key)
	case eax:
		a.omac.init(key)
	}
	return a, nil
}

// checkSizes refuses sizes that the mode does not have and sets maxSize.
func (a *AEAD) checkSizes() error {
	n, t := a.nonceSize, a.tagSize
	var nonceOK, tagOK bool
	var nonces, tags string
	switch a.mode {
	case gcm:
		// SP 800-38D, sections 5.2.1.1 and 5.2.1.2.
		nonceOK, nonces = n >= 1, "1 or more"
		tagOK, tags = t == 4 || t == 8 || t >= 12 && t <= 16, "4, 8 or 12 to 16"
		a.maxSize = 1<<36 - 32
	case ocb:
		// RFC 7253, section 4.2, less the nonces of under 6 bytes and the tag
		// sizes that it does not name.
		nonceOK, nonces = n >= 6 && n <= 15, "6 to 15"
		tagOK, tags = t == 8 || t == 12 || t == 16, "8, 12 or 16"
		a.maxSize = 1<<52 - 1
	case eax:
		nonceOK, nonces = n >= 0, "0 or more"
		tagOK, tags = t >= 4 && t <= 16, "4 to 16"
		a.maxSize = math.MaxInt64
	case ccm:
		// SP 800-38C, appendix A.1.
		nonceOK, nonces = n >= 7 && n <= 13, "7 to 13"
		tagOK, tags = t >= 4 && t <= 16 && t%2 == 0, "4, 6, 8, 10, 12, 14 or 16"
		a.maxSize = math.MaxInt64
		if nonceOK && n > 7 {
			a.maxSize = 1<<(8*(15-n)) - 1
		}
	}
	switch {
	case !nonceOK:
		return fmt.Errorf("aead: %v with nonces of %d bytes, want %s", a.mode, n, nonces)
	case !tagOK:
		return fmt.Errorf("aead: %v with tags of %d bytes, want %s", a.mode, t, tags)
	}
	return nil
}

// NonceSize returns the size in bytes that nonces must have.
func (a *AEAD) NonceSize() int { return a.nonceSize }

// Overhead returns the size of the tag in bytes: how much longer a ciphertext
// is than its plaintext.
func (a *AEAD) Overhead() int { return a.tagSize }

// MaxSize returns how many bytes of plaintext one message may have.
func (a *AEAD) MaxSize() int64 { return a.maxSize }

// Wipe overwrites what the mode derived from the key: GCM's hash key, OCB's
// offsets, EAX's subkeys. The key itself belongs to the cipher, which has a Wipe
// of its own. Sealing or opening with a afterwards panics.
func (a *AEAD) Wipe() {
	if a.hash != nil {
		a.hash.Wipe()
	}
	if a.ocb != nil {
		a.ocb.Wipe()
	}
	a.omac = omacKey{}
	a.key = bulk.Wiped() // with zeros for the rest, there would be tags that anybody can make
}

// Seal encrypts plaintext and appends ciphertext and tag to dst. The rules are
// those of [crypto/cipher.AEAD]: nonce must be NonceSize bytes long, dst may be
// plaintext[:0] and must not overlap plaintext otherwise, nor additionalData at
// all. It panics where one is broken, and where plaintext is longer than
// MaxSize.
func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	a.checkNonce(nonce)
	if int64(len(plaintext)) > a.maxSize {
		panic("aead: message too large for " + a.mode.String())
	}
	ret, out := extend(dst, len(plaintext)+a.tagSize)
	checkOverlap(out, plaintext, additionalData)
	a.seal(&Batch{Dst: out, Src: plaintext, Size: len(plaintext), Count: 1, Nonces: nonce, AD: additionalData})
	return ret
}

// Open decrypts ciphertext, which ends in the tag, and appends the plaintext to
// dst. The rules are those of Seal, with ciphertext[:0] as the dst that works in
// place. If ciphertext is not authentic the error is [ErrAuth], and the part of
// dst's memory that the plaintext would have taken is cleared: after a failure
// in place, the ciphertext is gone. EAX decrypts only what has proved authentic, and
// so does GCM but where it decrypts and verifies at once; OCB and CCM must decrypt
// first.
func (a *AEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	a.checkNonce(nonce)
	n := len(ciphertext) - a.tagSize
	if n < 0 {
		return nil, ErrAuth
	}
	ret, out := extend(dst, n)
	checkOverlap(out, ciphertext, additionalData)
	b := Batch{Dst: out, Src: ciphertext, Size: n, Count: 1, Nonces: nonce, AD: additionalData}
	if int64(n) > a.maxSize || a.open(&b) >= 0 {
		clear(out)
		return nil, ErrAuth
	}
	return ret, nil
}

func (a *AEAD) checkNonce(nonce []byte) {
	if len(nonce) != a.nonceSize {
		panic("aead: incorrect nonce length given to " + a.mode.String())
	}
}

func checkOverlap(out, in, ad []byte) {
	if bulk.InexactOverlap(out, in) {
		panic("aead: invalid buffer overlap of output and input")
	}
	if bulk.AnyOverlap(out, ad) {
		panic("aead: invalid buffer overlap of output and additional data")
	}
}

// extend returns dst with n bytes more, in dst's memory where its capacity
// allows, and those n bytes.
func extend(dst []byte, n int) (whole, added []byte) {
	if n <= cap(dst)-len(dst) {
		whole = dst[:len(dst)+n]
	} else {
		whole = make([]byte, len(dst)+n)
		copy(whole, dst)
	}
	return whole, whole[len(dst):]
}

// seal does the work of a batch whose fields have been checked.
func (a *AEAD) seal(b *Batch) {
	switch a.mode {
	case gcm:
		a.sealGCM(b)
	case ocb:
		a.sealOCB(b)
	default:
		a.runLanes(b, true)
	}
}

// open is the inverse of seal. It returns the index of the first message that is
// not authentic, or -1. That message and those after it may have been decrypted.
func (a *AEAD) open(b *Batch) int {
	switch a.mode {
	case gcm:
		return a.openGCM(b)
	case ocb:
		return a.openOCB(b)
	default:
		return a.runLanes(b, false)
	}
}
