package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A core is what a front needs to know of a cipher on a tier.
type core interface {
	suffix() string                 // of the names of the tier's functions
	regs() []reg.VecPhysical        // the blocks, in order
	free() []reg.VecPhysical        // other vector registers, for use between calls
	keeps() bool                    // whether the core leaves those alone
	begin(enc bool)                 // set the core's general registers from k
	whitening() (operand.Mem, bool) // 16 bytes for a front to XOR into each input block, if any
	call(enc bool)
	narrow() []core // cores for fewer blocks, each half of the one before
}

const (
	ecbParams  = "(k *bulk.Key, dst, src []byte)"
	modeParams = "(k *bulk.Key, s *[16]byte, dst, src []byte)"
	ocbParams  = "(k *bulk.Key, s *bulk.OCBState, dst, src []byte)"
)

// white loads w with what load and whiten add to the input blocks of c.
func (a *asm) white(c core, w reg.VecPhysical) {
	if m, ok := c.whitening(); ok {
		a.bcast(m, w)
	}
}

// load reads input blocks, whitened.
func (a *asm) load(c core, from operand.Mem, w, b reg.VecPhysical) {
	if _, ok := c.whitening(); ok {
		a.xor(from, w, b)
	} else {
		a.mov(from, b)
	}
}

// addWhite whitens b.
func (a *asm) addWhite(c core, w, b reg.VecPhysical) {
	if _, ok := c.whitening(); ok {
		a.xor(w, b, b)
	}
}

// whiten makes input blocks of b XOR x.
func (a *asm) whiten(c core, x operand.Op, w, b, tmp reg.VecPhysical) {
	if _, ok := c.whitening(); ok {
		a.xor3(x, w, b, tmp)
	} else {
		a.xor(x, b, b)
	}
}

var directions = []bool{true, false}

func word(enc bool) string {
	if enc {
		return "encrypt"
	}
	return "decrypt"
}

// buffers loads the two slices: dst, src, left (bytes, not 0).
func (a *asm) buffers() {
	a.Load(a.Param("dst").Base(), dst)
	a.Load(a.Param("src").Base(), src)
	a.Load(a.Param("src").Len(), left)
}

// groups emits body, which works a full group of blocks, in a loop over all of
// them.
func (a *asm) groups(c core, body func()) {
	n := len(c.regs()) * a.bytes
	top := a.label("group")
	a.Label(top)
	body()
	a.ADDQ(imm(n), src)
	a.ADDQ(imm(n), dst)
	a.SUBQ(imm(n), left)
	a.JNE(operand.LabelRef(top))
}

// mode starts a function that takes full groups of blocks and a state.
func (a *asm) mode(c core, name, params string, enc bool, doc ...string) {
	a.fn(name+c.suffix(), params, doc...)
	c.begin(enc)
	a.Load(a.Param("s"), state)
	a.buffers()
}

// anyBlocks emits body as groups does, and then tail for the left bytes, if any, of a
// group that is not full.
func (a *asm) anyBlocks(c core, body, tail func()) {
	n := len(c.regs()) * a.bytes
	rest, top, end := a.label("tail"), a.label("group"), a.label("end")
	a.SUBQ(imm(n), left)
	a.JB(operand.LabelRef(rest))
	a.Label(top)
	body()
	a.ADDQ(imm(n), src)
	a.ADDQ(imm(n), dst)
	a.SUBQ(imm(n), left)
	a.JAE(operand.LabelRef(top))
	a.Label(rest)
	a.ADDQ(imm(n), left)
	a.JE(operand.LabelRef(end))
	tail()
	a.Label(end)
}

