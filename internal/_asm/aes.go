package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aesCore is AES on registers 0 to n-1 of a width. The core wants its input
// whitened, that is, XOR the first round key, which a front folds into a counter,
// an offset or a tweak.
type aesCore struct {
	asm  *asm
	w    width
	n    int
	tier string
}

func (c aesCore) name(enc bool) string { return fmt.Sprintf("%s%dx%d", word(enc), c.n, c.w.bytes) }

// emit writes the core of one direction: rounds two a turn, the last two apart
// (there are 10, 12 or 14).
func (c aesCore) emit(enc bool) {
	c.asm.coreFn(c.name(enc),
		fmt.Sprintf("is AES on registers 0 to %d (FIPS 197, section 5; decryption 5.3.5).", c.n-1),
		"In: blocks XOR the first round key; key = round keys, last = round key Nr-1.",
		fmt.Sprintf("Clobbers register %d, loop and flags.", c.n))
	op := map[bool]func(k, in, out operand.Op){true: c.asm.VAESENC, false: c.asm.VAESDEC}[enc]
	final := map[bool]func(k, in, out operand.Op){true: c.asm.VAESENCLAST, false: c.asm.VAESDECLAST}[enc]
	k := c.w.r(c.n)
	round := func(op func(k, in, out operand.Op), key operand.Mem) {
		c.asm.bcast(key, k)
		for _, b := range c.regs() {
			op(k, b, b)
		}
	}
	top := c.asm.label("rounds")
	c.asm.LEAQ(at(key, 16), loop)
	c.asm.Label(top)
	round(op, at(loop, 0))
	round(op, at(loop, 16))
	c.asm.ADDQ(imm(32), loop)
	c.asm.CMPQ(loop, last)
	c.asm.JNE(operand.LabelRef(top))
	round(op, at(loop, 0))
	round(final, at(loop, 16))
	c.asm.RET()
}

func (c aesCore) suffix() string                 { return c.tier }
func (c aesCore) regs() []reg.VecPhysical        { return c.w.rs(0, c.n) }
func (c aesCore) free() []reg.VecPhysical        { return c.w.rs(c.n+1, c.w.registers()-c.n-1) }
func (c aesCore) keeps() bool                    { return true }
func (c aesCore) whitening() (operand.Mem, bool) { return at(key, 0), true }
func (c aesCore) call(enc bool)                  { c.asm.callCore(c.name(enc)) }

// begin points key and last at the round keys of a direction.
func (c aesCore) begin(enc bool) {
	c.asm.Load(c.asm.Param("k"), key)
	c.asm.MOVQ(at(key, keyRounds), last)
	if !enc {
		c.asm.ADDQ(imm(keyDec), key)
	}
	c.asm.SHLQ(imm(4), last)
	c.asm.LEAQ(operand.Mem{Base: key, Index: last, Scale: 1, Disp: -16}, last)
}

// narrow is half the registers and half again with masks, and a single block
// without.
func (c aesCore) narrow() []core {
	if !c.w.evex {
		return []core{aesCore{c.asm, avx, 1, c.tier}}
	}
	var n []core
	for i := c.n / 2; i > 0; i /= 2 {
		n = append(n, aesCore{c.asm, c.w, i, c.tier})
	}
	return n
}

// lanesLoop is the loop of the lanes, at nothing but the latency of the rounds if
// there are few: as in aesSerial, the last round of a step XORs the next input too.
func (c aesCore) lanesLoop(ptrs, macs operand.Mem) {
	free := c.free()
	kLast, kBoth, in := free[0], free[1], free[2]
	size := int(kLast.Size())
	top, end := c.asm.label("step"), c.asm.label("last")
	c.asm.XORQ(src, src)
	c.asm.bcast(at(last, 16), kLast)
	c.asm.bcast(at(key, 0), in)
	c.asm.xor(in, kLast, kBoth)
	for i, x := range c.regs() {
		c.asm.bcast(at(key, 0), x)
		c.asm.xor(macs.Offset(i*size), x, x)
		c.asm.gatherLanes(ptrs, i, in)
		c.asm.xor(in, x, x)
	}
	c.asm.Label(top)
	c.inner(c.regs())
	c.asm.ADDQ(imm(16), src)
	c.asm.CMPQ(src, left)
	c.asm.JAE(operand.LabelRef(end))
	for i, x := range c.regs() {
		c.asm.gatherLanes(ptrs, i, in)
		c.asm.xor(kBoth, in, in)
		c.asm.VAESENCLAST(in, x, x)
	}
	c.asm.JMP(operand.LabelRef(top))
	c.asm.Label(end)
	for i, x := range c.regs() {
		c.asm.VAESENCLAST(kLast, x, x)
		c.asm.mov(x, macs.Offset(i*size))
	}
}

func aesFile(w width, tier string) func() *asm {
	return func() *asm {
		a := newAsm(w)
		full := aesCore{a, w, 8, tier}
		for _, c := range append([]core{full}, full.narrow()...) {
			for _, enc := range directions {
				c.(aesCore).emit(enc)
			}
		}
		ecb(a, full)
		gcm(a, tier, ctr(a, full))
		feedback(a, full)
		ocb(a, full)
		xts(a, full)
		lanes(a, full)
		return a
	}
}
