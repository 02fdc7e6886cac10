package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sm4One is SM4 on a single block, for the modes in which each block waits for the
// one before, and the key expansion: each word is in all doublewords of a 16-byte
// register of its own. (ShiftRows then has no effect.)
//
// What counts is the way from one word to the next. It has the inversion with its
// maps, a byte shuffle and two XORs; all else is done beside it.
type sm4One struct {
	*sm4Tier
	x []reg.VecPhysical
	t reg.VecPhysical // what the next round inverts
	f []reg.VecPhysical
}

func newSM4One(t *sm4Tier) sm4One {
	return sm4One{t, avx.rs(0, 4), avx.r(4), avx.rs(5, 11)}
}

// emit writes the core.
func (o sm4One) emit() {
	o.asm.coreFn("words", "is SM4 (GB/T 32907, section 7.1) on one block, whose words are in registers 0 to 3.",
		"key = round keys in the order of use. Clobbers registers 4 to 15, loop, last and flags.")
	x := o.x
	o.bcast4(at(key, 0), o.t)
	for _, w := range x[1:] {
		o.asm.VPXOR(w, o.t, o.t)
	}
	top := o.asm.label("rounds")
	o.asm.MOVQ(key, loop)
	o.asm.LEAQ(at(key, 128), last)
	o.asm.Label(top)
	for i := range 4 {
		o.round(i, sm4Round, "round", at(loop, 4*i+4))
	}
	o.asm.ADDQ(imm(16), loop)
	o.asm.CMPQ(loop, last)
	o.asm.JNE(operand.LabelRef(top))
	for i := range 2 { // the reversal R
		o.asm.VMOVDQA(x[i], o.t)
		o.asm.VMOVDQA(x[3-i], x[i])
		o.asm.VMOVDQA(o.t, x[3-i])
	}
	o.asm.RET()
}

func (o sm4One) bcast4(from operand.Mem, to reg.Register) { o.asm.VBROADCASTSS(from, to) }

// round is round i of four; next is the round key of the following one, and its
// value does not matter if there is none.
func (o sm4One) round(i int, maps [4]affine, name string, next operand.Mem) {
	x0, x2, x3 := o.x[i], o.x[(i+2)%4], o.x[(i+3)%4]
	p, f := o.f[0], o.f[1:]
	image, f := o.images(maps, name, f)
	o.bcast4(next, p)
	o.asm.VPXOR(x2, p, p)
	o.asm.VPXOR(x3, p, p) // all that the next round inverts but this round's outcome
	o.asm.VPXOR(image[0], x0, x0)
	o.asm.VPXOR(x0, p, x0)
	r1, r2, r3 := f[0], f[1], f[2]
	o.asm.VPALIGNR(imm(3), image[3], image[3], r3) // rotates the register, and so each word
	o.asm.VPALIGNR(imm(2), image[2], image[2], r2)
	o.asm.VPALIGNR(imm(1), image[1], image[1], r1)
	o.asm.VPXOR(r2, r3, r3)
	o.asm.VPXOR(r1, x0, x0)
	o.asm.VPXOR(r3, x0, o.t)
	o.asm.VPXOR(p, o.t, x0)
}

// images makes the four maps of t's inverse, those that are equal in one register.
// It clobbers t.
func (o sm4One) images(maps [4]affine, name string, f []reg.VecPhysical) (image [4]reg.VecPhysical, free []reg.VecPhysical) {
	u, v := f[0], f[1]
	f = f[2:]
	if !o.gfni {
		o.subBytes(o.t, u)
		o.halves(o.t, u)
	}
	for j, m := range maps {
		if j > 0 && m == maps[j-1] {
			image[j] = image[j-1]
			continue
		}
		image[j], f = f[0], f[1:]
		id := name + string(rune('0'+j))
		if o.gfni {
			o.asm.VGF2P8AFFINEINVQB(operand.U8(m.c), o.matrix(id, m), o.t, image[j])
			continue
		}
		low, high := o.tables(id, afterAES(m))
		o.asm.VMOVDQU(low, image[j])
		o.asm.VPSHUFB(o.t, image[j], image[j])
		o.asm.VMOVDQU(high, v)
		o.asm.VPSHUFB(u, v, v)
		o.asm.VPXOR(v, image[j], image[j])
	}
	return image, append(f, u, v)
}

// enter makes words of the block in register 0.
func (o sm4One) enter() {
	o.linear("in", sm4In, o.f)(o.x[0])
	o.split(o.x[0], o.x)
}

// split copies the words of b, which may be the first of them, to x.
func (o sm4One) split(b reg.VecPhysical, x []reg.VecPhysical) {
	for i := 3; i >= 0; i-- {
		o.asm.VPSHUFD(operand.U8(i*0x55), b, x[i])
	}
}

// leave makes a block of the words, in b, which is none of them.
func (o sm4One) leave(b reg.VecPhysical) {
	t := o.f[0]
	o.asm.VPBLENDW(operand.U8(0x0c), o.x[1], o.x[0], b)
	o.asm.VPBLENDW(operand.U8(0xc0), o.x[3], o.x[2], t)
	o.asm.VPBLENDW(operand.U8(0xf0), t, b, b)
	o.linear("out", sm4Out, o.f)(b)
}

