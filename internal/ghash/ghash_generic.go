package ghash

import "encoding/binary"

func (k *Key) initGeneric(h *[BlockSize]byte) {
	k.h = [2]uint64{binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:])}
}

// updateGeneric multiplies bit by bit (SP 800-38D, section 6.3), with masks in
// the place of branches.
func (k *Key) updateGeneric(y *[BlockSize]byte, blocks []byte) {
	hi, lo := binary.BigEndian.Uint64(y[:8]), binary.BigEndian.Uint64(y[8:])
	for ; len(blocks) > 0; blocks = blocks[BlockSize:] {
		x := [2]uint64{hi ^ binary.BigEndian.Uint64(blocks), lo ^ binary.BigEndian.Uint64(blocks[8:])}
		v1, v0 := k.h[0], k.h[1]
		hi, lo = 0, 0
		for _, w := range x {
			for range 64 {
				bit := -(w >> 63)
				hi ^= v1 & bit
				lo ^= v0 & bit
				w <<= 1
				v1, v0 = v1>>1^-(v0&1)&(0xe1<<56), v0>>1|v1<<63
			}
		}
	}
	binary.BigEndian.PutUint64(y[:8], hi)
	binary.BigEndian.PutUint64(y[8:], lo)
}
