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
		g.hash = g.r(0)
		g.writeInit(suffix)
		g.writeUpdate(suffix)
		return g.asm
	}
}

// one is g on a single block. Its sums are also g's, with zeros in the other
// lanes.
func (g ghash) one() ghash {
	g.asm = &asm{Context: g.Context, width: avx}
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
	g.fn("init"+suffix, "(t *table, high, low uint64)",
		fmt.Sprintf("makes the table of H^%d·t to H·t, with H·t = high·t^64 + low.", ghashRegs*g.blocks()))
	x, behind, factor, sum := g.r(0), g.r(1), g.r(2), g.r(3)
	times := func(g ghash) { // x becomes x times factor, in each lane
		x, factor, sum := g.r(0), g.r(2), g.r(3)
		g.VPCLMULQDQ(imm(0x00), factor, x, g.lo)
		g.VPCLMULQDQ(imm(0x11), factor, x, g.hi)
		g.halves(x, g.s)
		g.VPCLMULQDQ(imm(0x00), sum, g.s, g.mid)
		do(g.reduceLanes())
		g.mov(g.hi, x)
	}

	powers, sums, count := t0, t1, t2
	g.Load(g.Param("t"), g.table)
	g.Load(g.Param("low"), t0)
	g.Load(g.Param("high"), t1)
	g.constants()
	g.VMOVQ(t0, x.AsX())
	g.VPINSRQ(imm(1), t1, x.AsX(), x.AsX())
	g.mov(x, factor)
	g.halves(factor, sum)
	g.LEAQ(g.powers(ghashRegs), powers) // the end
	g.LEAQ(g.sums(ghashRegs), sums)
	if k := g.blocks(); k > 1 {
		for i := 1; i <= k; i++ {
			g.VMOVDQU(x.AsX(), at(powers, -16*i))
			if i < k {
				times(g.one())
			}
		}
		g.bcast(at(powers, -16*k), factor)
		g.halves(factor, sum)
		g.mov(at(powers, -g.bytes), x)
	}

	next, end := g.label("next"), g.label("end")
	g.MOVQ(operand.I32(ghashRegs/2), count)
	g.Label(next)
	g.mov(x, at(powers, -g.bytes))
	g.mov(x, behind)
	times(g)
	g.mov(x, at(powers, -2*g.bytes))
	g.VPUNPCKLQDQ(behind, x, g.s)
	g.VPUNPCKHQDQ(behind, x, g.t)
	g.xor(g.s, g.t, g.s)
	g.mov(g.s, at(sums, -g.bytes))
	g.SUBQ(imm(2*g.bytes), powers)
	g.SUBQ(imm(g.bytes), sums)
	g.DECQ(count)
	g.JE(operand.LabelRef(end))
	times(g)
	g.JMP(operand.LabelRef(next))
	g.Label(end)
	g.done()
}

// writeUpdate writes the hash function. The blocks behind the last full group are
// one sum of products: first one by one until whole registers are left, then
// those.
func (g ghash) writeUpdate(suffix string) {
	g.fn("update"+suffix, "(t *table, hash *[16]byte, blocks []byte)",
		"sets hash to (hash XOR block)·H for each block (SP 800-38D, section 6.4); any number of blocks.")
	tail, end, group := g.label("tail"), g.label("end"), g.label("group")
	hash := reg.X0
	g.constants()
	g.Load(g.Param("t"), g.table)
	g.Load(g.Param("hash"), state)
	g.Load(g.Param("blocks").Base(), src)
	g.Load(g.Param("blocks").Len(), left)
	g.VMOVDQU(at(state, 0), hash)
	g.VPSHUFB(g.memory[1], hash, hash)
	size := ghashRegs * g.bytes
	g.SUBQ(imm(size), left)
	g.JB(operand.LabelRef(tail))
	g.Label(group)
	do(g.group(at(src, 0)))
	g.ADDQ(imm(size), src)
	g.SUBQ(imm(size), left)
	g.JAE(operand.LabelRef(group))
	g.Label(tail)
	g.ADDQ(imm(size), left)
	g.JE(operand.LabelRef(end))

	powers := t0 // the last left bytes of them
	g.LEAQ(at(g.table, size), powers)
	g.SUBQ(left, powers)
	for _, r := range []reg.VecPhysical{g.lo, g.mid, g.hi} {
		g.VPXOR(r.AsX(), r.AsX(), r.AsX())
	}
	next := func(g ghash) string { // emits the hashing of a register of blocks
		top := g.label("blocks")
		g.Label(top)
		do(g.load(at(src, 0), g.x))
		g.xor(g.r(0), g.x, g.x)
		g.VPXOR(hash, hash, hash) // it is in the sum now
		g.product(at(powers, 0))
		g.ADDQ(imm(g.bytes), src)
		g.ADDQ(imm(g.bytes), powers)
		g.SUBQ(imm(g.bytes), left)
		return top
	}
	reduce := g.label("reduce")
	if g.bytes > 16 {
		whole := g.label("whole")
		g.TESTQ(operand.I32(g.bytes-1), left)
		g.JE(operand.LabelRef(whole))
		top := next(g.one())
		g.JE(operand.LabelRef(reduce))
		g.TESTQ(operand.I32(g.bytes-1), left)
		g.JNE(operand.LabelRef(top))
		g.Label(whole)
	}
	g.JNE(operand.LabelRef(next(g)))
	g.Label(reduce)
	do(g.reduce())
	g.Label(end)
	g.VPSHUFB(g.memory[1], hash, hash)
	g.VMOVDQU(hash, at(state, 0))
	g.done()
}

// product adds the product of x and powers to the sum.
func (g ghash) product(powers operand.Mem) {
	multiply := func(words int, sum reg.VecPhysical) {
		g.VPCLMULQDQ(imm(words), g.y, g.x, g.t)
		g.xor(g.t, sum, sum)
	}
	g.mov(powers, g.y)
	multiply(0x00, g.lo)
	multiply(0x11, g.hi)
	for _, r := range []reg.VecPhysical{g.x, g.y} {
		g.swap(r, g.t)
		g.xor(g.t, r, r)
	}
	multiply(0x00, g.mid)
}
