package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// feedback writes the decryption of CBC and of 128-bit CFB. Each block needs the
// ciphertext block before it: src one block back, and s for the very first. What is
// read is read before the group is stored, for dst may be src.
func feedback(a *asm, c core) {
	regs := c.regs()
	f, next := c.free()[0], c.free()[1].AsX()
	end := len(regs)*a.bytes - 16

	a.mode(c, "cbcDecrypt", modeParams, false, "undoes cipher block chaining (SP 800-38A, section 6.2); s is left at the last block of src.")
	a.notFirstLane()
	a.groups(c, func() {
		a.white(c, f)
		for i, b := range regs {
			a.load(c, at(src, i*a.bytes), f, b)
		}
		c.call(false)
		a.behind(f)
		a.xor(f, regs[0], regs[0])
		for i, b := range regs[1:] {
			a.xor(at(src, (i+1)*a.bytes-16), b, b)
		}
		a.mov(at(src, end), next)
		for i, b := range regs {
			a.mov(b, at(dst, i*a.bytes))
		}
		a.mov(next, at(state, 0))
	})
	a.done()

	a.mode(c, "cfbDecrypt", modeParams, true, "undoes 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of src.")
	a.notFirstLane()
	a.groups(c, func() {
		a.white(c, f)
		a.behind(regs[0])
		a.addWhite(c, f, regs[0])
		for i, b := range regs[1:] {
			a.load(c, at(src, (i+1)*a.bytes-16), f, b)
		}
		c.call(true)
		for i, b := range regs {
			a.xor(at(src, i*a.bytes), b, b)
		}
		a.mov(at(src, end), next)
		for i, b := range regs {
			a.mov(b, at(dst, i*a.bytes))
		}
		a.mov(next, at(state, 0))
	})
	a.done()
}

// notFirstLane sets K1 to the quadwords of all lanes but the first.
func (a *asm) notFirstLane() {
	if a.evex {
		a.MOVL(operand.U32(0xfc), t0.As32())
		a.KMOVW(t0.As32(), reg.K1)
	}
}

// behind loads a register with s and then src, that is, with what lies one block
// behind src.
func (a *asm) behind(v reg.VecPhysical) {
	a.mov(at(state, 0), v.AsX())
	switch {
	case a.evex: // a masked load does not touch what lies before src
		a.VMOVDQU64(at(src, -16), reg.K1, v)
	case a.bytes == 32:
		a.VINSERTI128(imm(1), at(src, 0), v, v)
	}
}
