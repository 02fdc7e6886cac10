package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aesOneBlockFile is what all tiers with AES instructions share, for it has one
// 16-byte register to work on at a time: the key schedule, and the modes in which
// each block waits for the one before.
func aesOneBlockFile() *asm {
	a := newAsm(avx)
	aesSubWord(a)
	aesDecryptionKeys(a)
	aesSerial(a)
	return a
}

// aesSubWord is SubWord of the key schedule (FIPS 197, section 5.2). With the same
// word in all columns ShiftRows has no effect, and the last round, with a key of
// zero, is SubBytes alone.
func aesSubWord(a *asm) {
	a.fn("subWordAesni", "(w uint32) uint32", "applies the S-box to each byte (FIPS 197, section 5.2).")
	w := reg.EAX
	x, zero := reg.X0, reg.X1
	a.Load(a.Param("w"), w)
	a.VMOVD(w, x)
	a.VPSHUFD(imm(0), x, x)
	a.VPXOR(zero, zero, zero)
	a.VAESENCLAST(zero, x, x)
	a.VMOVD(x, w)
	a.VPXOR(x, x, x)
	a.Store(w, a.ReturnIndex(0))
	a.RET()
}

// aesDecryptionKeys makes the round keys of the equivalent inverse cipher (FIPS
// 197, section 5.3.5): in reverse order, and the inner ones through InvMixColumns.
func aesDecryptionKeys(a *asm) {
	a.fn("decryptionKeysAesni", "(k *bulk.Key)", "makes k.Dec of k.Enc and k.Rounds (FIPS 197, section 5.3.5).")
	x, from := reg.X0, t0
	a.Load(a.Param("k"), key)
	a.MOVQ(at(key, keyRounds), from)
	a.SHLQ(imm(4), from)
	enc := operand.Mem{Base: key, Index: from, Scale: 1}
	a.LEAQ(at(key, keyDec), dst)
	a.VMOVDQU(enc, x)
	a.VMOVDQU(x, at(dst, 0))
	a.SUBQ(imm(16), from)
	top := a.label("inner")
	a.Label(top)
	a.ADDQ(imm(16), dst)
	a.VAESIMC(enc, x)
	a.VMOVDQU(x, at(dst, 0))
	a.SUBQ(imm(16), from)
	a.JNE(operand.LabelRef(top))
	a.VMOVDQU(enc, x)
	a.VMOVDQU(x, at(dst, 16))
	a.VPXOR(x, x, x)
	a.RET()
}

// aesSerial writes CBC and CFB encryption and OFB (SP 800-38A, sections 6.2 to
// 6.4), at nothing but the latency of the rounds: the last one XORs its key, and
// with it whatever else comes between one block's output and the next block's
// first round.
func aesSerial(a *asm) {
	c := aesCore{a, avx, 1, "Aesni"}
	x, out, t := avx.r(0), avx.r(1), avx.r(2)
	kLast, kBoth := avx.r(3), avx.r(4) // the last round key; that XOR the first
	mode := func(name, doc string, first, step func()) {
		a.mode(c, name, modeParams, true, doc)
		a.VMOVDQU(at(last, 16), kLast)
		a.VPXOR(at(key, 0), kLast, kBoth)
		a.VMOVDQU(at(key, 0), x)
		a.VPXOR(at(state, 0), x, x)
		first()
		top, end := a.label("block"), a.label("end")
		a.Label(top)
		c.inner([]reg.VecPhysical{x})
		step()
		a.SUBQ(imm(16), left)
		a.JE(operand.LabelRef(end))
		a.ADDQ(imm(16), src)
		a.ADDQ(imm(16), dst)
		if name == "cbcEncrypt" {
			a.VPXOR(at(src, 0), kBoth, t)
			a.VAESENCLAST(t, x, x)
		}
		a.JMP(operand.LabelRef(top))
		a.Label(end)
		a.VMOVDQU(out, at(state, 0))
		a.done()
	}
	mode("cbcEncrypt", "chains cipher blocks (SP 800-38A, section 6.2); s is left at the last block of dst.",
		func() { a.VPXOR(at(src, 0), x, x) },
		func() {
			a.VAESENCLAST(kLast, x, out)
			a.VMOVDQU(out, at(dst, 0))
		})
	mode("cfbEncrypt", "is 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of dst.",
		func() {},
		func() {
			a.VPXOR(at(src, 0), kLast, t)
			a.VAESENCLAST(t, x, out)
			a.VPXOR(at(src, 0), kBoth, t)
			a.VAESENCLAST(t, x, x)
			a.VMOVDQU(out, at(dst, 0))
		})
	mode("ofb", "is output feedback (SP 800-38A, section 6.4); s is left at the last block of key stream.",
		func() {},
		func() {
			a.VAESENCLAST(kLast, x, out)
			a.VAESENCLAST(kBoth, x, x)
			a.VPXOR(at(src, 0), out, t)
			a.VMOVDQU(t, at(dst, 0))
		})
}

// inner is all rounds but the last. It clobbers register n.
func (c aesCore) inner(regs []reg.VecPhysical) {
	top := c.asm.label("rounds")
	round := func(key operand.Mem) {
		k := c.w.r(c.n)
		c.asm.bcast(key, k)
		for _, x := range regs {
			c.asm.VAESENC(k, x, x)
		}
	}
	c.asm.LEAQ(at(key, 16), loop)
	c.asm.Label(top)
	round(at(loop, 0))
	round(at(loop, 16))
	c.asm.ADDQ(imm(32), loop)
	c.asm.CMPQ(loop, last)
	c.asm.JNE(operand.LabelRef(top))
	round(at(loop, 0))
}
