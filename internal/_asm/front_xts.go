package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// xts writes XTS over whole blocks (IEEE 1619, section 5.3): s is the tweak of the
// first block, T, and is left at that of the next. The tweak of block j is T x^j,
// with 128-bit numbers in little-endian order.
func xts(a *asm, c core) {
	x := xtsFront{asm: a, core: c, size: len(c.regs()) * a.bytes}
	if kept := a.masks(c) && c.keeps() && len(c.free()) >= 6+len(c.regs()); kept {
		x.tables()
		x.both(x.fromVectors)
	} else {
		x.subroutine()
		x.both(x.fromFrame)
	}
}

// xtsGB writes XTS as xts does, with the tweaks of GB/T 17964-2021: the coefficient of
// x^i is in bit 7-i%8 of byte i/8, where IEEE 1619 has bit i%8.
func xtsGB(a *asm, c core) {
	x := xtsFront{asm: a, core: c, size: len(c.regs()) * a.bytes, gb: "GB"}
	x.subroutine()
	x.both(x.fromFrame)
}

type xtsFront struct {
	asm *asm
	core
	gb          string // "GB" or empty
	size        int    // of a group, in bytes
	left, right operand.Mem
}

func (x xtsFront) standard() string {
	return map[string]string{"": "IEEE 1619, section 5.3", "GB": "GB/T 17964-2021"}[x.gb]
}

// both writes encryption and decryption.
func (x xtsFront) both(body func(enc bool)) {
	for _, enc := range directions {
		name := map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc] + x.gb
		x.asm.mode(x.core, name, modeParams, enc, "is XTS over whole blocks ("+x.standard()+"); s is left at the next tweak.")
		body(enc)
		x.asm.done()
	}
}

// work is what there is to do with the tweaks of a group, for those blocks that m says
// there are. more is done while the core is at work.
func (x xtsFront) work(enc bool, m mask, tweak func(i int) operand.Op, more func()) {
	w := x.free()[0]
	x.asm.white(x.core, w)
	for i, b := range x.regs() {
		x.asm.inputSome(x.core, at(src, i*x.asm.bytes), w, m(i), b)
		x.asm.xor(tweak(i), b, b)
	}
	more()
	x.call(enc)
	for i, b := range x.regs() {
		x.asm.xor(tweak(i), b, b)
		x.asm.storeSome(b, m(i), at(dst, i*x.asm.bytes))
	}
}

// fromFrame has tweaks made in general registers, which the core leaves idle, for
// the next group while it works on this one: neither waits for the other. They lie
// on the stack, those of this group and of the next in turns in its halves.
func (x xtsFront) fromFrame(enc bool) {
	frame, group := x.asm.AllocLocal(2*x.size), t1 // the group's half
	next := func() {
		x.asm.MOVQ(group, t0)
		x.asm.XORQ(imm(x.size), t0)
		m := frame
		m.Index, m.Scale = t0, 1
		x.asm.LEAQ(m, t0)
		x.asm.callCore("tweaks" + x.gb + x.suffix())
	}
	tweak := func(i int) operand.Op {
		m := frame.Offset(i * x.asm.bytes)
		m.Index, m.Scale = group, 1
		return m
	}
	x.asm.XORQ(group, group)
	next()
	x.asm.groups(x.core, func() {
		x.asm.XORQ(imm(x.size), group)
		x.work(enc, whole, tweak, next)
	})
	x.asm.XORQ(imm(x.size), group)
	t := x.free()[0]
	x.asm.mov(tweak(0), t)
	x.asm.mov(t.AsX(), at(state, 0))
	x.asm.zeroFrame(frame, 2*x.size)
	x.asm.forgetTweak()
}

// tweakScratch is what subroutine leaves the next tweak, and its top bit, in.
var tweakScratch = []reg.GPPhysical{t3, t4, loop}

// forgetTweak clears that.
func (a *asm) forgetTweak() {
	for _, r := range tweakScratch {
		a.XORQ(r, r)
	}
}

