// Package ghash computes GHASH, the universal hash function of GCM (SP
// 800-38D, section 6.4), in time that depends on nothing but the length of the
// data: no table is indexed by secrets and no branch depends on them.
package ghash

import (
	"fmt"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/selftest"
)

// BlockSize is the block size of GHASH in bytes.
const BlockSize = 16

// tier is an implementation level.
type tier struct {
	name  string
	need  cpu.Features // all must be present
	code  code
	check selftest.Verdict
}

// code tells implementations apart. The list of them, tiers, is in order of
// preference; the last one needs nothing.
type code int

// Tiers names the implementations that a machine with the allowed features can
// run, best first.
func Tiers(allowed cpu.Features) []string {
	var names []string
	for _, t := range tiers {
		if allowed.Has(t.need) {
			names = append(names, t.name)
		}
	}
	return names
}

// find returns the implementation of that name, or the best one if it is empty,
// that needs only allowed features, nil if there is none.
func find(allowed cpu.Features, name string) *tier {
	for _, t := range tiers {
		if allowed.Has(t.need) && (name == "" || name == t.name) {
			return t
		}
	}
	return nil
}

// Has reports whether name is among [Tiers].
func Has(allowed cpu.Features, name string) bool { return name != "" && find(allowed, name) != nil }

// Key is a hash subkey in the form that its implementation multiplies by. It
// does not change between Init and Wipe: any number of goroutines may use it.
type Key struct {
	table   table // of the tiers in assembly; first, so that it is aligned as the Key is
	tier    *tier
	generic powers
}

// Init sets k up for the hash subkey h, the encryption of the zero block (SP
// 800-38D, section 7.1), and the implementation of that name, or if it is empty the
// best one, that needs only allowed features. The first use of an implementation in
// a process runs its self-test. Errors: no such implementation,
// [selftest.ErrFailed].
func (k *Key) Init(h *[BlockSize]byte, allowed cpu.Features, name string) error {
	t := find(allowed, name)
	if t == nil {
		return fmt.Errorf("ghash: no tier %q, but %q", name, Tiers(allowed))
	}
	return k.initOn(t, h)
}

// initOn is Init with an implementation.
func (k *Key) initOn(t *tier, h *[BlockSize]byte) error {
	if err := t.selfTest(); err != nil {
		return err
	}
	*k = Key{tier: t}
	k.init(timesT(h))
	return nil
}

// Tier returns the name of the implementation in use.
func (k *Key) Tier() string { return k.tier.name }

// Update hashes whole blocks: for each of them, y becomes (y XOR block)·H. It
// panics if the length of blocks is not a multiple of 16 bytes.
func (k *Key) Update(y *[BlockSize]byte, blocks []byte) {
	if len(blocks)%BlockSize != 0 {
		panic("ghash: length is not whole blocks")
	}
	if k.tier == nil {
		panic("ghash: key used after Wipe")
	}
	k.update(y, blocks)
}

// Wipe overwrites the key. To use it afterwards panics.
func (k *Key) Wipe() { *k = Key{} }
