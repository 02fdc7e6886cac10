package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sm4File is one tier: cores of so many groups, widest first, and one of a single
// block.
func sm4File(w width, name string, gfni bool, groups ...int) func() *asm {
	return func() *asm {
		t := newSM4(w, name, gfni)
		t.shareWipe()
		one := newSM4One(t)
		one.emit()
		var cores []sm4Core
		for i := range groups {
			c := sm4Core{sm4Tier: t, n: groups[len(groups)-1-i]}
			for _, n := range cores {
				c.narrower = append([]core{n}, c.narrower...)
			}
			c.emit()
			c.partial()
			cores = append(cores, c)
		}
		full := cores[len(cores)-1]
		ladder := sm4Ladder{full, cores, one}
		ladder.ecb()
		ladder.ctr()
		feedback(t.asm, full)
		ocb(t.asm, full)
		if w.evex {
			ladder.xts()
		} else {
			xts(t.asm, full)
			xtsGB(t.asm, full)
		}
		ladder.lanes()
		return t.asm
	}
}

// sm4Ladder is a tier's cores.
type sm4Ladder struct {
	sm4Core           // the widest
	cores   []sm4Core // narrowest first
	one     sm4One
}

// choose emits code for each core and jumps to that of the narrowest that holds left
// bytes, more than 16.
func (l sm4Ladder) choose(emit func(c sm4Core)) {
	end := l.label("end")
	for i, c := range l.cores {
		if i == len(l.cores)-1 {
			emit(c)
			break
		}
		next := l.label("wider")
		l.CMPQ(left, imm(c.size()))
		l.JA(operand.LabelRef(next))
		emit(c)
		l.JMP(operand.LabelRef(end))
		l.Label(next)
	}
	l.Label(end)
}

// sure is how many blocks there are whenever a core is chosen.
func (c sm4Core) sure() int {
	if len(c.narrower) == 0 {
		return 2
	}
	return c.narrower[0].(sm4Core).size()/16 + 1
}

// partial writes what loads and stores as many blocks as there are.
func (c sm4Core) partial() {
	c.coreFn(c.part("load"), "loads left bytes of blocks from src. Clobbers t0, t3, K1 and flags.")
	c.masked(func(i int) { c.VMOVDQU64_Z(at(src, 64*i), reg.K1, c.r(i)) },
		func(b int) {
			r, m := c.r(b/c.blocks()), at(src, 16*b)
			if b%c.blocks() == 0 {
				c.VMOVDQU(m, r.AsX())
			} else {
				c.VINSERTI128(imm(1), m, r, r)
			}
		})
	c.coreFn(c.part("store"), "stores left bytes of blocks to dst. Clobbers t0, t3, K1 and flags.")
	c.masked(func(i int) { c.VMOVDQU64(c.r(i), reg.K1, at(dst, 64*i)) },
		func(b int) {
			r, m := c.r(b/c.blocks()), at(dst, 16*b)
			if b%c.blocks() == 0 {
				c.VMOVDQU(r.AsX(), m)
			} else {
				c.VEXTRACTI128(imm(1), r, m)
			}
		})
}

// masked moves left bytes, by registers under mask K1 where there are masks and
// block by block otherwise.
func (c sm4Core) masked(register, block func(i int)) {
	if !c.evex {
		end := c.label("end")
		for b := range c.size() / 16 {
			if b >= c.sure() {
				c.CMPQ(left, imm(16*b))
				c.JBE(operand.LabelRef(end))
			}
			block(b)
		}
		c.Label(end)
		c.RET()
		return
	}
	// As many ones as there are quadwords behind the registers that are full.
	full := (c.sure() - 1) / c.blocks()
	c.MOVQ(left, t3)
	c.SHRQ(imm(3), left)
	c.NEGQ(left)
	c.MOVQ(operand.I32(-1), t0)
	c.SHRQ(reg.CL, t0)
	c.MOVQ(t3, left)
	if full%8 > 0 {
		c.SHRQ(imm(8*(full%8)), t0)
	}
	c.KXNORB(reg.K1, reg.K1, reg.K1)
	for i := range c.regs() {
		if i >= full {
			c.KMOVW(t0.As32(), reg.K1)
			c.SHRQ(imm(8), t0)
		}
		register(i)
	}
	c.RET()
}

