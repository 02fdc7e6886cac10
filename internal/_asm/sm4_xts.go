package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// xts writes XTS by IEEE 1619, section 5.3, and by GB/T 17964-2021, whose tweaks have
// the bits of each byte in the opposite order. The tweak of block j is T x^j: for j
// below 32, T shifted left by j bits, and the bits that fell out times 0x87. They are
// made before the core takes all registers and wait in the frame.
func (l sm4Ladder) xts() {
	x := xtsFront{asm: l.asm, core: l, size: 32 * 16}
	x.tables()
	for _, v := range []struct {
		suffix, standard string
		gb               bool
	}{{"", "IEEE 1619, section 5.3", false}, {"GB", "GB/T 17964-2021", true}} {
		body := "xts" + v.suffix
		l.asm.coreFn(body, "is XTS in either direction ("+v.standard+"), with memory for a group of tweaks at t4.")
		l.xtsBody(x, v.gb)
		for _, enc := range directions {
			name := map[bool]string{true: "xtsEncrypt", false: "xtsDecrypt"}[enc] + v.suffix
			l.asm.mode(l, name, modeParams, enc,
				"is XTS over whole blocks ("+v.standard+"); s is left at the next tweak.")
			frame := l.asm.AllocLocal(l.size())
			l.asm.LEAQ(frame, t4)
			l.asm.callCore(body)
			l.asm.zeroFrame(frame, l.size())
			l.asm.done()
		}
	}
}

func (l sm4Ladder) xtsBody(x xtsFront, gb bool) {
	f := l.free()
	base, swapped, t, u := f[2], f[3], f[4], f[5]
	turn := func(v reg.VecPhysical) {}
	start := func() {
		l.asm.bcast(at(state, 0), base)
		if gb {
			turn = l.linear("reverse", bitReverse, f[6:])
		}
	}
	end := func() { l.asm.mov(base.AsX(), at(state, 0)) }
	start()
	turn(base)
	end()
	l.asm.MOVL(operand.U32(0x55), t0.As32())
	l.asm.KMOVW(t0.As32(), reg.K1) // the low quadwords
	l.asm.groups(l, func() {
		start()
		for i, b := range l.regs() {
			off := i * 64 % x.size
			if off == 0 {
				l.asm.VPSHUFD(operand.U8(0x4e), base, swapped)
			}
			l.asm.VPSLLVQ(x.left.Offset(off), base, t)
			l.asm.VPSRLVQ(x.right.Offset(off), swapped, u) // low: what fell out; high: the carry between halves
			x.addLow(u, t, f[1], f[0])
			turn(t)
			l.asm.mov(t, at(t4, 64*i))
			l.asm.xor(at(src, 64*i), t, b)
			if off+64 == x.size {
				l.asm.VPSRLDQ(imm(12), base, u)
				l.asm.VPSLLDQ(imm(4), base, base)
				x.addLow(u, base, f[1], f[0])
			}
		}
		end()
		l.call(true)
		for i, b := range l.regs() {
			l.asm.xor(at(t4, 64*i), b, b)
			l.asm.mov(b, at(dst, 64*i))
		}
	})
	start()
	turn(base)
	end()
	l.asm.RET()
}
