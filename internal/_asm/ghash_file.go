package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ghashFile is GHASH by itself: what makes a key, and the hash function.
func ghashFile(w width, suffix string) func() *asm {
	return func() *asm {
		g := newGhash(newAsm(w), suffix, ghashRegs, 4)
		g.hash = g.asm.r(0)
		g.writeInit(suffix)
		g.writeUpdate(suffix)
		return g.asm
	}
}

// one is g on a single block. Its sums are also g's, with zeros in the other
// lanes.
func (g ghash) one() ghash {
	g.asm = &asm{Context: g.asm.Context, width: avx}
	g.poly, g.reverse = g.memory[0], g.memory[1]
	for _, r := range []*reg.VecPhysical{&g.lo, &g.mid, &g.hi, &g.x, &g.y, &g.s, &g.t} {
		*r = (*r).AsX().(reg.VecPhysical)
	}
	return g
}

// writeInit writes the making of a key's table. H·t to H^k·t, with k the lanes of
// a register, are made one after another; then each register is the one behind it
// times H^k.
func (g ghash) writeInit(suffix string) {
	g.asm.fn("init"+suffix, "(t *table, high, low uint64)",
		fmt.Sprintf("makes the table of H^%d·t to H·t, with H·t = high·t^64 + low.", ghashRegs*g.asm.blocks()))
	x, behind, factor, sum := g.asm.r(0), g.asm.r(1), g.asm.r(2), g.asm.r(3)
	times := func(g ghash) { // x becomes x times factor, in each lane
		x, factor, sum := g.asm.r(0), g.asm.r(2), g.asm.r(3)
		g.asm.VPCLMULQDQ(imm(0x00), factor, x, g.lo)
		g.asm.VPCLMULQDQ(imm(0x11), factor, x, g.hi)
		g.halves(x, g.s)
		g.asm.VPCLMULQDQ(imm(0x00), sum, g.s, g.mid)
		do(g.reduceLanes())
		g.asm.mov(g.hi, x)
	}

	powers, sums, count := t0, t1, t2
	g.asm.Load(g.asm.Param("t"), g.table)
	g.asm.Load(g.asm.Param("low"), t0)
	g.asm.Load(g.asm.Param("high"), t1)
	g.constants()
	g.asm.VMOVQ(t0, x.AsX())
	g.asm.VPINSRQ(imm(1), t1, x.AsX(), x.AsX())
	g.asm.mov(x, factor)
	g.halves(factor, sum)
	g.asm.LEAQ(g.powers(ghashRegs), powers) // the end
	g.asm.LEAQ(g.sums(ghashRegs), sums)
	if k := g.asm.blocks(); k > 1 {
		for i := 1; i <= k; i++ {
			g.asm.VMOVDQU(x.AsX(), at(powers, -16*i))
			if i < k {
				times(g.one())
			}
		}
		g.asm.bcast(at(powers, -16*k), factor)
		g.halves(factor, sum)
		g.asm.mov(at(powers, -g.asm.bytes), x)
	}

	next, end := g.asm.label("next"), g.asm.label("end")
	g.asm.MOVQ(operand.I32(ghashRegs/2), count)
	g.asm.Label(next)
	g.asm.mov(x, at(powers, -g.asm.bytes))
	g.asm.mov(x, behind)
	times(g)
	g.asm.mov(x, at(powers, -2*g.asm.bytes))
	g.asm.VPUNPCKLQDQ(behind, x, g.s)
	g.asm.VPUNPCKHQDQ(behind, x, g.t)
	g.asm.xor(g.s, g.t, g.s)
	g.asm.mov(g.s, at(sums, -g.asm.bytes))
	g.asm.SUBQ(imm(2*g.asm.bytes), powers)
	g.asm.SUBQ(imm(g.asm.bytes), sums)
	g.asm.DECQ(count)
	g.asm.JE(operand.LabelRef(end))
	times(g)
	g.asm.JMP(operand.LabelRef(next))
	g.asm.Label(end)
	g.asm.done()
}

