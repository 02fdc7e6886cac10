//go:build !purego

package camellia

import (
	"bytes"
	"encoding/binary"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

// assembly is the tiers in assembly, and F of each.
var assembly = []struct {
	*bulk.Kernels
	f func(uint64) uint64
}{{gfniAvx512, fGfniAvx512}, {gfniAvx2, fGfniAvx2}, {vaesAvx2, fVaesAvx2}, {aesniAvx2, fAesniAvx2}, {aesniAvx, fAesniAvx}}

// TestTiersF compares F of each tier with the reference, each byte of the input in
// turn through all of its values: each S-box is what RFC 3713 says.
func TestTiersF(t *testing.T) {
	for _, tier := range assembly {
		if !cpu.Detect().Has(tier.Need) {
			t.Logf("this machine does not run %s", tier.Name)
			continue
		}
		for place := 0; place < 64; place += 8 {
			for v := range uint64(256) {
				x := 0x0123456789abcdef ^ v<<place
				if got, want := tier.f(x), refF(x, 0); got != want {
					t.Fatalf("%s: F(%#016x) = %#016x, want %#016x", tier.Name, x, got, want)
				}
			}
		}
	}
}

// TestTiersSchedule expands keys on each tier and runs the reference's F and FL over
// the layout that came out, as kernels do: F's argument needs no subkey added, for the
// half of the block carries it.
func TestTiersSchedule(t *testing.T) {
	for _, tier := range assembly {
		if !cpu.Detect().Has(tier.Need) {
			t.Logf("this machine does not run %s", tier.Name)
			continue
		}
		for _, n := range Cipher.KeySizes {
			for seed := range uint64(50) {
				key, block := randomKey(n, seed), randomKey(16, ^seed)
				ref := refExpand(key)
				k := new(bulk.Key)
				tier.Expand(k, key)
				if k.Rounds != ref.n {
					t.Fatalf("%s: %d rounds with %d-byte keys, want %d", tier.Name, k.Rounds, n, ref.n)
				}
				for what, c := range map[string]struct {
					ref    *refKey
					layout *schedule
				}{"encryption": {ref, &k.Enc}, "decryption": {ref.inverted(), &k.Dec}} {
					want := make([]byte, 16)
					c.ref.encrypt(want, block)
					if got := carried(c.layout, k.Rounds, block); !bytes.Equal(got, want) {
						t.Fatalf("%s: the subkeys for %s with the key %x give %x, want %x", tier.Name, what, key, got, want)
					}
				}
			}
		}
	}
}

// carried is Camellia over a layout for assembly: 16 bytes for the whitening, then 8
// for each round, with 16 for FL and its inverse behind every six rounds but the last,
// where 8 for the whitening of D2 are.
func carried(layout *schedule, rounds int, block []byte) []byte {
	var raw [4 * len(layout)]byte
	for i, w := range layout {
		binary.LittleEndian.PutUint32(raw[4*i:], w)
	}
	rest := raw[:]
	next := func() uint64 {
		k := binary.BigEndian.Uint64(rest)
		rest = rest[8:]
		return k
	}
	d1, d2 := binary.BigEndian.Uint64(block)^next(), binary.BigEndian.Uint64(block[8:])^next()
	for i := range rounds / 2 {
		if i > 0 && i%3 == 0 {
			d1, d2 = refFL(d1, next()), refFLINV(d2, next())
		}
		d2 ^= refF(d1, 0) ^ next()
		d1 ^= refF(d2, 0) ^ next()
	}
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, d2^next()), d1)
}

// TestTextSize holds the code of each tier, all of its modes, to a size: what others'
// code with looped rounds took, and less where GFNI spares instructions.
func TestTextSize(t *testing.T) {
	sizes := cryptotest.TextSizes(t, gfniAvx512.Encrypt)
	for file, most := range map[string]int{
		"camellia_aesni_avx_amd64.s":   25_047,
		"camellia_aesni_avx2_amd64.s":  22_999,
		"camellia_vaes_avx2_amd64.s":   22_999,
		"camellia_gfni_avx2_amd64.s":   15_000,
		"camellia_gfni_avx512_amd64.s": 22_000,
	} {
		switch size, ok := sizes[file]; {
		case !ok:
			t.Errorf("no code of %s in this program", file)
		case size > most:
			t.Errorf("%s: %d bytes of code, at most %d allowed", file, size, most)
		default:
			t.Logf("%s: %d bytes of code", file, size)
		}
	}
}
