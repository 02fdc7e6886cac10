package format

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"runtime"

	"golang.org/x/crypto/scrypt"
)

const (
	fileKeySize  = 32
	fileSaltSize = 32
	saltSize     = 16 // of a slot, and of its scrypt
	checkSize    = 32
	boundSize    = 6 // header[8:14]: version, suite, hash, chunk size

	scryptR = 8
	scryptP = 1

	// DefaultLogN is the base-2 logarithm of scrypt's N for new slots: 128 MiB.
	DefaultLogN = 17
	minLogN     = 10
	maxLogN     = 22
)

// Labels keep the uses of one key apart.
const (
	labelScrypt  = "blkcrypt/v1/scrypt"
	labelCheck   = "blkcrypt/v1/check"
	labelWrap    = "blkcrypt/v1/wrap"
	labelHeader  = "blkcrypt/v1/header"
	labelPayload = "blkcrypt/v1/payload"
)

// wipe overwrites a secret. KeepAlive keeps the compiler from seeing that
// nobody reads b afterwards.
func wipe(b []byte) {
	clear(b)
	runtime.KeepAlive(&b)
}

// extract is HKDF-Extract (RFC 5869, section 2.2).
func extract(salt, secret []byte) []byte {
	prk, err := hkdf.Extract(sha256.New, secret, salt)
	if err != nil {
		panic(err) // only for secrets of under 14 bytes, in FIPS 140 mode
	}
	return prk
}

// expand is HKDF-Expand (RFC 5869, section 2.3) with the info label ‖ context.
func expand(prk []byte, label string, context []byte, n int) []byte {
	key, err := hkdf.Expand(sha256.New, prk, label+string(context), n)
	if err != nil {
		panic(err) // only for more than 255 hashes of output
	}
	return key
}

// stretch runs scrypt (RFC 7914), which takes 2^(logN+10) bytes of memory. That
// memory can't be wiped from here.
func stretch(passphrase []byte, logN uint8, salt [saltSize]byte) (*[fileKeySize]byte, error) {
	s := append([]byte(labelScrypt), salt[:]...)
	if err := allocatable(scryptBlock << logN); err != nil {
		return nil, fmt.Errorf("format: scrypt needs %d MiB of memory: %w", scryptBlock<<logN>>20, err)
	}
	key, err := scrypt.Key(passphrase, s, 1<<logN, scryptR, scryptP, fileKeySize)
	if err != nil {
		return nil, fmt.Errorf("format: scrypt: %w", err)
	}
	defer wipe(key)
	root := [fileKeySize]byte(key)
	return &root, nil
}

// A slotLock is what a root and one slot's own bytes derive: the check that
// tells whether the root fits, and the key that seals the file key.
type slotLock struct {
	suite       Suite
	check, wrap []byte
}

// lock derives a slot's lock. context is header[8:14] and the slot's bytes
// from its type up to its check.
func lock(s Suite, fileSalt, root, context []byte) slotLock {
	prk := extract(fileSalt, root)
	defer wipe(prk)
	return slotLock{
		suite: s,
		check: expand(prk, labelCheck, context, checkSize),
		wrap:  expand(prk, labelWrap, context, s.KeySize()),
	}
}

func (l *slotLock) wipe() {
	wipe(l.check)
	wipe(l.wrap)
}

func (l *slotLock) fits(check []byte) bool {
	return subtle.ConstantTimeCompare(l.check, check) == 1
}

// The nonce is zero: a slot's salt is fresh at every seal, so that a wrapping
// key seals once.
var zeroNonce [nonceSize]byte

// seal appends the sealed file key to dst.
func (l *slotLock) seal(dst, fileKey []byte) ([]byte, error) {
	k, err := newSuiteKey(l.suite, l.wrap)
	if err != nil {
		return nil, err
	}
	defer k.wipe()
	return k.Seal(dst, zeroNonce[:], fileKey, nil), nil
}

// open returns the file key, or nil where sealed is not authentic.
func (l *slotLock) open(sealed []byte) ([]byte, error) {
	k, err := newSuiteKey(l.suite, l.wrap)
	if err != nil {
		return nil, err
	}
	defer k.wipe()
	fileKey, err := k.Open(nil, zeroNonce[:], sealed, nil)
	if err != nil {
		return nil, nil
	}
	return fileKey, nil
}

// headerMAC is the MAC over all of a header but the MAC itself. prk is
// Extract(file salt, file key).
func headerMAC(prk, header []byte) []byte {
	key := expand(prk, labelHeader, nil, sha256.Size)
	defer wipe(key)
	m := hmac.New(sha256.New, key)
	m.Write(header)
	return m.Sum(nil)
}
