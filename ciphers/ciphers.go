// Package ciphers makes keys of the block ciphers AES, Camellia and SM4.
//
// All have 16-byte blocks. AES (FIPS 197) and Camellia (RFC 3713) take keys of
// 16, 24 or 32 bytes, SM4 (GB/T 32907-2016) of 16. [New] picks the fastest
// implementation (tier) that the processor runs; the result is the same on each.
//
// The portable tier, named generic, and AES's amd64-table work with small lookup
// tables that are read in full before use. That narrows what the timing of the
// processor's caches tells about a key; it does not close it. The tiers with AES
// or vector instructions load no memory at addresses that depend on secrets.
//
// A Block by itself encrypts 16 bytes and no more. For messages see package aead,
// and package modes below this one for what has no authentication.
package ciphers

import (
	"crypto/cipher"
	"fmt"
	"strconv"
	"strings"

	"blkcrypt/ciphers/aes"
	"blkcrypt/ciphers/camellia"
	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// BlockSize is the block size of every cipher, in bytes.
const BlockSize = bulk.BlockSize

// ErrSelfTest is wrapped by the error of [New] when an implementation gives
// wrong results on this machine, and by that of package aead for GCM's hash.
var ErrSelfTest = bulk.ErrSelfTest

var all = []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher}

// Info describes a cipher.
type Info struct {
	Name     string   // "aes"
	KeySizes []int    // bytes
	Tiers    []string // those this machine can run, best first
}

// List returns the ciphers there are.
func List() []Info {
	var list []Info
	for _, c := range all {
		i := Info{Name: c.Name, KeySizes: append([]int(nil), c.KeySizes...)}
		for _, t := range c.Tiers {
			if cpu.Detect().Has(t.Need) {
				i.Tiers = append(i.Tiers, t.Name)
			}
		}
		list = append(list, i)
	}
	return list
}

// An Option of [New] restricts the choice of the tier.
type Option func(*choice) error

type choice struct {
	allowed cpu.Features
	tier    string
}

// Without takes processor features away, named as libgcrypt names them
// ("intel-avx512", or "all"), and with them those that build on them. An
// unknown name is an error of New that lists the known ones.
func Without(features ...string) Option {
	return func(c *choice) error {
		for _, name := range features {
			f, err := cpu.Without(c.allowed, name)
			if err != nil {
				return err
			}
			c.allowed = f
		}
		return nil
	}
}

// WithTier asks for the tier of that name ("generic"). New fails where the
// cipher has no such tier or the machine can't run it.
func WithTier(name string) Option {
	return func(c *choice) error {
		c.tier = name
		return nil
	}
}

// Block is a key of a block cipher: a [cipher.Block] through which the packages
// modes and aead work on many blocks at once. Any number of goroutines may use it.
type Block struct {
	key  bulk.Key
	name string
}

var _ cipher.Block = (*Block)(nil)

// New expands key for the cipher called name: "aes", "camellia" or "sm4", or
// with the key's size in bits, "aes-256", in any case. It keeps nothing of the slice
// key. The first use of an implementation in a process runs its self-test. Errors:
// an unknown name, a key of a size the name does not allow, an option that can't be
// met, [ErrSelfTest].
func New(name string, key []byte, options ...Option) (*Block, error) {
	c, size, err := find(name)
	if err != nil {
		return nil, err
	}
	if size != 0 && size != len(key) {
		return nil, fmt.Errorf("ciphers: %s with a key of %d bytes, want %d", name, len(key), size)
	}
	ch := choice{allowed: cpu.Detect()}
	for _, o := range options {
		if err := o(&ch); err != nil {
			return nil, fmt.Errorf("ciphers: %w", err)
		}
	}
	b := &Block{name: c.Name}
	if len(c.KeySizes) > 1 {
		b.name += "-" + strconv.Itoa(8*len(key))
	}
	if err := b.key.Init(c, key, ch.allowed, ch.tier); err != nil {
		return nil, fmt.Errorf("ciphers: %w", err)
	}
	return b, nil
}

// find returns the cipher of that name, and the key size in bytes if the name says
// it, else 0.
func find(name string) (c *bulk.Cipher, keySize int, err error) {
	base, bits, sized := strings.Cut(strings.ToLower(name), "-")
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		if c.Name == base && !sized {
			return c, 0, nil
		}
		for _, n := range c.KeySizes {
			if c.Name == base && bits == strconv.Itoa(8*n) {
				return c, n, nil
			}
		}
	}
	return nil, 0, fmt.Errorf("ciphers: no cipher %q, want one of %s, or with the key's size in bits, as in aes-256",
		name, strings.Join(names, ", "))
}

// Name returns the cipher's name, with the key size in bits where there is a
// choice: "aes-256", "sm4".
func (b *Block) Name() string { return b.name }

// Tier returns the name of the implementation in use.
func (b *Block) Tier() string { return b.key.Tier() }

// BlockSize returns 16.
func (b *Block) BlockSize() int { return BlockSize }

// Encrypt encrypts the first block of src into dst, which may be the same
// memory. It panics where either is shorter than 16 bytes or they overlap
// otherwise.
func (b *Block) Encrypt(dst, src []byte) {
	dst, src = oneBlock(dst, src)
	b.key.EncryptBlocks(dst, src)
}

// Decrypt is the inverse of [Block.Encrypt].
func (b *Block) Decrypt(dst, src []byte) {
	dst, src = oneBlock(dst, src)
	b.key.DecryptBlocks(dst, src)
}

func oneBlock(dst, src []byte) (d, s []byte) {
	if len(src) < BlockSize {
		panic("ciphers: input not full block")
	}
	if len(dst) < BlockSize {
		panic("ciphers: output not full block")
	}
	d, s = dst[:BlockSize], src[:BlockSize]
	if bulk.InexactOverlap(d, s) {
		panic("ciphers: invalid buffer overlap")
	}
	return d, s
}

// Wipe overwrites the expanded key. Any use of b afterwards panics; none may be
// going on. Go may have left copies of a key elsewhere in memory (in registers
// spilled to a stack); those this can't reach. The key that was given to [New] is
// the caller's to wipe.
func (b *Block) Wipe() { b.key.Wipe() }

// BulkKey is for the modes of this module, which work with it and not through
// Encrypt and Decrypt: also where a type embeds a Block and has its own.
func (b *Block) BulkKey() *bulk.Key { return &b.key }
