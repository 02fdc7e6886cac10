package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gatherLanes is how many lanes one group has.
func (l sm4Ladder) gatherLanes() int { return 4 * l.blocks() }

// gathered are the registers that gather fills, and f those it uses besides. They
// are not of any core's groups.
func (l sm4Ladder) gathered() (words, f []reg.VecPhysical) {
	from := 8
	if l.evex {
		from = 4 * l.n
	}
	return l.rs(from, 4), l.rs(from+4, 4)
}

// gather writes what reads a group of lanes as words.
func (l sm4Ladder) gather() {
	w, f := l.gathered()
	l.coreFn("gather",
		fmt.Sprintf("reads a block each of %d lanes, at src from their pointers at t3, as words", l.gatherLanes()),
		fmt.Sprintf("into the four registers from %v, and moves t3 on. Clobbers the four behind, last, t0, t4, loop and flags.", w[0].Asm()))
	for i, r := range w {
		for lane := range l.blocks() {
			p := []reg.GPPhysical{t0, t4, loop, last}[lane%4]
			l.MOVQ(at(t3, 8*(i*l.blocks()+lane)), p)
			block := operand.Mem{Base: p, Index: src, Scale: 1}
			switch {
			case lane == 0:
				l.mov(block, r.AsX())
			case l.width.bytes == 64:
				l.VINSERTI64X2(imm(lane), block, r, r)
			default:
				l.VINSERTI128(imm(lane), block, r, r)
			}
		}
	}
	l.ADDQ(imm(8*l.gatherLanes()), t3)
	in := l.linear("in", sm4In, f)
	for _, r := range w {
		in(r)
	}
	l.transpose(w, f[0], f[1])
	l.RET()
}

// lanes writes the step of many CBC-MACs side by side (SP 800-38C, section 6.1).
// The MACs stay words from step to step, in registers.
//
// Lanes that a core has and the caller has not work the last lane's input, and what
// they give is dropped.
func (l sm4Ladder) lanes() {
	l.gather()
	name := "macLanes" + l.name
	l.fn(name, lanesParams,
		"advances CBC-MACs side by side (SP 800-38C, section 6.1): mac = E(mac XOR block) for each block of each lane.")
	l.begin(true)
	all := l.size() / 16
	ptrs := l.AllocLocal(8 * all)
	stride, lanes := t1, t2
	l.Load(l.Param("macs").Base(), dst)
	l.Load(l.Param("stride"), stride)
	l.Load(l.Param("lanes"), lanes)
	many, finish := l.label("many"), l.label("finish")
	l.CMPQ(lanes, imm(1))
	l.JA(operand.LabelRef(many))
	l.oneLane()
	l.JMP(operand.LabelRef(finish))
	l.Label(many)

	l.Load(l.Param("src").Base(), src)
	fill, same := l.label("pointer"), l.label("same")
	l.XORQ(t0, t0)
	l.Label(fill)
	l.MOVQ(src, operand.Mem{Base: ptrs.Base, Disp: ptrs.Disp, Symbol: ptrs.Symbol, Index: t0, Scale: 8})
	l.INCQ(t0)
	l.CMPQ(t0, lanes)
	l.JAE(operand.LabelRef(same))
	l.ADDQ(stride, src)
	l.Label(same)
	l.CMPQ(t0, imm(all))
	l.JB(operand.LabelRef(fill))

	l.MOVQ(dst, src)
	l.SHLQ(imm(4), lanes)
	l.MOVQ(lanes, left)
	l.Load(l.Param("blocks"), t1)
	l.SHLQ(imm(4), t1)
	l.choose(func(c sm4Core) {
		c.callCore(c.part("load"))
		c.callCore(c.part("slice"))
		l.macSteps(c, ptrs)
		c.callCore(c.part("join"))
		c.callCore(c.part("store"))
	})
	l.Label(finish)
	l.done()
}

// macSteps works t1 bytes of each lane.
func (l sm4Ladder) macSteps(c sm4Core, ptrs operand.Mem) {
	in, _ := l.gathered()
	l.XORQ(src, src)
	top := l.label("step")
	l.Label(top)
	l.LEAQ(ptrs, t3)
	for g := range c.n {
		l.callCore("gather")
		for i, r := range c.group(g) {
			l.xor(in[i], r, r)
		}
	}
	c.callCore(c.part("rounds"))
	l.ADDQ(imm(16), src)
	l.CMPQ(src, t1)
	l.JB(operand.LabelRef(top))
}

// oneLane works a single lane.
func (l sm4Ladder) oneLane() {
	o := l.one
	l.Load(l.Param("src").Base(), src)
	l.Load(l.Param("blocks"), left)
	l.VMOVDQU(at(dst, 0), o.x[0])
	o.enter()
	top := l.label("block")
	l.Label(top)
	o.addBlock(at(src, 0))
	l.callCore("words")
	l.ADDQ(imm(16), src)
	l.DECQ(left)
	l.JNE(operand.LabelRef(top))
	o.leave(o.t)
	l.VMOVDQU(o.t, at(dst, 0))
}
