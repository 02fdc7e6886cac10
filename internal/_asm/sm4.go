package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// SM4's S-box is A, inversion, A again, where A is affine and the field is that of
// x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1 (Liu, Ji, Hu et al., "Analysis of the SMS4
// block cipher", ACISP 2007). With f an isomorphism to AES's field it is
// sm4Post, AES inversion, sm4Pre.
const sm4Poly = 0x1f5

var (
	sm4Affine = affine{fromFunc(func(b byte) byte {
		return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 6) ^ bits.RotateLeft8(b, 7)
	}), 0xd3}
	sm4Pre  = affine{toAES(sm4Poly), 0}.after(sm4Affine)
	sm4Post = sm4Affine.after(affine{toAES(sm4Poly).inverse(), 0})
)

// sm4Gfni is SM4 with GFNI on groups of 4 registers (of 16 blocks with 64-byte
// registers). A group is worked as four registers of the blocks' first, second,
// third and fourth words.
type sm4Gfni struct {
	*asm
	w      width
	groups int
	tier   string
	consts map[string]operand.Mem

	narrower []core
}

func (c sm4Gfni) narrow() []core { return c.narrower }

func (c sm4Gfni) suffix() string                 { return c.tier }
func (c sm4Gfni) regs() []reg.VecPhysical        { return c.w.rs(0, 4*c.groups) }
func (c sm4Gfni) free() []reg.VecPhysical        { return c.w.rs(4*c.groups, c.w.registers()-4*c.groups) }
func (c sm4Gfni) keeps() bool                    { return false }
func (c sm4Gfni) whitening() (operand.Mem, bool) { return operand.Mem{}, false }
func (c sm4Gfni) name() string                   { return fmt.Sprintf("crypt%dx%d", c.groups, c.w.bytes) }
func (c sm4Gfni) begin(enc bool) {
	c.Load(c.Param("k"), key)
	if !enc {
		c.ADDQ(imm(keyDec), key)
	}
}

// call slices the blocks into words and runs the rounds, which put them together
// again.
func (c sm4Gfni) call(bool) {
	c.callCore("slice" + c.name())
	c.callCore(c.name())
}

// emit writes the two halves of the core.
func (c sm4Gfni) emit() {
	c.coreFn("slice"+c.name(),
		fmt.Sprintf("turns %d groups of blocks into words: byte order, then a 4x4 transpose.", c.groups),
		"Clobbers the two registers behind the blocks.")
	u, v := c.free()[0], c.free()[1]
	for g := range c.groups {
		s := c.rs4(g)
		for _, r := range s {
			c.VPSHUFB(c.consts["swap"], r, r)
		}
		c.transpose(s[0], s[1], s[2], s[3], s, u, v)
	}
	c.RET()

	c.coreFn(c.name(),
		fmt.Sprintf("is SM4 on %d groups of words (GB/T 32907, section 7.1), and back to blocks.", c.groups),
		"key = round keys in the order of use. Clobbers every vector register, loop and flags.",
		"A round: X0 ^= L(S(X1 ^ X2 ^ X3 ^ rk)), where L(b) = b ^ b<<<24 ^ c ^ c<<<8 ^ c<<<16 with c = b<<<2.")
	f := c.free()
	pre, post := f[len(f)-2], f[len(f)-1]
	c.mov(c.consts["pre"], pre)
	c.mov(c.consts["post"], post)
	top := c.label("rounds")
	c.XORQ(loop, loop)
	c.Label(top)
	for i := range 4 {
		c.round(i, pre, post)
	}
	c.ADDQ(imm(16), loop)
	c.CMPQ(loop, imm(128))
	c.JNE(operand.LabelRef(top))
	swap := f[2]
	c.mov(c.consts["swap"], swap)
	for g := range c.groups {
		s := c.rs4(g)
		c.transpose(s[3], s[2], s[1], s[0], s, u, v)
		for _, r := range s {
			c.VPSHUFB(swap, r, r)
		}
	}
	c.RET()
}

func (c sm4Gfni) rs4(g int) []reg.VecPhysical { return c.w.rs(4*g, 4) }

// round is round i of four, in all groups side by side.
func (c sm4Gfni) round(i int, pre, post reg.VecPhysical) {
	rk := operand.Mem{Base: key, Index: loop, Scale: 1, Disp: 4 * i}
	each := func(f func(x0, x1, x2, x3, t, u reg.VecPhysical)) {
		for g := range c.groups {
			s := c.rs4(g)
			f(s[i], s[(i+1)%4], s[(i+2)%4], s[(i+3)%4], c.free()[2*g], c.free()[2*g+1])
		}
	}
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPXORD_BCST(rk, x1, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPTERNLOGD(operand.U8(0x96), x2, x3, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VGF2P8AFFINEQB(operand.U8(sm4Pre.c), pre, t, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VGF2P8AFFINEINVQB(operand.U8(sm4Post.c), post, t, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPROLD(operand.U8(24), t, u) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPTERNLOGD(operand.U8(0x96), t, u, x0) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPROLD(operand.U8(2), t, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPROLD(operand.U8(8), t, u) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPTERNLOGD(operand.U8(0x96), t, u, x0) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPROLD(operand.U8(16), t, t) })
	each(func(x0, x1, x2, x3, t, u reg.VecPhysical) { c.VPXORD(t, x0, x0) })
}

// transpose makes words of blocks, or blocks of words: lane by lane the 4x4
// transpose of the doublewords of a, b, d and e. It goes to out, which is the same
// four registers in the same or the opposite order.
func (c sm4Gfni) transpose(a, b, d, e reg.VecPhysical, out []reg.VecPhysical, u, v reg.VecPhysical) {
	c.VPUNPCKLDQ(b, a, u)
	c.VPUNPCKHDQ(b, a, a)
	c.VPUNPCKLDQ(e, d, v)
	c.VPUNPCKHDQ(e, d, d)
	if out[3] == a || out[3] == d { // the one that is read comes last
		c.VPUNPCKLQDQ(d, a, out[2])
		c.VPUNPCKHQDQ(d, a, out[3])
	} else {
		c.VPUNPCKHQDQ(d, a, out[3])
		c.VPUNPCKLQDQ(d, a, out[2])
	}
	c.VPUNPCKLQDQ(v, u, out[0])
	c.VPUNPCKHQDQ(v, u, out[1])
}

func sm4File(w width, tier string, groups ...int) func() *asm {
	return func() *asm {
		a := newAsm(w)
		same := func(v uint64) func(int) (uint64, uint64) {
			return func(int) (lo, hi uint64) { return v, v }
		}
		consts := map[string]operand.Mem{
			"swap": a.table("swap"+tier, a.blocks(), func(int) (lo, hi uint64) { return 0x0405060700010203, 0x0c0d0e0f08090a0b }),
			"pre":  a.table("pre"+tier, a.blocks(), same(sm4Pre.m.gfni())),
			"post": a.table("post"+tier, a.blocks(), same(sm4Post.m.gfni())),
		}
		var cores []sm4Gfni
		for _, n := range groups {
			c := sm4Gfni{a, w, n, tier, consts, nil}
			c.emit()
			cores = append(cores, c)
		}
		full := cores[0]
		for _, c := range cores[1:] {
			full.narrower = append(full.narrower, c)
		}
		ecb(a, full)
		ctr(a, full)
		feedback(a, full)
		ocb(a, full)
		xts(a, full, true)
		lanes(a, full)
		return a
	}
}
