//go:build !purego

package ghash

import "blkcrypt/internal/cpu"

// The tiers with carry-less multiplication differ in the width of their registers:
// 64, 32 and 16 bytes. The multiplication takes the same time at each width on
// processors that have it wide.
var tiers = []*tier{
	{name: "vpclmul-avx512", need: cpu.VAES | cpu.AVX512, code: vpclmulAvx512},
	{name: "vpclmul-avx2", need: cpu.VAES | cpu.AVX2, code: vpclmulAvx2},
	{name: "pclmul", need: cpu.PCLMUL | cpu.AVX, code: pclmul},
	{name: "generic", code: portable},
}

const (
	portable code = iota
	pclmul
	vpclmulAvx2
	vpclmulAvx512
)

// table is what assembly makes of H: sixteen registers of powers and eight of what
// Karatsuba's method needs beside them. Narrower registers leave the rest of it
// alone.
type table [(16 + 8) * 64]byte

// callBytes bounds the work of one call: assembly can't be preempted, and no call
// should hold a thread for more than about a million cycles.
const callBytes = 1 << 19

// The calls are written out, for what a function value gets escapes to the heap.

func (k *Key) init(high, low uint64) {
	switch k.tier.code {
	case vpclmulAvx512:
		initVpclmulAvx512(&k.table, high, low)
	case vpclmulAvx2:
		initVpclmulAvx2(&k.table, high, low)
	case pclmul:
		initPclmul(&k.table, high, low)
	default:
		k.generic.init(high, low)
	}
}

func (k *Key) update(y *[BlockSize]byte, blocks []byte) {
	for len(blocks) > callBytes {
		k.update(y, blocks[:callBytes])
		blocks = blocks[callBytes:]
	}
	switch k.tier.code {
	case vpclmulAvx512:
		updateVpclmulAvx512(&k.table, y, blocks)
	case vpclmulAvx2:
		updateVpclmulAvx2(&k.table, y, blocks)
	case pclmul:
		updatePclmul(&k.table, y, blocks)
	default:
		k.generic.update(y, blocks)
	}
}
