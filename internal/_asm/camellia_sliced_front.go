package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ecb writes the two functions that every cipher must have. But for the subkeys they
// are the same. They take any number of blocks: full groups, and then what is left
// at once, with the narrowest core that holds it.
func (c camelliaSliced) ecb() {
	c.asm.coreFn("blocks", "is Camellia on the blocks of left bytes (not 0) from src to dst.",
		"Clobbers all but key, last and state.")
	n := len(c.regs()) * c.w.bytes
	tail, top, end := c.asm.label("tail"), c.asm.label("group"), c.asm.label("end")
	c.asm.SUBQ(imm(n), left)
	c.asm.JB(operand.LabelRef(tail))
	c.asm.Label(top)
	ecbGroup(c.asm, c, true)
	c.asm.ADDQ(imm(n), src)
	c.asm.ADDQ(imm(n), dst)
	c.asm.SUBQ(imm(n), left)
	c.asm.JAE(operand.LabelRef(top))
	c.asm.Label(tail)
	c.asm.ADDQ(imm(n), left)
	c.asm.JE(operand.LabelRef(end))
	cores := append([]core{c}, c.narrow()...)
	for i, n := range cores[:len(cores)-1] {
		next := c.asm.label("narrow")
		below := cores[i+1].regs()
		less := len(below) * int(below[0].Size())
		c.asm.CMPQ(left, imm(less))
		c.asm.JBE(operand.LabelRef(next))
		c.masked(n, less/int(n.regs()[0].Size()))
		c.asm.RET()
		c.asm.Label(next)
	}
	one := cores[len(cores)-1]
	x := one.regs()[0]
	c.asm.mov(at(key, 0), x)
	c.asm.xor(at(src, 0), x, x)
	one.call(true)
	c.asm.mov(x, at(dst, 0))
	c.asm.Label(end)
	c.asm.RET()
	for _, enc := range directions {
		c.asm.fn(word(enc)+c.suffix(), ecbParams, word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks.")
		c.begin(enc)
		c.asm.buffers()
		c.asm.callCore("blocks")
		c.asm.done()
	}
}

// masked works left bytes of blocks with a core that they fit. They fill the first
// full registers; the quadwords of the others, 64 at most, come under masks.
func (c camelliaSliced) masked(n core, full int) {
	regs := n.regs()
	size := int(regs[0].Size())
	bits, copied := t0, t1
	white := n.free()[0]
	c.asm.SHRQ(imm(3), left)
	c.asm.NEGQ(left)
	c.asm.MOVQ(operand.I32(-1), bits)
	c.asm.SHRQ(reg.CL, bits) // as many ones as quadwords, but for multiples of 64
	if skip := full * size / 8 % 64; skip != 0 {
		c.asm.SHRQ(imm(skip), bits)
	}
	c.asm.MOVQ(bits, copied)
	each := func(bits reg.GPPhysical, f func(r reg.VecPhysical, off int)) {
		for i, r := range regs[full:] {
			c.asm.KMOVW(bits.As32(), reg.K1)
			if i < len(regs[full:])-1 {
				c.asm.SHRQ(imm(size/8), bits)
			}
			f(r, (full+i)*size)
		}
	}
	c.asm.white(n, white)
	for i, r := range regs[:full] {
		c.asm.xor(at(src, i*size), white, r)
	}
	each(bits, func(r reg.VecPhysical, off int) { c.asm.VPXORQ_Z(at(src, off), white, reg.K1, r) })
	n.call(true)
	for i, r := range regs[:full] {
		c.asm.mov(r, at(dst, i*size))
	}
	each(copied, func(r reg.VecPhysical, off int) { c.asm.VMOVDQU64(r, reg.K1, at(dst, off)) })
}

// lanesLoop keeps the MACs sliced between the steps.
func (c camelliaSliced) lanesLoop(ptrs, macs operand.Mem) {
	white := c.free()[0]
	for i, r := range c.regs() {
		c.asm.mov(macs.Offset(i*c.w.bytes), r)
	}
	c.asm.callCore(c.part("slice"))
	for i, r := range c.regs() {
		c.asm.mov(r, macs.Offset(i*c.w.bytes))
	}
	c.asm.steps(func() {
		c.asm.white(c, white)
		for i, r := range c.regs() {
			c.asm.gatherLanes(ptrs, i, r)
			c.asm.xor(white, r, r)
		}
		c.asm.callCore(c.part("slice"))
		for i, r := range c.regs() {
			c.asm.xor(macs.Offset(i*c.w.bytes), r, r)
		}
		c.asm.callCore(c.part("rounds"))
		for i, r := range c.regs() {
			c.asm.mov(r, macs.Offset((i+8)%16*c.w.bytes))
		}
	})
	c.asm.callCore(c.part("join"))
	for i, r := range c.regs() {
		c.asm.mov(r, macs.Offset(i*c.w.bytes))
	}
}

// mix writes what XORs some blocks of a group, not all, with the registers.
func (c camelliaSliced) mix() {
	regs, bits := c.regs(), t0
	half := len(regs) / 2 // 64 quadwords
	c.asm.coreFn(c.part("mix"), "XORs left bytes of blocks from src with the registers, into dst. Clobbers t0, t1, K1 and flags.")
	few := c.asm.label("few")
	masked := func(regs []reg.VecPhysical, off int) {
		for i, r := range regs {
			m := off + i*c.w.bytes
			c.asm.KMOVW(bits.As32(), reg.K1)
			c.asm.SHRQ(imm(8), bits)
			c.asm.VPXORQ_Z(at(src, m), r, reg.K1, r)
			c.asm.VMOVDQU64(r, reg.K1, at(dst, m))
		}
		c.asm.RET()
	}
	c.asm.MOVQ(left, t1)
	c.asm.SHRQ(imm(3), left)
	c.asm.NEGQ(left)
	c.asm.MOVQ(operand.I32(-1), bits)
	c.asm.SHRQ(reg.CL, bits) // as many ones as quadwords behind a multiple of 64, or 64
	c.asm.MOVQ(t1, left)
	c.asm.CMPQ(left, imm(half*c.w.bytes))
	c.asm.JBE(operand.LabelRef(few))
	for i, r := range regs[:half] {
		c.asm.xor(at(src, i*c.w.bytes), r, r)
		c.asm.mov(r, at(dst, i*c.w.bytes))
	}
	masked(regs[half:], half*c.w.bytes)
	c.asm.Label(few)
	masked(regs[:half], 0)
}

// ctr writes counter mode, as the shared front has it but with counters that are
// sliced from the start. The blocks of a group have the same bytes but for the last,
// unless that overflows in one; then it and the blocks behind it take their bytes
// from another counter, the next with 0 for a last byte.
//
// What is left over takes a full group of key stream, unless it is one block: the rounds
// take as long for two as for 32.
func (c camelliaSliced) ctr() {
	c.mix()
	n := 16 * c.w.blocks()
	index := c.blockOfByte()
	for _, bits := range []int{128, 32} {
		c.asm.mode(c, map[int]string{128: "ctr", 32: "ctr32"}[bits], modeParams, true,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		counter := c.asm.AllocLocal(16) // whitened
		c.asm.MOVQ(at(state, 0), t0)
		c.asm.XORQ(at(key, 0), t0)
		c.asm.MOVQ(t0, counter)
		lo := t2 // the low half as a number
		c.asm.MOVQ(at(state, 8), lo)
		c.asm.BSWAPQ(lo)
		store := func(lo reg.GPPhysical) {
			c.asm.BSWAPQ(lo)
			c.asm.XORQ(at(key, 8), lo)
			c.asm.MOVQ(lo, counter.Offset(8))
		}
		regs, r := c.regs(), c.regs()[15]
		stream := func() {
			carry, ready := c.asm.label("carry"), c.asm.label("ready")
			c.asm.MOVQ(lo, t3)
			store(t3)
			for i := range 15 {
				c.asm.VPBROADCASTB(counter.Offset(i), regs[i])
			}
			w := c.free()[0]
			c.asm.VPBROADCASTB(lo.As32(), r)
			c.asm.VPBROADCASTB(at(key, 15), w)
			c.asm.VPADDB(index, r, r)
			c.asm.VPCMPUB(imm(1), index, r, reg.K1) // less than what was added
			c.asm.VPXORQ(w, r, r)
			c.asm.KORTESTQ(reg.K1, reg.K1)
			c.asm.JNE(operand.LabelRef(carry))
			c.asm.Label(ready)
			c.asm.callCore(c.part("rounds"))
			c.asm.callCore(c.part("join"))
			c.asm.outOfLine(func() {
				c.asm.Label(carry)
				c.asm.MOVQ(lo, t3)
				c.asm.MOVB(operand.U8(0xff), t3.As8())
				advance(c.asm, t3, bits, imm(1))
				store(t3)
				for i := range 15 {
					c.asm.VPBROADCASTB(counter.Offset(i), reg.K1, regs[i])
				}
				c.asm.JMP(operand.LabelRef(ready))
			})
		}
		c.asm.anyBlocks(c, func() {
			stream()
			for i, b := range regs {
				c.asm.xor(at(src, i*c.asm.bytes), b, b)
				c.asm.mov(b, at(dst, i*c.asm.bytes))
			}
			advance(c.asm, lo, bits, imm(n))
		}, func() {
			many, end := c.asm.label("many"), c.asm.label("end")
			c.asm.CMPQ(left, imm(16))
			c.asm.JNE(operand.LabelRef(many))
			one := c.narrow()[len(c.narrow())-1]
			x := one.regs()[0].AsX()
			c.asm.MOVQ(lo, t3)
			store(t3)
			c.asm.VMOVDQU(counter, x)
			one.call(true)
			c.asm.VPXOR(at(src, 0), x, x)
			c.asm.VMOVDQU(x, at(dst, 0))
			c.asm.JMP(operand.LabelRef(end))
			c.asm.Label(many)
			stream()
			c.asm.callCore(c.part("mix"))
			c.asm.Label(end)
			c.asm.SHRQ(imm(4), left)
			advance(c.asm, lo, bits, left)
		})
		c.asm.BSWAPQ(lo)
		c.asm.MOVQ(lo, at(state, 8))
		c.asm.VPXOR(reg.X0, reg.X0, reg.X0)
		c.asm.mov(reg.X0, counter)
		for _, r := range []reg.GPPhysical{t0, t3} { // halves of a whitened counter
			c.asm.XORQ(r, r)
		}
		c.asm.done()
	}
}
