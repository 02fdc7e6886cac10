package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const lanesParams = "(k *bulk.Key, macs, src []byte, stride, lanes, blocks int)"

// lanes writes the step of many CBC-MACs side by side (SP 800-38B, section 6.2,
// step 6; SP 800-38C, section 6.1): lane j's 16 bytes of macs become
// E(mac XOR block) for each of blocks blocks from src[j*stride].
//
// It takes 1 to as many lanes as the core has blocks and picks the narrowest core
// that holds them. Lanes that the core has and the caller has not work the last
// lane's input, and what they give is dropped.
func lanes(a *asm, c core) {
	name := "macLanes" + c.suffix()
	a.fn(name, lanesParams,
		"makes CBC-MACs side by side (SP 800-38C, section 6.1): mac = E(mac XOR block) for each block of each lane.")
	c.begin(true)
	all := len(c.regs()) * a.blocks()
	ptrs, macs := a.AllocLocal(8*all), a.AllocLocal(16*all)
	stride, n := t1, t2

	a.Load(a.Param("src").Base(), src)
	a.Load(a.Param("stride"), stride)
	a.Load(a.Param("lanes"), n)
	fill, same := a.label("pointer"), a.label("same")
	a.XORQ(t0, t0)
	a.Label(fill)
	a.MOVQ(src, operand.Mem{Base: ptrs.Base, Disp: ptrs.Disp, Symbol: ptrs.Symbol, Index: t0, Scale: 8})
	a.INCQ(t0)
	a.CMPQ(t0, n)
	a.JAE(operand.LabelRef(same))
	a.ADDQ(stride, src)
	a.Label(same)
	a.CMPQ(t0, imm(all))
	a.JB(operand.LabelRef(fill))

	a.Load(a.Param("macs").Base(), dst)
	a.MOVQ(n, left)
	a.SHLQ(imm(4), left)
	a.copyBlocks(at(dst, 0), macs)
	a.Load(a.Param("blocks"), left)
	a.SHLQ(imm(4), left)

	end := a.label("end")
	cores := append([]core{c}, c.narrow()...)
	for j, c := range cores {
		next := a.label("narrow")
		if j < len(cores)-1 {
			below := cores[j+1]
			a.CMPQ(n, imm(len(below.regs())*int(below.regs()[0].Size())/16))
			a.JBE(operand.LabelRef(next))
		}
		if own, ok := c.(lanesCore); ok {
			own.lanesLoop(ptrs, macs)
		} else {
			lanesLoop(a, c, ptrs, macs)
		}
		if j < len(cores)-1 {
			a.JMP(operand.LabelRef(end))
			a.Label(next)
		}
	}
	a.Label(end)
	a.MOVQ(n, left)
	a.SHLQ(imm(4), left)
	a.copyBlocks(macs, at(dst, 0))
	a.zeroFrame(macs, 16*all)
	a.done()
}

// A lanesCore has a loop of its own: to keep the MACs otherwise than as blocks, or to
// have the last round XOR the next input.
type lanesCore interface {
	core
	lanesLoop(ptrs, macs operand.Mem)
}

// lanesLoop works left bytes of each lane; src is the offset in the lanes.
func lanesLoop(a *asm, c core, ptrs, macs operand.Mem) {
	regs := c.regs()
	size := int(regs[0].Size())
	w, in := c.free()[0], c.free()[1]
	for i, m := range regs {
		a.mov(macs.Offset(i*size), m)
	}
	a.steps(func() {
		a.white(c, w)
		for i, m := range regs {
			a.gatherLanes(ptrs, i, in)
			a.whiten(c, in, w, m, in)
		}
		c.call(true)
	})
	for i, m := range regs {
		a.mov(m, macs.Offset(i*size))
	}
}

// steps emits step in a loop over src, the offset in the lanes.
func (a *asm) steps(step func()) {
	top := a.label("step")
	a.XORQ(src, src)
	a.Label(top)
	step()
	a.ADDQ(imm(16), src)
	a.CMPQ(src, left)
	a.JB(operand.LabelRef(top))
}

// gatherLanes loads the lanes of register i.
func (a *asm) gatherLanes(ptrs operand.Mem, i int, in reg.VecPhysical) {
	lanes := int(in.Size()) / 16
	for lane := range lanes {
		p := []reg.GPPhysical{t0, t3, t4, loop}[lane]
		a.MOVQ(ptrs.Offset(8*(i*lanes+lane)), p)
		block := operand.Mem{Base: p, Index: src, Scale: 1}
		switch {
		case lane == 0:
			a.mov(block, in.AsX())
		case a.evex:
			a.VINSERTI64X2(imm(lane), block, in, in)
		default:
			a.VINSERTI128(imm(lane), block, in, in)
		}
	}
}
