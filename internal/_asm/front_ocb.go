package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets into bulk.OCBState and bulk.OCBTable.
const (
	ocbTable  = 0
	ocbIndex  = 8
	ocbOffset = 16
	ocbSum    = 32

	tableL    = 32
	tableGray = 800
)

var (
	ocbOps  = []string{"ocbEncrypt", "ocbDecrypt", "ocbAuth"}
	ocbDocs = map[string]string{
		"ocbEncrypt": "is OCB3 encryption (RFC 7253, section 4.2); s advances.",
		"ocbDecrypt": "is OCB3 decryption (RFC 7253, section 4.3); s advances.",
		"ocbAuth":    "is OCB3's sum over associated data (RFC 7253, section 4.1); s advances.",
	}
)

// ocb writes OCB3's encryption, decryption and sum over associated data (RFC 7253,
// sections 4.1 to 4.3).
//
// With i a multiple of 16, Offset_{i+j} = Offset_i XOR Gray[j] for j below 16, and
// Offset_{i+16} = Offset_i XOR Gray[15] XOR L_ntz(i+16): one new value for each 16
// blocks, from which the others follow without a serial step. (For cores of fewer
// blocks, the same with 8 or 4.)
func ocb(a *asm, c core) {
	for _, op := range ocbOps {
		a.mode(c, op, ocbParams, op != "ocbDecrypt", ocbDocs[op])
		o := ocbFront{asm: a, core: c, sum: a.AllocLocal(a.bytes)}
		if !o.kept() {
			o.frame = a.AllocLocal(len(c.regs()) * a.bytes)
		}
		x := c.free()[0]
		a.xor(x.AsX(), x.AsX(), x.AsX())
		a.mov(x, o.sum)
		a.MOVQ(at(state, ocbTable), t1)
		a.MOVQ(at(state, ocbIndex), t2)
		group := func() { o.group(op) }
		if a.masks(c) && o.kept() {
			a.anyBlocks(c, group, func() { a.masked(c, func(c core, m mask) { o.tail(op, c, m) }) })
		} else {
			a.groups(c, group)
		}
		a.MOVQ(t2, at(state, ocbIndex))
		o.fold()
		a.done()
	}
}

type ocbFront struct {
	asm *asm
	core
	sum   operand.Mem     // the sum so far, a register wide
	frame operand.Mem     // the offsets of a group, where the core keeps no registers
	base  reg.VecPhysical // if set, gets the last base of a group's offsets that are kept
}

// kept reports whether the offsets of a group stay in registers across the core.
func (o ocbFront) kept() bool { return o.keeps() && len(o.free()) >= 4+len(o.regs()) }

// group works a full group of blocks.
func (o ocbFront) group(op string) { o.some(op, whole) }

// tail works the last 1 to group-1 blocks with c. What some has made of the state then
// is for as many blocks as c has, and is undone.
func (o ocbFront) tail(op string, c core, m mask) {
	a := o.asm
	o.core, o.base = c, c.free()[2]
	blocks := len(c.regs()) * a.blocks()
	o.some(op, m)
	whole, base, per := a.label("whole"), o.base.AsX(), o.shared()
	a.SHRQ(imm(1), left)
	if blocks > per {
		a.SUBQ(imm(blocks-per), left)
	}
	a.CMPQ(left, imm(per))
	a.JE(operand.LabelRef(whole))
	a.ADDQ(left, t2)
	a.SUBQ(imm(per), t2)
	a.SHLQ(imm(4), left)
	a.xor(operand.Mem{Base: t1, Disp: tableGray, Index: left, Scale: 1}, base, base)
	a.mov(base, at(state, ocbOffset))
	a.Label(whole)
}

// some works those blocks of a group that m says there are.
func (o ocbFront) some(op string, m mask) {
	f := o.free()
	w, acc, t := f[0], f[1], f[2]
	o.asm.white(o.core, w)
	o.asm.mov(o.sum, acc)
	o.offsets(func(i int, off reg.VecPhysical) {
		b := o.regs()[i]
		o.asm.loadSome(at(src, i*o.asm.bytes), m(i), b)
		if op == "ocbEncrypt" {
			o.asm.xor(b, acc, acc)
		}
		o.asm.whiten(o.core, off, w, b, t)
	})
	if op == "ocbEncrypt" {
		o.asm.mov(acc, o.sum)
	}
	o.call(op != "ocbDecrypt")
	if op != "ocbEncrypt" {
		o.asm.mov(o.sum, acc)
	}
	for i, b := range o.regs() {
		k := m(i)
		if op != "ocbAuth" {
			o.asm.xor(o.offset(i), b, b)
			o.asm.storeSome(b, k, at(dst, i*o.asm.bytes))
		}
		switch {
		case op == "ocbEncrypt":
		case k == nil:
			o.asm.xor(b, acc, acc)
		default:
			o.asm.VPXORQ(b, acc, k, acc)
		}
	}
	if op != "ocbEncrypt" {
		o.asm.mov(acc, o.sum)
	}
}

// offset is where offsets left the offsets of register i.
func (o ocbFront) offset(i int) operand.Op {
	if o.kept() {
		return o.free()[4+i]
	}
	return o.frame.Offset(i * o.asm.bytes)
}

// shared is how many blocks share a base.
func (o ocbFront) shared() int { return min(16, len(o.regs())*o.asm.blocks()) }

// offsets makes the offsets of a group, register by register, and advances the
// state. t1 is the table, t2 the number of blocks done.
func (o ocbFront) offsets(use func(i int, off reg.VecPhysical)) {
	base, per := o.free()[3], o.shared()
	regs := per / o.asm.blocks()
	for i := range o.regs() {
		if i%regs == 0 {
			o.asm.bcast(at(state, ocbOffset), base)
			if o.base != nil {
				o.asm.mov(base, o.base)
			}
		}
		off := o.free()[2]
		if o.kept() {
			off = o.free()[4+i]
		}
		o.asm.xor(at(t1, tableGray+16*(i%regs*o.asm.blocks()+1)), base, off)
		if i%regs == regs-1 { // the last lane's offset is the next base
			x := base.AsX()
			o.asm.ADDQ(imm(per), t2)
			o.asm.BSFQ(t2, t0)
			o.asm.SHLQ(imm(4), t0)
			o.asm.xor(at(t1, tableGray+16*(per-1)), x, x)
			o.asm.xor(operand.Mem{Base: t1, Disp: tableL, Index: t0, Scale: 1}, x, x)
			o.asm.mov(x, at(state, ocbOffset))
			switch o.asm.bytes {
			case 64:
				o.asm.VINSERTI64X2(imm(3), x, off, off)
			case 32:
				o.asm.VINSERTI128(imm(1), x, off, off)
			default:
				o.asm.mov(x, off)
			}
		}
		if !o.kept() {
			o.asm.mov(off, o.frame.Offset(i*o.asm.bytes))
		}
		use(i, off)
	}
}

// fold adds the lanes of the sum to the state's, and wipes the frame.
func (o ocbFront) fold() {
	x := o.free()[0].AsX()
	o.asm.mov(at(state, ocbSum), x)
	for i := range o.asm.blocks() {
		o.asm.xor(o.sum.Offset(16*i), x, x)
	}
	o.asm.mov(x, at(state, ocbSum))
	o.asm.zeroFrame(o.sum, o.asm.bytes)
	if !o.kept() {
		o.asm.zeroFrame(o.frame, len(o.regs())*o.asm.bytes)
	}
}
