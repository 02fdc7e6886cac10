package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// camelliaSlots is Camellia where there are 16 registers, on one or two batches of
// as many blocks as those hold. The sliced blocks of a batch lie in slots of memory,
// byte i of all of them in slot i, and come to registers a half at a time. Two
// batches take turns, so that one fills the time that the other spends waiting.
//
// Without GFNI, AESENCLAST and AESDECLAST invert, between byte shuffles that make
// the affine maps. AESENCLAST moves the bytes of a register by ShiftRows, and
// AESDECLAST moves them back: odd rounds do the one, even rounds the other, and in
// between D2's slots have their bytes in the order that ShiftRows gives them.
type camelliaSlots struct {
	*camelliaTier
	w width
}

func (c camelliaSlots) regs() []reg.VecPhysical       { return c.w.rs(0, 16) }
func (c camelliaSlots) free() []reg.VecPhysical       { return c.w.rs(0, 16) }
func (c camelliaSlots) narrow() []core                { return nil }
func (c camelliaSlots) call(bool)                     { c.asm.callCore("crypt") }
func (c camelliaSlots) r(i int) reg.VecPhysical       { return c.w.r(i) }
func (c camelliaSlots) rs(i, n int) []reg.VecPhysical { return c.w.rs(i, n) }
func (c camelliaSlots) batch() int                    { return 16 * c.w.bytes }

// General registers of the slots' functions, besides those of every front.
var (
	slots = t4 // the first slot of a batch
	step  = t0 // from one batch to the other, 0 if there is but one
)

func (c camelliaSlots) slot(i int) operand.Mem { return at(slots, i*c.w.bytes) }

// batches emits a loop over the batches. It leaves slots and step as they were.
func (c camelliaSlots) batches(body func()) {
	top := c.asm.label("batch")
	c.asm.Label(top)
	body()
	c.asm.ADDQ(step, slots)
	c.asm.NEGQ(step)
	c.asm.JS(operand.LabelRef(top))
}

func (c camelliaSlots) emit() {
	clobbers := " Clobbers every vector register, loop, t3 and flags."
	c.asm.coreFn("crypt", "is Camellia on the blocks in the batches XOR the whitening, in place (RFC 3713, section 2.3).",
		"slots = first batch, step = the way to the second or 0; key, last = subkeys."+clobbers)
	c.slice()
	c.asm.callCore("rounds")
	c.join()
	c.asm.RET()

	c.asm.coreFn("transpose", "transposes the bytes of 16 slots or blocks: 8 from slots + t3 on, and 8 from slots + loop on.")
	c.batches(c.transpose)
	c.asm.RET()

	c.asm.coreFn("rounds", "is crypt without the transposes: on slots, and it leaves D2, the block's first half, behind D1."+clobbers)
	two := c.asm.label("two")
	c.asm.TESTQ(step, step)
	c.asm.JNE(operand.LabelRef(two))
	c.allRounds(true, func(body func()) { body() })
	c.asm.Label(two)
	c.allRounds(false, c.batches)
}

// allRounds emits rounds for one batch or more. A batch alone has the half that a round
// has changed in registers for the next one, which need not wait for memory.
func (c camelliaSlots) allRounds(alone bool, batches func(body func())) {
	if !c.gfni {
		batches(c.turnD2)
	}
	c.constantsForRounds()
	d1, d2 := c.rs(0, 8), append(c.rs(4, 4), c.rs(0, 4)...)
	load := func(x []reg.VecPhysical, slot int) {
		if !alone {
			c.load(x, slot)
		}
	}
	if alone {
		c.load(d1, 0)
	}
	c.rounds(func() {
		batches(func() {
			load(d1, 0)
			c.round(d1, 8, 0)
		})
		batches(func() {
			load(d2, 8)
			c.round(d2, 0, 8)
		})
	}, func() {
		batches(func() {
			x := c.rs(0, 8)
			c.load(x, 8)
			c.or(x, 8)
			c.and(x, 8)
			c.store(x, 8)
			c.load(x, 0)
			c.and(x, 0)
			c.or(x, 0)
			c.store(x, 0)
		})
		c.constantsForRounds()
	})
	batches(c.finish)
	c.asm.RET()
}

// slice makes slots of blocks, join blocks of slots, with the halves exchanged.
func (c camelliaSlots) slice() {
	c.asm.XORQ(t3, t3)
	c.asm.MOVQ(operand.I32(c.batch()/2), loop)
	c.asm.callCore("transpose")
}

func (c camelliaSlots) join() {
	c.asm.MOVQ(operand.I32(c.batch()/2), t3)
	c.asm.XORQ(loop, loop)
	c.asm.callCore("transpose")
}

