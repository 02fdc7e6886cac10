package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The fronts of camelliaSlots work in memory. They make a group's input blocks where
// the slots are, and beside them what they will add to the output blocks. Each step
// is a pass over the group, a small loop that all fronts share.

func (c camelliaSlots) group() int { return 2 * c.batch() } // in bytes

// beside is that other place, counted from slots. Both have room for a block more.
func (c camelliaSlots) beside() int { return c.group() + 64 }

func (c camelliaSlots) frame() int { return 2 * c.beside() }

// begin also makes room for the slots.
func (c camelliaSlots) begin(enc bool) {
	c.camelliaTier.begin(enc)
	c.asm.LEAQ(c.asm.AllocLocal(c.frame()+64).Offset(63), slots)
	c.asm.ANDQ(imm(-64), slots) // the stack is aligned to 8 bytes
	c.asm.MOVQ(operand.I32(c.batch()), step)
}

// done also clears it.
func (c camelliaSlots) done() {
	c.asm.callCore("wipeSlots")
	c.asm.forgetTweak()
	c.asm.done()
}

// front writes a mode: body in a loop over the groups, between first and last.
func (c camelliaSlots) front(name, params string, enc bool, first, body, last func(), doc ...string) {
	c.asm.mode(c, name, params, enc, doc...)
	first()
	n := operand.I32(c.group())
	top := c.asm.label("group")
	c.asm.Label(top)
	body()
	c.asm.ADDQ(n, src)
	c.asm.ADDQ(n, dst)
	c.asm.SUBQ(n, left)
	c.asm.JNE(operand.LabelRef(top))
	last()
	c.done()
}

// pass writes a loop over a group. at is the memory of the register at hand, from
// base on.
func (c camelliaSlots) pass(name, doc string, first func(), body func(at func(base reg.Register, disp int) operand.Mem), last func()) {
	c.asm.coreFn(name, doc, "Clobbers registers 0 and 1, loop and flags.")
	first()
	c.asm.XORQ(loop, loop)
	top := c.asm.label("pass")
	c.asm.Label(top)
	for i := range 4 {
		body(func(base reg.Register, disp int) operand.Mem {
			return operand.Mem{Base: base, Index: loop, Scale: 1, Disp: disp + i*c.w.bytes}
		})
	}
	c.asm.ADDQ(operand.I32(4*c.w.bytes), loop)
	c.asm.CMPQ(loop, operand.I32(c.group()))
	c.asm.JB(operand.LabelRef(top))
	last()
	c.asm.RET()
}

func (c camelliaSlots) passes() {
	x, y := c.r(0), c.r(1)
	type memory = func(base reg.Register, disp int) operand.Mem
	whitening := func() { c.asm.white(c, y) }
	nothing := func() {}

	c.pass("load", "makes input blocks of those at t3.", whitening, func(at memory) {
		c.asm.xor(at(t3, 0), y, x)
		c.asm.mov(x, at(slots, 0))
	}, nothing)
	c.pass("loadSum", "makes input blocks of src and what lies beside.", whitening, func(at memory) {
		c.asm.xor(at(src, 0), y, x)
		c.asm.xor(at(slots, c.beside()), x, x)
		c.asm.mov(x, at(slots, 0))
	}, nothing)
	c.pass("store", "stores output blocks to dst.", nothing, func(at memory) {
		c.asm.mov(at(slots, 0), x)
		c.asm.mov(x, at(dst, 0))
	}, nothing)
	c.pass("storeSum", "stores to dst the sum of output blocks and what is at t3.", nothing, func(at memory) {
		c.asm.mov(at(slots, 0), x)
		c.asm.xor(at(t3, 0), x, x)
		c.asm.mov(x, at(dst, 0))
	}, nothing)
	c.pass("behind", "copies the block at state and then those of src beside. The last goes to state instead.", func() {
		c.asm.VMOVDQU(at(state, 0), x.AsX())
		c.asm.VMOVDQU(x.AsX(), at(slots, c.beside()))
	}, func(at memory) {
		c.asm.mov(at(src, 0), x)
		c.asm.mov(x, at(slots, c.beside()+16))
	}, func() {
		c.asm.VMOVDQU(at(slots, c.beside()+c.group()), x.AsX())
		c.asm.VMOVDQU(x.AsX(), at(state, 0))
	})
	c.pass("sum", "adds the blocks at t3 to OCB's sum.", func() {
		c.asm.xor(x.AsX(), x.AsX(), x.AsX())
	}, func(at memory) { c.asm.xor(at(t3, 0), x, x) }, func() {
		if c.w.bytes == 32 {
			c.asm.VEXTRACTI128(imm(1), x, y.AsX())
			c.asm.xor(y.AsX(), x.AsX(), x.AsX())
		}
		c.asm.xor(at(state, ocbSum), x.AsX(), x.AsX())
		c.asm.VMOVDQU(x.AsX(), at(state, ocbSum))
	})

	c.asm.coreFn("wipeSlots", "clears slots and what lies beside. Clobbers register 0, loop and flags.")
	c.asm.xor(x.AsX(), x.AsX(), x.AsX())
	c.asm.MOVQ(operand.I32(c.frame()), loop)
	top := c.asm.label("wipeSlots")
	c.asm.Label(top)
	for i := range 4 {
		c.asm.mov(x, operand.Mem{Base: slots, Index: loop, Scale: 1, Disp: (i - 4) * c.w.bytes})
	}
	c.asm.SUBQ(operand.I32(4*c.w.bytes), loop)
	c.asm.JNE(operand.LabelRef(top))
	c.asm.RET()
}

