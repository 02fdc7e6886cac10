package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const gcmParams = "(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte)"

// Offsets into bulk.GCMState. The hash key begins with its table.
const (
	gcmHash    = 0
	gcmCounter = 8
	gcmSum     = 24
)

// gcm writes GCM's two halves at once (SP 800-38D, section 7.1): while the
// counters of a group go through AES, as many blocks are hashed. Neither waits for
// the other, and each leaves pipes idle that the other can use.
//
// When decrypting, the blocks to hash are those to decrypt. When encrypting they are
// the group that was encrypted before. The kernel is the same: it is told where
// they lie.
//
// The rounds keep half of the registers busy, and stand in line here, with the
// instructions of GHASH spread among them. f is of the tier's other core, whose
// groups are those of this one unless there are more registers.
func gcm(a *asm, tier string, f counters) {
	n := a.registers() / 2
	c := aesCore{a, a.width, n, tier}
	if len(f.regs()) != n {
		f = newCounters(a, c)
	}
	g := gcmFront{asm: a, core: c, counters: f, hash: newGhash(a, tier, n, n+1)}
	g.hash.hash = at(state, gcmSum)
	g.write()
}

type gcmFront struct {
	asm      *asm
	core     aesCore
	counters counters
	hash     ghash
}

func (g gcmFront) write() {
	g.asm.mode(g.core, "gcm", gcmParams, true,
		"XORs src with the encryption of successive counters, into dst, and adds hashed to s.Sum",
		"(SP 800-38D, section 7.1). It reads a group of hashed before it writes that of dst, and the",
		"next one after that.")
	hashed := loop
	g.asm.Load(g.asm.Param("hashed").Base(), hashed)
	g.asm.MOVQ(at(state, gcmHash), g.hash.table)
	g.reverseSum()
	g.hash.constants()
	g.counters.start(at(state, gcmCounter))
	size := g.core.n * g.asm.bytes
	g.asm.groups(g.core, func() {
		g.counters.group(32)
		g.extraRounds()
		interleave(g.rounds(), g.hash.group(at(hashed, 0)))
		g.asm.ADDQ(imm(size), hashed)
	})
	g.counters.finish(at(state, gcmCounter))
	g.reverseSum()
	g.asm.done()
}

// reverseSum turns the sum in the state to a number or back. It is a number there
// from one group to the next.
func (g gcmFront) reverseSum() {
	sum := at(state, gcmSum)
	g.asm.VMOVDQU(sum, reg.X0)
	g.asm.VPSHUFB(g.hash.memory[1], reg.X0, reg.X0)
	g.asm.VMOVDQU(reg.X0, sum)
}

// round is a round with a key.
func (g gcmFront) round(op func(k, in, out operand.Op), key operand.Mem) []func() {
	k := g.asm.r(g.core.n)
	l := []func(){func() { g.asm.bcast(key, k) }}
	for _, b := range g.core.regs() {
		l = append(l, func() { op(k, b, b) })
	}
	return l
}

// extraRounds are those that a key of 24 or 32 bytes has more than one of 16.
func (g gcmFront) extraRounds() {
	top, end := g.asm.label("extra"), g.asm.label("rounds")
	from, to := t0, t3
	g.asm.LEAQ(at(key, 16), from)
	g.asm.LEAQ(at(last, -16*8), to) // the key of round Nr-9
	g.asm.CMPQ(from, to)
	g.asm.JE(operand.LabelRef(end))
	g.asm.Label(top)
	do(g.round(g.asm.VAESENC, at(from, 0)))
	do(g.round(g.asm.VAESENC, at(from, 16)))
	g.asm.ADDQ(imm(32), from)
	g.asm.CMPQ(from, to)
	g.asm.JNE(operand.LabelRef(top))
	g.asm.Label(end)
}

// rounds are the last ten, and what becomes of the blocks.
func (g gcmFront) rounds() []func() {
	var l []func()
	for i := -8; i <= 0; i++ {
		l = append(l, g.round(g.asm.VAESENC, at(last, 16*i))...)
	}
	l = append(l, g.round(g.asm.VAESENCLAST, at(last, 16))...)
	for i, b := range g.core.regs() {
		l = append(l,
			func() { g.asm.xor(at(src, i*g.asm.bytes), b, b) },
			func() { g.asm.mov(b, at(dst, i*g.asm.bytes)) })
	}
	return l
}

// interleave emits b spread evenly among a. It does so in portions, which measures
// better than one instruction at a time.
func interleave(a, b []func()) {
	const portion = 6
	done := 0
	for i := 0; i < len(a); i += portion {
		end := min(i+portion, len(a))
		do(a[i:end])
		next := len(b) * end / len(a)
		do(b[done:next])
		done = next
	}
}
