package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gatherLanes is how many lanes one group has.
func (l sm4Ladder) gatherLanes() int { return 4 * l.asm.blocks() }

// gathered are the registers that gather fills, and f those it uses besides. They
// are not of any core's groups.
func (l sm4Ladder) gathered() (words, f []reg.VecPhysical) {
	from := 8
	if l.asm.evex {
		from = 4 * l.n
	}
	return l.asm.rs(from, 4), l.asm.rs(from+4, 4)
}

// gather writes what reads a group of lanes as words.
func (l sm4Ladder) gather() {
	w, f := l.gathered()
	l.asm.coreFn("gather",
		fmt.Sprintf("reads a block each of %d lanes, at src from their pointers at t3, as words", l.gatherLanes()),
		fmt.Sprintf("into the four registers from %v, and moves t3 on. Clobbers the four behind, last, t0, t4, loop and flags.", w[0].Asm()))
	for i, r := range w {
		for lane := range l.asm.blocks() {
			p := []reg.GPPhysical{t0, t4, loop, last}[lane%4]
			l.asm.MOVQ(at(t3, 8*(i*l.asm.blocks()+lane)), p)
			block := operand.Mem{Base: p, Index: src, Scale: 1}
			switch {
			case lane == 0:
				l.asm.mov(block, r.AsX())
			case l.asm.width.bytes == 64:
				l.asm.VINSERTI64X2(imm(lane), block, r, r)
			default:
				l.asm.VINSERTI128(imm(lane), block, r, r)
			}
		}
	}
	l.asm.ADDQ(imm(8*l.gatherLanes()), t3)
	in := l.linear("in", sm4In, f)
	for _, r := range w {
		in(r)
	}
	l.transpose(w, f[0], f[1])
	l.asm.RET()
}

// lanes writes the step of many CBC-MACs side by side (SP 800-38C, section 6.1).
// The MACs stay words from step to step, in registers.
//
// Lanes that a core has and the caller has not work the last lane's input, and what
// they give is dropped.
func (l sm4Ladder) lanes() {
	l.gather()
	name := "macLanes" + l.name
	l.asm.fn(name, lanesParams,
		"advances CBC-MACs side by side (SP 800-38C, section 6.1): mac = E(mac XOR block) for each block of each lane.")
	l.begin(true)
	all := l.size() / 16
	ptrs := l.asm.AllocLocal(8 * all)
	stride, lanes := t1, t2
	l.asm.Load(l.asm.Param("macs").Base(), dst)
	l.asm.Load(l.asm.Param("stride"), stride)
	l.asm.Load(l.asm.Param("lanes"), lanes)
	many, finish := l.asm.label("many"), l.asm.label("finish")
	l.asm.CMPQ(lanes, imm(1))
	l.asm.JA(operand.LabelRef(many))
	l.oneLane()
	l.asm.JMP(operand.LabelRef(finish))
	l.asm.Label(many)

	l.asm.Load(l.asm.Param("src").Base(), src)
	fill, same := l.asm.label("pointer"), l.asm.label("same")
	l.asm.XORQ(t0, t0)
	l.asm.Label(fill)
	l.asm.MOVQ(src, operand.Mem{Base: ptrs.Base, Disp: ptrs.Disp, Symbol: ptrs.Symbol, Index: t0, Scale: 8})
	l.asm.INCQ(t0)
	l.asm.CMPQ(t0, lanes)
	l.asm.JAE(operand.LabelRef(same))
	l.asm.ADDQ(stride, src)
	l.asm.Label(same)
	l.asm.CMPQ(t0, imm(all))
	l.asm.JB(operand.LabelRef(fill))

	l.asm.MOVQ(dst, src)
	l.asm.SHLQ(imm(4), lanes)
	l.asm.MOVQ(lanes, left)
	l.asm.Load(l.asm.Param("blocks"), t1)
	l.asm.SHLQ(imm(4), t1)
	l.choose(func(c sm4Core) {
		c.asm.callCore(c.part("load"))
		c.asm.callCore(c.part("slice"))
		l.macSteps(c, ptrs)
		c.asm.callCore(c.part("join"))
		c.asm.callCore(c.part("store"))
	})
	l.asm.Label(finish)
	l.asm.done()
}

// macSteps works t1 bytes of each lane.
func (l sm4Ladder) macSteps(c sm4Core, ptrs operand.Mem) {
	in, _ := l.gathered()
	l.asm.XORQ(src, src)
	top := l.asm.label("step")
	l.asm.Label(top)
	l.asm.LEAQ(ptrs, t3)
	for g := range c.n {
		l.asm.callCore("gather")
		for i, r := range c.group(g) {
			l.asm.xor(in[i], r, r)
		}
	}
	c.asm.callCore(c.part("rounds"))
	l.asm.ADDQ(imm(16), src)
	l.asm.CMPQ(src, t1)
	l.asm.JB(operand.LabelRef(top))
}

// oneLane works a single lane.
func (l sm4Ladder) oneLane() {
	o := l.one
	l.asm.Load(l.asm.Param("src").Base(), src)
	l.asm.Load(l.asm.Param("blocks"), left)
	l.asm.VMOVDQU(at(dst, 0), o.x[0])
	o.enter()
	top := l.asm.label("block")
	l.asm.Label(top)
	o.addBlock(at(src, 0))
	l.asm.callCore("words")
	l.asm.ADDQ(imm(16), src)
	l.asm.DECQ(left)
	l.asm.JNE(operand.LabelRef(top))
	o.leave(o.t)
	l.asm.VMOVDQU(o.t, at(dst, 0))
}