// besideTo points a register at what lies beside.
func (c camelliaSlots) besideTo(r reg.Register) { c.asm.LEAQ(at(slots, c.beside()), r) }

// each emits a loop over left bytes of blocks, of which there may be any number.
func (c camelliaSlots) each(body func(at func(base reg.Register) operand.Mem)) {
	top := c.asm.label("each")
	c.asm.XORQ(loop, loop)
	c.asm.Label(top)
	body(func(base reg.Register) operand.Mem { return operand.Mem{Base: base, Index: loop, Scale: 1} })
	c.asm.ADDQ(imm(16), loop)
	c.asm.CMPQ(loop, left)
	c.asm.JB(operand.LabelRef(top))
}

// fewBatches sets step to 0 if left bytes of blocks make one batch.
func (c camelliaSlots) fewBatches() {
	two := c.asm.label("two")
	c.asm.CMPQ(left, operand.I32(c.batch()))
	c.asm.JA(operand.LabelRef(two))
	c.asm.XORQ(step, step)
	c.asm.Label(two)
}

// ecb writes the two functions that every cipher must have. But for the subkeys they
// are the same. They take any number of blocks.
func (c camelliaSlots) ecb(one core) {
	x, white := reg.X0, reg.X1
	c.asm.coreFn("blocks", "is Camellia on the blocks of left bytes (not 0) from src to dst.",
		"Clobbers all but key, last, state and slots.")
	n := operand.I32(c.group())
	top, tail, end := c.asm.label("group"), c.asm.label("tail"), c.asm.label("end")
	c.asm.Label(top)
	c.asm.SUBQ(n, left)
	c.asm.JB(operand.LabelRef(tail))
	c.asm.MOVQ(src, t3)
	c.asm.callCore("load")
	c.asm.callCore("crypt")
	c.asm.callCore("store")
	c.asm.ADDQ(n, src)
	c.asm.ADDQ(n, dst)
	c.asm.JMP(operand.LabelRef(top))
	c.asm.Label(tail)
	c.asm.ADDQ(n, left)
	c.asm.JE(operand.LabelRef(end))
	c.asm.white(one, white)
	c.each(func(at func(base reg.Register) operand.Mem) {
		c.asm.xor(at(src), white, x)
		c.asm.mov(x, at(slots))
	})
	c.fewBatches()
	c.asm.callCore("crypt")
	c.each(func(at func(base reg.Register) operand.Mem) {
		c.asm.mov(at(slots), x)
		c.asm.mov(x, at(dst))
	})
	c.asm.Label(end)
	c.asm.RET()

	for _, enc := range directions {
		c.asm.fn(word(enc)+c.name, ecbParams, word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks.")
		c.begin(enc)
		c.asm.buffers()
		many := c.asm.label("many")
		c.asm.CMPQ(left, imm(16))
		c.asm.JNE(operand.LabelRef(many))
		c.asm.mov(at(key, 0), x)
		c.asm.xor(at(src, 0), x, x)
		one.call(enc)
		c.asm.mov(x, at(dst, 0))
		c.asm.done() // nothing was beside
		c.asm.Label(many)
		c.asm.callCore("blocks")
		c.done()
	}
}

// ctr writes counter mode as for camelliaSliced.
func (c camelliaSlots) ctr() {
	counts, lo := t1, t2 // the bits of the low half that count, and it
	advance := func(n int, lo reg.Register) {
		c.asm.LEAQ(at(lo, n), loop)
		c.asm.XORQ(lo, loop)
		c.asm.ANDQ(counts, loop)
		c.asm.XORQ(loop, lo)
	}
	index := c.blockOfByte()
	c.asm.coreFn("counters", "makes slots of the whitened counters of a group and moves t2 on.",
		"t1 = the bits that count, of t2, the low half of the first as a number. Clobbers what crypt does.")
	c.batches(func() {
		this, next := at(slots, c.beside()), at(slots, c.beside()+16)
		c.asm.MOVQ(at(state, 0), t3)
		c.asm.XORQ(at(key, 0), t3)
		c.asm.MOVQ(t3, this)
		c.asm.MOVQ(t3, next)
		store := func(to operand.Mem) {
			c.asm.BSWAPQ(t3)
			c.asm.XORQ(at(key, 8), t3)
			c.asm.MOVQ(t3, to.Offset(8))
		}
		c.asm.MOVQ(lo, t3)
		store(this)
		x, y, fits := c.r(0), c.r(1), c.r(2)
		for i := range 15 {
			c.fill(this, i, x)
			c.asm.mov(x, c.slot(i))
		}
		same := c.asm.label("same")
		c.asm.VMOVD(lo.As32(), x.AsX())
		c.fillFrom(x, x)
		c.fill(at(key, 0), 15, y)
		c.asm.VPADDB(index, x, x)
		c.asm.VPMAXUB(index, x, fits) // x, unless less than what was added to it
		c.asm.VPCMPEQB(x, fits, fits)
		c.asm.xor(y, x, x)
		c.asm.mov(x, c.slot(15))
		c.asm.VPMOVMSKB(fits, t3.As32())
		c.asm.CMPL(t3.As32(), operand.U32(1<<c.w.bytes-1))
		c.asm.JE(operand.LabelRef(same))
		c.asm.MOVQ(lo, t3)
		c.asm.MOVB(operand.U8(0xff), t3.As8())
		advance(1, t3)
		store(next)
		for i := range 15 {
			c.fill(next, i, x)
			c.asm.VPBLENDVB(fits, c.slot(i), x, x)
			c.asm.mov(x, c.slot(i))
		}
		c.asm.Label(same)
		advance(c.batch()/16, lo)
	})
	c.asm.RET()

	for _, bits := range []int{128, 32} {
		c.front(map[int]string{128: "ctr", 32: "ctr32"}[bits], modeParams, true, func() {
			if bits == 128 {
				c.asm.MOVQ(operand.I32(-1), counts)
			} else {
				c.asm.MOVL(operand.U32(1<<32-1), counts.As32())
			}
			c.asm.MOVQ(at(state, 8), lo)
			c.asm.BSWAPQ(lo)
		}, func() {
			c.asm.callCore("counters")
			c.asm.callCore("rounds")
			c.join()
			c.asm.MOVQ(src, t3)
			c.asm.callCore("storeSum")
		}, func() {
			c.asm.BSWAPQ(lo)
			c.asm.MOVQ(lo, at(state, 8))
		}, fmt.Sprintf("XORs src with the encryption of successive counters of %d bits", bits),
			"(SP 800-38A, section 6.5; SP 800-38D, section 6.2); s is left at the next one.")
	}
}

// feedback, xex and lanes write what the shared fronts of these names do.
func (c camelliaSlots) feedback() {
	c.front("cbcDecrypt", modeParams, false, func() {}, func() {
		c.asm.callCore("behind")
		c.asm.MOVQ(src, t3)
		c.asm.callCore("load")
		c.asm.callCore("crypt")
		c.besideTo(t3)
		c.asm.callCore("storeSum")
	}, func() {}, "undoes cipher block chaining (SP 800-38A, section 6.2); s is left at the last block of src.")
	c.front("cfbDecrypt", modeParams, true, func() {}, func() {
		c.asm.callCore("behind")
		c.besideTo(t3)
		c.asm.callCore("load")
		c.asm.callCore("crypt")
		c.asm.MOVQ(src, t3)
		c.asm.callCore("storeSum")
	}, func() {}, "undoes 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of src.")
}

func (c camelliaSlots) xex() {
	crypt := func() {
		c.asm.callCore("loadSum")
		c.asm.callCore("crypt")
	}
	store := func() {
		c.besideTo(t3)
		c.asm.callCore("storeSum")
	}
	sum := func(of reg.Register) {
		c.asm.MOVQ(of, t3)
		c.asm.callCore("sum")
	}

	c.asm.coreFn("offsets", "lays OCB's offsets of a group beside (RFC 7253, section 4.2) and advances the state.",
		"t1 = table, t2 = blocks done. Clobbers registers 0 to 15, t3 and flags.")
	o := ocbFront{asm: c.asm, core: c, frame: at(slots, c.beside())}
	c.batches(func() {
		c.asm.MOVQ(step, t3)
		o.offsets(func(int, reg.VecPhysical) {})
		c.asm.MOVQ(t3, step)
	})
	c.asm.RET()
	for _, m := range []struct {
		name, doc string
		body      func()
	}{
		{"ocbEncrypt", "is OCB3 encryption (RFC 7253, section 4.2); s advances.", func() { sum(src); crypt(); store() }},
		{"ocbDecrypt", "is OCB3 decryption (RFC 7253, section 4.3); s advances.", func() { crypt(); store(); sum(dst) }},
		{"ocbAuth", "is OCB3's sum over associated data (RFC 7253, section 4.1); s advances.", func() { crypt(); sum(slots) }},
	} {
		c.front(m.name, ocbParams, m.name != "ocbDecrypt", func() {
			c.asm.MOVQ(at(state, ocbTable), t1)
			c.asm.MOVQ(at(state, ocbIndex), t2)
		}, func() {
			c.asm.callCore("offsets")
			m.body()
		}, func() { c.asm.MOVQ(t2, at(state, ocbIndex)) }, m.doc)
	}

	x := xtsFront{asm: c.asm, core: c, size: c.group()}
	x.subroutine()
	for _, enc := range directions {
		c.front(map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc], modeParams, enc, func() {}, func() {
			c.asm.MOVQ(slots, t1)
			c.besideTo(t0)
			c.asm.callCore("tweaks" + c.suffix())
			c.asm.MOVQ(t1, slots)
			c.asm.MOVQ(operand.I32(c.batch()), step)
			crypt()
			store()
		}, func() {}, "is XTS over whole blocks (IEEE 1619, section 5.3); s is left at the next tweak.")
	}
}

