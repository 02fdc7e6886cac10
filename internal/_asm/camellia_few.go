package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// camelliaFew is Camellia with GFNI on one block a 16-byte lane of a register, at the latency
// of one. Each half of a block stands twice in a lane. The S-boxes make registers of
// it in whose halves are the outputs of one S-box each, and the P-function gathers
// bytes from those.
type camelliaFew struct {
	*camelliaTier
	w     width
	moves [][16]byte // what gather takes of each register
}

func (c camelliaFew) regs() []reg.VecPhysical { return c.w.rs(0, 1) }
func (c camelliaFew) free() []reg.VecPhysical { return c.w.rs(1, 15) }
func (c camelliaFew) narrow() []core          { return nil }
func (c camelliaFew) call(bool)               { c.asm.callCore(c.part()) }
func (c camelliaFew) part() string            { return fmt.Sprintf("few%d", c.w.blocks()) }
func (c camelliaFew) x(i int) reg.VecPhysical { return c.w.r(i) }

var (
	// camelliaBox is the S-box that each byte of F's input goes through.
	camelliaBox = [8]int{0, 1, 2, 3, 1, 2, 3, 0}
	// camelliaSums is the P-function: the bytes that each byte of its output is the
	// sum of.
	camelliaSums = [8][]int{
		{0, 2, 3, 5, 6, 7}, {0, 1, 3, 4, 6, 7}, {0, 1, 2, 4, 5, 7}, {1, 2, 3, 4, 5, 6},
		{0, 1, 5, 6, 7}, {1, 2, 4, 6, 7}, {2, 3, 4, 5, 7}, {0, 3, 4, 5, 6},
	}
)

// camelliaGather is the P-function by byte shuffles, of one register each: their sum is
// its output, twice. place says where the register of a step has the S-box output of
// byte in as the sum for byte out needs it, if it has that.
func camelliaGather(steps int, place func(step, in, out int) (at int, ok bool)) [][16]byte {
	moves := make([][16]byte, steps)
	for out := range 8 {
		var assign func(step int, left []int) bool
		assign = func(step int, left []int) bool {
			if step == steps {
				return len(left) == 0
			}
			set := func(b int) { moves[step][out], moves[step][8+out] = byte(b), byte(b) }
			for i, in := range left {
				if at, ok := place(step, in, out); ok {
					set(at)
					if assign(step+1, slices.Delete(slices.Clone(left), i, i+1)) {
						return true
					}
				}
			}
			set(0x80) // nothing
			return assign(step+1, left)
		}
		if !assign(0, camelliaSums[out]) {
			panic("camellia: not enough shuffles for the P-function")
		}
	}
	return moves
}

// camelliaHalves is the S-boxes in the halves of the registers that the shuffles take.
var camelliaHalves = [][2]int{{0, 1}, {0, 1}, {2, 3}, {2, 3}, {0, 2}, {0, 2}}

func newCamelliaFew(t *camelliaTier, w width) camelliaFew {
	return camelliaFew{t, w, camelliaGather(len(camelliaHalves), func(step, in, _ int) (int, bool) {
		half := slices.Index(camelliaHalves[step][:], camelliaBox[in])
		return 8*half + in, half >= 0
	})}
}

// core starts the core.
func (c camelliaFew) core() {
	c.asm.coreFn(c.part(), "is Camellia on the blocks in register 0 (RFC 3713, section 2.3).",
		"In: the blocks XOR the whitening; key, last = subkeys. Clobbers every vector register, loop and flags.")
}

func (c camelliaFew) emit() {
	c.core()
	d1, d2 := c.x(0), c.x(1)
	c.asm.VPUNPCKHQDQ(d1, d1, d2)
	c.asm.VPUNPCKLQDQ(d1, d1, d1)
	c.load()
	c.rounds(func() {
		c.round(d1, d2, 0)
		c.round(d2, d1, 8)
	}, func() { c.fl(d1, d2) })
	c.subkeyTo(0, c.x(2))
	c.asm.xor(c.x(2), d2, d2)
	c.asm.VPUNPCKLQDQ(d1, d2, d1)
	c.asm.RET()
}

