package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ghashPoly is what is left of GCM's polynomial, x^128 + x^7 + x^2 + x + 1 (SP
// 800-38D, section 6.3), when a block is read as a big-endian number, in which the
// coefficient of x^i is bit 127-i: the high word of
//
//	Q = t^128 + t^127 + t^126 + t^121 + 1
//
// without t^128. (The low word is 1.)
func ghashPoly() (high uint64) {
	for _, e := range []int{0, 1, 2, 7, 128} { // x^e becomes t^(128-e)
		if bit := 128 - e; bit >= 64 && bit < 128 {
			high |= 1 << (bit - 64)
		}
	}
	return high
}

// ghashRegs is the number of registers of powers in a key's table, see ghash.
const ghashRegs = 16

// ghash emits GHASH (SP 800-38D, section 6.4) at a width.
//
// The product of two numbers as above is the reflected product of the elements,
// one bit too low for 256 bits: a factor t in the key makes up for that. Reducing
// it means to divide by t^128 modulo Q, that is, to add multiples of Q until the
// low half is zero.
//
// Products of n registers of blocks are summed before they are reduced, by
// Karatsuba's method in three registers that stand for lo + mid·t^64 + hi·t^128:
//
//	lo += a0·b0   hi += a1·b1   mid += (a0+a1)·(b0+b1)
//
// where lo + hi is still to be added to mid. With d the low word of lo, adding d·Q
// clears it, adds d·poly to mid and d to the high word of mid, while the high word
// of lo belongs to the low one of mid. The same again clears mid. With swap the
// exchange of a register's words, that is
//
//	mid += swap(lo) + d·poly   d = low word of lo
//	hi  += swap(mid) + e·poly  e = low word of mid
//
// in each 16-byte lane of the registers. Then the lanes are summed.
//
// The table of a key is 16 registers of powers, ..., H^2·t, H·t, and behind them
// eight of the sums of their halves: in each lane the sum for a register of
// powers and that for the next. A sum of fewer blocks uses the last powers.
type ghash struct {
	asm           *asm
	n             int            // registers of blocks in a group
	poly, reverse operand.Op     // constants
	memory        [2]operand.Mem // the two in memory

	lo, mid, hi reg.VecPhysical // the sum
	x, y, s, t  reg.VecPhysical // temporary
	u           reg.VecPhysical // temporary, with AVX-512 only
	hash        operand.Op      // 16 bytes of memory, or a register that is zero but for its first lane
	table       reg.GPPhysical
}

// newGhash makes a ghash with seven registers from first. With AVX-512 that is
// eight, and the constants lie in the last two.
func newGhash(a *asm, suffix string, n, first int) ghash {
	g := ghash{asm: a, n: n, table: t4}
	g.memory = [2]operand.Mem{
		a.table("poly"+suffix, a.blocks(), func(int) (lo, hi uint64) { return ghashPoly(), 0 }),
		a.table("reverse"+suffix, a.blocks(), reversal),
	}
	g.poly, g.reverse = g.memory[0], g.memory[1]
	for i, r := range []*reg.VecPhysical{&g.lo, &g.mid, &g.hi, &g.x, &g.y, &g.s, &g.t} {
		*r = a.r(first + i)
	}
	if a.evex {
		g.u = a.r(first + 7)
		g.poly, g.reverse = a.r(30), a.r(31)
	}
	return g
}

// reversal is the byte shuffle that reverses a block.
func reversal(int) (lo, hi uint64) { return 0x08090a0b0c0d0e0f, 0x0001020304050607 }

// constants loads them.
func (g ghash) constants() {
	if g.asm.evex {
		g.asm.mov(g.memory[0], g.poly)
		g.asm.mov(g.memory[1], g.reverse)
	}
}

// swap exchanges the words of each lane.
func (g ghash) swap(from, to reg.VecPhysical) { g.asm.VPSHUFD(imm(0x4e), from, to) }

// halves sets both words of each lane to their sum.
func (g ghash) halves(from, to reg.VecPhysical) {
	g.swap(from, to)
	g.asm.xor(from, to, to)
}

// What follows returns instructions, to be emitted one by one among others.

// load reads blocks as numbers.
func (g ghash) load(from operand.Mem, x reg.VecPhysical) []func() {
	return []func(){
		func() { g.asm.mov(from, x) },
		func() { g.asm.VPSHUFB(g.reverse, x, x) },
	}
}