func (c camelliaSlots) lanes(one core) {
	x, white := reg.X0, reg.X1
	stride, blocks, macs := t1, t2, dst
	c.asm.fn("macLanes"+c.name, lanesParams,
		"makes CBC-MACs side by side (SP 800-38C, section 6.1): mac = E(mac XOR block) for each block of each lane.")
	c.begin(true)
	c.asm.Load(c.asm.Param("macs").Base(), macs)
	c.asm.Load(c.asm.Param("src").Base(), src)
	c.asm.Load(c.asm.Param("stride"), stride)
	c.asm.Load(c.asm.Param("lanes"), left)
	c.asm.SHLQ(imm(4), left)
	c.asm.Load(c.asm.Param("blocks"), blocks)
	many := c.asm.label("many")
	c.asm.CMPQ(left, imm(16))
	c.asm.JNE(operand.LabelRef(many))
	top := c.asm.label("step")
	c.asm.mov(at(macs, 0), x)
	c.asm.Label(top)
	c.asm.mov(at(key, 0), white)
	c.asm.xor(at(src, 0), white, white)
	c.asm.xor(white, x, x)
	one.call(true)
	c.asm.ADDQ(imm(16), src)
	c.asm.DECQ(blocks)
	c.asm.JNE(operand.LabelRef(top))
	c.asm.mov(x, at(macs, 0))
	c.asm.done() // nothing was beside

	// The MACs stay sliced between the steps, as the rounds leave them: beside.
	c.asm.Label(many)
	c.fewBatches()
	gather := func(first bool) {
		c.asm.white(one, white)
		c.asm.MOVQ(src, t3)
		c.each(func(here func(base reg.Register) operand.Mem) {
			c.asm.xor(at(t3, 0), white, x)
			if first {
				c.asm.xor(here(macs), x, x)
			}
			c.asm.mov(x, here(slots))
			c.asm.ADDQ(stride, t3)
		})
		c.slice()
	}
	top, rounds, end := c.asm.label("step"), c.asm.label("rounds"), c.asm.label("end")
	gather(true)
	c.asm.JMP(operand.LabelRef(rounds))
	c.asm.Label(top)
	gather(false)
	c.batches(func() {
		for i := range 16 {
			c.asm.mov(c.slot(i), c.r(0))
			c.asm.xor(c.slot((i+8)%16).Offset(c.beside()), c.r(0), c.r(0))
			c.asm.mov(c.r(0), c.slot(i))
		}
	})
	c.asm.Label(rounds)
	c.asm.callCore("rounds")
	c.asm.DECQ(blocks)
	c.asm.JE(operand.LabelRef(end))
	c.batches(func() {
		for i := range 16 {
			c.asm.mov(c.slot(i), c.r(0))
			c.asm.mov(c.r(0), c.slot(i).Offset(c.beside()))
		}
	})
	c.asm.ADDQ(imm(16), src)
	c.asm.JMP(operand.LabelRef(top))
	c.asm.Label(end)
	c.join()
	c.each(func(at func(base reg.Register) operand.Mem) {
		c.asm.mov(at(slots), x)
		c.asm.mov(x, at(macs))
	})
	c.done()
}
