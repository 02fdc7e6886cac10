package main

import "github.com/mmcloughlin/avo/reg"

// xts writes XTS by IEEE 1619, section 5.3, and by GB/T 17964-2021, whose tweaks have
// the bits of each byte in the opposite order.
func (l sm4Ladder) xts() {
	x := xtsFront{asm: l.asm, core: l, size: 32 * 16}
	x.tables()
	x.shared(nil)
	x.gb = "GB"
	x.shared(func(free []reg.VecPhysical) func(v reg.VecPhysical) { return l.linear("reverse", bitReverse, free) })
}
