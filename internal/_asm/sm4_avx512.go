package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// With AVX-512, SM4's modes are put together from parts, of which each core has its
// own: they work what there is of a group, left bytes, under masks. A group that is
// not full thus takes no code but that of a narrower core.
//
// Between parts and core, t3 is where a mode's tweaks or offsets lie.

// parts writes those of a core.
func (c sm4Core) parts() {
	part := func(name, doc string, more ...string) {
		more = append(more, "Clobbers t0, loop, K1 and flags.")
		c.asm.coreFn(c.part(name), append([]string{doc}, more...)...)
	}
	part("load", "loads left bytes of blocks from src, and zeros behind them.")
	c.byMasks(func(i int, k reg.Register) { c.asm.loadSome(at(src, 64*i), k, c.asm.r(i)) })
	c.asm.RET()

	part("add", "XORs left bytes of blocks from t3 onto the registers, and clears what is behind them.")
	c.byMasks(func(i int, k reg.Register) { c.asm.xorSome(at(t3, 64*i), c.asm.r(i), k, c.asm.r(i)) })
	c.asm.RET()

	part("store", "stores left bytes of blocks to dst.")
	c.byMasks(func(i int, k reg.Register) { c.asm.storeSome(c.asm.r(i), k, at(dst, 64*i)) })
	c.asm.RET()

	part("mix", "does as add, and stores that to dst.")
	c.byMasks(func(i int, k reg.Register) {
		c.asm.xorSome(at(t3, 64*i), c.asm.r(i), k, c.asm.r(i))
		c.asm.storeSome(c.asm.r(i), k, at(dst, 64*i))
	})
	c.asm.RET()

	part("chain", "XORs onto each block that before it in src, s onto the first, and sets s to the last of src.",
		"It reads nothing that lies before src: that may just have been stored to, in pieces that a",
		"load across them would have to wait for. Clobbers the two registers behind them.")
	first, tmp := c.free()[0], c.free()[1]
	c.asm.bcast(at(state, 0), first)
	c.byMasks(func(i int, k reg.Register) {
		b := c.asm.r(i)
		if i > 0 {
			c.asm.xorSome(at(src, 64*i-16), b, k, b)
			return
		}
		c.asm.loadSome(at(src, 0), k, tmp)
		c.asm.VALIGNQ(imm(6), first, tmp, first)
		c.asm.xor(first, b, b)
	})
	c.asm.mov(operand.Mem{Base: src, Index: left, Scale: 1, Disp: -16}, tmp.AsX())
	c.asm.mov(tmp.AsX(), at(state, 0))
	c.asm.RET()

	c.asm.coreFn(c.part("sum"), "adds the blocks to an OCBState's sum. Clobbers registers 30 and 31.")
	sum := c.asm.r(31)
	c.asm.xor(c.asm.r(0), c.asm.r(1), sum)
	for i := 2; i < len(c.regs()); i += 2 {
		c.asm.xor3(c.asm.r(i), c.asm.r(i+1), sum, nil)
	}
	c.asm.callCore("fold")
	c.asm.RET()
}

// fold writes what the parts that add share.
func (t *sm4Tier) fold() {
	t.asm.coreFn("fold", "adds the lanes of register 31 to an OCBState's sum. Clobbers that and register 30.")
	sum, half := t.asm.r(31), t.asm.r(30)
	t.asm.VEXTRACTI64X4(imm(1), sum, half.AsY())
	t.asm.xor(half.AsY(), sum.AsY(), sum.AsY())
	t.asm.VEXTRACTI64X2(imm(1), sum.AsY(), half.AsX())
	t.asm.xor(half.AsX(), sum.AsX(), sum.AsX())
	t.asm.xor(at(state, ocbSum), sum.AsX(), sum.AsX())
	t.asm.mov(sum.AsX(), at(state, ocbSum))
	t.asm.RET()
}

// byMasks emits what moves the registers of left bytes, one by one, with the mask of
// those blocks of a register that there are, or nil for all. Full groups take none.
func (c sm4Core) byMasks(move func(i int, k reg.Register)) {
	n, full, some, end := len(c.regs()), (c.sure-1)/c.asm.blocks(), c.asm.label("some"), c.asm.label("end")
	if n-full > 8 {
		panic("sm4: more quadwords to mask than bits")
	}
	for i := range full {
		move(i, nil)
	}
	c.asm.CMPQ(left, imm(c.size()))
	c.asm.JNE(operand.LabelRef(some))
	for i := full; i < n; i++ {
		move(i, nil)
	}
	c.asm.JMP(operand.LabelRef(end))
	c.asm.Label(some)
	// As many ones as there are quadwords behind the full registers.
	bits := t0
	c.asm.MOVQ(left, loop)
	c.asm.SHRQ(imm(3), left)
	c.asm.NEGQ(left)
	c.asm.MOVQ(operand.I32(-1), bits)
	c.asm.SHRQ(reg.CL, bits)
	c.asm.MOVQ(loop, left)
	if full%8 > 0 {
		c.asm.SHRQ(imm(8*(full%8)), bits)
	}
	for i := full; i < n; i++ {
		c.asm.KMOVW(bits.As32(), reg.K1)
		if i < n-1 {
			c.asm.SHRQ(imm(8), bits)
		}
		move(i, reg.K1)
	}
	c.asm.Label(end)
}

