package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sm4File is one tier: cores of so many groups, narrowest first, and one of a single
// block.
func sm4File(w width, name string, gfni bool, groups ...int) func() *asm {
	return func() *asm {
		t := newSM4(w, name, gfni)
		t.asm.shareWipe()
		l := sm4Ladder{one: newSM4One(t)}
		l.one.emit()
		for _, n := range groups {
			c := sm4Core{sm4Tier: t, n: n, sure: 2}
			if len(l.cores) > 0 {
				c.sure = l.size()/16 + 1
			}
			c.emit()
			c.partial()
			l.sm4Core, l.cores = c, append(l.cores, c)
		}
		l.ecb()
		l.ctr()
		feedback(t.asm, l)
		ocb(t.asm, l)
		if w.evex {
			l.xts()
		} else {
			xts(t.asm, l)
			xtsGB(t.asm, l)
		}
		l.lanes()
		return t.asm
	}
}

// sm4Ladder is a tier's cores. For most it is the widest.
type sm4Ladder struct {
	sm4Core
	cores []sm4Core // narrowest first
	one   sm4One
}

// choose emits code for each core and jumps to that of the narrowest that holds left
// bytes, more than 16.
func (l sm4Ladder) choose(emit func(c sm4Core)) {
	end := l.asm.label("end")
	for i, c := range l.cores {
		if i == len(l.cores)-1 {
			emit(c)
			break
		}
		next := l.asm.label("wider")
		l.asm.CMPQ(left, imm(c.size()))
		l.asm.JA(operand.LabelRef(next))
		emit(c)
		l.asm.JMP(operand.LabelRef(end))
		l.asm.Label(next)
	}
	l.asm.Label(end)
}

// partial writes what loads and stores as many blocks as there are.
func (c sm4Core) partial() {
	c.asm.coreFn(c.part("load"), "loads left bytes of blocks from src. Clobbers t0, t3, K1 and flags.")
	if c.asm.evex {
		c.byMasks(func(i int) { c.asm.VMOVDQU64_Z(at(src, 64*i), reg.K1, c.asm.r(i)) })
	} else {
		c.oneByOne(func(m operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(m, r.AsX()) },
			func(m operand.Mem, r reg.VecPhysical) { c.asm.VINSERTI128(imm(1), m, r, r) }, src)
	}
	c.asm.RET()
	c.asm.coreFn(c.part("store"), "stores left bytes of blocks to dst. Clobbers t0, t3, K1 and flags.")
	if c.asm.evex {
		c.byMasks(func(i int) { c.asm.VMOVDQU64(c.asm.r(i), reg.K1, at(dst, 64*i)) })
	} else {
		c.oneByOne(func(m operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(r.AsX(), m) },
			func(m operand.Mem, r reg.VecPhysical) { c.asm.VEXTRACTI128(imm(1), r, m) }, dst)
	}
	c.asm.RET()
	c.asm.coreFn(c.part("mix"), "XORs left bytes of blocks from src with the registers, into dst. Clobbers t0, t3, K1,", "flags and the first register behind them.")
	if c.asm.evex {
		c.byMasks(func(i int) {
			c.asm.VPXORQ_Z(at(src, 64*i), c.asm.r(i), reg.K1, c.asm.r(i))
			c.asm.VMOVDQU64(c.asm.r(i), reg.K1, at(dst, 64*i))
		})
	} else {
		x := c.free()[0].AsX()
		c.oneByOne(func(_ operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(r.AsX(), x) },
			func(_ operand.Mem, r reg.VecPhysical) { c.asm.VEXTRACTI128(imm(1), r, x) }, src,
			func(i int) {
				c.asm.VPXOR(at(src, 16*i), x, x)
				c.asm.VMOVDQU(x, at(dst, 16*i))
			})
	}
	c.asm.RET()
}

// byMasks moves left bytes register by register, under K1.
func (c sm4Core) byMasks(move func(i int)) {
	full := c.bits(t0)
	c.asm.KXNORB(reg.K1, reg.K1, reg.K1)
	for i := range c.regs() {
		if i >= full {
			c.asm.KMOVW(t0.As32(), reg.K1)
			c.asm.SHRQ(imm(8), t0)
		}
		move(i)
	}
}