// function writes the F-function alone, for the key schedule.
func (c camelliaFew) function() {
	x, y := c.x(0), c.x(1)
	c.argument(x)
	c.asm.VPXOR(y, y, y)
	c.load()
	c.f(x, y)
	c.result(y)
}

// argument starts that function, with x twice in a register. result ends it.
func (c camelliaFew) argument(x reg.VecPhysical) {
	c.asm.fn("f"+c.name, "(x uint64) uint64", "is the F-function (RFC 3713, section 2.4.1) of x with the subkey already added.")
	c.asm.Load(c.asm.Param("x"), t0)
	c.asm.BSWAPQ(t0)
	c.asm.VMOVQ(t0, x)
	c.asm.VPUNPCKLQDQ(x, x, x)
}

func (c camelliaFew) result(y reg.VecPhysical) {
	c.asm.VMOVQ(y, t0)
	c.asm.BSWAPQ(t0)
	c.asm.Store(t0, c.asm.ReturnIndex(0))
	c.asm.done()
}

// round adds F of x, and the subkey at byte i, to y.
func (c camelliaFew) round(x, y reg.VecPhysical, i int) {
	t := c.x(2)
	c.subkeyTo(i, t)
	c.asm.xor(t, y, y)
	c.f(x, y)
}

// subkeyTo sets all quadwords of r to the subkey at byte i of those to use next.
func (c camelliaFew) subkeyTo(i int, r reg.VecPhysical) {
	if r.Size() == 16 {
		c.asm.VMOVDDUP(c.subkey(i), r)
	} else {
		c.asm.VPBROADCASTQ(c.subkey(i), r)
	}
}

// load sets registers from 8 on, but for 14, to constants.
func (c camelliaFew) load() {
	if c.asm.evex {
		for i, m := range c.moves {
			c.asm.bcast(c.block(fmt.Sprintf("gather%d", i), m), c.x(16+i))
		}
	}
	pair := func(a, b affine) operand.Mem {
		return c.constant(fmt.Sprintf("pair%x%x", a.m, b.m), a.m.gfni(), b.m.gfni())
	}
	pre, post := camelliaPre, camelliaPost
	for i, m := range []operand.Mem{pair(pre[0], pre[0]), pair(pre[2], pre[3]),
		pair(post[0], post[1]), pair(post[2], post[3]), pair(post[0], post[2])} {
		c.asm.bcast(m, c.x(8+i))
	}
	var sum [16]byte // constants of the S-boxes; an instruction adds the same to both halves
	for out, ins := range camelliaSums {
		for _, in := range ins {
			sum[out] ^= camelliaPost[camelliaBox[in]].c
		}
		sum[8+out] = sum[out]
	}
	c.asm.bcast(c.block("constants", sum), c.x(13))
}

// move is the bytes that gather takes of its register i.
func (c camelliaFew) move(i int) operand.Op {
	if c.asm.evex {
		return c.x(16 + i)
	}
	return c.block(fmt.Sprintf("gather%d", i), c.moves[i])
}

// f adds F of x to y. Registers 2 to 7 and 14 are free.
func (c camelliaFew) f(x, y reg.VecPhysical) {
	r := c.x
	c.asm.xor(r(13), y, y)
	c.asm.VGF2P8AFFINEQB(operand.U8(camelliaPre[0].c), r(8), x, r(2))
	c.asm.VGF2P8AFFINEQB(operand.U8(camelliaPre[3].c), r(9), x, r(3))
	c.asm.VGF2P8AFFINEINVQB(imm(0), r(10), r(2), r(4))
	c.asm.VGF2P8AFFINEINVQB(imm(0), r(11), r(3), r(3))
	c.asm.VGF2P8AFFINEINVQB(imm(0), r(12), r(2), r(2))
	from := []reg.VecPhysical{r(4), r(4), r(3), r(3), r(2), r(2)} // as camelliaHalves says
	for i := 0; i < len(c.moves); i += 2 {
		c.asm.VPSHUFB(c.move(i), from[i], r(5))
		c.asm.VPSHUFB(c.move(i+1), from[i], r(6))
		c.asm.xor3(r(5), r(6), y, r(5))
	}
}