// block encrypts the 16 bytes at from, to a register that it returns.
func (o sm4One) block(from operand.Mem) reg.VecPhysical {
	o.asm.VMOVDQU(from, o.x[0])
	return o.crypt()
}

// crypt encrypts the block in register 0, to another that it returns.
func (o sm4One) crypt() reg.VecPhysical {
	o.enter()
	o.asm.callCore("words")
	o.leave(o.t)
	return o.t
}

// serial writes CBC and CFB encryption and OFB (SP 800-38A, sections 6.2 to 6.4).
// From one block to the next the words stay as they are; what is XORed on the way is
// made words too.
func (o sm4One) serial() {
	mode := func(name, doc string, before, after func()) {
		o.asm.fn(name+o.name, modeParams, doc)
		o.asm.Load(o.asm.Param("k"), key)
		o.asm.Load(o.asm.Param("s"), state)
		o.asm.buffers()
		o.asm.VMOVDQU(at(state, 0), o.x[0])
		o.enter()
		top := o.asm.label("block")
		o.asm.Label(top)
		before()
		o.asm.callCore("words")
		after()
		o.asm.ADDQ(imm(16), src)
		o.asm.ADDQ(imm(16), dst)
		o.asm.SUBQ(imm(16), left)
		o.asm.JNE(operand.LabelRef(top))
		o.leave(o.t)
		o.asm.VMOVDQU(o.t, at(state, 0))
		o.asm.done()
	}
	store := func() {
		o.leave(o.t)
		o.asm.VMOVDQU(o.t, at(dst, 0))
	}
	mode("cbcEncrypt", "chains cipher blocks (SP 800-38A, section 6.2); s is left at the last block of dst.",
		func() { o.addBlock(at(src, 0)) }, store)
	mode("cfbEncrypt", "is 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of dst.",
		func() {}, func() { o.addBlock(at(src, 0)); store() })
	mode("ofb", "is output feedback (SP 800-38A, section 6.4); s is left at the last block of key stream.",
		func() {}, func() {
			o.leave(o.t)
			o.asm.VPXOR(at(src, 0), o.t, o.t)
			o.asm.VMOVDQU(o.t, at(dst, 0))
		})
}

// addBlock XORs a block onto the words.
func (o sm4One) addBlock(from operand.Mem) {
	b, words := o.t, o.f[3:7]
	o.asm.VMOVDQU(from, b)
	o.linear("in", sm4In, o.f)(b)
	o.split(b, words)
	for i, w := range words {
		o.asm.VPXOR(w, o.x[i], o.x[i])
	}
}

// expand writes the key expansion (section 7.3). It goes like the encryption of a
// block, with L' for L and CK for the round keys. Its words are kept under all of
// sm4Pre, and so are round keys; in a sum of three the constant is there as well,
// and of CK the linear part remains.
func (o sm4One) expand() {
	o.asm.fn("expand"+o.name, "(k *bulk.Key, key []byte)",
		"is the key expansion (GB/T 32907, section 7.3) into k.Enc and, in the reverse order, k.Dec,",
		"with round keys as this tier's kernels take them.")
	var fk [16]byte
	for i, b := range sm4FK {
		fk[i] = sm4Pre.apply(b)
	}
	var ck [144]byte // the round behind the last has none, but it is read
	for i, b := range sm4CK() {
		ck[i] = sm4In.apply(b)
	}
	table := o.octets("ck", ck[:])
	o.asm.Load(o.asm.Param("k"), key)
	o.asm.Load(o.asm.Param("key").Base(), src)
	o.asm.MOVQ(operand.I32(32), at(key, keyRounds))
	x := o.x
	o.asm.VMOVDQU(at(src, 0), x[0])
	o.linear("in", sm4In, o.f)(x[0])
	o.asm.VPXOR(o.octets("fk", fk[:]), x[0], x[0])
	o.split(x[0], x)
	o.bcast4(table, o.t)
	for _, w := range x[1:] {
		o.asm.VPXOR(w, o.t, o.t)
	}
	o.asm.LEAQ(table, loop)
	o.asm.LEAQ(at(key, keyDec+128), dst)
	o.asm.LEAQ(at(key, 128), last)
	top := o.asm.label("rounds")
	o.asm.Label(top)
	for i := range 4 {
		o.round(i, sm4Sched, "expand", at(loop, 4*i+4))
		o.asm.VMOVD(x[i], at(key, 4*i))
		o.asm.VMOVD(x[i], at(dst, -4*i-4))
	}
	o.asm.ADDQ(imm(16), loop)
	o.asm.ADDQ(imm(16), key)
	o.asm.SUBQ(imm(16), dst)
	o.asm.CMPQ(key, last)
	o.asm.JNE(operand.LabelRef(top))
	o.asm.done()
}

// sm4OneBlockFile is what the tiers share that invert alike.
func sm4OneBlockFile(name string, gfni bool) func() *asm {
	return func() *asm {
		o := newSM4One(newSM4(avx, name, gfni))
		o.emit()
		o.expand()
		o.serial()
		return o.asm
	}
}
