package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// camelliaSliced is Camellia with GFNI and AVX-512 on 16 registers of blocks. They
// are sliced into bytes: register i then holds byte i of all blocks, so that an
// S-box is two instructions on a register, and the P-function is sums of registers.
type camelliaSliced struct {
	*camelliaTier
	w        width
	narrower []core
}

func (c camelliaSliced) regs() []reg.VecPhysical { return c.w.rs(0, 16) }
func (c camelliaSliced) free() []reg.VecPhysical { return c.w.rs(16, 16) }
func (c camelliaSliced) narrow() []core          { return c.narrower }
func (c camelliaSliced) part(name string) string { return fmt.Sprintf("%s%d", name, 16*c.w.blocks()) }

func (c camelliaSliced) call(bool) {
	c.asm.callCore(c.part("slice"))
	c.asm.callCore(c.part("rounds"))
	c.asm.callCore(c.part("join"))
}

// What VPTERNLOG makes of x, y and z.
const (
	sum3  = operand.U8(0x96) // x ^ y ^ z
	sumOr = operand.U8(0x1e) // z ^ (x | y)
)

func (c camelliaSliced) emit() {
	blocks := 16 * c.w.blocks()
	c.asm.coreFn(c.part("slice"), fmt.Sprintf("slices %d blocks. Clobbers registers 16 to 31.", blocks))
	c.transpose(c.regs())
	c.asm.RET()

	c.asm.coreFn(c.part("join"), "makes blocks of registers 8 to 15 and 0 to 7. Clobbers registers 16 to 31.")
	c.transpose(append(c.w.rs(8, 8), c.w.rs(0, 8)...))
	c.asm.RET()

	c.asm.coreFn(c.part("rounds"), fmt.Sprintf("is Camellia (RFC 3713, section 2.3) on %d sliced blocks XOR the whitening.", blocks),
		"Out: D1 in registers 0 to 7 and D2, the block's first half, in 8 to 15.",
		"key, last = subkeys. Clobbers every vector register, loop and flags.")
	d1, d2 := c.w.rs(0, 8), c.w.rs(8, 8)
	maps := c.w.rs(24, 5)
	for i, m := range []affine{camelliaPre[0], camelliaPre[3], camelliaPost[0], camelliaPost[1], camelliaPost[2]} {
		c.everywhere(m.m, maps[i])
	}
	c.rounds(func() {
		c.round(d1, d2, 0, maps)
		c.round(d2, d1, 8, maps)
	}, func() {
		msb := c.w.r(29)
		c.everywhere(fromFunc(func(x byte) byte { return x >> 7 }), msb)
		c.or(d2, 8)
		c.and(d1, 0, msb)
		c.and(d2, 8, msb)
		c.or(d1, 0)
	})
	for i := range 8 {
		c.asm.xor(c.subkeyByte(i), d2[i], d2[i])
	}
	c.asm.RET()
}

// transpose transposes the 16x16 bytes of each lane of r into registers 0 to 15. r
// is of those too.
func (c camelliaSliced) transpose(r []reg.VecPhysical) {
	for _, to := range []int{16, 0, 16, 0} {
		out := c.w.rs(to, 16)
		for i := range 8 {
			c.asm.VPUNPCKLBW(r[i+8], r[i], out[2*i])
			c.asm.VPUNPCKHBW(r[i+8], r[i], out[2*i+1])
		}
		r = out
	}
}

// subkeyByte is a register full of byte i of the subkeys to use next.
func (c camelliaSliced) subkeyByte(i int) reg.VecPhysical {
	k := c.w.r(31)
	c.asm.VPBROADCASTB(c.subkey(i), k)
	return k
}

// round adds F of x, and the subkey at byte k, to r. With y1 … y8 for what the
// S-boxes make of x, sums without their signs, and
//
//	a = y3 y5 y8      c = y1 y6 y7      d = y2 y7 y8
//
// it is
//
//	z1 = y4 y5 a c    z5 = y1 y6 d
//	z2 = y4 y5 y1 d   z6 = y3 y5 d
//	z3 = y3 y5 c d    z7 = y4 y6 a
//	z4 = y4 y6 a d    z8 = y4 y5 c
//
// (RFC 3713, section 2.4.1): two sums of three, one after the other.
func (c camelliaSliced) round(x, r []reg.VecPhysical, k int, maps []reg.VecPhysical) {
	// What is needed first comes first, so that a round is the shorter when there is
	// nothing else to do.
	order := []int{7, 6, 1, 4, 2, 0, 5, 3}
	y := c.w.rs(16, 8)
	for _, i := range order {
		box := camelliaBox[i]
		c.asm.VGF2P8AFFINEQB(operand.U8(camelliaPre[box].c), maps[box/3], x[i], y[i])
	}
	for _, i := range order {
		box := camelliaBox[i]
		c.asm.VGF2P8AFFINEINVQB(operand.U8(camelliaPost[box].c), maps[2+box%3], y[i], y[i])
	}
	add := func(a, b, to reg.VecPhysical) { c.asm.VPTERNLOGQ(sum3, a, b, to) }
	for i := range 4 {
		c.asm.xor(c.subkeyByte(k+i), r[i], r[i])
	}
	y1, y2, y3, y4, y5, y6, y7, y8 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	add(y8, y7, y2)
	add(y5, y3, y8)
	add(y1, y6, y7)
	aa, cc, dd := y8, y7, y2
	for i, t := range [][2]reg.VecPhysical{{y4, y5}, {y4, y5}, {y3, y5}, {y4, y6}} {
		add(t[0], t[1], r[i])
	}
	for i, t := range []reg.VecPhysical{y1, y3, y4, y4} {
		add(c.subkeyByte(k+4+i), t, r[4+i])
	}
	rest := [][2]reg.VecPhysical{{aa, cc}, {y1, dd}, {cc, dd}, {aa, dd}, {y6, dd}, {y5, dd}, {y6, aa}, {y5, cc}}
	for _, i := range order {
		add(rest[i][0], rest[i][1], r[i])
	}
}

// and and or are the two lines of FL (RFC 3713, section 2.4.2) on a half of the
// blocks, with the subkey at byte k: x2 ^= (x1 & k1) <<< 1 and x1 ^= x2 | k2.
func (c camelliaSliced) and(x []reg.VecPhysical, k int, msb reg.VecPhysical) {
	t, out := c.w.rs(16, 4), c.w.rs(20, 4)
	for i := range 4 {
		c.asm.VPANDQ(c.subkeyByte(k+i), x[i], t[i])
		c.asm.VGF2P8AFFINEQB(imm(0), msb, t[i], out[i])
		c.asm.VPADDB(t[i], t[i], t[i])
	}
	for i := range 4 {
		c.asm.VPTERNLOGQ(sum3, out[(i+1)%4], t[i], x[4+i])
	}
}

func (c camelliaSliced) or(x []reg.VecPhysical, k int) {
	for i := range 4 {
		c.asm.VPTERNLOGQ(sumOr, c.subkeyByte(k+4+i), x[4+i], x[i])
	}
}