// ecb writes the two functions that every cipher must have, for any number of
// blocks. But for the order of round keys they are the same.
func (l sm4Ladder) ecb() {
	l.coreFn("blocks", "encrypts or decrypts left bytes from src to dst. Clobbers nearly all.")
	n := l.size()
	tail, top, many, end := l.label("tail"), l.label("group"), l.label("many"), l.label("end")
	l.SUBQ(imm(n), left)
	l.JB(operand.LabelRef(tail))
	l.Label(top)
	for i, r := range l.regs() {
		l.mov(at(src, i*l.width.bytes), r)
	}
	l.call(true)
	for i, r := range l.regs() {
		l.mov(r, at(dst, i*l.width.bytes))
	}
	l.ADDQ(imm(n), src)
	l.ADDQ(imm(n), dst)
	l.SUBQ(imm(n), left)
	l.JAE(operand.LabelRef(top))
	l.Label(tail)
	l.ADDQ(imm(n), left)
	l.JE(operand.LabelRef(end))
	l.CMPQ(left, imm(16))
	l.JNE(operand.LabelRef(many))
	l.one.block()
	l.JMP(operand.LabelRef(end))
	l.Label(many)
	l.choose(func(c sm4Core) {
		c.callCore(c.part("load"))
		c.call(true)
		c.callCore(c.part("store"))
	})
	l.Label(end)
	l.RET()

	for _, enc := range directions {
		name := word(enc) + l.name
		l.fn(name, ecbParams, word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks.")
		l.begin(enc)
		l.buffers()
		l.callCore("blocks")
		l.done()
	}
}

// ctr writes counter mode with a 128-bit counter, whose low half does not overflow
// within a call, and with GCM's 32-bit one. The counters are made as words: the first
// three are the same in all blocks, and the last one counts.
//
// Where that overflows with a 128-bit counter, in one group in millions, the third
// goes up by one in the blocks behind. Those are told by the last word's top bit,
// which is set up to the overflow.
func (l sm4Ladder) ctr() {
	numbers := l.constant("numbers", len(l.regs())*l.blocks()/4, func(i int) (lo, hi uint64) {
		// Block b of a register of bytes lies in lane b, and in doubleword r if it is
		// in register r of a group.
		g, lane := i/l.blocks(), i%l.blocks()
		n := func(r int) uint64 { return uint64((4*g+r)*l.blocks() + lane) }
		return n(0) | n(1)<<32, n(2) | n(3)<<32
	})
	swap := l.constant("swap", l.blocks(), func(int) (lo, hi uint64) { return 0x0405060700010203, 0x0c0d0e0f08090a0b })
	for _, bits := range []int{128, 32} {
		name := map[int]string{128: "ctr", 32: "ctr32"}[bits]
		l.fn(name+l.name, modeParams,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		l.begin(true)
		l.Load(l.Param("s"), state)
		l.buffers()
		lo := t1 // the low half, as a number
		l.MOVQ(at(state, 8), lo)
		l.BSWAPQ(lo)
		n := l.size() / 16 // blocks
		l.groups(l.sm4Core, func() {
			f := l.free()
			base, in := f[0], l.linear("in", sm4In, f[1:])
			l.number(lo.As32(), base)
			for g := range l.n {
				l.addD(numbers.Offset(g*l.width.bytes), base, l.group(g)[3])
			}
			l.counterWords(l.group(0)[:3], in)
			for g := 1; g < l.n; g++ {
				for i := range 3 {
					l.mov(l.group(0)[i], l.group(g)[i])
				}
			}
			ready := l.label("ready")
			if bits == 128 {
				carry := l.label("carry")
				l.MOVQ(lo, t0)
				l.ADDQ(imm(n), lo)
				l.ADDL(imm(n-1), t0.As32())
				l.JC(operand.LabelRef(carry))
				l.outOfLine(func() {
					l.Label(carry)
					l.carried(lo, base, in)
					l.JMP(operand.LabelRef(ready))
				})
			} else {
				l.MOVL(lo.As32(), t0.As32())
				l.XORQ(t0, lo)
				l.ADDL(imm(n), t0.As32())
				l.ORQ(t0, lo)
			}
			l.Label(ready)
			for g := range l.n {
				last := l.group(g)[3]
				l.VPSHUFB(swap, last, last)
				in(last)
			}
			l.MOVQ(lo, t0)
			l.BSWAPQ(t0)
			l.MOVQ(t0, at(state, 8))
			l.callCore(l.part("rounds"))
			l.callCore(l.part("join"))
			for i, b := range l.regs() {
				l.xor(at(src, i*l.width.bytes), b, b)
				l.mov(b, at(dst, i*l.width.bytes))
			}
		})
		l.done()
	}
}

// counterWords makes the first words of a counter.
func (l sm4Ladder) counterWords(w []reg.VecPhysical, in func(reg.VecPhysical)) {
	for i, w := range w {
		l.VBROADCASTSS(at(state, 4*i), w)
		in(w)
	}
}

// number copies a 32-bit number to all of v.
func (l sm4Ladder) number(from reg.Register, v reg.VecPhysical) {
	l.VMOVD(from, v.AsX())
	l.VPSHUFD(imm(0), v.AsX(), v.AsX())
	l.spread(v)
}

// carried sets the third words from lo, the next group's counter, where the last
// ones have overflowed.
func (l sm4Ladder) carried(lo reg.GPPhysical, next reg.VecPhysical, in func(reg.VecPhysical)) {
	l.MOVQ(lo, t0)
	l.SHRQ(imm(32), t0)
	l.BSWAPL(t0.As32())
	l.number(t0.As32(), next)
	in(next)
	for g := range l.n {
		third, last := l.group(g)[2], l.group(g)[3]
		if l.evex {
			l.VPMOVD2M(last, reg.K1)
			l.VPBLENDMD(third, next, reg.K1, third)
		} else {
			l.VBLENDVPS(last, third, next, third)
		}
	}
}