// writeUpdate writes the hash function. The blocks behind the last full group are
// one sum of products: first one by one until whole registers are left, then
// those.
func (g ghash) writeUpdate(suffix string) {
	g.asm.fn("update"+suffix, "(t *table, hash *[16]byte, blocks []byte)",
		"sets hash to (hash XOR block)·H for each block (SP 800-38D, section 6.4); any number of blocks.")
	tail, end, group := g.asm.label("tail"), g.asm.label("end"), g.asm.label("group")
	hash := reg.X0
	g.constants()
	g.asm.Load(g.asm.Param("t"), g.table)
	g.asm.Load(g.asm.Param("hash"), state)
	g.asm.Load(g.asm.Param("blocks").Base(), src)
	g.asm.Load(g.asm.Param("blocks").Len(), left)
	g.asm.VMOVDQU(at(state, 0), hash)
	g.asm.VPSHUFB(g.memory[1], hash, hash)
	size := ghashRegs * g.asm.bytes
	g.asm.SUBQ(imm(size), left)
	g.asm.JB(operand.LabelRef(tail))
	g.asm.Label(group)
	do(g.group(at(src, 0)))
	g.asm.ADDQ(imm(size), src)
	g.asm.SUBQ(imm(size), left)
	g.asm.JAE(operand.LabelRef(group))
	g.asm.Label(tail)
	g.asm.ADDQ(imm(size), left)
	g.asm.JE(operand.LabelRef(end))

	powers := t0 // the last left bytes of them
	g.asm.LEAQ(at(g.table, size), powers)
	g.asm.SUBQ(left, powers)
	for _, r := range []reg.VecPhysical{g.lo, g.mid, g.hi} {
		g.asm.VPXOR(r.AsX(), r.AsX(), r.AsX())
	}
	next := func(g ghash) string { // emits the hashing of a register of blocks
		top := g.asm.label("blocks")
		g.asm.Label(top)
		do(g.load(at(src, 0), g.x))
		g.asm.xor(g.asm.r(0), g.x, g.x)
		g.asm.VPXOR(hash, hash, hash) // it is in the sum now
		g.product(at(powers, 0))
		g.asm.ADDQ(imm(g.asm.bytes), src)
		g.asm.ADDQ(imm(g.asm.bytes), powers)
		g.asm.SUBQ(imm(g.asm.bytes), left)
		return top
	}
	reduce := g.asm.label("reduce")
	if g.asm.bytes > 16 {
		whole := g.asm.label("whole")
		g.asm.TESTQ(operand.I32(g.asm.bytes-1), left)
		g.asm.JE(operand.LabelRef(whole))
		top := next(g.one())
		g.asm.JE(operand.LabelRef(reduce))
		g.asm.TESTQ(operand.I32(g.asm.bytes-1), left)
		g.asm.JNE(operand.LabelRef(top))
		g.asm.Label(whole)
	}
	g.asm.JNE(operand.LabelRef(next(g)))
	g.asm.Label(reduce)
	do(g.reduce())
	g.asm.Label(end)
	g.asm.VPSHUFB(g.memory[1], hash, hash)
	g.asm.VMOVDQU(hash, at(state, 0))
	g.asm.done()
}

// product adds the product of x and powers to the sum.
func (g ghash) product(powers operand.Mem) {
	multiply := func(words int, sum reg.VecPhysical) {
		g.asm.VPCLMULQDQ(imm(words), g.y, g.x, g.t)
		g.asm.xor(g.t, sum, sum)
	}
	g.asm.mov(powers, g.y)
	multiply(0x00, g.lo)
	multiply(0x11, g.hi)
	for _, r := range []reg.VecPhysical{g.x, g.y} {
		g.swap(r, g.t)
		g.asm.xor(g.t, r, r)
	}
	multiply(0x00, g.mid)
}
