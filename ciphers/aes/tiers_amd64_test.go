//go:build !purego

package aes

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

// TestBestTier holds the choice of the tier against what Linux says that the
// processor has.
func TestBestTier(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skipf("no list of the processor's features: %v", err)
	}
	_, line, _ := strings.Cut(string(info), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	has := map[string]bool{}
	for _, f := range strings.Fields(line) {
		has[f] = true
	}
	want := "amd64-table"
	if has["aes"] && has["avx"] {
		want = "aesni-avx"
		if has["avx2"] && has["vaes"] && has["vpclmulqdq"] {
			want = "vaes-avx2"
			if has["avx512f"] && has["avx512vl"] && has["avx512bw"] && has["avx512dq"] {
				want = "vaes-avx512"
			}
		}
	}
	k, err := bulk.NewKey(Cipher, make([]byte, 16), cpu.Detect(), "")
	if err != nil {
		t.Fatal(err)
	}
	if k.Tier() != want {
		t.Errorf("%s was chosen, the processor runs %s", k.Tier(), want)
	}
}

// TestNoLookUps takes the tables away: what uses them without asking for them
// panics.
func TestNoLookUps(t *testing.T) {
	table := lookup
	defer func() { lookup = table }()
	panics := func(tier *bulk.Kernels) (panicked bool) {
		lookup = table
		if _, err := bulk.NewKey(Cipher, make([]byte, 16), cpu.Detect(), tier.Name); err != nil {
			t.Fatal(err) // the self-test, which does look at the reference, runs here only
		}
		defer func() { panicked = recover() != nil }()
		lookup = nil
		cryptotest.UseTier(t, Cipher, tier)
		return false
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		if got := panics(tier); got != (tier == generic || tier == amd64Table) {
			t.Errorf("%s: looks up tables: %v", tier.Name, got)
		}
	}
}

func TestPlantedFaults(t *testing.T) { cryptotest.PlantFaults(t, Cipher) }

// TestTableOffsets holds the assembly's view of the tables against the type.
func TestTableOffsets(t *testing.T) {
	asm := cryptotest.Constants(t, "../../internal/_asm")
	for name, want := range map[string]uintptr{
		"tablesDec":  unsafe.Offsetof(tables{}.dec),
		"tablesInv":  unsafe.Offsetof(tables{}.inv),
		"tablesSize": unsafe.Sizeof(tables{}.enc),
		"invSize":    unsafe.Sizeof(tables{}.inv),
		"cacheLine":  cacheLine,
	} {
		if got, ok := asm[name]; !ok || got != int(want) {
			t.Errorf("%s is %d in the generator, want %d", name, got, want)
		}
	}
}
