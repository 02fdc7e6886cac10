package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// feedback writes the decryption of CBC and of 128-bit CFB. Each block needs the
// ciphertext block before it: src one block back, and s for the very first. What is
// read is read before the group is stored, for dst may be src.
//
// With cores that halve down to one register, they take any number of blocks.
func feedback(a *asm, c core) {
	for _, f := range []struct {
		name, doc string
		some      func(a *asm, c core, m mask, last operand.Mem)
		enc       bool // what the core does
	}{
		{"cbcDecrypt", "undoes cipher block chaining (SP 800-38A, section 6.2); s is left at the last block of src.", cbcDecrypt, false},
		{"cfbDecrypt", "undoes 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of src.", cfbDecrypt, true},
	} {
		a.mode(c, f.name, modeParams, f.enc, f.doc)
		group := func() { f.some(a, c, whole, at(src, len(c.regs())*a.bytes-16)) }
		if a.masks(c) {
			a.anyBlocks(c, group, func() {
				a.masked(c, func(c core, m mask) {
					f.some(a, c, m, operand.Mem{Base: src, Index: left, Scale: 8, Disp: -16})
				})
			})
		} else {
			a.groups(c, group)
		}
		a.done()
	}
}

// cbcDecrypt works those blocks of a group that m says there are; last is where the
// last one lies.
func cbcDecrypt(a *asm, c core, m mask, last operand.Mem) {
	regs, f, next := c.regs(), c.free()[0], c.free()[1]
	a.white(c, f)
	for i, b := range regs {
		a.inputSome(c, at(src, i*a.bytes), f, m(i), b)
	}
	c.call(false)
	a.behind(f, next, m(0))
	a.xor(f, regs[0], regs[0])
	for i, b := range regs[1:] {
		a.xorSome(at(src, (i+1)*a.bytes-16), b, m(i+1), b)
	}
	a.finish(regs, m, last, next.AsX())
}

// cfbDecrypt is the same for CFB.
func cfbDecrypt(a *asm, c core, m mask, last operand.Mem) {
	regs, f, next := c.regs(), c.free()[0], c.free()[1]
	a.white(c, f)
	a.behind(regs[0], next, m(0))
	a.addWhite(c, f, regs[0])
	for i, b := range regs[1:] {
		a.inputSome(c, at(src, (i+1)*a.bytes-16), f, m(i+1), b)
	}
	c.call(true)
	for i, b := range regs {
		a.xorSome(at(src, i*a.bytes), b, m(i), b)
	}
	a.finish(regs, m, last, next.AsX())
}

// finish stores a group and sets s to the last block of src.
func (a *asm) finish(regs []reg.VecPhysical, m mask, last operand.Mem, next reg.Register) {
	a.mov(last, next)
	for i, b := range regs {
		a.storeSome(b, m(i), at(dst, i*a.bytes))
	}
	a.mov(next, at(state, 0))
}

// behind loads a register with s and then what k says there is of src, that is, with
// what lies one block behind src. It reads nothing that lies before src: that may just
// have been stored to, in pieces that a load across them would have to wait for.
func (a *asm) behind(v, tmp reg.VecPhysical, k reg.Register) {
	switch {
	case a.evex:
		a.bcast(at(state, 0), v)
		a.loadSome(at(src, 0), k, tmp)
		a.VALIGNQ(imm(6), v, tmp, v)
	case a.bytes == 32:
		a.mov(at(state, 0), v.AsX())
		a.VINSERTI128(imm(1), at(src, 0), v, v)
	default:
		a.mov(at(state, 0), v)
	}
}
