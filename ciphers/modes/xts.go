package modes

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"

	"blkcrypt/internal/bulk"
)

// The sizes of an XTS data unit in bytes: at least one block (IEEE 1619-2018,
// section 5.1), at most 2^20 of them (the same, and SP 800-38E, section 4).
const (
	MinUnit = BlockSize
	MaxUnit = BlockSize << 20
)

// ErrEqualKeys is wrapped by the error of [NewXTS] when both halves of the key
// are equal.
var ErrEqualKeys = errors.New("the two halves of the key are equal")

// XTS encrypts and decrypts data units, such as the sectors of a disk, to the
// same length, each with a tweak of its own (IEEE 1619-2018). Any number of
// goroutines may use one.
//
// An attacker who sees a sector before and after it was written knows which of
// its blocks have changed, can put the old ones back, and can turn any block
// into rubbish without anybody noticing.
type XTS struct {
	data, tweak *bulk.Key
	gb          bool
}

// XTSOption is an option of [NewXTS].
type XTSOption func(*xtsOptions)

type xtsOptions struct{ gb, equalKeys bool }

// GBTweaks multiplies tweaks as GB/T 17964-2021 does it, with the bits of each
// byte in the other order. With the same key, the first block of a data unit
// comes out the same in both standards, and the rest does not (unless the unit
// ends within the second block).
func GBTweaks() XTSOption { return func(o *xtsOptions) { o.gb = true } }

// AllowEqualKeys accepts a key of two equal halves.
func AllowEqualKeys() XTSOption { return func(o *xtsOptions) { o.equalKeys = true } }

// NewXTS expands a key: the key for the data followed by the one for the tweaks,
// both of a size that newCipher takes, so that AES-256 has one of 64 bytes.
//
// Errors: a key of an odd number of bytes; what newCipher returns; a cipher with
// blocks of another size than 16; equal halves, which wraps [ErrEqualKeys]. One of
// IEEE 1619's own test vectors has equal halves, but the proof of XTS needs them
// independent, an attack with chosen ciphertexts is known where they are not, and
// FIPS 140-3 (implementation guidance, C.I) refuses them. [AllowEqualKeys] is for
// reading what was written so.
func NewXTS(newCipher func(key []byte) (cipher.Block, error), key []byte, options ...XTSOption) (*XTS, error) {
	var o xtsOptions
	for _, option := range options {
		option(&o)
	}
	if len(key)%2 != 0 {
		return nil, fmt.Errorf("modes: XTS key of %d bytes is not two of one size", len(key))
	}
	first, second := key[:len(key)/2], key[len(key)/2:]
	x := &XTS{gb: o.gb}
	var err error
	if x.data, err = newKey(newCipher, first); err != nil {
		return nil, fmt.Errorf("modes: XTS: %w", err)
	}
	if subtle.ConstantTimeCompare(first, second) == 1 && !o.equalKeys {
		x.data.Wipe()
		return nil, fmt.Errorf("modes: XTS: %w", ErrEqualKeys)
	}
	if x.tweak, err = newKey(newCipher, second); err != nil {
		x.data.Wipe()
		return nil, fmt.Errorf("modes: XTS: %w", err)
	}
	return x, nil
}

func newKey(newCipher func(key []byte) (cipher.Block, error), key []byte) (*bulk.Key, error) {
	b, err := newCipher(key)
	if err != nil {
		return nil, err
	}
	return bulk.Of(b)
}

// SectorTweak returns the tweak of the data unit of that number: the number as
// IEEE 1619-2018, section 5.1, writes it, in little-endian order.
func SectorTweak(n uint64) (tweak [BlockSize]byte) {
	binary.LittleEndian.PutUint64(tweak[:], n)
	return tweak
}

// Encrypt encrypts a data unit of [MinUnit] to [MaxUnit] bytes; it panics where
// src has another length. Two units under one key must not share a tweak, unless
// one is a later state of the other.
func (x *XTS) Encrypt(dst, src []byte, tweak [BlockSize]byte) {
	dst = unitRoom(dst, src)
	rest := len(src) % BlockSize
	whole := len(src) - rest
	x.tweak.EncryptBlocks(tweak[:], tweak[:])
	x.data.XTSEncrypt(&tweak, x.gb, dst[:whole], src[:whole])
	if rest > 0 {
		// Ciphertext stealing (section 5.3.2): the last whole block of ciphertext lends
		// its end to fill up the part of a block that is left, and keeps its
		// beginning as the end of the unit.
		var last [BlockSize]byte
		stolen := dst[whole-BlockSize : whole]
		copy(last[:], src[whole:])
		copy(last[rest:], stolen[rest:])
		copy(dst[whole:], stolen)
		x.data.XTSEncrypt(&tweak, x.gb, stolen, last[:])
		clear(last[:])
	}
	clear(tweak[:])
}

// Decrypt is the inverse of Encrypt.
func (x *XTS) Decrypt(dst, src []byte, tweak [BlockSize]byte) {
	dst = unitRoom(dst, src)
	rest := len(src) % BlockSize
	whole := len(src) - rest
	if rest > 0 {
		whole -= BlockSize
	}
	x.tweak.EncryptBlocks(tweak[:], tweak[:])
	x.data.XTSDecrypt(&tweak, x.gb, dst[:whole], src[:whole])
	if rest > 0 {
		// Section 5.4.2: of the last two tweaks, the second comes first.
		var full, last [BlockSize]byte
		first := tweak
		bulk.XTSDouble(&tweak, x.gb)
		x.data.XTSDecrypt(&tweak, x.gb, full[:], src[whole:whole+BlockSize])
		copy(last[:], src[whole+BlockSize:])
		copy(last[rest:], full[rest:])
		copy(dst[whole+BlockSize:], full[:])
		x.data.XTSDecrypt(&first, x.gb, dst[whole:whole+BlockSize], last[:])
		clear(full[:])
		clear(last[:])
		clear(first[:])
	}
	clear(tweak[:])
}

func unitRoom(dst, src []byte) []byte {
	if len(src) < MinUnit || len(src) > MaxUnit {
		panic("modes: XTS data unit is not 16 bytes to 16 MiB")
	}
	return room(dst, src)
}

// Wipe overwrites the expanded keys, where they are of this module's ciphers. x
// must not be used afterwards.
func (x *XTS) Wipe() {
	x.data.Wipe()
	x.tweak.Wipe()
}