// ecb writes the two functions that every cipher must have. They take any number
// of blocks: full groups, and then what is left at once.
func ecb(a *asm, c core) {
	for _, enc := range directions {
		a.fn(word(enc)+c.suffix(), ecbParams, word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks.")
		c.begin(enc)
		a.buffers()
		a.anyBlocks(c, func() { ecbGroup(a, c, enc) }, func() {
			if a.masks(c) {
				ecbMasked(a, c, enc)
			} else {
				ecbStaged(a, c, enc)
			}
		})
		a.done()
	}
}

func ecbGroup(a *asm, c core, enc bool) {
	w := c.free()[0]
	a.white(c, w)
	for i, b := range c.regs() {
		a.load(c, at(src, i*a.bytes), w, b)
	}
	c.call(enc)
	for i, b := range c.regs() {
		a.mov(b, at(dst, i*a.bytes))
	}
}

// A mask returns that of the blocks of a core's register i which there are, nil for
// all. It may emit code that makes it, and is to be used before the next one.
type mask func(i int) reg.Register

// masks reports whether tails of c can be masked: its cores must halve down to one
// register.
func (a *asm) masks(c core) bool {
	n := len(c.regs())
	for _, c := range c.narrow() {
		n /= 2
		if len(c.regs()) != n {
			return false
		}
	}
	return a.evex && n == 1
}

// masked emits code for c and each narrower core, of which that runs which is the
// narrowest to hold left bytes, 1 to group-1 blocks. The first half of its registers is
// full; the rest are loaded and stored under masks of two quadwords a block. left
// becomes the number of quadwords. Clobbers t0.
func (a *asm) masked(c core, emit func(c core, m mask)) {
	bits, end := t0, a.label("end")
	a.SHRQ(imm(3), left)
	a.MOVQ(operand.I32(1), bits)
	a.SHLQ(reg.CL, bits)
	a.DECQ(bits)
	cores := append([]core{c}, c.narrow()...)
	for j, c := range cores {
		next := a.label("narrow")
		n := len(c.regs())
		half := n / 2
		m := func(i int) reg.Register {
			if i < half {
				return nil
			}
			return []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[i-half]
		}
		if j < len(cores)-1 {
			a.CMPQ(left, imm(half*8))
			a.JBE(operand.LabelRef(next))
		}
		if half > 0 {
			a.SHRQ(imm(half*8), bits)
		}
		for i := half; i < n; i++ {
			a.KMOVW(bits.As32(), m(i))
			if i < n-1 {
				a.SHRQ(imm(8), bits)
			}
		}
		emit(c, m)
		if j < len(cores)-1 {
			a.JMP(operand.LabelRef(end))
			a.Label(next)
		}
	}
	a.Label(end)
}

// loadSome and storeSome move what there is of a register.
func (a *asm) loadSome(from operand.Mem, k reg.Register, b reg.VecPhysical) {
	if k == nil {
		a.mov(from, b)
	} else {
		a.VMOVDQU64_Z(from, k, b)
	}
}

func (a *asm) storeSome(b reg.VecPhysical, k reg.Register, to operand.Mem) {
	if k == nil {
		a.mov(b, to)
	} else {
		a.VMOVDQU64(b, k, to)
	}
}

// xorSome is to = from XOR x, where what there is not of from counts as zero, and to
// is zero there too.
func (a *asm) xorSome(from operand.Mem, x reg.VecPhysical, k reg.Register, to reg.VecPhysical) {
	if k == nil {
		a.xor(from, x, to)
	} else {
		a.VPXORQ_Z(from, x, k, to)
	}
}

// inputSome reads what there is of a register of input blocks, whitened.
func (a *asm) inputSome(c core, from operand.Mem, w reg.VecPhysical, k reg.Register, b reg.VecPhysical) {
	if _, ok := c.whitening(); ok {
		a.xorSome(from, w, k, b)
	} else {
		a.loadSome(from, k, b)
	}
}

func ecbMasked(a *asm, c core, enc bool) {
	a.masked(c, func(c core, m mask) {
		w := c.free()[0]
		a.white(c, w)
		for i, b := range c.regs() {
			a.inputSome(c, at(src, i*a.bytes), w, m(i), b)
		}
		c.call(enc)
		for i, b := range c.regs() {
			a.storeSome(b, m(i), at(dst, i*a.bytes))
		}
	})
}

// whole is the mask of full groups.
func whole(int) reg.Register { return nil }

// ecbStaged works the last 1 to group-1 blocks in a copy on the stack, with the
// narrowest core that holds them; a single one where it lies, if there is a core
// for it.
func ecbStaged(a *asm, c core, enc bool) {
	end := a.label("end")
	cores := append([]core{c}, c.narrow()...)
	if one := cores[len(cores)-1]; len(one.regs()) == 1 {
		cores = cores[:len(cores)-1]
		many := a.label("many")
		a.CMPQ(left, imm(16))
		a.JNE(operand.LabelRef(many))
		x := one.regs()[0]
		a.VMOVDQU(at(src, 0), x)
		if m, ok := one.whitening(); ok {
			a.VPXOR(m, x, x)
		}
		one.call(enc)
		a.VMOVDQU(x, at(dst, 0))
		a.JMP(operand.LabelRef(end))
		a.Label(many)
	}

	size := len(c.regs()) * a.bytes
	group := a.AllocLocal(size)
	out := a.label("out")
	a.copyBlocks(at(src, 0), group)
	a.MOVQ(dst, t1)
	a.LEAQ(group, src)
	a.MOVQ(src, dst)
	for j, c := range cores {
		if j == len(cores)-1 {
			ecbGroup(a, c, enc)
			break
		}
		next := a.label("narrow")
		a.CMPQ(left, imm(len(cores[j+1].regs())*a.bytes))
		a.JBE(operand.LabelRef(next))
		ecbGroup(a, c, enc)
		a.JMP(operand.LabelRef(out))
		a.Label(next)
	}
	a.Label(out)
	a.copyBlocks(group, at(t1, 0))
	a.zeroFrame(group, size)
	a.Label(end)
}

// copyBlocks copies left bytes, whole blocks.
func (a *asm) copyBlocks(from, to operand.Mem) {
	x := reg.X0
	a.eachBlock(func(of func(operand.Mem) operand.Mem) {
		a.VMOVDQU(of(from), x)
		a.VMOVDQU(x, of(to))
	})
}

// eachBlock emits body in a loop over left bytes. of makes of the place of the first
// block that of the present one. Clobbers t0.
func (a *asm) eachBlock(body func(of func(first operand.Mem) operand.Mem)) {
	top := a.label("block")
	a.XORQ(t0, t0)
	a.Label(top)
	body(func(m operand.Mem) operand.Mem {
		m.Index, m.Scale = t0, 1
		return m
	})
	a.ADDQ(imm(16), t0)
	a.CMPQ(t0, left)
	a.JB(operand.LabelRef(top))
}
