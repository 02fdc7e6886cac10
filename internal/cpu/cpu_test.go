package cpu

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	seen := Features(0)
	names := map[string]bool{}
	for _, e := range table {
		if e.feature&seen != 0 || names[e.name] {
			t.Errorf("%s: listed twice", e.name)
		}
		if !seen.Has(e.base) {
			t.Errorf("%s: builds on what comes later", e.name)
		}
		seen |= e.feature
		names[e.name] = true
		if got := e.feature.Names(); !slices.Equal(got, []string{e.name}) {
			t.Errorf("%s: called %v", e.name, got)
		}
	}
	if len(Known()) != len(table)+1 || Known()[0] != "all" {
		t.Errorf("known: %v", Known())
	}
}

func TestWithout(t *testing.T) {
	every := Features(0)
	for _, e := range table {
		every |= e.feature
	}
	arm := NEON | ARMAES | PMULL | ARMSM4
	for _, c := range []struct {
		name string
		lost Features
	}{
		{"all", every},
		{"intel-ssse3", SSSE3 | SSE41 | AVX | AVX2 | VAES | GFNI | AVX512},
		{"intel-sse4.1", SSE41 | AVX | AVX2 | VAES | GFNI | AVX512},
		{"intel-pclmul", PCLMUL | VAES},
		{"intel-aesni", AESNI | VAES},
		{"intel-avx", AVX | AVX2 | VAES | GFNI | AVX512},
		{"intel-avx2", AVX2 | VAES | AVX512},
		{"intel-bmi2", BMI2},
		{"intel-vaes-vpclmul", VAES},
		{"intel-gfni", GFNI},
		{"intel-avx512", AVX512},
		{"arm-neon", arm},
		{"arm-aes", ARMAES},
		{"arm-pmull", PMULL},
		{"arm-sm4", ARMSM4},
	} {
		got, err := Without(every, c.name)
		if err != nil || got != every&^c.lost {
			t.Errorf("%s: leaves %v (%v), want %v", c.name, got.Names(), err, (every &^ c.lost).Names())
		}
		if again, _ := Without(got, c.name); again != got {
			t.Errorf("%s: a second time leaves %v", c.name, again.Names())
		}
		if f, err := Without(0, c.name); f != 0 || err != nil {
			t.Errorf("%s: of nothing leaves %v, %v", c.name, f.Names(), err)
		}
	}
	if len(every.Names()) != len(table) {
		t.Errorf("all features are called %v", every.Names())
	}
	for _, name := range []string{"", "avx", "Intel-AVX", "intel-avx512,intel-gfni"} {
		_, err := Without(every, name)
		if err == nil {
			t.Fatalf("%q: no error", name)
		}
		for _, known := range Known() {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%q: the error %q does not name %s", name, err, known)
			}
		}
	}
}

// TestDetect holds what can be said of any machine against Detect.
func TestDetect(t *testing.T) {
	f := Detect()
	t.Logf("%q: %v", Brand(), f.Names())
	if f != f.supported() {
		t.Errorf("%v: something lacks its base", f.Names())
	}
	arm := NEON | ARMAES | PMULL | ARMSM4
	foreign := map[string]Features{"amd64": arm, "arm64": ^arm}
	if no, ok := foreign[runtime.GOARCH]; f&no != 0 || !ok && f != 0 {
		t.Errorf("%s has %v", runtime.GOARCH, f.Names())
	}
}
