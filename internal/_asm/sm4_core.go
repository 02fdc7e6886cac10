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
	n        int // groups
	narrower []core
}

func (c sm4Core) suffix() string                 { return c.name }
func (c sm4Core) regs() []reg.VecPhysical        { return c.rs(0, 4*c.n) }
func (c sm4Core) free() []reg.VecPhysical        { return c.rs(4*c.n, c.registers()-4*c.n) }
func (c sm4Core) keeps() bool                    { return false }
func (c sm4Core) whitening() (operand.Mem, bool) { return operand.Mem{}, false }
func (c sm4Core) narrow() []core                 { return c.narrower }

func (c sm4Core) group(g int) []reg.VecPhysical { return c.rs(4*g, 4) }
func (c sm4Core) size() int                     { return len(c.regs()) * c.width.bytes }
func (c sm4Core) part(name string) string       { return fmt.Sprintf("%s%d", name, c.n) }

func (c sm4Core) begin(enc bool) {
	c.Load(c.Param("k"), key)
	if !enc {
		c.ADDQ(imm(keyDec), key)
	}
}

func (c sm4Core) call(bool) {
	c.callCore(c.part("slice"))
	c.callCore(c.part("rounds"))
	c.callCore(c.part("join"))
}

func (c sm4Core) emit() {
	f := c.free()
	of := fmt.Sprintf(" of %d groups", c.n)
	c.coreFn(c.part("slice"), "makes words of the blocks"+of+". Clobbers the six registers behind them.")
	in := c.linear("in", sm4In, f[2:])
	for g := range c.n {
		for _, r := range c.group(g) {
			in(r)
		}
		c.transpose(c.group(g), f[0], f[1])
	}
	c.RET()

	c.coreFn(c.part("join"), "makes blocks of the words"+of+". Clobbers the six registers behind them.")
	out := c.linear("out", sm4Out, f[2:])
	for g := range c.n {
		c.transpose(c.group(g), f[0], f[1])
		for _, r := range c.group(g) {
			out(r)
		}
	}
	c.RET()

	c.coreFn(c.part("rounds"), "is SM4 (GB/T 32907, section 7.1) on the words"+of+".",
		"key = round keys in the order of use. Clobbers every vector register, loop and flags.",
		"A round: t = X1 ^ X2 ^ X3 ^ rk, and with a = map 0 and c = map 3 of t's inverse and d = a ^ c",
		"X0 ^= a ^ d<<<8 ^ d<<<16 ^ c<<<24.")
	round := c.round()
	top := c.label("rounds")
	c.XORQ(loop, loop)
	c.Label(top)
	for i := range 4 {
		round(i)
	}
	c.ADDQ(imm(16), loop)
	c.CMPQ(loop, imm(128))
	c.JNE(operand.LabelRef(top))
	for g := range c.n { // the reversal R
		s := c.group(g)
		for i := range 2 {
			c.mov(s[i], f[g])
			c.mov(s[3-i], s[i])
			c.mov(f[g], s[3-i])
		}
	}
	c.RET()
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

func (c sm4Core) roundGfni() func(i int) {
	f := c.free()
	m0, m1, m3, f := f[0], f[1], f[2], f[3:]
	c.bcast(c.matrix("round0", sm4Round[0]), m0)
	c.bcast(c.matrix("round1", sm4Round[1]), m1)
	c.bcast(c.matrix("round3", sm4Round[3]), m3)
	c0, c1, c3 := operand.U8(sm4Round[0].c), operand.U8(sm4Round[1].c), operand.U8(sm4Round[3].c)
	turn := []operand.Op{1: c.turn(1, false), 2: c.turn(2, false), 3: c.turn(3, false)}
	if !c.evex {
		a, b, d, e := f[0], f[1], f[2], f[3]
		return func(i int) {
			c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
				c.VBROADCASTSS(roundKey(i), a)
				c.VPXOR(x1, a, a)
				c.VPXOR(x2, a, a)
				c.VPXOR(x3, a, a)
				c.VGF2P8AFFINEINVQB(c3, m3, a, d)
				c.VGF2P8AFFINEINVQB(c1, m1, a, b)
				c.VGF2P8AFFINEINVQB(c0, m0, a, a)
				c.VPSHUFB(turn[3], d, d)
				c.VPSHUFB(turn[1], b, e)
				c.VPSHUFB(turn[2], b, b)
				c.VPXOR(a, x0, x0)
				c.VPXOR(d, x0, x0)
				c.VPXOR(e, b, b)
				c.VPXOR(b, x0, x0)
			})
		}
	}
	for j, m := range turn {
		if m != nil {
			turn[j], f = f[0], f[1:]
			c.mov(m, turn[j])
		}
	}
	a, b, d, e := f[0], f[1], f[2], f[3]
	xor3 := operand.U8(0x96)
	return func(i int) {
		c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
			c.VPXORD_BCST(roundKey(i), x1, a)
			c.VPTERNLOGD(xor3, x2, x3, a)
			c.VGF2P8AFFINEINVQB(c3, m3, a, d)
			c.VGF2P8AFFINEINVQB(c1, m1, a, b)
			c.VGF2P8AFFINEINVQB(c0, m0, a, a)
			c.VPSHUFB(turn[3], d, d)
			c.VPTERNLOGD(xor3, a, d, x0)
			c.VPSHUFB(turn[1], b, e)
			c.VPSHUFB(turn[2], b, b)
			c.VPTERNLOGD(xor3, b, e, x0)
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
	c.bcast(low, l0)
	c.bcast(high, h0)
	low, high = c.tables("round3", afterAES(sm4Round[3]))
	c.bcast(low, l3)
	c.bcast(high, h3)
	a, b, d, e := f[4], f[5], f[6], f[7]
	return func(i int) {
		c.each(i, func(x0, x1, x2, x3 reg.VecPhysical) {
			c.VBROADCASTSS(roundKey(i), a)
			c.VPXOR(x1, a, a)
			c.VPXOR(x2, a, a)
			c.VPXOR(x3, a, a)
			c.subBytes(a, b)
			c.halves(a, b)
			c.VPSHUFB(a, l3, d)
			c.VPSHUFB(b, h3, e)
			c.VPXOR(e, d, d)
			c.VPSHUFB(a, l0, a)
			c.VPSHUFB(b, h0, b)
			c.VPXOR(b, a, a)
			c.VPXOR(a, d, b)
			c.VPSHUFB(c.turn(0, true), a, a)
			c.VPSHUFB(c.turn(3, true), d, d)
			c.VPSHUFB(c.turn(1, true), b, e)
			c.VPSHUFB(c.turn(2, true), b, b)
			c.VPXOR(a, x0, x0)
			c.VPXOR(d, x0, x0)
			c.VPXOR(e, b, b)
			c.VPXOR(b, x0, x0)
		})
	}
}

// subBytes is AESENCLAST on each lane of x.
func (t *sm4Tier) subBytes(x, u reg.VecPhysical) {
	k := t.mask()
	if x.Size() == 32 {
		t.VEXTRACTI128(imm(1), x, u.AsX())
		t.VAESENCLAST(k, u.AsX(), u.AsX())
	}
	t.VAESENCLAST(k, x.AsX(), x.AsX())
	if x.Size() == 32 {
		t.VINSERTI128(imm(1), u.AsX(), x, x)
	}
}
