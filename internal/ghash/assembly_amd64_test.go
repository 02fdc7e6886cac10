//go:build !purego

package ghash

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"blkcrypt/internal/cpu"
)

// TestRequirements sees that no tier would be chosen on a processor that lacks an
// instruction of its assembly, by the list that the generator puts down.
func TestRequirements(t *testing.T) {
	features := map[string]string{
		"AVX": "intel-avx", "AVX2": "intel-avx2", "PCLMULQDQ": "intel-pclmul", "VPCLMULQDQ": "intel-vaes-vpclmul",
		"AVX512F": "intel-avx512", "AVX512BW": "intel-avx512", "AVX512DQ": "intel-avx512", "AVX512VL": "intel-avx512",
	}
	line := regexp.MustCompile(`(?m)^// Requires: (.*)$`)
	for _, tier := range tiers[:len(tiers)-1] {
		text, err := os.ReadFile("ghash_" + strings.ReplaceAll(tier.name, "-", "_") + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		all := line.FindAllSubmatch(text, -1)
		if len(all) != 2 {
			t.Errorf("%s: %d functions", tier.name, len(all))
		}
		for _, m := range all {
			for _, set := range strings.Split(string(m[1]), ", ") {
				without, err := cpu.Without(^cpu.Features(0), features[set])
				if err != nil {
					t.Errorf("%s uses %s: %v", tier.name, set, err)
				} else if without.Has(tier.need) {
					t.Errorf("%s needs %v and uses %s", tier.name, tier.need.Names(), set)
				}
			}
		}
	}
}
