//go:build !purego

package cpu

import "golang.org/x/sys/unix"

// detect reads AT_HWCAP of the auxiliary vector (Linux,
// Documentation/arch/arm64/elf_hwcaps.rst).
func detect() Features {
	const atHWCAP = 16
	auxv, err := unix.Auxv()
	if err != nil {
		return 0
	}
	var f Features
	for _, entry := range auxv {
		if entry[0] != atHWCAP {
			continue
		}
		for bit, feature := range map[uint]Features{1: NEON, 3: ARMAES, 4: PMULL, 19: ARMSM4} {
			if entry[1]>>bit&1 == 1 {
				f |= feature
			}
		}
	}
	return f
}

func brand() string { return "" }
