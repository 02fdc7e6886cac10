//go:build (amd64 || arm64) && !race

package sm4

import (
	"encoding/binary"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// The key expansion leaves nothing secret on the stack: its words live in
// registers. (Where there are too few of those, or the compiler's instrumentation
// takes some, this can't be had.)
func TestExpansionLeavesNoResidue(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counters take the registers this is about")
	}
	key := make([]byte, KeySize)
	for i := range key {
		key[i] = byte(0x91 + 29*i)
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		k := new(bulk.Key)
		tier.Expand(k, key)
		secret := cryptotest.Words{}
		for i, fk := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
			mk := binary.BigEndian.Uint32(key[4*i:])
			secret[mk], secret[binary.LittleEndian.Uint32(key[4*i:])], secret[mk^fk] = true, true, true
		}
		for _, rk := range k.Enc[:rounds] {
			secret[rk] = true
		}
		if secret.Left(func() { spill(key) }) == 0 {
			t.Fatal("the search does not even find what is left on purpose")
		}
		if n := secret.LeftAlways(func() { tier.Expand(k, key) }); n != 0 {
			t.Errorf("%s: %d secret words left on the stack", tier.Name, n)
		}
	}
}

// Nor do the kernels: what waits in their frames, XTS's tweaks and OCB's offsets and
// sum, they wipe.
func TestKernelsLeaveNoResidue(t *testing.T) { cryptotest.KernelsLeaveNoResidue(t, Cipher) }

// spill leaves the key's words in its frame.
//
//go:noinline
func spill(key []byte) {
	var w [4]uint32
	for i := range w {
		w[i] = binary.BigEndian.Uint32(key[4*i:])
	}
	look(&w)
}

//go:noinline
func look(w *[4]uint32) uint32 { return w[0] }