// feedback writes the decryption of CBC and of 128-bit CFB, for any number of blocks.
func (l sm4Ladder) feedback() {
	l.asm.mode(l, "cbcDecrypt", modeParams, false, "undoes cipher block chaining (SP 800-38A, section 6.2); s is left at the last block of src.")
	l.groups(sm4Loop{
		body: func(c sm4Core) {
			c.load()
			c.call(false)
			c.asm.callCore(c.part("chain"))
			c.store()
		},
	})
	l.asm.done()

	l.asm.mode(l, "cfbDecrypt", modeParams, true, "undoes 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of src.")
	l.groups(sm4Loop{
		before: func() {
			for _, r := range l.regs() {
				l.asm.xor(r.AsX(), r.AsX(), r.AsX())
			}
		},
		body: func(c sm4Core) {
			c.asm.callCore(c.part("chain"))
			c.call(true)
			c.mix()
		},
	})
	l.asm.done()
}

// ocb writes OCB3's encryption, decryption and sum over associated data (RFC 7253,
// sections 4.1 to 4.3), for any number of blocks.
func (l sm4Ladder) ocb() {
	l.fold()
	l.offsets()
	for _, op := range ocbOps {
		enc, text := op == "ocbEncrypt", op != "ocbAuth"
		l.asm.mode(l, op, ocbParams, op != "ocbDecrypt", ocbDocs[op])
		wipe := l.frame()
		l.groups(sm4Loop{
			before: func() { l.asm.callCore("offsets") },
			body: func(c sm4Core) {
				c.load()
				if enc {
					c.asm.callCore(c.part("sum"))
				}
				c.asm.callCore(c.part("add"))
				c.call(op != "ocbDecrypt")
				if text {
					c.asm.callCore(c.part("mix"))
				} else { // no offset is added here, but blocks that there are not are cleared
					c.asm.callCore(c.part("add"))
					c.asm.callCore(c.part("add"))
				}
				if !enc {
					c.asm.callCore(c.part("sum"))
				}
			},
		})
		wipe()
		l.asm.done()
	}
}

// frame has t3 point to stack memory for the tweaks or offsets of a group, as tweaks
// and offsets write them, within lines of the cache. It returns what wipes those of
// the first group, which is the longest.
func (l sm4Ladder) frame() (wipe func()) {
	l.asm.LEAQ(l.asm.AllocLocal(l.size()+2*64).Offset(63), t3)
	l.asm.ANDQ(imm(-64), t3)
	l.asm.MOVQ(left, t4)
	return func() {
		zero, top := l.asm.r(0), l.asm.label("zero")
		l.asm.xor(zero.AsX(), zero.AsX(), zero.AsX())
		l.asm.MOVQ(t4, left)
		l.asm.callCore("next")
		l.asm.Label(top)
		for i := range 4 {
			l.asm.mov(zero, at(t3, 64*i))
		}
		l.asm.ADDQ(imm(256), t3)
		l.asm.SUBQ(imm(256), left)
		l.asm.JA(operand.LabelRef(top))
		l.asm.mov(zero, at(t3, 0)) // the tweak behind them
	}
}

// offsets writes what makes OCB's offsets, as the generic front does: those of 16
// blocks at a time, of which the last one's is the base of the next.
func (l sm4Ladder) offsets() {
	l.asm.coreFn("offsets", "writes the offsets of left bytes of blocks, and perhaps more, to t3, and advances the state.",
		"Clobbers t0, t1, t2, loop, flags and registers behind the cores'.")
	table, index, f := t1, t2, l.free()
	base, step, off, gray, last := f[0], f[1], f[2], f[3:7], f[7]
	l.asm.MOVQ(at(state, ocbTable), table)
	l.asm.MOVQ(at(state, ocbIndex), index)
	l.asm.bcast(at(state, ocbOffset), base)
	for i, g := range gray {
		l.asm.mov(at(table, tableGray+16*(4*i+1)), g)
	}
	l.asm.bcast(at(table, tableGray+16*15), last)
	l.asm.XORQ(loop, loop)
	top := l.asm.label("offsets")
	l.asm.Label(top)
	l.asm.ADDQ(imm(16), index)
	l.asm.BSFQ(index, t0)
	l.asm.SHLQ(imm(4), t0)
	to := operand.Mem{Base: t3, Index: loop, Scale: 1}
	l.asm.bcast(operand.Mem{Base: table, Disp: tableL, Index: t0, Scale: 1}, step)
	for i, g := range gray {
		l.asm.xor(g, base, off)
		if i == 3 {
			l.asm.xor3(last, step, base, nil)
			l.asm.VINSERTI64X2(imm(3), base.AsX(), off, off)
		}
		l.asm.mov(off, to.Offset(64*i))
	}
	l.asm.ADDQ(imm(256), loop)
	l.asm.CMPQ(loop, left)
	l.asm.JB(operand.LabelRef(top))
	l.asm.mov(operand.Mem{Base: t3, Index: left, Scale: 1, Disp: -16}, off.AsX())
	l.asm.mov(off.AsX(), at(state, ocbOffset))
	l.asm.MOVQ(left, t0)
	l.asm.SHRQ(imm(4), t0)
	l.asm.ADDQ(t0, at(state, ocbIndex))
	l.asm.RET()
}

