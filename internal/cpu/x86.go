package cpu

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// cpuidFunc executes CPUID with the given values in EAX and ECX.
type cpuidFunc func(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// Register state that the operating system saves, as bits of XCR0 (Intel SDM,
// volume 1, section 13.3).
const (
	stateXMM  = 1 << 1
	stateYMM  = 1 << 2
	stateMask = 1 << 5 // k0 to k7
	stateZMM  = 1 << 6 // upper halves of zmm0 to zmm15
	stateZMM2 = 1 << 7 // zmm16 to zmm31

	stateAVX    = stateXMM | stateYMM
	stateAVX512 = stateAVX | stateMask | stateZMM | stateZMM2
)

// detectX86 reads the features from CPUID (Intel SDM, volume 2, "CPUID"). What
// needs wide registers counts only where XCR0 says that they are saved: under
// some hypervisors and kernel settings CPUID alone promises more. xgetbv
// returns the low half of XCR0 and is called only where it exists.
//
// Older versions of macOS set the AVX-512 bits of XCR0 on first use; there the
// narrower tiers serve.
func detectX86(cpuid cpuidFunc, xgetbv func() uint32) Features {
	last, _, _, _ := cpuid(0, 0)
	if last < 1 {
		return 0
	}
	_, _, c1, _ := cpuid(1, 0)
	var b7, c7 uint32
	if last >= 7 {
		_, b7, c7, _ = cpuid(7, 0)
	}

	var f Features
	add := func(feature Features, have, need uint32) {
		if have&need == need {
			f |= feature
		}
	}
	add(PCLMUL, c1, 1<<1)
	add(SSSE3, c1, 1<<9)
	add(SSE41, c1, 1<<19)
	add(AESNI, c1, 1<<25)
	add(BMI2, b7, 1<<8)

	const osxsave = 1 << 27
	if c1&osxsave == 0 {
		return f
	}
	xcr0 := xgetbv()
	if xcr0&stateAVX == stateAVX {
		add(AVX, c1, 1<<28)
		add(AVX2, b7, 1<<5)
		add(GFNI, c7, 1<<8)
		add(VAES, c7, 1<<9|1<<10)
	}
	if xcr0&stateAVX512 == stateAVX512 {
		add(AVX512, b7, 1<<16|1<<17|1<<30|1<<31)
	}
	return f
}

// brandX86 reads the processor's name from the extended leaves.
func brandX86(cpuid cpuidFunc) string {
	const first, last = 0x80000002, 0x80000004
	if top, _, _, _ := cpuid(0x80000000, 0); top < last {
		return ""
	}
	var b []byte
	for leaf := uint32(first); leaf <= last; leaf++ {
		eax, ebx, ecx, edx := cpuid(leaf, 0)
		for _, r := range []uint32{eax, ebx, ecx, edx} {
			b = binary.LittleEndian.AppendUint32(b, r)
		}
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return strings.Join(strings.Fields(string(b)), " ")
}
