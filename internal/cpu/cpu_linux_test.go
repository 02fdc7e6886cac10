//go:build amd64 && !purego

package cpu

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDetectAsLinux holds Detect against what the kernel says of the processor,
// so that no tier goes missing unseen.
func TestDetectAsLinux(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skipf("the kernel does not tell: %v", err)
	}
	line := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(info)
	if line == nil {
		t.Fatal("/proc/cpuinfo has no flags")
	}
	flags := " " + strings.TrimSpace(string(line[1])) + " "
	var want Features
	for feature, names := range map[Features]string{
		SSSE3:  "ssse3",
		SSE41:  "sse4_1",
		PCLMUL: "pclmulqdq",
		AESNI:  "aes",
		AVX:    "avx",
		AVX2:   "avx2",
		BMI2:   "bmi2",
		VAES:   "vaes vpclmulqdq",
		GFNI:   "gfni",
		AVX512: "avx512f avx512dq avx512bw avx512vl",
	} {
		has := true
		for _, n := range strings.Fields(names) {
			has = has && strings.Contains(flags, " "+n+" ")
		}
		if has {
			want |= feature
		}
	}
	if got := Detect(); got != want {
		t.Errorf("found %v, the kernel has %v", got.Names(), want.Names())
	}
}