// subroutine writes what makes the tweaks of a group one by one.
func (x xtsFront) subroutine() {
	x.asm.coreFn("tweaks"+x.gb+x.suffix(),
		"writes the tweaks of a group to t0, the first of which is s, and leaves s at the next.",
		"A doubling is a shift by a bit; a bit that falls out counts 0x87.",
		"Clobbers t0, t2, t3, t4, loop and flags.")
	lo, hi, out := tweakScratch[0], tweakScratch[1], tweakScratch[2]
	x.asm.MOVQ(at(state, 0), lo)
	x.asm.MOVQ(at(state, 8), hi)
	if x.gb != "" { // the bytes in the other order, and so all bits
		x.asm.BSWAPQ(lo)
		x.asm.BSWAPQ(hi)
	}
	x.asm.LEAQ(at(t0, x.size), t2)
	top := x.asm.label("tweaks")
	x.asm.Label(top)
	for i := range 4 {
		if x.gb != "" {
			x.doubleGB(lo, hi, out, at(t0, 16*i))
		} else {
			x.double(lo, hi, out, at(t0, 16*i))
		}
	}
	x.asm.ADDQ(imm(64), t0)
	x.asm.CMPQ(t0, t2)
	x.asm.JNE(operand.LabelRef(top))
	if x.gb != "" {
		x.asm.BSWAPQ(lo)
		x.asm.BSWAPQ(hi)
	}
	x.asm.MOVQ(lo, at(state, 0))
	x.asm.MOVQ(hi, at(state, 8))
	x.asm.RET()
}

// double stores a tweak and makes the next.
func (x xtsFront) double(lo, hi, out reg.GPPhysical, to operand.Mem) {
	x.asm.MOVQ(lo, to)
	x.asm.MOVQ(hi, to.Offset(8))
	x.asm.MOVQ(hi, out)
	x.asm.SARQ(imm(63), out)
	x.asm.ANDL(imm(0x87), out.As32())
	x.asm.ADDQ(lo, lo)
	x.asm.ADCQ(hi, hi)
	x.asm.XORQ(out, lo)
}

// doubleGB is double with all bits in the opposite order, 0x87 too, and lo the half
// with the lower powers of x as there.
func (x xtsFront) doubleGB(lo, hi, out reg.GPPhysical, to operand.Mem) {
	x.asm.MOVQ(lo, out)
	x.asm.BSWAPQ(out)
	x.asm.MOVQ(out, to)
	x.asm.MOVQ(hi, out)
	x.asm.BSWAPQ(out)
	x.asm.MOVQ(out, to.Offset(8))
	x.asm.SHRQ(imm(1), lo)
	x.asm.RCRQ(imm(1), hi)
	x.asm.SBBQ(out, out)
	x.asm.ANDL(imm(0xe1), out.As32())
	x.asm.SHLQ(imm(56), out)
	x.asm.XORQ(out, lo)
}

// fromVectors makes tweaks in vector registers. A core with so many blocks in so
// short a time as AES's with 64-byte registers would wait for a doubling a block,
// but T x^j is, for j below 32, T shifted left by j bits and the bits that fell out
// times 0x87. (Carry-less multiplication would keep AES from its pipes too long.)
func (x xtsFront) fromVectors(enc bool) {
	x.asm.MOVL(operand.U32(0x55), t0.As32())
	x.asm.KMOVW(t0.As32(), lowQuads)
	group := func() {
		x.some(enc, whole, func(base, swapped, u reg.VecPhysical) {
			x.asm.VPSRLDQ(imm(16-x.size/128), base, u)
			x.asm.VPSLLDQ(imm(x.size/128), base, base)
		})
	}
	x.asm.anyBlocks(x.core, group, func() {
		x.asm.masked(x.core, func(c core, m mask) {
			x := x
			x.core = c
			x.some(enc, m, func(base, swapped, u reg.VecPhysical) {
				by := func(table operand.Mem) operand.Mem { // left quadwords are twice as many blocks
					x.asm.LEAQ(table, t0)
					return operand.Mem{Base: t0, Index: left, Scale: 8}
				}
				n := x.free()[1]
				x.asm.bcast(by(x.right), n)
				x.asm.VPSRLVQ(n, swapped, u)
				x.asm.bcast(by(x.left), n)
				x.asm.VPSLLVQ(n, base, base)
			})
		})
	})
}

