//go:build !purego

package cpu

//go:noescape
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

//go:noescape
func xgetbv() uint32

func detect() Features { return detectX86(cpuid, xgetbv) }

func brand() string { return brandX86(cpuid) }
