package sm4

import (
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

func TestPlantedFaults(t *testing.T) { cryptotest.PlantFaults(t, Cipher) }

// The vector tiers do all they can, single blocks and the key expansion included,
// without the S-box: it is taken away.
func TestNoLookUps(t *testing.T) {
	if tiers[0] == generic {
		t.Skip("this build has no tier but the portable one")
	}
	table := sbox
	defer func() { sbox = table }()
	panics := func(tier *bulk.Kernels) (panicked bool) {
		sbox = table
		if _, err := bulk.NewKey(Cipher, make([]byte, KeySize), cpu.Detect(), tier.Name); err != nil {
			t.Fatal(err) // the first key's self-test does look at the reference
		}
		defer func() { panicked = recover() != nil }()
		sbox = nil
		cryptotest.UseTier(t, Cipher, tier)
		return false
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		if got := panics(tier); got != (tier == generic) {
			t.Errorf("%s: uses the S-box's table: %v", tier.Name, got)
		}
	}
}

// Each tier is reached by taking features away, and by the one it needs.
func TestTierByFeatures(t *testing.T) {
	all := cpu.GFNI | cpu.AVX512 | cpu.AVX2 | cpu.AVX | cpu.AESNI
	for _, c := range []struct {
		has  cpu.Features
		want string
	}{
		{all, "gfni-avx512"},
		{all &^ cpu.AVX512, "gfni-avx2"},
		{cpu.GFNI | cpu.AVX | cpu.AVX2, "gfni-avx2"},
		{all &^ cpu.GFNI, "aesni-avx2"},
		{cpu.AESNI | cpu.AVX | cpu.GFNI, "aesni-avx"},
		{cpu.AESNI, "generic"},
		{cpu.AVX | cpu.AVX2 | cpu.AVX512, "generic"},
	} {
		if tiers[0] == generic {
			c.want = "generic" // a build without assembly
		}
		if !cpu.Detect().Has(tierCalled(t, c.want).Need) {
			t.Logf("this machine does not run %s", c.want)
			continue
		}
		k, err := bulk.NewKey(Cipher, make([]byte, KeySize), c.has, "")
		if err != nil {
			t.Fatal(err)
		}
		if k.Tier() != c.want {
			t.Errorf("with %v: %s, want %s", c.has.Names(), k.Tier(), c.want)
		}
	}
}

func tierCalled(t *testing.T, name string) *bulk.Kernels {
	for _, tier := range tiers {
		if tier.Name == name {
			return tier
		}
	}
	t.Fatalf("no tier %s", name)
	return nil
}