func (c camelliaSlots) load(x []reg.VecPhysical, slot int) {
	for i, r := range x {
		c.asm.mov(c.slot(slot+i), r)
	}
}

func (c camelliaSlots) store(x []reg.VecPhysical, slot int) {
	for i, r := range x {
		c.asm.mov(r, c.slot(slot+i))
	}
}

func (c camelliaSlots) transpose() {
	t := &transposer{c, c.rs(0, 16)}
	in := func(i int) operand.Mem {
		return operand.Mem{Base: slots, Index: []reg.Register{t3, loop}[i/8], Scale: 1, Disp: i % 8 * c.w.bytes}
	}
	half := make([]operand.Op, 16)
	for i := range 4 {
		if i == 3 { // a register too few; what lay here is read
			c.asm.mov(half[8], c.slot(0))
			t.release(half[8])
			half[8] = c.slot(0)
		}
		for j, r := range t.quad(in(i), in(i+4), in(i+8), in(i+12)) {
			half[4*i+j] = r
		}
	}
	for _, i := range []int{2, 3, 0, 1} {
		for j, r := range t.quad(half[i], half[i+4], half[i+8], half[i+12]) {
			c.asm.mov(r, c.slot(4*i+j))
			t.release(r)
		}
	}
}

// A transposer gives out registers.
type transposer struct {
	camelliaSlots
	spare []reg.VecPhysical
}

func (t *transposer) take() reg.VecPhysical {
	r := t.spare[0]
	t.spare = t.spare[1:]
	return r
}

func (t *transposer) release(r operand.Op) {
	if r, ok := r.(reg.VecPhysical); ok {
		t.spare = append(t.spare, r)
	}
}

// quad interleaves the bytes of a and c, of b and d, and of the results.
func (t *transposer) quad(a, b, c, d operand.Op) [4]reg.VecPhysical {
	pair := func(a, b operand.Op) (lo, hi reg.VecPhysical) {
		if m, ok := a.(operand.Mem); ok {
			r := t.take()
			t.asm.mov(m, r)
			a = r
		}
		lo, hi = t.take(), a.(reg.VecPhysical)
		t.asm.VPUNPCKLBW(b, a, lo)
		t.asm.VPUNPCKHBW(b, a, hi)
		t.release(b)
		return lo, hi
	}
	ac, ac2 := pair(a, c)
	bd, bd2 := pair(b, d)
	r0, r1 := pair(ac, bd)
	r2, r3 := pair(ac2, bd2)
	return [4]reg.VecPhysical{r0, r1, r2, r3}
}

// constantsForRounds sets registers: with GFNI 8 to 12, else 8.
func (c camelliaSlots) constantsForRounds() {
	if c.gfni {
		for i, m := range []affine{camelliaPre[0], camelliaPre[3], camelliaPost[0], camelliaPost[1], camelliaPost[2]} {
			c.everywhere(m.m, c.r(8+i))
		}
	} else {
		c.asm.bcast(c.mask(), c.r(8))
	}
}

// subkeyByte sets r to byte i of the subkeys to use next, everywhere.
func (c camelliaSlots) subkeyByte(i int, r reg.VecPhysical) { c.fill(c.subkey(i&8), i&7, r) }

// round adds F of the half in y, and the subkey at byte k, to the half in the slots from
// r on. It leaves that in y too, the last four bytes first.
func (c camelliaSlots) round(y []reg.VecPhysical, r, k int) {
	if c.gfni {
		c.gfniBoxes(y)
	} else {
		c.aesBoxes(y, r == 8)
	}
	// The P-function in place (RFC 3713, section 2.4.1). What it leaves is z5 … z8 in
	// the place of y1 … y4, and z1 … z4 in the place of y5 … y8.
	for i := range 4 {
		c.asm.xor(y[4+(i+1)%4], y[i], y[i])
	}
	for i := range 4 {
		c.asm.xor(y[(i+2)%4], y[4+i], y[4+i])
	}
	for i := range 4 {
		c.asm.xor(y[4+(i+3)%4], y[i], y[i])
	}
	for i := range 4 {
		c.asm.xor(y[(i+3)%4], y[4+i], y[4+i])
	}
	for i := range 8 {
		z, t := y[(i+4)%8], c.r(13+i%3)
		c.subkeyByte(k+i, t)
		c.asm.xor(c.slot(r+i), t, t)
		c.asm.xor(t, z, z)
		c.asm.mov(z, c.slot(r+i))
	}
}

