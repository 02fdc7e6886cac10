package main

import "github.com/mmcloughlin/avo/operand"

// camelliaAVX512File is the tier with GFNI and AVX-512: 64 blocks in 64-byte
// registers, 32 and 16 in halves and quarters of those, 4 in one, and 1.
func camelliaAVX512File() *asm {
	t := &camelliaTier{asm: newAsm(avx512), name: "GfniAvx512", gfni: true, constants: map[string]operand.Mem{}}
	one, four := newCamelliaFew(t, width{16, true}), newCamelliaFew(t, avx512)
	one.emit()
	one.function()
	one.serial()
	four.emit()
	full := camelliaSliced{camelliaTier: t, w: avx512}
	full.emit()
	for _, n := range []int{32, 16} {
		c := camelliaSliced{camelliaTier: t, w: width{n, true}}
		c.emit()
		full.narrower = append(full.narrower, c)
	}
	full.narrower = append(full.narrower, four, one)
	full.ecb()
	full.ctr()
	feedback(t.asm, full)
	ocb(t.asm, full)
	xts(t.asm, full)
	lanes(t.asm, full)
	return t.asm
}