// xts writes XTS by IEEE 1619, section 5.3, and by GB/T 17964-2021, whose tweaks have
// the bits of each byte in the opposite order, for any number of blocks.
func (l sm4Ladder) xts() {
	x := xtsFront{asm: l.asm, core: l, size: 16 * 16}
	x.tables()
	for _, v := range []struct {
		suffix, standard string
		gb               bool
	}{{"", "IEEE 1619, section 5.3", false}, {"GB", "GB/T 17964-2021", true}} {
		l.tweaks(x, "tweaks"+v.suffix, v.gb)
		body := "xts" + v.suffix
		l.asm.coreFn(body, "is XTS in either direction ("+v.standard+"), with memory for a group of tweaks and another at t3.")
		l.groups(sm4Loop{
			before: func() { l.asm.callCore("tweaks" + v.suffix) },
			one: func() {
				x := l.one.x[0]
				l.asm.VMOVDQU(at(src, 0), x)
				l.asm.VPXOR(at(t3, 0), x, x)
				x = l.one.crypt()
				l.asm.VPXOR(at(t3, 0), x, x)
				l.asm.VMOVDQU(x, at(dst, 0))
			},
			body: func(c sm4Core) {
				c.load()
				c.asm.callCore(c.part("add"))
				c.call(true)
				c.asm.callCore(c.part("mix"))
			},
		})
		l.asm.RET()
		for _, enc := range directions {
			name := map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc] + v.suffix
			l.asm.mode(l, name, modeParams, enc,
				"is XTS over whole blocks ("+v.standard+"); s is left at the next tweak.")
			wipe := l.frame()
			l.asm.callCore(body)
			wipe()
			l.asm.done()
		}
	}
}

// tweaks writes what makes the tweaks of a group, those of 16 blocks at a time. That of
// block j is T x^j: T shifted left by j bits, and the bits that fell out times 0x87.
func (l sm4Ladder) tweaks(x xtsFront, name string, gb bool) {
	l.asm.coreFn(name, "writes the tweaks of left bytes of blocks, and at least one more, to t3, and sets s to the next.",
		"Clobbers t0, loop, K7, flags and registers behind the cores'.")
	f := l.free()
	base, swapped, t, u := f[2], f[3], f[4], f[5]
	turn := func(v reg.VecPhysical) {}
	if gb {
		turn = l.linear("reverse", bitReverse, f[6:])
	}
	l.asm.bcast(at(state, 0), base)
	turn(base)
	l.asm.MOVL(operand.U32(0x55), t0.As32())
	l.asm.KMOVW(t0.As32(), lowQuads)
	l.asm.XORQ(loop, loop)
	top := l.asm.label("tweaks")
	l.asm.Label(top)
	to := operand.Mem{Base: t3, Index: loop, Scale: 1}
	l.asm.VPSHUFD(operand.U8(0x4e), base, swapped)
	for i := range 4 {
		l.asm.VPSLLVQ(x.left.Offset(64*i), base, t)
		l.asm.VPSRLVQ(x.right.Offset(64*i), swapped, u) // low: what fell out; high: the carry between halves
		x.addLow(u, t, f[1], f[0])
		turn(t)
		l.asm.mov(t, to.Offset(64*i))
	}
	l.asm.VPSRLDQ(imm(14), base, u)
	l.asm.VPSLLDQ(imm(2), base, base)
	x.addLow(u, base, f[1], f[0])
	l.asm.ADDQ(imm(256), loop)
	l.asm.CMPQ(loop, left)
	l.asm.JB(operand.LabelRef(top))
	turn(base)
	l.asm.mov(base.AsX(), to)
	l.asm.mov(operand.Mem{Base: t3, Index: left, Scale: 1}, base.AsX())
	l.asm.mov(base.AsX(), at(state, 0))
	l.asm.RET()
}