// bits sets v to as many ones as there are quadwords of left bytes behind the registers
// that are full, whose number it returns. Clobbers t3.
func (c sm4Core) bits(v reg.GPPhysical) (full int) {
	full = (c.sure - 1) / c.asm.blocks()
	c.asm.MOVQ(left, t3)
	c.asm.SHRQ(imm(3), left)
	c.asm.NEGQ(left)
	c.asm.MOVQ(operand.I32(-1), v)
	c.asm.SHRQ(reg.CL, v)
	c.asm.MOVQ(t3, left)
	if full%8 > 0 {
		c.asm.SHRQ(imm(8*(full%8)), v)
	}
	return full
}

// masked is as the function of that name, for each of the tier's cores. left becomes
// the number of quadwords. Clobbers t0, t3, t4 and K1.
func (l sm4Ladder) masked(emit func(c core, m mask)) {
	l.choose(func(c sm4Core) {
		bits := t4
		full := c.bits(bits)
		c.asm.SHRQ(imm(3), left)
		emit(c, func(i int) reg.Register {
			if i < full {
				return nil
			}
			c.asm.MOVQ(bits, t0)
			c.asm.SHRQ(imm(8*(i-full)), t0)
			c.asm.KMOVB(t0.As32(), reg.K1)
			return reg.K1
		})
	})
}

// oneByOne moves left bytes block by block, to or from lower and upper halves, and
// then does after.
func (c sm4Core) oneByOne(lower, upper func(m operand.Mem, r reg.VecPhysical), base reg.Register, after ...func(i int)) {
	end := c.asm.label("end")
	for b := range c.size() / 16 {
		if b >= c.sure {
			c.asm.CMPQ(left, imm(16*b))
			c.asm.JBE(operand.LabelRef(end))
		}
		move := lower
		if b%c.asm.blocks() == 1 {
			move = upper
		}
		move(at(base, 16*b), c.asm.r(b/c.asm.blocks()))
		for _, f := range after {
			f(b)
		}
	}
	c.asm.Label(end)
}

