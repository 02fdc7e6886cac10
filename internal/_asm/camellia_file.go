package main

import "github.com/mmcloughlin/avo/operand"

// camelliaAVX512File is the tier with GFNI and AVX-512: 64 blocks in 64-byte
// registers, 32 in halves of those, 4 in one, and 1. (16 in quarters would take as long
// as 32 do: that of the rounds, one after another.)
func camelliaAVX512File() *asm {
	t := &camelliaTier{asm: newAsm(avx512), name: "GfniAvx512", gfni: true, avx2: true, constants: map[string]operand.Mem{}}
	t.asm.shareWipe()
	one, four := t.one(width{16, true}), newCamelliaFew(t, avx512)
	four.emit()
	full, half := camelliaSliced{camelliaTier: t, w: avx512}, camelliaSliced{camelliaTier: t, w: width{32, true}}
	full.emit()
	half.emit()
	full.narrower = []core{half, four, one}
	full.ecb()
	full.ctr()
	feedback(t.asm, full)
	ocb(t.asm, full)
	x := xtsFront{asm: t.asm, core: full, size: 32 * 16}
	x.tables()
	x.shared()
	lanes(t.asm, full)
	return t.asm
}

// camelliaFile is a tier without AVX-512: two batches of 16 blocks a 16-byte lane, or
// one, and 1 block.
func camelliaFile(w width, tier camelliaTier) func() *asm {
	return func() *asm {
		t := tier
		t.asm, t.avx2, t.constants = newAsm(w), w.bytes > 16, map[string]operand.Mem{}
		t.asm.shareWipe()
		one := t.one(avx)
		c := camelliaSlots{camelliaTier: &t, w: w}
		c.emit()
		c.passes()
		c.ecb(one)
		c.ctr()
		c.feedback()
		c.xex()
		c.lanes(one)
		return t.asm
	}
}

// one writes what there is for single blocks.
func (t *camelliaTier) one(w width) core {
	var one interface {
		core
		emit()
		function()
		serial()
	} = newCamelliaFew(t, w)
	if !t.gfni {
		one = newCamelliaOne(t)
	}
	one.emit()
	one.function()
	one.serial()
	return one
}
