// Package bulk is the contract between a mode of operation and the kernels of
// a block cipher.
//
// A cipher offers one table of [Kernels] a tier. Only two of its functions are
// mandatory: encrypt and decrypt a whole number of blocks. Every other entry
// may be nil, and its work is then derived from those two through a staging
// buffer, so that a mode is written once, against [Key], and knows no tiers.
package bulk

import (
	"crypto/cipher"
	"fmt"
	"strings"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/selftest"
)

// BlockSize is the block size in bytes of every cipher here.
const BlockSize = 16

// scheduleWords holds the largest key schedule: Camellia with 192 or 256-bit
// keys, 34 subkeys of 64 bits.
const scheduleWords = 68

// Kernels is one implementation level (a tier) of one cipher. Lengths of dst
// and src are equal and a multiple of 16 bytes, dst and src are the same memory
// or do not overlap, and no kernel keeps a pointer after it returns.
type Kernels struct {
	Name  string       // as shown to users: "generic", "gfni-avx512"
	Need  cpu.Features // all must be present
	Width int          // blocks that fill the registers

	// Expand writes the key schedule of an admissible key into k.Rounds, k.Enc
	// and k.Dec, in the tier's own layout.
	Expand func(k *Key, key []byte)

	Encrypt, Decrypt func(k *Key, dst, src []byte)

	// The rest may be nil. These take whole groups of Width blocks only, which is
	// a power of two or a multiple of 16; what is left over is derived, unless the
	// tier has code for it: then CTR and CTR32, CBCDecrypt and CFBDecrypt, the three
	// of OCB, or all for XTS take any number of blocks, not 0. The low 64 bits of CTR's
	// counter don't wrap; OCB's are called with s.Index a multiple of 16, OCBAuth with
	// dst the same as src.

	CTRTails, FeedbackTails, OCBTails, XTSTails bool

	CTR        func(k *Key, ctr *[BlockSize]byte, dst, src []byte)
	CTR32      func(k *Key, ctr *[BlockSize]byte, dst, src []byte)
	CBCDecrypt func(k *Key, iv *[BlockSize]byte, dst, src []byte)
	CFBDecrypt func(k *Key, iv *[BlockSize]byte, dst, src []byte)
	OCBEncrypt func(k *Key, s *OCBState, dst, src []byte)
	OCBDecrypt func(k *Key, s *OCBState, dst, src []byte)
	OCBAuth    func(k *Key, s *OCBState, dst, src []byte)

	// XTS with IEEE 1619's doubling; tweak is left at that of the next block.
	XTSEncrypt func(k *Key, tweak *[BlockSize]byte, dst, src []byte)
	XTSDecrypt func(k *Key, tweak *[BlockSize]byte, dst, src []byte)

	// The same with GB/T 17964's, which only SM4 is used with.
	XTSEncryptGB func(k *Key, tweak *[BlockSize]byte, dst, src []byte)
	XTSDecryptGB func(k *Key, tweak *[BlockSize]byte, dst, src []byte)

	// These take any number of blocks, not 0: they work on one after another. iv is
	// left at the last block of ciphertext or, for OFB, of the key stream.
	CBCEncrypt func(k *Key, iv *[BlockSize]byte, dst, src []byte)
	CFBEncrypt func(k *Key, iv *[BlockSize]byte, dst, src []byte)
	OFB        func(k *Key, iv *[BlockSize]byte, dst, src []byte)

	// GCM is CTR32 and GHASH at once: it XORs src with the encryption of successive
	// counters, into dst, and adds hashed, which is as long, to s.Sum. It reads a
	// group of hashed before it writes that of dst, and the next one after that.
	// A group is GCMWidth blocks; s.Hash is of GHASH's tier GCMHash.
	GCM      func(k *Key, s *GCMState, dst, src, hashed []byte)
	GCMWidth int
	GCMHash  string

	// MACLanes takes 1 to Width lanes and any number of blocks, not 0.
	MACLanes func(k *Key, macs, src []byte, stride, lanes, blocks int)

	check    selftest.Verdict
	checkGCM selftest.Verdict // of the part that needs more than Need
}

