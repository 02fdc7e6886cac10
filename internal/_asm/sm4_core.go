package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sm4Core is SM4 on groups of 4 registers at the tier's width. In a group's first
// register are the first words of its blocks, and so on.
type sm4Core struct {
	*sm4Tier
	n     int  // groups
	sure  int  // blocks that there are at least when this core is chosen
	whole bool // all blocks are there, and no code for fewer is needed
}

func (c sm4Core) suffix() string                 { return c.name }
func (c sm4Core) regs() []reg.VecPhysical        { return c.asm.rs(0, 4*c.n) }
func (c sm4Core) free() []reg.VecPhysical        { return c.asm.rs(4*c.n, c.asm.registers()-4*c.n) }
func (c sm4Core) keeps() bool                    { return false }
func (c sm4Core) whitening() (operand.Mem, bool) { return operand.Mem{}, false }
func (c sm4Core) narrow() []core                 { return nil }

func (c sm4Core) group(g int) []reg.VecPhysical { return c.asm.rs(4*g, 4) }
func (c sm4Core) size() int                     { return len(c.regs()) * c.asm.width.bytes }
func (c sm4Core) part(name string) string       { return fmt.Sprintf("%s%d", name, c.n) }

func (c sm4Core) begin(enc bool) {
	c.asm.Load(c.asm.Param("k"), key)
	if !enc {
		c.asm.ADDQ(imm(keyDec), key)
	}
}

func (c sm4Core) call(bool) {
	c.asm.callCore(c.part("slice"))
	c.asm.callCore(c.part("rounds"))
	c.asm.callCore(c.part("join"))
}

func (c sm4Core) emit() {
	f := c.free()
	of := of(c.n)
	c.asm.coreFn(c.part("slice"), "makes words of the blocks"+of+". Clobbers the five registers behind them.")
	in := c.linear("in", sm4In, f[2:])
	for g := range c.n {
		for _, r := range c.group(g) {
			in(r)
		}
		c.transpose(c.group(g), f[0], f[1])
	}
	c.asm.RET()

	c.asm.coreFn(c.part("join"), "makes blocks of the words"+of+". Clobbers the five registers behind them.")
	out := c.linear("out", sm4Out, f[2:])
	for g := range c.n {
		c.transpose(c.group(g), f[0], f[1])
		for _, r := range c.group(g) {
			out(r)
		}
	}
	c.asm.RET()

	c.asm.coreFn(c.part("rounds"), "is SM4 (GB/T 32907, section 7.1) on the words"+of+".",
		"key = round keys in the order of use. Clobbers every vector register, loop and flags.",
		"A round: t = X1 ^ X2 ^ X3 ^ rk, and with a, b and c for maps 0, 1 and 3 of t's inverse",
		"X0 ^= a ^ b<<<8 ^ b<<<16 ^ c<<<24.")
	round := c.round()
	top := c.asm.label("rounds")
	c.asm.XORQ(loop, loop)
	c.asm.Label(top)
	for i := range 4 {
		round(i)
	}
	c.asm.ADDQ(imm(16), loop)
	c.asm.CMPQ(loop, imm(128))
	c.asm.JNE(operand.LabelRef(top))
	for g := range c.n { // the reversal R
		s := c.group(g)
		for i := range 2 {
			c.asm.mov(s[i], f[g])
			c.asm.mov(s[3-i], s[i])
			c.asm.mov(f[g], s[3-i])
		}
	}
	c.asm.RET()
}

// round loads a core's constants and returns code of round i of four.
func (c sm4Core) round() func(i int) {
	if c.gfni {
		return c.roundGfni()
	}
	return c.roundAES()
}

func roundKey(i int) operand.Mem { return operand.Mem{Base: key, Index: loop, Scale: 1, Disp: 4 * i} }

// each calls f with each group's words, in the order of round i.
func (c sm4Core) each(i int, f func(x0, x1, x2, x3 reg.VecPhysical)) {
	for g := range c.n {
		x := c.group(g)
		f(x[i], x[(i+1)%4], x[(i+2)%4], x[(i+3)%4])
	}
}

