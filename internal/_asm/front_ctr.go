package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ctr writes counter mode with a 128-bit counter, whose low half does not
// overflow within a call, and with GCM's 32-bit one, for any number of blocks. It
// returns what makes the counters.
func ctr(a *asm, c core) counters {
	f := newCounters(a, c)
	for _, bits := range []int{128, 32} {
		a.mode(c, map[int]string{128: "ctr", 32: "ctr32"}[bits], modeParams, true,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		f.start(at(state, 0))
		a.anyBlocks(c, func() {
			f.group(bits)
			c.call(true)
			for i, b := range c.regs() {
				a.xor(at(src, i*a.bytes), b, b)
				a.mov(b, at(dst, i*a.bytes))
			}
		}, func() { f.tail(bits) })
		f.finish(at(state, 0))
		a.done()
	}
	return f
}

// counters makes successive counter blocks for a core, a group at a time.
//
// The blocks of a group differ in the last byte of their counters alone unless
// that byte overflows: then i is added to the last byte of block i as it lies.
// Otherwise (one group in 256/blocks) it is added to the little-endian counter and
// the bytes are reversed, which costs a shuffle a register on the pipes that AES
// needs.
type counters struct {
	asm *asm
	core
	n                  int // blocks of a group
	high, low, reverse operand.Mem
}

func newCounters(a *asm, c core) counters {
	n := len(c.regs()) * a.blocks()
	name := func(s string) string { return fmt.Sprint(s, n, c.suffix()) }
	return counters{
		asm: a, core: c, n: n,
		high:    a.table(name("counterHigh"), n, func(i int) (lo, hi uint64) { return 0, uint64(i) << 56 }),
		low:     a.table(name("counterLow"), n, func(i int) (lo, hi uint64) { return uint64(i), 0 }),
		reverse: a.table(name("reverse"), a.blocks(), reversal),
	}
}

// start reads the counter. From here to finish t1 and t2 are the halves of the next
// one, as numbers.
func (c counters) start(from operand.Mem) {
	c.asm.MOVQ(from, t1)
	c.asm.BSWAPQ(t1)
	c.asm.MOVQ(from.Offset(8), t2)
	c.asm.BSWAPQ(t2)
}

// finish writes the half that has changed.
func (c counters) finish(to operand.Mem) {
	c.asm.BSWAPQ(t2)
	c.asm.MOVQ(t2, to.Offset(8))
}

// tail works the last 1 to group-1 blocks.
func (c counters) tail(bits int) {
	a := c.asm
	if a.masks(c.core) {
		a.masked(c.core, func(core core, m mask) {
			f := c
			f.core, f.n = core, len(core.regs())*a.blocks()
			f.blocks(bits)
			core.call(true)
			for i, b := range core.regs() {
				k := m(i)
				a.xorSome(at(src, i*a.bytes), b, k, b)
				a.storeSome(b, k, at(dst, i*a.bytes))
			}
		})
		a.SHRQ(imm(1), left)
		c.advance(bits, left)
		return
	}
	// A full group of key stream, of which the rest is not used.
	size := len(c.regs()) * a.bytes
	frame := a.AllocLocal(size)
	c.blocks(bits)
	c.call(true)
	for i, b := range c.regs() {
		a.mov(b, frame.Offset(i*a.bytes))
	}
	x := reg.X0
	a.eachBlock(func(of func(operand.Mem) operand.Mem) {
		a.VMOVDQU(of(frame), x)
		a.VPXOR(of(at(src, 0)), x, x)
		a.VMOVDQU(x, of(at(dst, 0)))
	})
	a.zeroFrame(frame, size)
	a.SHRQ(imm(4), left)
	c.advance(bits, left)
}

// group makes the input blocks of a group, in the core's registers, and moves on to
// the next.
func (c counters) group(bits int) {
	c.blocks(bits)
	c.advance(bits, imm(c.n))
}

// advance adds to the counter.
func (c counters) advance(bits int, blocks operand.Op) { advance(c.asm, t2, bits, blocks) }

// advance adds a number of blocks to lo, the low half of a counter. Clobbers t0.
func advance(a *asm, lo reg.GPPhysical, bits int, blocks operand.Op) {
	if bits == 128 {
		a.ADDQ(blocks, lo)
		return
	}
	if r, ok := blocks.(reg.GPPhysical); ok {
		blocks = r.As32()
	}
	a.MOVL(lo.As32(), t0.As32())
	a.XORQ(t0, lo)
	a.ADDL(blocks, t0.As32())
	a.ORQ(t0, lo)
}

// blocks makes the input blocks of a group.
func (c counters) blocks(bits int) {
	hi, lo := t1, t2
	carry, ready := c.asm.label("carry"), c.asm.label("ready")
	base, w := c.free()[0], c.free()[1]
	c.asm.white(c.core, w)
	c.asm.CMPB(lo.As8(), operand.U8(256-c.n))
	c.asm.JA(operand.LabelRef(carry))
	c.asm.MOVQ(hi, t0)
	c.asm.BSWAPQ(t0)
	c.asm.MOVQ(lo, t3)
	c.asm.BSWAPQ(t3)
	c.asm.pair(t0, t3, base)
	for i, b := range c.regs() {
		c.asm.addD(c.high.Offset(i*c.asm.bytes), base, b)
		c.asm.addWhite(c.core, w, b)
	}
	c.asm.Label(ready)
	c.asm.outOfLine(func() {
		c.asm.Label(carry)
		c.asm.pair(lo, hi, base)
		for i, b := range c.regs() {
			if bits == 128 {
				c.asm.addQ(c.low.Offset(i*c.asm.bytes), base, b)
			} else {
				c.asm.addD(c.low.Offset(i*c.asm.bytes), base, b)
			}
			c.asm.VPSHUFB(c.reverse, b, b)
			c.asm.addWhite(c.core, w, b)
		}
		c.asm.JMP(operand.LabelRef(ready))
	})
}
