package main

import (
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
	a.groups(c, func() {
		a.white(c, f)
		for i, b := range regs {
			a.load(c, at(src, i*a.bytes), f, b)
		}
		c.call(false)
		a.behind(f, c.free()[1])
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
	a.groups(c, func() {
		a.white(c, f)
		a.behind(regs[0], c.free()[1])
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

// behind loads a register with s and then src, that is, with what lies one block
// behind src. It reads nothing that lies before src: that may just have been
// stored to, in pieces that a load across them would have to wait for.
func (a *asm) behind(v, tmp reg.VecPhysical) {
	switch {
	case a.evex:
		a.bcast(at(state, 0), v)
		a.mov(at(src, 0), tmp)
		a.VALIGNQ(imm(6), v, tmp, v)
	case a.bytes == 32:
		a.mov(at(state, 0), v.AsX())
		a.VINSERTI128(imm(1), at(src, 0), v, v)
	default:
		a.mov(at(state, 0), v)
	}
}
