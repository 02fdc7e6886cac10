package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// ctr writes counter mode with a 128-bit counter, whose low half does not
// overflow within a call, and with GCM's 32-bit one.
//
// The blocks of a group differ in the last byte of their counters alone unless
// that byte overflows: then i is added to the last byte of block i as it lies.
// Otherwise (one group in 256/blocks) it is added to the little-endian counter and
// the bytes are reversed, which costs a shuffle a register on the pipes that AES
// needs.
func ctr(a *asm, c core) {
	n := len(c.regs()) * a.blocks()
	high := a.table("counterHigh"+c.suffix(), n, func(i int) (lo, hi uint64) { return 0, uint64(i) << 56 })
	low := a.table("counterLow"+c.suffix(), n, func(i int) (lo, hi uint64) { return uint64(i), 0 })
	reverse := a.table("reverse"+c.suffix(), a.blocks(), func(int) (lo, hi uint64) {
		return 0x08090a0b0c0d0e0f, 0x0001020304050607
	})
	for _, bits := range []int{128, 32} {
		a.mode(c, map[int]string{128: "ctr", 32: "ctr32"}[bits], modeParams, true,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		hi, lo := t1, t2 // as numbers
		a.MOVQ(at(state, 0), hi)
		a.BSWAPQ(hi)
		a.MOVQ(at(state, 8), lo)
		a.BSWAPQ(lo)
		a.groups(c, func() {
			carry, ready := a.label("carry"), a.label("ready")
			base, w := c.free()[0], c.free()[1]
			a.white(c, w)
			a.CMPB(lo.As8(), imm(-n)) // 256-n
			a.JA(operand.LabelRef(carry))
			a.MOVQ(hi, t0)
			a.BSWAPQ(t0)
			a.MOVQ(lo, t3)
			a.BSWAPQ(t3)
			a.pair(t0, t3, base)
			for i, b := range c.regs() {
				a.addD(high.Offset(i*a.bytes), base, b)
				a.addWhite(c, w, b)
			}
			a.Label(ready)
			c.call(true)
			for i, b := range c.regs() {
				a.xor(at(src, i*a.bytes), b, b)
				a.mov(b, at(dst, i*a.bytes))
			}
			if bits == 128 {
				a.ADDQ(imm(n), lo)
			} else {
				a.MOVL(lo.As32(), t0.As32())
				a.XORQ(t0, lo)
				a.ADDL(imm(n), t0.As32())
				a.ORQ(t0, lo)
			}
			a.outOfLine(func() {
				a.Label(carry)
				a.pair(lo, hi, base)
				for i, b := range c.regs() {
					if bits == 128 {
						a.addQ(low.Offset(i*a.bytes), base, b)
					} else {
						a.addD(low.Offset(i*a.bytes), base, b)
					}
					a.VPSHUFB(reverse, b, b)
					a.addWhite(c, w, b)
				}
				a.JMP(operand.LabelRef(ready))
			})
		})
		a.BSWAPQ(lo)
		a.MOVQ(lo, at(state, 8))
		a.done()
	}
}