func (c camelliaSlots) gfniBoxes(x []reg.VecPhysical) {
	for i, r := range x {
		box := camelliaBox[i]
		c.asm.VGF2P8AFFINEQB(operand.U8(camelliaPre[box].c), c.r(8+box/3), r, r)
	}
	for i, r := range x {
		box := camelliaBox[i]
		c.asm.VGF2P8AFFINEINVQB(operand.U8(camelliaPost[box].c), c.r(10+box%3), r, r)
	}
}

// aesBoxes inverts with AESENCLAST or with AESDECLAST.
func (c camelliaSlots) aesBoxes(x []reg.VecPhysical, enc bool) {
	f := c.rs(9, 6)
	set := func(m affine, low, high reg.VecPhysical) {
		l, h := c.tables(m)
		c.asm.bcast(l, low)
		c.asm.bcast(h, high)
	}
	mapped := func(x, low, high reg.VecPhysical) {
		c.and2(c.r(8), x, f[4])
		c.asm.VPSRLW(imm(4), x, x)
		c.and2(c.r(8), x, x)
		c.asm.VPSHUFB(f[4], low, f[4])
		c.asm.VPSHUFB(x, high, x)
		c.asm.xor(f[4], x, x)
	}
	for _, box := range []int{1, 2, 0, 3} {
		if box == 1 || box == 3 {
			set(c.beforeAES(camelliaPre[box], enc), f[0], f[1])
		}
		if box != 3 { // the same as before
			set(c.behindAES(camelliaPost[box], enc), f[2], f[3])
		}
		for i, r := range x {
			if camelliaBox[i] == box {
				mapped(r, f[0], f[1])
				c.invert(r, f[5], enc)
				mapped(r, f[2], f[3])
			}
		}
	}
}

// invert is AESENCLAST or AESDECLAST on each lane of x.
func (c camelliaSlots) invert(x, t reg.VecPhysical, enc bool) {
	op := c.asm.VAESDECLAST
	if enc {
		op = c.asm.VAESENCLAST
	}
	key := c.r(8)
	if c.w.bytes == 16 || c.vaes {
		op(key, x, x)
		return
	}
	c.asm.VEXTRACTI128(imm(1), x, t.AsX())
	op(key.AsX(), x.AsX(), x.AsX())
	op(key.AsX(), t.AsX(), t.AsX())
	c.asm.VINSERTI128(imm(1), t.AsX(), x, x)
}

// shiftRows is the order that ShiftRows gives to bytes, or its inverse.
func (c camelliaSlots) shiftRows(inverse bool) operand.Mem {
	var order [16]byte
	for i := range order {
		column := 4 * (i % 4)
		if inverse {
			column = 16 - column
		}
		order[i] = byte((i + column) % 16)
	}
	return c.block(fmt.Sprintf("shiftRows%t", inverse), order)
}

// turnD2 gives D2's slots the order of ShiftRows.
func (c camelliaSlots) turnD2() {
	order := c.r(8)
	c.asm.bcast(c.shiftRows(false), order)
	x := c.rs(0, 8)
	c.load(x, 8)
	for _, r := range x {
		c.asm.VPSHUFB(order, r, r)
	}
	c.store(x, 8)
}

// finish whitens D2 and puts its slots back in order.
func (c camelliaSlots) finish() {
	order := c.r(8)
	if !c.gfni {
		c.asm.bcast(c.shiftRows(true), order)
	}
	x := c.rs(0, 8)
	for i, r := range x {
		c.subkeyByte(i, r)
		c.asm.xor(c.slot(8+i), r, r)
		if !c.gfni {
			c.asm.VPSHUFB(order, r, r)
		}
	}
	c.store(x, 8)
}

// and and or are the two lines of FL (RFC 3713, section 2.4.2) on a half of the
// block, with the subkey at byte k: x2 ^= (x1 & k1) <<< 1 and x1 ^= x2 | k2.
func (c camelliaSlots) and(x []reg.VecPhysical, k int) {
	t, zero, u, v := c.rs(8, 4), c.r(12), c.r(13), c.r(14)
	c.asm.xor(zero, zero, zero)
	for i := range 4 {
		c.subkeyByte(k+i, t[i])
		c.and2(x[i], t[i], t[i])
	}
	for i := range 4 {
		c.asm.VPCMPGTB(t[(i+1)%4], zero, v) // -1 for a one at the top
		c.asm.VPADDB(t[i], t[i], u)
		c.asm.VPSUBB(v, u, u)
		c.asm.xor(u, x[4+i], x[4+i])
	}
}

func (c camelliaSlots) or(x []reg.VecPhysical, k int) {
	t := c.r(8)
	for i := range 4 {
		c.subkeyByte(k+4+i, t)
		c.asm.VPOR(x[4+i], t, t)
		c.asm.xor(t, x[i], x[i])
	}
}
