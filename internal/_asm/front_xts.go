package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// xts writes XTS over whole blocks (IEEE 1619, section 5.3): s is the tweak of the
// first block, T, and is left at that of the next.
//
// The tweak of block j is T x^j, with 128-bit numbers in little-endian order. For j
// below 16 that is T shifted left by j bits, and the bits that fell out (at most
// 15) times 0x87 added at the bottom. The tweaks of 16 blocks so follow from one T,
// and T x^16 is the next.
func xts(a *asm, c core, clmul bool) {
	x := xtsFront{asm: a, core: c, clmul: clmul}
	x.frameNeeded = !(c.keeps() && len(c.free()) >= 6+len(c.regs()))
	if a.bytes > 16 {
		n := min(16, len(c.regs())*a.blocks())
		x.left = a.table("shiftLeft"+c.suffix(), n, func(i int) (lo, hi uint64) { return uint64(i), uint64(i) })
		x.right = a.table("shiftRight"+c.suffix(), n, func(i int) (lo, hi uint64) { return 64 - uint64(i), 64 - uint64(i) })
		x.poly = a.table("xtsPoly"+c.suffix(), a.blocks(), func(int) (lo, hi uint64) { return 0x86, 0x87 })
		x.low = a.table("xtsLow"+c.suffix(), a.blocks(), func(int) (lo, hi uint64) { return 1<<64 - 1, 0 })
	} else {
		x.poly = a.table("xtsPoly"+c.suffix(), 1, func(int) (lo, hi uint64) { return 0x87, 1 })
	}
	for _, enc := range directions {
		name := map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc]
		a.mode(c, name, modeParams, enc, "is XTS over whole blocks (IEEE 1619, section 5.3); s is left at the next tweak.")
		if x.frameNeeded {
			x.frame = a.AllocLocal(len(c.regs()) * a.bytes)
		}
		a.groups(c, func() {
			x.tweaks(func(i int, t reg.VecPhysical) {
				a.xor(at(src, i*a.bytes), t, c.regs()[i])
			})
			w := c.free()[0]
			a.white(c, w)
			for _, b := range c.regs() {
				a.addWhite(c, w, b)
			}
			c.call(enc)
			for i, b := range c.regs() {
				a.xor(x.tweak(i), b, b)
				a.mov(b, at(dst, i*a.bytes))
			}
		})
		if x.frameNeeded {
			a.zeroFrame(x.frame, len(c.regs())*a.bytes)
		}
		a.done()
	}
}

type xtsFront struct {
	*asm
	core
	left, right, poly, low operand.Mem
	frame                  operand.Mem
	frameNeeded            bool
	clmul                  bool // the tier has the wide carry-less multiplication
}

func (x xtsFront) tweak(i int) operand.Op {
	if x.frameNeeded {
		return x.frame.Offset(i * x.bytes)
	}
	return x.free()[6+i]
}

// tweaks makes the tweaks of a group, register by register, and advances s.
func (x xtsFront) tweaks(use func(i int, t reg.VecPhysical)) {
	f := x.free()
	base, swapped, u := f[2], f[3], f[4]
	x.bcast(at(state, 0), base)
	per := min(16, len(x.regs())*x.blocks())
	regs := per / x.blocks()
	for i := range x.regs() {
		t := f[5]
		if !x.frameNeeded {
			t = f[6+i]
		}
		if x.bytes == 16 {
			x.mov(base, t)
			x.double(base, u)
		} else {
			if i%regs == 0 {
				x.VPSHUFD(operand.U8(0x4e), base, swapped)
			}
			off := i % regs * x.bytes
			x.VPSLLVQ(x.left.Offset(off), base, t)
			x.VPSRLVQ(x.right.Offset(off), swapped, u) // low: what fell out of T; high: the carry between halves
			v := f[1]
			if x.clmul {
				x.VPCLMULQDQ(imm(0), x.poly, u, v) // times 0x86, for u itself is added too
			} else {
				x.times86(u, v, f[0])
				x.VPAND(x.low, v, v)
			}
			x.xor3(u, v, t, u)
			if i%regs == regs-1 {
				x.times16(base, u, v)
			}
		}
		if x.frameNeeded {
			x.mov(t, x.frame.Offset(i*x.bytes))
		}
		use(i, t)
	}
	x.mov(base.AsX(), at(state, 0))
}

// double is t x on one block.
func (x xtsFront) double(t, u reg.VecPhysical) {
	// Each dword's sign spread over it, and moved one dword up (the top one to the
	// bottom): 1 to add for a carry between halves, 0x87 for one out of the top.
	x.VPSRAD(imm(31), t, u)
	x.VPSHUFD(operand.U8(0x13), u, u)
	x.VPAND(x.poly, u, u)
	x.VPADDQ(t, t, t)
	x.xor(u, t, t)
}

// times86 is v = 0x86 u on the low bits of quadwords, without a multiplier.
func (x xtsFront) times86(u, v, w reg.VecPhysical) {
	x.VPSLLQ(imm(1), u, v)
	x.VPSLLQ(imm(2), u, w)
	x.xor(w, v, v)
	x.VPSLLQ(imm(7), u, w)
	x.xor(w, v, v)
}

// times16 is t x^16 on each block.
func (x xtsFront) times16(t, u, v reg.VecPhysical) {
	x.VPSRLDQ(imm(14), t, u)
	x.VPSLLDQ(imm(2), t, t)
	if x.clmul {
		x.VPCLMULQDQ(imm(0x10), x.poly, u, u) // times 0x87
	} else {
		x.times86(u, v, x.free()[0])
		x.xor(v, u, u)
	}
	x.xor(u, t, t)
}
