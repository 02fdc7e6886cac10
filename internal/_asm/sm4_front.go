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
			if w.evex {
				c.parts()
			} else {
				c.partial()
			}
			l.sm4Core, l.cores = c, append(l.cores, c)
		}
		l.next()
		l.ecb()
		l.ctr()
		if w.evex {
			l.feedback()
			l.ocb()
			l.xts()
		} else {
			feedback(t.asm, l)
			ocb(t.asm, l)
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
// bytes.
func (l sm4Ladder) choose(emit func(c sm4Core)) {
	end := l.asm.label("end")
	for i := len(l.cores) - 1; i > 0; i-- {
		next := l.asm.label("narrower")
		l.asm.CMPQ(left, imm(l.cores[i-1].size()))
		l.asm.JBE(operand.LabelRef(next))
		emit(l.cores[i])
		l.asm.JMP(operand.LabelRef(end))
		l.asm.Label(next)
	}
	emit(l.cores[0])
	l.asm.Label(end)
}

// sm4Loop is a loop over all blocks, in which left is the bytes of this turn: a full
// group or, in the last one, those that there are.
type sm4Loop struct {
	before func()          // may be nil
	one    func()          // works a single block; may be nil where cores do, with AVX-512
	body   func(c sm4Core) // works left bytes with the narrowest core that holds them
	after  func()          // may be nil
}

// next writes what begins a turn of a loop.
//
// Where the next narrower core is not much narrower, two of its groups take less time
// than a full one and a rest, and so do up to four if there is no rest then.
func (l sm4Ladder) next() {
	l.asm.coreFn("next", "copies left to last and reduces it to the bytes of the next group. Clobbers flags.")
	fits, full, narrower := l.asm.label("fits"), l.asm.label("full"), l.asm.label("narrower")
	l.asm.MOVQ(left, last)
	l.asm.CMPQ(left, imm(l.size()))
	l.asm.JBE(operand.LabelRef(fits))
	if n := l.cores[len(l.cores)-2].size(); 2*n > l.size() {
		l.asm.CMPQ(left, imm(4*n))
		l.asm.JA(operand.LabelRef(full))
		l.asm.CMPQ(left, imm(2*n))
		l.asm.JBE(operand.LabelRef(narrower))
		l.asm.TESTQ(imm(n-1), left)
		l.asm.JNE(operand.LabelRef(full))
		l.asm.Label(narrower)
		l.asm.MOVL(operand.U32(n), left.As32())
		l.asm.RET()
	}
	l.asm.Label(full)
	l.asm.MOVL(operand.U32(l.size()), left.As32())
	l.asm.Label(fits)
	l.asm.RET()
}

// groups emits a loop. Clobbers last.
func (l sm4Ladder) groups(f sm4Loop) {
	top, many, end := l.asm.label("group"), l.asm.label("many"), l.asm.label("end")
	l.asm.Label(top)
	l.asm.callCore("next")
	if f.before != nil {
		f.before()
	}
	if f.one != nil {
		l.asm.CMPQ(left, imm(16))
		l.asm.JNE(operand.LabelRef(many))
		f.one()
		l.asm.MOVQ(left, last)
		l.asm.JMP(operand.LabelRef(end))
		l.asm.Label(many)
	}
	if !l.asm.evex {
		some := l.asm.label("some")
		l.asm.CMPQ(left, imm(l.size()))
		l.asm.JNE(operand.LabelRef(some))
		whole := l.sm4Core
		whole.whole = true
		f.body(whole)
		l.asm.JMP(operand.LabelRef(end))
		l.asm.Label(some)
	}
	l.choose(f.body)
	l.asm.Label(end)
	if f.after != nil {
		f.after()
	}
	l.asm.ADDQ(left, src)
	l.asm.ADDQ(left, dst)
	l.asm.SUBQ(left, last)
	l.asm.MOVQ(last, left)
	l.asm.JNE(operand.LabelRef(top))
}

// load, store and mix move left bytes of blocks: from src, to dst, and XORed with the
// registers on the way from the one to the other.
func (c sm4Core) load() {
	if !c.whole {
		c.asm.callCore(c.part("load"))
		return
	}
	for i, r := range c.regs() {
		c.asm.mov(at(src, i*c.asm.width.bytes), r)
	}
}

func (c sm4Core) store() {
	if !c.whole {
		c.asm.callCore(c.part("store"))
		return
	}
	for i, r := range c.regs() {
		c.asm.mov(r, at(dst, i*c.asm.width.bytes))
	}
}

func (c sm4Core) mix() {
	if c.asm.evex {
		c.asm.MOVQ(src, t3)
	}
	if !c.whole {
		c.asm.callCore(c.part("mix"))
		return
	}
	for i, r := range c.regs() {
		c.asm.xor(at(src, i*c.asm.width.bytes), r, r)
	}
	c.store()
}

// partial writes what moves as many blocks as there are, with registers that have no
// masks.
func (c sm4Core) partial() {
	c.asm.coreFn(c.part("load"), "loads left bytes of blocks from src. Clobbers flags.")
	c.oneByOne(func(m operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(m, r.AsX()) },
		func(m operand.Mem, r reg.VecPhysical) { c.asm.VINSERTI128(imm(1), m, r, r) }, src)
	c.asm.RET()
	c.asm.coreFn(c.part("store"), "stores left bytes of blocks to dst. Clobbers flags.")
	c.oneByOne(func(m operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(r.AsX(), m) },
		func(m operand.Mem, r reg.VecPhysical) { c.asm.VEXTRACTI128(imm(1), r, m) }, dst)
	c.asm.RET()
	c.asm.coreFn(c.part("mix"), "XORs left bytes of blocks from src with the registers, into dst. Clobbers flags and", "the first register behind them.")
	x := c.free()[0].AsX()
	c.oneByOne(func(_ operand.Mem, r reg.VecPhysical) { c.asm.VMOVDQU(r.AsX(), x) },
		func(_ operand.Mem, r reg.VecPhysical) { c.asm.VEXTRACTI128(imm(1), r, x) }, src,
		func(i int) {
			c.asm.VPXOR(at(src, 16*i), x, x)
			c.asm.VMOVDQU(x, at(dst, 16*i))
		})
	c.asm.RET()
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
	l.groups(sm4Loop{
		one: func() { l.asm.VMOVDQU(l.one.block(at(src, 0)), at(dst, 0)) },
		body: func(c sm4Core) {
			c.load()
			c.call(true)
			c.store()
		},
	})
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
	for _, c := range l.cores {
		l.counters(c)
	}
	for _, bits := range []int{128, 32} {
		name := map[int]string{128: "ctr", 32: "ctr32"}[bits]
		l.asm.fn(name+l.name, modeParams,
			fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
		l.begin(true)
		l.asm.Load(l.asm.Param("s"), state)
		l.asm.buffers()
		lo, carry := counterLow, counterCarry
		l.asm.MOVQ(at(state, 8), lo)
		l.asm.BSWAPQ(lo)
		l.asm.MOVL(operand.U32(map[int]int{128: l.size()/16 - 1, 32: 0}[bits]), carry.As32())
		l.groups(sm4Loop{
			one: func() {
				x := l.one.block(at(state, 0))
				l.asm.VPXOR(at(src, 0), x, x)
				l.asm.VMOVDQU(x, at(dst, 0))
			},
			body: func(c sm4Core) {
				c.asm.callCore(c.part("counters"))
				c.asm.callCore(c.part("rounds"))
				c.asm.callCore(c.part("join"))
				c.mix()
			},
			after: func() {
				l.asm.MOVQ(left, t3)
				l.asm.SHRQ(imm(4), t3)
				advance(l.asm, lo, bits, t3)
				l.asm.MOVQ(lo, t0)
				l.asm.BSWAPQ(t0)
				l.asm.MOVQ(t0, at(state, 8))
			},
		})
		l.asm.done()
	}
}

// What counters takes: the low half of the counter, as a number, and the last number
// of a group's block or, for a counter of 32 bits, 0.
var counterLow, counterCarry = t1, t2

// counters writes what makes the counters of a group of c's, as words. The first three
// are the same in all blocks, and the last one counts.
//
// Where that overflows with a 128-bit counter, in one group in millions, the third
// goes up by one in the blocks behind.
func (l sm4Ladder) counters(c sm4Core) {
	l.asm.coreFn(c.part("counters"), "makes counters"+of(c.n)+", as words, from s and t1, its low half as a number.",
		"t2 = 0 keeps those from each other. Clobbers t0, K1, flags and the registers behind them.")
	numbers := l.constant("numbers", l.size()/64, func(i int) (lo, hi uint64) {
		// The block in lane j of a group's register r has its words in doubleword r of
		// lane j.
		g, lane := i/l.asm.blocks(), i%l.asm.blocks()
		n := func(r int) uint64 { return uint64((4*g+r)*l.asm.blocks() + lane) }
		return n(0) | n(1)<<32, n(2) | n(3)<<32
	})
	swap := l.constant("swap", l.asm.blocks(), func(int) (lo, hi uint64) { return 0x0405060700010203, 0x0c0d0e0f08090a0b })
	base, in := c.free()[0], l.linear("in", sm4In, c.free()[1:])
	l.number(counterLow.As32(), base)
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
	carry, ready := l.asm.label("carry"), l.asm.label("ready")
	l.asm.MOVL(counterLow.As32(), t0.As32())
	l.asm.ADDL(counterCarry.As32(), t0.As32())
	l.asm.JC(operand.LabelRef(carry))
	l.asm.Label(ready)
	for g := range c.n {
		last := c.group(g)[3]
		l.asm.VPSHUFB(swap, last, last)
		in(last)
	}
	l.asm.RET()
	l.asm.Label(carry)
	l.carried(c, base, in)
	l.asm.JMP(operand.LabelRef(ready))
}

// number copies a 32-bit number to all of v.
func (l sm4Ladder) number(from reg.Register, v reg.VecPhysical) {
	l.asm.VMOVD(from, v.AsX())
	l.asm.VPSHUFD(imm(0), v.AsX(), v.AsX())
	l.asm.spread(v)
}

// carried adds one to the third words where the last ones have overflowed: their top
// bit, which was set before, is not set any more.
func (l sm4Ladder) carried(c sm4Core, next reg.VecPhysical, in func(reg.VecPhysical)) {
	l.asm.MOVQ(counterLow, t0)
	l.asm.SHRQ(imm(32), t0)
	l.asm.INCL(t0.As32())
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
