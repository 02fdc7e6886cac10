//go:build (amd64 || arm64) && !race

package camellia

import (
	"encoding/binary"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// The kernels wipe what waits in their frames: the slots, and what is beside them.
func TestKernelsLeaveNoResidue(t *testing.T) { cryptotest.KernelsLeaveNoResidue(t, Cipher) }

// The key expansion leaves nothing secret on the stack: neither the keys KL, KR, KA and
// KB, nor the last argument of F, nor subkeys.
func TestExpansionLeavesNoResidue(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counters take the registers this is about")
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		for _, size := range Cipher.KeySizes {
			key, k := randomKey(size, 2), new(bulk.Key)
			tier.Expand(k, key)
			var m material
			m.derive(func(x uint64) uint64 { return f(&table.s1, x) }, key)
			secret := cryptotest.Words{}
			for _, v := range []uint64{
				m[kl].hi, m[kl].lo, m[kr].hi, m[kr].lo, m[ka].hi, m[ka].lo, m[kb].hi, m[kb].lo,
				m[ka].lo ^ sigma[3], m[kb].lo ^ sigma[5],
			} {
				secret.Add(binary.LittleEndian.AppendUint64(nil, v))
				secret.Add(binary.BigEndian.AppendUint64(nil, v))
			}
			for i := range k.Enc {
				secret[k.Enc[i]], secret[k.Dec[i]] = true, true
			}
			delete(secret, 0)
			if secret.Left(func() { spill(key) }) == 0 {
				t.Fatal("the search does not even find what is left on purpose")
			}
			if n := secret.LeftAlways(func() { tier.Expand(k, key) }); n != 0 {
				t.Errorf("%s: %d secret words of a %d-byte key are left on the stack", tier.Name, n, size)
			}
		}
	}
}

// spill leaves words of the key in its frame.
//
//go:noinline
func spill(key []byte) {
	look([2]uint64{binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])})
}

//go:noinline
func look(w [2]uint64) uint64 { return w[0] }