// Vector is a published single-block test vector.
type Vector struct{ Key, Plain, Cipher []byte }

// Cipher describes a block cipher: its name, its key sizes and its tiers in
// order of preference. The last tier needs no feature and is the reference
// that the self-test holds the others against.
type Cipher struct {
	Name     string // lower case: "aes"
	KeySizes []int  // bytes, ascending
	Tiers    []*Kernels
	Vectors  []Vector // at least one a key size
}

// ErrSelfTest is wrapped by the error of NewKey when a tier computes wrong
// results on this machine.
var ErrSelfTest = selftest.ErrFailed

// Key is an expanded key bound to the tier that will use it. It is safe for
// concurrent use; Wipe is not.
type Key struct {
	Enc, Dec [scheduleWords]uint32 // the tier's own layout
	Rounds   int
	features cpu.Features // those allowed, for what else works beside the cipher
	kern     *Kernels
	block    cipher.Block // set for a foreign cipher only
}

// NewKey expands key for the first tier of c whose needs are within allowed,
// or, where tier is not empty, for the tier of that name. The first use of a
// tier in a process runs its self-test.
func NewKey(c *Cipher, key []byte, allowed cpu.Features, tier string) (*Key, error) {
	k := new(Key)
	if err := k.Init(c, key, allowed, tier); err != nil {
		return nil, err
	}
	return k, nil
}

// Init is NewKey in place.
func (k *Key) Init(c *Cipher, key []byte, allowed cpu.Features, tier string) error {
	if !c.admits(len(key)) {
		return fmt.Errorf("%s: key of %d bytes, want one of %v", c.Name, len(key), c.KeySizes)
	}
	kern, err := c.pick(allowed, tier)
	if err != nil {
		return err
	}
	if err := c.selfTest(kern, allowed); err != nil {
		return err
	}
	k.init(kern, key)
	k.features = allowed
	return nil
}

func (k *Key) init(kern *Kernels, key []byte) {
	*k = Key{kern: kern}
	kern.Expand(k, key)
}

func (c *Cipher) admits(n int) bool {
	for _, s := range c.KeySizes {
		if s == n {
			return true
		}
	}
	return false
}

func (c *Cipher) pick(allowed cpu.Features, tier string) (*Kernels, error) {
	var names []string
	for _, t := range c.Tiers {
		ok := allowed.Has(t.Need)
		switch {
		case ok && (tier == "" || tier == t.Name):
			return t, nil
		case tier == t.Name:
			lack := strings.Join((t.Need &^ allowed).Names(), ", ")
			return nil, fmt.Errorf("%s: tier %q needs %s, which this processor lacks or the caller took away", c.Name, tier, lack)
		}
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("%s: no tier %q, want one of %s", c.Name, tier, strings.Join(names, ", "))
}

// Tier returns the name of the tier in use, "" for a foreign cipher.
func (k *Key) Tier() string { return k.kern.Name }

// Width returns how many blocks fill the registers of the tier in use.
func (k *Key) Width() int { return k.kern.Width }

// Wipe overwrites the key schedule. Any use of the key afterwards panics.
func (k *Key) Wipe() {
	clear(k.Enc[:])
	clear(k.Dec[:])
	k.kern, k.block = wiped, nil
}

// wiped takes the place of a key's tier. Zeros are a schedule like any other, and
// what is encrypted under them is as good as not encrypted.
var wiped = &Kernels{Name: "wiped", Width: 1, Encrypt: useAfterWipe, Decrypt: useAfterWipe}

// Wiped returns a key that panics when it is used, for what has wiped its own part of
// a key that belongs to another.
func Wiped() *Key { return &Key{kern: wiped} }

func useAfterWipe(*Key, []byte, []byte) { panic("bulk: key used after Wipe") }
