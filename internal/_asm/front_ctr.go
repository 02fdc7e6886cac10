package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// ctr writes counter mode with a 128-bit counter, whose low half does not
// overflow within a call, and with GCM's 32-bit one. It returns what makes those.
func ctr(a *asm, c core) counters {
	f := newCounters(a, c)
	for _, bits := range []int{128, 32} {
		a.mode(c, map[int]string{128: "ctr", 32: "ctr32"}[bits], modeParams, true,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		f.start(at(state, 0))
		a.groups(c, func() {
			f.group(bits)
			c.call(true)
			for i, b := range c.regs() {
				a.xor(at(src, i*a.bytes), b, b)
				a.mov(b, at(dst, i*a.bytes))
			}
		})
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

// group makes the input blocks of a group, in the core's registers.
func (c counters) group(bits int) {
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
	if bits == 128 {
		c.asm.ADDQ(imm(c.n), lo)
	} else {
		c.asm.MOVL(lo.As32(), t0.As32())
		c.asm.XORQ(t0, lo)
		c.asm.ADDL(imm(c.n), t0.As32())
		c.asm.ORQ(t0, lo)
	}
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
