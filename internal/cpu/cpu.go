// Package cpu names the processor features that tiers of kernels need and
// finds those of the machine at hand. A set of features is a value; nothing
// here is global state, and no environment variable changes what is found.
package cpu

import (
	"fmt"
	"strings"
	"sync"
)

// Features is a set of processor features.
type Features uint64

// The features, of all architectures, so that each of the names is known
// everywhere.
const (
	SSSE3 Features = 1 << iota
	SSE41
	PCLMUL
	AESNI
	AVX
	AVX2
	BMI2
	VAES   // VAES and VPCLMULQDQ, in their 256-bit VEX forms
	GFNI   // in its VEX forms
	AVX512 // F, DQ, BW and VL

	NEON
	ARMAES
	PMULL
	ARMSM4
)

// table gives each feature its name, which is libgcrypt's, and those it builds
// on: the encoding, the registers or the narrower form of the instructions that
// kernels use along with it. A feature comes after all that it builds on.
var table = [...]struct {
	feature Features
	name    string
	base    Features
}{
	{SSSE3, "intel-ssse3", 0},
	{SSE41, "intel-sse4.1", SSSE3},
	{PCLMUL, "intel-pclmul", 0},
	{AESNI, "intel-aesni", 0},
	{AVX, "intel-avx", SSE41},
	{AVX2, "intel-avx2", AVX},
	{BMI2, "intel-bmi2", 0},
	{VAES, "intel-vaes-vpclmul", AVX2 | AESNI | PCLMUL},
	{GFNI, "intel-gfni", AVX},
	{AVX512, "intel-avx512", AVX2},

	{NEON, "arm-neon", 0},
	{ARMAES, "arm-aes", NEON},
	{PMULL, "arm-pmull", NEON},
	{ARMSM4, "arm-sm4", NEON},
}

// Has reports whether every feature of need is in f.
func (f Features) Has(need Features) bool { return f&need == need }

// Names lists the features of f by name.
func (f Features) Names() []string {
	var names []string
	for _, t := range table {
		if f.Has(t.feature) {
			names = append(names, t.name)
		}
	}
	return names
}

// supported returns f without the features whose base is not in f.
func (f Features) supported() Features {
	for _, t := range table {
		if !f.Has(t.base) {
			f &^= t.feature
		}
	}
	return f
}

// Known lists the names that [Without] accepts, on every architecture.
func Known() []string { return append([]string{"all"}, Features(^Features(0)).Names()...) }

// Without returns f without the feature of that name and those that build on
// it: without "intel-avx" there is no AVX2, VAES, GFNI or AVX-512 either. "all"
// leaves nothing. The error of an unknown name lists the known ones.
func Without(f Features, name string) (Features, error) {
	if name == "all" {
		return 0, nil
	}
	for _, t := range table {
		if t.name == name {
			return (f &^ t.feature).supported(), nil
		}
	}
	return 0, fmt.Errorf("cpu: no processor feature %q, known are %s", name, strings.Join(Known(), ", "))
}

var detected = sync.OnceValue(func() Features { return detect().supported() })

// Detect returns what this machine can run: the processor has it, and the
// operating system saves its registers. In a build without assembly, that is
// nothing.
func Detect() Features { return detected() }

// Brand returns the processor's name as it gives it itself, "" where a program
// can't ask for it.
func Brand() string { return brand() }
