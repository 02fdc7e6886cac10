package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

// camelliaOne is camelliaFew for one block and with AESENCLAST for an inversion.
//
// Between the inversions of two rounds are the map behind the first and that before the
// second, each of which takes five instructions one after another. So a half of the
// block is kept under the map before, and both become one. Where the fourth S-box is
// next, that is with a rotation; all S-boxes then are the first, and what they give is
// rotated by as much as the S-boxes of both rounds say together.
type camelliaOne struct{ camelliaFew }

var (
	// camelliaTurns is how far the S-box of each byte of F's input rotates what the first
	// one gives, to the left, and camelliaTurned how far its input before.
	camelliaTurns  = [8]int{0, 1, -1, 0, 1, -1, 0, 0}
	camelliaTurned = [8]int{0, 0, 0, 1, 0, 0, 1, 0}
	// camelliaSteps is by how far those outputs are rotated that the shuffles take.
	camelliaSteps = []int{0, 0, 0, 0, 1, 1, -1, -1, 2, 2}
)

// camelliaBetween is the maps between two inversions.
func camelliaBetween(turn int) affine {
	rotate := affine{fromFunc(func(x byte) byte { return bits.RotateLeft8(x, turn) }), 0}
	return affine{camelliaPre[0].m, 0}.after(rotate).after(camelliaPost[0])
}

func newCamelliaOne(t *camelliaTier) camelliaOne {
	moves := camelliaGather(len(camelliaSteps), func(step, in, out int) (int, bool) {
		// ShiftRows has moved the bytes of each column.
		return (in + 12*(in%4)) % 16, camelliaSteps[step] == camelliaTurns[in]+camelliaTurned[out]
	})
	return camelliaOne{camelliaFew{t, avx, moves}}
}

func (c camelliaOne) emit() {
	c.core()
	d1, d2, k := c.x(0), c.x(1), c.x(7)
	split := func(from, low, high reg.VecPhysical) { // low may be from
		c.asm.VPUNPCKHQDQ(from, from, high)
		c.asm.VPUNPCKLQDQ(from, from, low)
	}
	c.load()
	c.keep(d1, camelliaPre[0].c)
	split(d1, d1, d2)
	c.rounds(func() {
		c.asm.mov(c.subkey(0), k)
		c.keep(k, 0)
		split(k, k, c.x(12))
		c.asm.xor(k, d2, d2)
		c.f(d1, d2)
		c.asm.xor(c.x(12), d1, d1)
		c.f(d2, d1)
	}, func() {
		c.release(d1)
		c.release(d2)
		c.fl(d1, d2)
		c.keep(d1, camelliaPre[0].c)
		c.keep(d2, camelliaPre[0].c)
	})
	c.asm.VPUNPCKLQDQ(d1, d2, d1)
	c.release(d1)
	c.asm.VMOVQ(c.subkey(0), d2)
	c.asm.xor(d2, d1, d1)
	c.asm.RET()
}

// function writes the F-function alone, for the key schedule.
func (c camelliaOne) function() {
	x, y := c.x(0), c.x(1)
	c.argument(x)
	c.load()
	c.keep(x, camelliaPre[0].c)
	c.asm.bcast(c.block("kept0", camelliaFill(camelliaPre[0].c)), y)
	c.f(x, y)
	c.release(y)
	c.result(y)
}

func (c camelliaOne) load() { c.asm.mov(c.mask(), c.x(15)) }

// keep puts the bytes of r under the map that they are kept under, but for that map's
// constant; release takes them from under it.
func (c camelliaOne) keep(r reg.VecPhysical, constant byte) {
	c.maps(r, affine{camelliaPre[0].m, constant}, affine{camelliaPre[3].m, 0})
}

func (c camelliaOne) release(r reg.VecPhysical) {
	c.asm.xor(c.block("kept0", camelliaFill(camelliaPre[0].c)), r, r)
	c.maps(r, affine{camelliaPre[0].m.inverse(), 0}, affine{camelliaPre[3].m.inverse(), 0})
}

// maps maps the bytes of r, those that are kept rotated by another map than the rest.
// Each map sees 0 in place of the bytes of the other: that is 0 again, or the constant.
func (c camelliaOne) maps(r reg.VecPhysical, m, turned affine) {
	low, high, sum, t, u := c.x(2), c.x(3), c.x(4), c.x(5), c.x(6)
	c.asm.VPSRLW(imm(4), r, high)
	for i, m := range []affine{m, turned} {
		var mask [16]byte
		for j := range mask {
			if camelliaTurned[j%8] == i {
				mask[j] = 0x0f
			}
		}
		only := c.block(fmt.Sprintf("turned%d", i), mask)
		l, h := c.tables(m)
		c.asm.VPAND(only, r, low)
		c.asm.VPAND(only, high, u)
		c.asm.mov(l, t)
		c.asm.VPSHUFB(low, t, t)
		c.asm.mov(h, low)
		c.asm.VPSHUFB(u, low, low)
		if i == 0 {
			c.asm.xor(t, low, sum)
		} else {
			c.asm.xor(t, low, low)
			c.asm.xor(sum, low, r)
		}
	}
}

// f adds F of x to y, both as they are kept. Registers 2 to 5 and 8 to 11 are free.
func (c camelliaOne) f(x, y reg.VecPhysical) {
	low, high, a, b := c.x(2), c.x(3), c.x(4), c.x(5)
	c.asm.VAESENCLAST(c.x(15), x, high)
	c.asm.VPAND(c.x(15), high, low)
	c.asm.VPSRLW(imm(4), high, high)
	c.asm.VPAND(c.x(15), high, high)
	by := map[int]reg.VecPhysical{}
	for i, turn := range []int{0, 1, -1, 2} {
		l, h := c.tables(c.behindAES(camelliaBetween(turn), true))
		by[turn] = c.x(8 + i)
		c.asm.mov(l, by[turn])
		c.asm.VPSHUFB(low, by[turn], by[turn])
		c.asm.mov(h, a)
		c.asm.VPSHUFB(high, a, a)
		c.asm.xor(a, by[turn], by[turn])
	}
	pair := func(i int, to reg.VecPhysical) {
		c.asm.VPSHUFB(c.move(i), by[camelliaSteps[i]], to)
		c.asm.VPSHUFB(c.move(i+1), by[camelliaSteps[i+1]], low)
		c.asm.xor(low, to, to)
	}
	// A tree of sums, so that the last of them waits for few.
	pair(0, a)
	c.asm.xor(a, y, y)
	for _, i := range []int{2, 6} {
		pair(i, a)
		pair(i+2, b)
		c.asm.xor(b, a, a)
		c.asm.xor(a, y, y)
	}
}
