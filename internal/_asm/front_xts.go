package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// xts writes XTS over whole blocks (IEEE 1619, section 5.3): s is the tweak of the
// first block, T, and is left at that of the next.
//
// The tweak of block j is T x^j, with 128-bit numbers in little-endian order. For j
// below 32 that is T shifted left by j bits, and the bits that fell out times 0x87
// added at the bottom. The tweaks of 32 blocks so follow from one T, and T x^32 is
// the next. (Without shifts by a vector, from 4 to 4: T x, x^2 and x^3 one by one.)
//
// Where 256-bit carry-less multiplication is at hand, it is the better way to
// multiply by 0x87; that of 512 bits keeps AES from its pipes for too long.
func xts(a *asm, c core, clmul bool) {
	x := xtsFront{asm: a, core: c, clmul: clmul && a.bytes == 32, per: 4}
	x.kept = c.keeps() && len(c.free()) >= 6+len(c.regs())
	if a.bytes == 16 {
		x.poly = a.table("xtsPoly"+c.suffix(), 1, func(int) (lo, hi uint64) { return 0x87, 1 })
	} else {
		x.per = 32
		for len(c.regs())*a.blocks()%x.per != 0 {
			x.per /= 2
		}
		x.left = a.table("shiftLeft"+c.suffix(), x.per, func(i int) (lo, hi uint64) { return uint64(i), uint64(i) })
		x.right = a.table("shiftRight"+c.suffix(), x.per, func(i int) (lo, hi uint64) { return 64 - uint64(i), 64 - uint64(i) })
	}
	if x.clmul {
		x.poly = a.table("xtsPoly"+c.suffix(), a.blocks(), func(int) (lo, hi uint64) { return 0x86, 0 })
	}
	if !a.evex {
		x.low = a.table("xtsLow"+c.suffix(), a.blocks(), func(int) (lo, hi uint64) { return 1<<64 - 1, 0 })
	}
	for _, enc := range directions {
		name := map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc]
		a.mode(c, name, modeParams, enc, "is XTS over whole blocks (IEEE 1619, section 5.3); s is left at the next tweak.")
		size := len(c.regs()) * a.bytes
		if !x.kept {
			x.frame = a.AllocLocal(size)
		}
		if a.evex { // K1 is the low quadwords
			a.MOVL(operand.U32(0x55), t0.As32())
			a.KMOVW(t0.As32(), reg.K1)
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
		if !x.kept {
			a.zeroFrame(x.frame, size)
		}
		a.done()
	}
}

type xtsFront struct {
	*asm
	core
	left, right, poly, low operand.Mem
	clmul                  bool
	per                    int         // how many tweaks follow from one T
	kept                   bool        // the tweaks stay in registers across the core,
	frame                  operand.Mem // else here
}

func (x xtsFront) tweak(i int) operand.Op {
	if x.kept {
		return x.free()[6+i]
	}
	return x.frame.Offset(i * x.bytes)
}

// tweaks makes the tweaks of a group, register by register, and advances s.
func (x xtsFront) tweaks(use func(i int, t reg.VecPhysical)) {
	f := x.free()
	base, swapped, u, v, w := f[2], f[3], f[4], f[1], f[0]
	x.bcast(at(state, 0), base)
	for i := range x.regs() {
		t := f[5]
		if x.kept {
			t = x.tweak(i).(reg.VecPhysical)
		}
		off := i * x.bytes % (16 * x.per) // in the tables
		switch {
		case x.bytes > 16:
			if off == 0 {
				x.VPSHUFD(operand.U8(0x4e), base, swapped)
			}
			x.VPSLLVQ(x.left.Offset(off), base, t)
			x.VPSRLVQ(x.right.Offset(off), swapped, u) // low: what fell out of T; high: the carry between halves
			x.addLow(u, t, v, w)
		case off == 0:
			x.mov(base, t)
		default:
			x.double(f[5], t, u)
		}
		if off+x.bytes == 16*x.per {
			x.advance(base, u, v, w)
		}
		if !x.kept {
			x.mov(t, x.tweak(i))
		}
		use(i, t)
	}
	x.mov(base.AsX(), at(state, 0))
}

// double is to = t x on one block.
func (x xtsFront) double(t, to, u reg.VecPhysical) {
	// Each dword's sign spread over it, and moved one dword up (the top one to the
	// bottom): 1 to add for a carry between halves, 0x87 for one out of the top.
	x.VPSRAD(imm(31), t, u)
	x.VPSHUFD(operand.U8(0x13), u, u)
	x.VPAND(x.poly, u, u)
	x.VPADDQ(t, t, to)
	x.xor(u, to, to)
}

// advance is t x^per.
func (x xtsFront) advance(t, u, v, w reg.VecPhysical) {
	if x.per < 8 {
		x.VPSHUFD(operand.U8(0x4e), t, u)
		x.VPSRLQ(imm(64-x.per), u, u)
		x.VPSLLQ(imm(x.per), t, t)
	} else {
		x.VPSRLDQ(imm(16-x.per/8), t, u)
		x.VPSLLDQ(imm(x.per/8), t, t)
	}
	x.addLow(u, t, v, w)
}

// addLow adds to t the high quadword of u, and its low one times 0x87.
func (x xtsFront) addLow(u, t, v, w reg.VecPhysical) {
	switch {
	case x.clmul:
		x.VPCLMULQDQ(imm(0), x.poly, u, v)
		x.xor(u, t, t)
		x.xor(v, t, t)
	case x.evex:
		x.VPADDQ_Z(u, u, reg.K1, v)
		x.VPSLLQ_Z(imm(7), u, reg.K1, w)
		x.xor3(u, v, t, nil)
		x.VPADDQ(v, v, v)
		x.xor3(v, w, t, nil)
	default:
		x.xor(u, t, t)
		x.VPAND(x.low, u, u)
		x.VPADDQ(u, u, v)
		x.VPSLLQ(imm(7), u, u)
		x.xor(v, t, t)
		x.VPADDQ(v, v, v)
		x.xor(u, t, t)
		x.xor(v, t, t)
	}
}