// shared writes both directions for a core that is the same for both but for its round
// keys, and that takes all registers: tweaks are made before, 32 blocks' at a time, and
// wait on the stack.
func (x xtsFront) shared() {
	group := len(x.regs()) * x.asm.bytes
	const name = "xts"
	x.asm.coreFn(name, "is XTS in either direction ("+x.standard()+"), with memory for a group of tweaks at t4.")
	f := x.free()
	base, swapped, t, u, w := f[2], f[3], f[4], f[5], f[len(f)-1]
	x.asm.MOVL(operand.U32(0x55), t0.As32())
	x.asm.KMOVW(t0.As32(), lowQuads)
	x.asm.groups(x.core, func() {
		x.asm.bcast(at(state, 0), base)
		x.asm.white(x.core, w)
		for i, b := range x.regs() {
			off := i * 64 % x.size
			if off == 0 {
				x.asm.VPSHUFD(operand.U8(0x4e), base, swapped)
			}
			x.asm.VPSLLVQ(x.left.Offset(off), base, t)
			x.asm.VPSRLVQ(x.right.Offset(off), swapped, u) // low: what fell out; high: the carry between halves
			x.addLow(u, t, f[1], f[0])
			x.asm.mov(t, at(t4, 64*i))
			x.asm.addWhite(x.core, w, t)
			x.asm.xor(at(src, 64*i), t, b)
			if off+64 == x.size {
				x.asm.VPSRLDQ(imm(12), base, u)
				x.asm.VPSLLDQ(imm(4), base, base)
				x.addLow(u, base, f[1], f[0])
			}
		}
		x.asm.mov(base.AsX(), at(state, 0))
		x.call(true)
		for i, b := range x.regs() {
			x.asm.xor(at(t4, 64*i), b, b)
			x.asm.mov(b, at(dst, 64*i))
		}
	})
	x.asm.RET()
	x.both(func(bool) {
		size := group + x.asm.bytes
		frame := x.asm.AllocLocal(size)
		x.asm.LEAQ(frame.Offset(x.asm.bytes-1), t4)
		x.asm.ANDQ(imm(-x.asm.bytes), t4) // the stack is aligned to 8 bytes
		x.asm.callCore(name)
		x.asm.zeroFrame(frame, size)
	})
}

// some works those blocks of a group that m says there are. next shifts base, the
// first tweak, so that it becomes the next group's, and leaves in u what fell out, as
// addLow takes it; swapped is base with its halves exchanged.
func (x xtsFront) some(enc bool, m mask, next func(base, swapped, u reg.VecPhysical)) {
	f := x.free()
	base, swapped, u := f[2], f[3], f[4]
	x.asm.bcast(at(state, 0), base)
	x.asm.VPSHUFD(operand.U8(0x4e), base, swapped)
	for i := range x.regs() {
		t := f[6+i]
		x.asm.VPSLLVQ(x.left.Offset(i*x.asm.bytes), base, t)
		x.asm.VPSRLVQ(x.right.Offset(i*x.asm.bytes), swapped, u) // low: what fell out; high: the carry between halves
		x.addLow(u, t, f[1], f[0])
	}
	next(base, swapped, u)
	x.addLow(u, base, f[1], f[0])
	x.asm.mov(base.AsX(), at(state, 0))
	x.work(enc, m, func(i int) operand.Op { return f[6+i] }, func() {})
}

// lowQuads is the mask that addLow wants, 0x55. (The first ones are those of tails.)
var lowQuads = reg.K7

// tables are the shifts of each block's tweak.
func (x *xtsFront) tables() {
	n := x.size / 16
	if n > 32 {
		panic("xts: more bits fall out than a product with 0x87 has room for")
	}
	x.left = x.asm.table("shiftLeft"+x.suffix(), n, func(i int) (lo, hi uint64) { return uint64(i), uint64(i) })
	x.right = x.asm.table("shiftRight"+x.suffix(), n, func(i int) (lo, hi uint64) { return 64 - uint64(i), 64 - uint64(i) })
}

// addLow adds to t the high quadword of u, and its low one times 0x87.
func (x xtsFront) addLow(u, t, v, w reg.VecPhysical) {
	x.asm.VPADDQ_Z(u, u, lowQuads, v)
	x.asm.VPSLLQ_Z(imm(7), u, lowQuads, w)
	x.asm.xor3(u, v, t, nil)
	x.asm.VPADDQ(v, v, v)
	x.asm.xor3(v, w, t, nil)
}