// fl is FL on d1 and its inverse on d2.
func (c camelliaFew) fl(d1, d2 reg.VecPhysical) {
	c.or(d2, 8)
	c.and(d1, 0)
	c.and(d2, 8)
	c.or(d1, 0)
}

// and and or are the two lines of FL (RFC 3713, section 2.4.2), on a half of the
// block and the subkey at byte i: x2 ^= (x1 & k1) <<< 1 and x1 ^= x2 | k2.
func (c camelliaFew) and(x reg.VecPhysical, i int) {
	t, u, v := c.x(2), c.x(3), c.x(4)
	var move, turn [16]byte // x1 to the place of x2, and turned by a byte
	for i := range 16 {
		move[i], turn[i] = 0x80, 0x80
		if i%8 >= 4 {
			move[i], turn[i] = byte(i-4), byte(i&8|(i+1)%4)
		}
	}
	c.subkeyTo(i, t)
	c.and2(x, t, t)
	c.asm.VPSRLW(imm(7), t, u)
	c.asm.VPADDB(t, t, t)
	c.asm.bcast(c.block("ones", camelliaFill(1)), v)
	c.and2(v, u, u)
	c.asm.bcast(c.block("move", move), v)
	c.asm.VPSHUFB(v, t, t)
	c.asm.bcast(c.block("turn", turn), v)
	c.asm.VPSHUFB(v, u, u)
	c.asm.xor3(t, u, x, t)
}

func (c camelliaFew) or(x reg.VecPhysical, i int) {
	t := c.x(2)
	c.subkeyTo(i, t)
	if c.asm.evex {
		c.asm.VPORQ(x, t, t)
	} else {
		c.asm.VPOR(x, t, t)
	}
	c.asm.VPSRLQ(imm(32), t, t)
	c.asm.xor(t, x, x)
}

// serial writes the modes in which each block waits for the one before (SP
// 800-38A, sections 6.2 to 6.4).
func (c camelliaFew) serial() {
	for _, mode := range []struct{ name, doc string }{
		{"cbcEncrypt", "chains cipher blocks (SP 800-38A, section 6.2); s is left at the last block of dst."},
		{"cfbEncrypt", "is 128-bit cipher feedback (SP 800-38A, section 6.3); s is left at the last block of dst."},
		{"ofb", "is output feedback (SP 800-38A, section 6.4); s is left at the last block of key stream."},
	} {
		c.asm.mode(c, mode.name, modeParams, true, mode.doc)
		x, t := c.x(0), c.x(2)
		c.asm.VMOVDQU(at(state, 0), x)
		top := c.asm.label("block")
		c.asm.Label(top)
		c.asm.VMOVDQU(at(key, 0), t)
		if mode.name == "cbcEncrypt" {
			c.asm.VPXOR(at(src, 0), t, t)
		}
		c.asm.VPXOR(t, x, x)
		c.call(true)
		switch mode.name {
		case "cfbEncrypt":
			c.asm.VPXOR(at(src, 0), x, x)
			fallthrough
		case "cbcEncrypt":
			c.asm.VMOVDQU(x, at(dst, 0))
		case "ofb":
			c.asm.VPXOR(at(src, 0), x, t)
			c.asm.VMOVDQU(t, at(dst, 0))
		}
		c.asm.ADDQ(imm(16), src)
		c.asm.ADDQ(imm(16), dst)
		c.asm.SUBQ(imm(16), left)
		c.asm.JNE(operand.LabelRef(top))
		c.asm.VMOVDQU(x, at(state, 0))
		c.asm.done()
	}
}