// roundGfni has each map made with an inversion of its own. Maps 1 and 2 are one. It
// is the sum of the others, too, but that would be a step more on the way to the next
// round, which counts, and no instruction less.
func (c sm4Core) roundGfni() func(i int) {
	f := c.free()
	m0, m1, m3, f := f[0], f[1], f[2], f[3:]
	c.asm.bcast(c.matrix("round0", sm4Round[0]), m0)
	c.asm.bcast(c.matrix("round1", sm4Round[1]), m1)
	c.asm.bcast(c.matrix("round3", sm4Round[3]), m3)
	c0, c1, c3 := operand.U8(sm4Round[0].c), operand.U8(sm4Round[1].c), operand.U8(sm4Round[3].c)
	turn := []operand.Op{1: c.turn(1, false), 2: c.turn(2, false), 3: c.turn(3, false)}
	if !c.asm.evex {
		a, b, d, e := f[0], f[1], f[2], f[3]
		return func(i int) {
			c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
				c.asm.VBROADCASTSS(roundKey(i), a)
				c.asm.VPXOR(x1, a, a)
				c.asm.VPXOR(x2, a, a)
				c.asm.VPXOR(x3, a, a)
				c.asm.VGF2P8AFFINEINVQB(c3, m3, a, d)
				c.asm.VGF2P8AFFINEINVQB(c1, m1, a, b)
				c.asm.VGF2P8AFFINEINVQB(c0, m0, a, a)
				c.asm.VPSHUFB(turn[3], d, d)
				c.asm.VPSHUFB(turn[1], b, e)
				c.asm.VPSHUFB(turn[2], b, b)
				c.asm.VPXOR(a, x0, x0)
				c.asm.VPXOR(d, x0, x0)
				c.asm.VPXOR(e, b, b)
				c.asm.VPXOR(b, x0, x0)
			})
		}
	}
	for j, m := range turn {
		if m != nil {
			turn[j], f = f[0], f[1:]
			c.asm.mov(m, turn[j])
		}
	}
	a, b, d, e := f[0], f[1], f[2], f[3]
	xor3 := operand.U8(0x96)
	return func(i int) {
		c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
			c.asm.VPXORD_BCST(roundKey(i), x1, a)
			c.asm.VPTERNLOGD(xor3, x2, x3, a)
			c.asm.VGF2P8AFFINEINVQB(c3, m3, a, d)
			c.asm.VGF2P8AFFINEINVQB(c1, m1, a, b)
			c.asm.VGF2P8AFFINEINVQB(c0, m0, a, a)
			c.asm.VPSHUFB(turn[3], d, d)
			c.asm.VPTERNLOGD(xor3, a, d, x0)
			c.asm.VPSHUFB(turn[1], b, e)
			c.asm.VPSHUFB(turn[2], b, b)
			c.asm.VPTERNLOGD(xor3, b, e, x0)
		})
	}
}

// roundAES has AESENCLAST invert. With it come ShiftRows, which the rotations undo,
// and SubBytes's affine map, which the tables undo. Maps 1 and 2 are made as the sum
// of the others.
func (c sm4Core) roundAES() func(i int) {
	f := c.free()
	l0, h0, l3, h3 := f[0], f[1], f[2], f[3]
	low, high := c.tables("round0", afterAES(sm4Round[0]))
	c.asm.bcast(low, l0)
	c.asm.bcast(high, h0)
	low, high = c.tables("round3", afterAES(sm4Round[3]))
	c.asm.bcast(low, l3)
	c.asm.bcast(high, h3)
	a, b, d, e := f[4], f[5], f[6], f[7]
	return func(i int) {
		c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
			c.asm.VBROADCASTSS(roundKey(i), a)
			c.asm.VPXOR(x1, a, a)
			c.asm.VPXOR(x2, a, a)
			c.asm.VPXOR(x3, a, a)
			c.subBytes(a, b)
			c.halves(a, b)
			c.asm.VPSHUFB(a, l3, d)
			c.asm.VPSHUFB(b, h3, e)
			c.asm.VPXOR(e, d, d)
			c.asm.VPSHUFB(a, l0, a)
			c.asm.VPSHUFB(b, h0, b)
			c.asm.VPXOR(b, a, a)
			c.asm.VPXOR(a, d, b)
			c.asm.VPSHUFB(c.turn(0, true), a, a)
			c.asm.VPSHUFB(c.turn(3, true), d, d)
			c.asm.VPSHUFB(c.turn(1, true), b, e)
			c.asm.VPSHUFB(c.turn(2, true), b, b)
			c.asm.VPXOR(a, x0, x0)
			c.asm.VPXOR(d, x0, x0)
			c.asm.VPXOR(e, b, b)
			c.asm.VPXOR(b, x0, x0)
		})
	}
}

// subBytes is AESENCLAST on each lane of x.
func (t *sm4Tier) subBytes(x, u reg.VecPhysical) {
	k := t.mask()
	if x.Size() == 32 {
		t.asm.VEXTRACTI128(imm(1), x, u.AsX())
		t.asm.VAESENCLAST(k, u.AsX(), u.AsX())
	}
	t.asm.VAESENCLAST(k, x.AsX(), x.AsX())
	if x.Size() == 32 {
		t.asm.VINSERTI128(imm(1), u.AsX(), x, x)
	}
}

func of(groups int) string {
	if groups == 1 {
		return " of one group"
	}
	return fmt.Sprintf(" of %d groups", groups)
}
