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
	*asm
	n int
}

func (c aesCore) name(enc bool) string {
	if enc {
		return fmt.Sprintf("encrypt%dx%d", c.n, c.bytes)
	}
	return fmt.Sprintf("decrypt%dx%d", c.n, c.bytes)
}

// emit writes the core of one direction: rounds two a turn, the last two apart
// (there are 10, 12 or 14).
func (c aesCore) emit(enc bool) {
	c.coreFn(c.name(enc),
		fmt.Sprintf("%s: AES rounds on registers 0 to %d (FIPS 197, section 5).", c.name(enc), c.n-1),
		"In: blocks XOR the first round key; key = round keys, last = round key Nr-1.",
		fmt.Sprintf("Clobbers register %d, loop, flags.", c.n))
	k := c.r(c.n)
	round := func(key operand.Mem, final bool) {
		c.bcast(key, k)
		for _, b := range c.rs(0, c.n) {
			switch {
			case enc && final:
				c.VAESENCLAST(k, b, b)
			case enc:
				c.VAESENC(k, b, b)
			case final:
				c.VAESDECLAST(k, b, b)
			default:
				c.VAESDEC(k, b, b)
			}
		}
	}
	top := c.label("rounds")
	c.LEAQ(at(key, 16), loop)
	c.Label(top)
	round(at(loop, 0), false)
	round(at(loop, 16), false)
	c.ADDQ(imm(32), loop)
	c.CMPQ(loop, last)
	c.JNE(operand.LabelRef(top))
	round(at(loop, 0), false)
	round(at(loop, 16), true)
	c.RET()
}

func (c aesCore) regs() []reg.VecPhysical { return c.rs(0, c.n) }
func (c aesCore) free() []reg.VecPhysical {
	if c.evex {
		return c.rs(c.n+1, 32-c.n-1)
	}
	return c.rs(c.n+1, 16-c.n-1)
}
func (c aesCore) keeps() bool   { return true }
func (c aesCore) call(enc bool) { c.callCore(c.name(enc)) }

// begin points key and last at the round keys of a direction.
func (c aesCore) begin(enc bool) {
	c.Load(c.Param("k"), key)
	c.MOVQ(at(key, keyRounds), last)
	if !enc {
		c.ADDQ(imm(keyDec), key)
	}
	c.SHLQ(imm(4), last)
	c.LEAQ(operand.Mem{Base: key, Index: last, Scale: 1, Disp: -16}, last)
}

func (c aesCore) suffix() string { return "VaesAvx512" }

func (c aesCore) narrow() []core {
	var n []core
	for i := c.n / 2; i > 0; i /= 2 {
		n = append(n, aesCore{c.asm, i})
	}
	return n
}

func (c aesCore) whitening() operand.Mem { return at(key, 0) }

func aesFile(w width) ([]byte, error) {
	a := newAsm(w)
	full := aesCore{a, 8}
	for _, enc := range []bool{true, false} {
		full.emit(enc)
		for n := 4; n > 0; n /= 2 {
			aesCore{a, n}.emit(enc)
		}
	}
	ecb(a, full)
	ctr(a, full)
	feedback(a, full)
	ocb(a, full)
	return a.print()
}
