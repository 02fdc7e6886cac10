package bulk_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"blkcrypt/internal/bulk"
)

// lrwTweak is the product of k2 and the number of a block, bit by bit.
func lrwTweak(k2, index block) (sum block) {
	for i := range 128 {
		if index[15-i/8]>>(i%8)&1 == 1 {
			for j := range sum {
				sum[j] ^= k2[j]
			}
		}
		k2 = bulk.Double(k2)
	}
	return sum
}

// LRW is what its definition says where the number of blocks carries into each of the
// bits that matter to kernels or to the table, in one call and in two.
func TestLRW(t *testing.T) {
	k2 := block(random(5, 16))
	table := bulk.NewLRWTable(k2)
	starts := []block{{}}
	for _, bit := range []int{0, 4, 8, 47, 48, 49, 63, 64, 127} {
		for _, before := range []uint64{0, 1, 15, 17, 40} {
			var b block
			b[15-bit/8] = 1 << (bit % 8)
			hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
			if lo < before {
				hi--
			}
			binary.BigEndian.PutUint64(b[:8], hi)
			binary.BigEndian.PutUint64(b[8:], lo-before)
			starts = append(starts, b)
		}
	}
	starts = append(starts, block(bytes.Repeat([]byte{0xff}, 16)))
	for _, s := range subjects(t) {
		n := 2*s.key.Width() + 21
		for _, start := range starts {
			plain, want := random(6, n*16), make([]byte, n*16)
			index := start
			for i := 0; i < len(plain); i += 16 {
				x, tweak := block(plain[i:]), lrwTweak(k2, index)
				for j := range x {
					x[j] ^= tweak[j]
				}
				x = s.o.enc(x)
				for j := range x {
					want[i+j] = x[j] ^ tweak[j]
				}
				for j := 15; j >= 0; j-- {
					if index[j]++; index[j] != 0 {
						break
					}
				}
			}
			// The 40 blocks before a carry are enough for kernels.
			for _, cut := range []int{0, 1, 16, min(40, n), n - 1} {
				what := fmt.Sprintf("%s from %x, cut at %d", s.name, start, cut)
				got, at := bytes.Clone(plain), start
				s.key.LRWEncrypt(table, &at, got[:16*cut], got[:16*cut])
				s.key.LRWEncrypt(table, &at, got[16*cut:], got[16*cut:])
				if !bytes.Equal(got, want) || at != index {
					t.Errorf("%s: encrypts wrong, or ends at %x", what, at)
				}
				at = start
				s.key.LRWDecrypt(table, &at, got[:16*cut], got[:16*cut])
				s.key.LRWDecrypt(table, &at, got[16*cut:], got[16*cut:])
				if !bytes.Equal(got, plain) || at != index {
					t.Errorf("%s: decrypts wrong, or ends at %x", what, at)
				}
			}
		}
		if s.calls != nil && (s.calls["OCBEncrypt"] == 0 || s.calls["OCBDecrypt"] == 0) {
			t.Errorf("%s: no kernel ran", s.name)
		}
	}
}