// ecb writes the two functions that every cipher must have, for any number of
// blocks. But for the order of round keys they are the same.
func (l sm4Ladder) ecb() {
	l.asm.coreFn("blocks", "encrypts or decrypts left bytes from src to dst. Clobbers nearly all.")
	n := l.size()
	tail, top, many, end := l.asm.label("tail"), l.asm.label("group"), l.asm.label("many"), l.asm.label("end")
	l.asm.SUBQ(imm(n), left)
	l.asm.JB(operand.LabelRef(tail))
	l.asm.Label(top)
	for i, r := range l.regs() {
		l.asm.mov(at(src, i*l.asm.width.bytes), r)
	}
	l.call(true)
	for i, r := range l.regs() {
		l.asm.mov(r, at(dst, i*l.asm.width.bytes))
	}
	l.asm.ADDQ(imm(n), src)
	l.asm.ADDQ(imm(n), dst)
	l.asm.SUBQ(imm(n), left)
	l.asm.JAE(operand.LabelRef(top))
	l.asm.Label(tail)
	l.asm.ADDQ(imm(n), left)
	l.asm.JE(operand.LabelRef(end))
	l.asm.CMPQ(left, imm(16))
	l.asm.JNE(operand.LabelRef(many))
	l.asm.VMOVDQU(l.one.block(at(src, 0)), at(dst, 0))
	l.asm.JMP(operand.LabelRef(end))
	l.asm.Label(many)
	l.choose(func(c sm4Core) {
		c.asm.callCore(c.part("load"))
		c.call(true)
		c.asm.callCore(c.part("store"))
	})
	l.asm.Label(end)
	l.asm.RET()

	for _, enc := range directions {
		name := word(enc) + l.name
		l.asm.fn(name, ecbParams, word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks.")
		l.begin(enc)
		l.asm.buffers()
		l.asm.callCore("blocks")
		l.asm.done()
	}
}

// ctr writes counter mode with a 128-bit counter, whose low half does not overflow
// within a call, and with GCM's 32-bit one, for any number of blocks.
func (l sm4Ladder) ctr() {
	for _, bits := range []int{128, 32} {
		name := map[int]string{128: "ctr", 32: "ctr32"}[bits]
		l.asm.fn(name+l.name, modeParams,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		l.begin(true)
		l.asm.Load(l.asm.Param("s"), state)
		l.asm.buffers()
		lo := t1 // the low half, as a number
		l.asm.MOVQ(at(state, 8), lo)
		l.asm.BSWAPQ(lo)
		stream := func(c sm4Core) {
			l.counters(c, lo, bits)
			c.asm.callCore(c.part("rounds"))
			c.asm.callCore(c.part("join"))
		}
		save := func() {
			l.asm.MOVQ(lo, t0)
			l.asm.BSWAPQ(t0)
			l.asm.MOVQ(t0, at(state, 8))
		}
		l.asm.anyBlocks(l, func() {
			stream(l.sm4Core)
			save()
			for i, b := range l.regs() {
				l.asm.xor(at(src, i*l.asm.width.bytes), b, b)
				l.asm.mov(b, at(dst, i*l.asm.width.bytes))
			}
		}, func() {
			many, end := l.asm.label("many"), l.asm.label("end")
			l.asm.MOVQ(lo, t2)
			l.asm.CMPQ(left, imm(16))
			l.asm.JNE(operand.LabelRef(many))
			x := l.one.block(at(state, 0))
			l.asm.VPXOR(at(src, 0), x, x)
			l.asm.VMOVDQU(x, at(dst, 0))
			l.asm.JMP(operand.LabelRef(end))
			l.asm.Label(many)
			l.choose(func(c sm4Core) {
				stream(c)
				c.asm.callCore(c.part("mix"))
			})
			l.asm.Label(end)
			l.asm.MOVQ(t2, lo)
			l.asm.SHRQ(imm(4), left)
			advance(l.asm, lo, bits, left)
			save()
		})
		l.asm.done()
	}
}

// counters makes the counters of a group of c's, as words, and advances lo. The first three words
// are the same in all blocks, and the last one counts.
//
// Where that overflows with a 128-bit counter, in one group in millions, the third
// goes up by one in the blocks behind.
func (l sm4Ladder) counters(c sm4Core, lo reg.GPPhysical, bits int) {
	numbers := l.constant("numbers", l.size()/64, func(i int) (lo, hi uint64) {
		// The block in lane j of a group's register r has its words in doubleword r of
		// lane j.
		g, lane := i/l.asm.blocks(), i%l.asm.blocks()
		n := func(r int) uint64 { return uint64((4*g+r)*l.asm.blocks() + lane) }
		return n(0) | n(1)<<32, n(2) | n(3)<<32
	})
	swap := l.constant("swap", l.asm.blocks(), func(int) (lo, hi uint64) { return 0x0405060700010203, 0x0c0d0e0f08090a0b })
	base, in := c.free()[0], l.linear("in", sm4In, c.free()[1:])
	l.number(lo.As32(), base)
	for g := range c.n {
		l.asm.addD(numbers.Offset(g*l.asm.width.bytes), base, c.group(g)[3])
	}
	for i := range 3 {
		w := c.group(0)[i]
		l.asm.VBROADCASTSS(at(state, 4*i), w)
		in(w)
		for g := 1; g < c.n; g++ {
			l.asm.mov(w, c.group(g)[i])
		}
	}
	n := c.size() / 16 // blocks
	if bits == 128 {
		carry, ready := l.asm.label("carry"), l.asm.label("ready")
		l.asm.MOVQ(lo, t0)
		l.asm.ADDQ(imm(n), lo)
		l.asm.ADDL(imm(n-1), t0.As32())
		l.asm.JC(operand.LabelRef(carry))
		l.asm.Label(ready)
		l.asm.outOfLine(func() {
			l.asm.Label(carry)
			l.carried(c, lo, base, in)
			l.asm.JMP(operand.LabelRef(ready))
		})
	} else {
		advance(l.asm, lo, bits, imm(n))
	}
	for g := range c.n {
		last := c.group(g)[3]
		l.asm.VPSHUFB(swap, last, last)
		in(last)
	}
}

// number copies a 32-bit number to all of v.
func (l sm4Ladder) number(from reg.Register, v reg.VecPhysical) {
	l.asm.VMOVD(from, v.AsX())
	l.asm.VPSHUFD(imm(0), v.AsX(), v.AsX())
	l.asm.spread(v)
}

// carried sets the third words by lo, the next group's counter, where the last ones
// have overflowed: their top bit, which was set before, is not set any more.
func (l sm4Ladder) carried(c sm4Core, lo reg.GPPhysical, next reg.VecPhysical, in func(reg.VecPhysical)) {
	l.asm.MOVQ(lo, t0)
	l.asm.SHRQ(imm(32), t0)
	l.asm.BSWAPL(t0.As32())
	l.number(t0.As32(), next)
	in(next)
	for g := range c.n {
		third, last := c.group(g)[2], c.group(g)[3]
		if l.asm.evex {
			l.asm.VPMOVD2M(last, reg.K1)
			l.asm.VPBLENDMD(third, next, reg.K1, third)
		} else {
			l.asm.VBLENDVPS(last, third, next, third)
		}
	}
}