// addHash adds the hash to the first block of x.
func (g ghash) addHash(x reg.VecPhysical) []func() {
	if m, ok := g.hash.(operand.Mem); ok {
		return []func(){
			func() { g.asm.mov(m, g.s.AsX()) },
			func() { g.asm.xor(g.s, x, x) },
		}
	}
	return []func(){func() { g.asm.xor(g.hash, x, x) }}
}

// powers is where those for register i of a group are, sums where the sums of halves
// for registers i and i+1.
func (g ghash) powers(i int) operand.Mem { return at(g.table, (ghashRegs-g.n+i)*g.asm.bytes) }
func (g ghash) sums(i int) operand.Mem {
	return at(g.table, (ghashRegs+(ghashRegs-g.n+i)/2)*g.asm.bytes)
}

// pair adds the products of registers i and i+1 of the group at from to the sum, or
// sets it to them.
func (g ghash) pair(from operand.Mem, i int, set bool) []func() {
	l := append(g.load(from.Offset(i*g.asm.bytes), g.x), g.load(from.Offset((i+1)*g.asm.bytes), g.y)...)
	if i == 0 {
		l = append(l, g.addHash(g.x)...)
	}
	l = append(l,
		func() { g.asm.VPUNPCKLQDQ(g.y, g.x, g.s) },
		func() { g.asm.VPUNPCKHQDQ(g.y, g.x, g.t) },
		func() { g.asm.xor(g.t, g.s, g.s) })
	// The low (0) or high (1) words of x times those of px, and the same of y.
	two := func(wx, wy int, px, x, py, y operand.Op, sum reg.VecPhysical) {
		product := func(w int, p, x operand.Op, to reg.VecPhysical) func() {
			return func() { g.asm.VPCLMULQDQ(imm(w|w<<4), p, x, to) }
		}
		add := func() { g.asm.xor(g.t, sum, sum) }
		switch {
		case set:
			l = append(l, product(wx, px, x, sum), product(wy, py, y, g.t), add)
		case g.asm.evex:
			l = append(l, product(wx, px, x, g.t), product(wy, py, y, g.u),
				func() { g.asm.xor3(g.t, g.u, sum, nil) })
		default:
			l = append(l, product(wx, px, x, g.t), add, product(wy, py, y, g.t), add)
		}
	}
	two(0, 0, g.powers(i), g.x, g.powers(i+1), g.y, g.lo)
	two(1, 1, g.powers(i), g.x, g.powers(i+1), g.y, g.hi)
	two(0, 1, g.sums(i), g.s, g.sums(i), g.s, g.mid)
	return l
}

// group hashes the n registers of blocks at from. The first pair, which waits for
// the hash so far, comes last.
func (g ghash) group(from operand.Mem) []func() {
	var l []func()
	for i := 2; i <= g.n; i += 2 {
		l = append(l, g.pair(from, i%g.n, i == 2)...)
	}
	return append(l, g.reduce()...)
}

// reduceLanes reduces the sum of each lane, to hi.
func (g ghash) reduceLanes() []func() {
	l := []func(){func() { g.asm.xor3(g.lo, g.hi, g.mid, g.t) }}
	fold := func(from, to reg.VecPhysical) {
		l = append(l,
			func() { g.swap(from, g.s) },
			func() { g.asm.VPCLMULQDQ(imm(0), g.poly, from, g.t) },
			func() { g.asm.xor3(g.s, g.t, to, g.x) })
	}
	fold(g.lo, g.mid)
	fold(g.mid, g.hi)
	return l
}

// reduce reduces the sum and makes it the hash.
func (g ghash) reduce() []func() {
	l := g.reduceLanes()
	hi, t := g.hi, g.t
	if g.asm.bytes == 64 {
		l = append(l,
			func() { g.asm.VEXTRACTI64X4(imm(1), hi, t.AsY()) },
			func() { g.asm.xor(hi.AsY(), t.AsY(), hi.AsY()) })
	}
	if g.asm.bytes >= 32 {
		l = append(l, func() {
			if g.asm.evex {
				g.asm.VEXTRACTI64X2(imm(1), hi.AsY(), t.AsX())
			} else {
				g.asm.VEXTRACTI128(imm(1), hi.AsY(), t.AsX())
			}
		}, func() { g.asm.xor(hi.AsX(), t.AsX(), hi.AsX()) })
	}
	hash := g.hash
	if r, ok := hash.(reg.VecPhysical); ok {
		hash = r.AsX()
	}
	return append(l, func() { g.asm.mov(hi.AsX(), hash) })
}

// do emits instructions.
func do(list []func()) {
	for _, f := range list {
		f()
	}
}
