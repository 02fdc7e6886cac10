//go:build !purego

package camellia

import (
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

func TestTiers(t *testing.T) { cryptotest.BlockSuite(t, Cipher) }

func TestAssembly(t *testing.T) { cryptotest.AssemblySuite(t, Cipher, ".") }

// TestF compares F of each tier with the reference, each byte of the input in turn
// through all of its values: each S-box is what RFC 3713 says.
func TestTiersF(t *testing.T) {
	for _, tier := range []struct {
		need *bulk.Kernels
		f    func(uint64) uint64
	}{{gfniAvx512, fGfniAvx512}, {gfniAvx2, fGfniAvx2}, {vaesAvx2, fVaesAvx2}, {aesniAvx2, fAesniAvx2}, {aesniAvx, fAesniAvx}} {
		if !cpu.Detect().Has(tier.need.Need) {
			continue
		}
		for place := 0; place < 64; place += 8 {
			for v := range uint64(256) {
				x := 0x0123456789abcdef ^ v<<place
				if got, want := tier.f(x), refF(x, 0); got != want {
					t.Fatalf("%s: F(%#016x) = %#016x, want %#016x", tier.need.Name, x, got, want)
				}
			}
		}
	}
}
