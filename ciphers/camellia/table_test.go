package camellia

import (
	"math/big"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
)

// TestSBox compares the table with the specification's definition, computed in
// another way. That this definition is the right one is shown by the published
// vectors, which the reference meets too.
func TestSBox(t *testing.T) {
	if table.s1 != sbox(refSBox1) {
		t.Errorf("S-box % x, want % x", table.s1, refSBox1)
	}
	var seen [256]bool
	for _, y := range table.s1 {
		seen[y] = true
	}
	for y, ok := range seen {
		if !ok {
			t.Errorf("the S-box never gives %#02x", y)
		}
	}
}

// TestTableAlone shows that the S-box begins its own page: it fills whole cache
// lines, and what lies beside it belongs to the same object, which is not
// written again.
func TestTableAlone(t *testing.T) {
	const pageSize = 4096
	if n := unsafe.Sizeof(*table); n != pageSize {
		t.Errorf("the table's object has %d bytes, want %d", n, pageSize)
	}
	if n := unsafe.Sizeof(table.s1); n%cacheLine != 0 {
		t.Errorf("the S-box has %d bytes, not whole cache lines", n)
	}
	if at := uintptr(unsafe.Pointer(&table.s1)); at%pageSize != 0 {
		t.Errorf("the S-box is at %#x, not at the start of a page", at)
	}
	if at := unsafe.Offsetof(table.s1); at != 0 {
		t.Errorf("the S-box is at offset %d of its object", at)
	}
}

// TestTouch shows which bytes touch reads: the first of each cache line.
func TestTouch(t *testing.T) {
	var s sbox
	for line := 0; line < len(s); line += cacheLine {
		s = sbox{}
		s[line] = 0x5a
		if s.touch() != 0x5a {
			t.Errorf("the cache line at byte %d is not touched", line)
		}
	}
}

// TestF compares F with the reference, each byte of the input in turn through
// all of its values.
func TestF(t *testing.T) {
	for place := 0; place < 64; place += 8 {
		for v := range uint64(256) {
			x := 0x0123456789abcdef ^ v<<place
			if got, want := f(&table.s1, x), refF(x, 0); got != want {
				t.Fatalf("F(%#016x) = %#016x, want %#016x", x, got, want)
			}
		}
	}
}

// TestSigma computes the constants: places 2 to 17 of a square root's
// hexadecimal expansion are its product with 2^68, without the multiples of
// 2^64.
func TestSigma(t *testing.T) {
	for i, prime := range []int64{2, 3, 5, 7, 11, 13} {
		x := new(big.Int).Lsh(big.NewInt(prime), 2*68)
		x.Sqrt(x)
		if want := new(big.Int).And(x, new(big.Int).SetUint64(1<<64-1)).Uint64(); sigma[i] != want {
			t.Errorf("sigma %d is %#016x, want %#016x", i+1, sigma[i], want)
		}
	}
}

// TestSchedule compares the subkeys of both directions with the reference's.
func TestSchedule(t *testing.T) {
	for _, n := range Cipher.KeySizes {
		key := randomKey(n, 1)
		k, err := bulk.NewKey(Cipher, key, 0, "generic")
		if err != nil {
			t.Fatal(err)
		}
		ref := refExpand(key)
		if k.Rounds != ref.n {
			t.Errorf("%d-byte key: %d rounds, want %d", n, k.Rounds, ref.n)
		}
		if k.Enc != ref.words() {
			t.Errorf("%d-byte key: subkeys\n%x, want\n%x", n, k.Enc, ref.words())
		}
		if want := ref.inverted().words(); k.Dec != want {
			t.Errorf("%d-byte key: subkeys for decryption\n%x, want\n%x", n, k.Dec, want)
		}
	}
}

// words returns the subkeys as the package lays them out.
func (s *refKey) words() (w schedule) {
	out := w[:0]
	put := func(keys ...uint64) {
		for _, k := range keys {
			out = append(out, uint32(k>>32), uint32(k))
		}
	}
	put(s.kw[1:3]...)
	for i := 1; i <= s.n; i += 6 {
		if i > 1 {
			put(s.ke[i/6*2-1 : i/6*2+1]...)
		}
		put(s.k[i : i+6]...)
	}
	put(s.kw[3:5]...)
	return w
}
