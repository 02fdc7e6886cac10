package bulk

import (
	"encoding/binary"
	"math/bits"
)

// LRWTable holds the multiples of an LRW tweak key that lead from one tweak to
// the next. It does not change once made.
//
// The tweak of block i is K2·i in the field of [Double] (IEEE P1619 draft of
// 2005, annex D, and Linux's lrw). From i to i+1 the bits that change are the
// trailing ones of i and the zero above them, so that the tweak changes by
// step[n] = K2·(x^n + … + 1), n being the number of those ones.
//
// OCB's offsets lead from one to the next in the same way (RFC 7253, section 4.2), so
// that a tier's kernels for OCB do LRW too. ocb has the steps in their layout; its sums
// are of no use here.
type LRWTable struct {
	step [128][BlockSize]byte
	ocb  OCBTable
}

// NewLRWTable derives the table of a tweak key.
func NewLRWTable(k2 [BlockSize]byte) *LRWTable {
	t := new(LRWTable)
	t.step[0] = k2
	for n := 1; n < len(t.step); n++ {
		k2 = Double(k2)
		xor16(&t.step[n], &t.step[n-1], &k2)
	}
	clear(k2[:])
	copy(t.ocb.L[:], t.step[:])
	t.ocb.setGray()
	return t
}

// Wipe overwrites the table.
func (t *LRWTable) Wipe() { *t = LRWTable{} }

// tweak returns K2·i. Where i in Gray code, i XOR i>>1, has its ones, the steps
// add up to it.
func (t *LRWTable) tweak(hi, lo uint64) (sum [BlockSize]byte) {
	gray := [2]uint64{lo ^ (lo>>1 | hi<<63), hi ^ hi>>1}
	for half, g := range gray {
		for ; g != 0; g &= g - 1 {
			xor16(&sum, &sum, &t.step[64*half+bits.TrailingZeros64(g)])
		}
	}
	return sum
}

// LRWEncrypt encrypts whole blocks in LRW. index is the number of the first
// block, big-endian, and is left at that of the block behind the last: 0 behind
// 2^128-1.
func (k *Key) LRWEncrypt(t *LRWTable, index *[BlockSize]byte, dst, src []byte) {
	k.lrw(true, t, index, dst, src)
}

// LRWDecrypt is the inverse of LRWEncrypt.
func (k *Key) LRWDecrypt(t *LRWTable, index *[BlockSize]byte, dst, src []byte) {
	k.lrw(false, t, index, dst, src)
}

func (k *Key) lrw(encrypt bool, t *LRWTable, index *[BlockSize]byte, dst, src []byte) {
	checkBlocks(dst, src)
	kernel := k.kern.OCBEncrypt
	if !encrypt {
		kernel = k.kern.OCBDecrypt
	}
	// A kernel starts behind a multiple of 16 blocks, and its table reaches to the next
	// multiple of 2^48. With code for tails it looks as far as the end of a group.
	lo := binary.BigEndian.Uint64(index[8:])
	head := min(len(src), int((1-lo)%ocbGroup)*BlockSize)
	rest := uint64((len(src) - head) / BlockSize)
	before := lo + uint64(head/BlockSize) - 1
	end := before + rest + uint64(k.Width())
	if kernel != nil && rest >= ocbGroup && before>>48 == end>>48 {
		k.lrwDerived(encrypt, t, index, dst[:head], src[:head])
		s := OCBState{Table: &t.ocb, Index: before, Offset: t.tweak(binary.BigEndian.Uint64(index[:8]), before)}
		dst, src = run(k, kernel, k.kern.OCBTails, &s, dst[head:], src[head:])
		binary.BigEndian.PutUint64(index[8:], s.Index+1)
		clear(s.Sum[:])
		clear(s.Offset[:])
	}
	k.lrwDerived(encrypt, t, index, dst, src)
}

func (k *Key) lrwDerived(encrypt bool, t *LRWTable, index *[BlockSize]byte, dst, src []byte) {
	derive(k, func(k *Key, tweaks []byte, index *[BlockSize]byte, dst, src []byte) {
		hi, lo := binary.BigEndian.Uint64(index[:8]), binary.BigEndian.Uint64(index[8:])
		tweak := t.tweak(hi, lo)
		for len(src) > 0 {
			n := min(len(src), len(tweaks))
			for out := tweaks[:n]; len(out) > 0; out = out[BlockSize:] {
				copy(out, tweak[:])
				ones := bits.TrailingZeros64(^lo)
				if ones == 64 {
					ones = min(64+bits.TrailingZeros64(^hi), len(t.step)-1)
					hi++
				}
				lo++
				xor16(&tweak, &tweak, &t.step[ones])
			}
			k.xex(encrypt, tweaks[:n], dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
		binary.BigEndian.PutUint64(index[:8], hi)
		binary.BigEndian.PutUint64(index[8:], lo)
		clear(tweak[:])
	}, index, dst, src)
}
