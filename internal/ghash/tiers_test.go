package ghash_test

import (
	"bytes"
	"testing"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
	"blkcrypt/internal/ghash"
)

func newKey(t *testing.T, tier string) *ghash.Key {
	t.Helper()
	h := [16]byte{0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b, 0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e}
	k := new(ghash.Key)
	if err := k.Init(&h, cpu.Detect(), tier); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestFences hashes what lies next to memory that can't be touched.
func TestFences(t *testing.T) {
	generic := newKey(t, "generic")
	const most = 2*64 + 9
	f := cryptotest.NewFence(t, most*16)
	for _, tier := range ghash.Tiers(cpu.Detect()) {
		k := newKey(t, tier)
		for n := range most + 1 {
			for side := range 2 {
				src := f.Either(side, 16*n)
				for i := range src {
					src[i] = byte(i*i>>4 + n)
				}
				want, got := [16]byte{1, 2, 3}, [16]byte{1, 2, 3}
				generic.Update(&want, src)
				if k.Update(&got, src); got != want {
					t.Errorf("%s, %d blocks: %x, want %x", tier, n, got, want)
				}
			}
		}
	}
}

// TestLong hashes more than one call of assembly takes, from memory that is not
// aligned.
func TestLong(t *testing.T) {
	src := bytes.Repeat([]byte("not aligned"), (1<<19+1<<18)/11)
	src = src[1:][:len(src)/16*16-16]
	var want [16]byte
	newKey(t, "generic").Update(&want, src)
	for _, tier := range ghash.Tiers(cpu.Detect()) {
		var got [16]byte
		if newKey(t, tier).Update(&got, src); got != want {
			t.Errorf("%s: %x, want %x", tier, got, want)
		}
	}
}
