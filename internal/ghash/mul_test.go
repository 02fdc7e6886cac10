package ghash

import (
	"math/rand/v2"
	"testing"
)

// carryless is the reference: one bit after another.
func carryless(x, y uint64) (hi, lo uint64) {
	for i := range 64 {
		if y>>i&1 == 1 {
			lo ^= x << i
			hi ^= x >> (64 - i)
		}
	}
	return hi, lo
}

// widths are both ways to multiply, whichever of them this machine uses: the
// sum of the products of xs[i] and ys[i].
var widths = map[string]func(xs, ys []uint64) (hi, lo uint64){
	"64": func(xs, ys []uint64) (hi, lo uint64) {
		var p product64
		for i := range xs {
			var f factor64
			f.set(ys[i])
			p.mulAdd(xs[i], &f)
		}
		return p.value()
	},
	"32": func(xs, ys []uint64) (hi, lo uint64) {
		var p product32
		for i := range xs {
			var f factor32
			f.set(ys[i])
			p.mulAdd(xs[i], &f)
		}
		return p.value()
	},
}

func testMul(t *testing.T, xs, ys []uint64) {
	t.Helper()
	var wantHi, wantLo uint64
	for i := range xs {
		h, l := carryless(xs[i], ys[i])
		wantHi, wantLo = wantHi^h, wantLo^l
	}
	for width, mul := range widths {
		if hi, lo := mul(xs, ys); hi != wantHi || lo != wantLo {
			t.Fatalf("%s bits, %x times %x: got %016x%016x, want %016x%016x", width, xs, ys, hi, lo, wantHi, wantLo)
		}
	}
}

func TestMulSingleBits(t *testing.T) {
	for i := range 64 {
		for j := range 64 {
			testMul(t, []uint64{1 << i}, []uint64{1 << j})
			testMul(t, []uint64{^uint64(1 << i)}, []uint64{^uint64(1 << j)})
		}
	}
}

// TestMulClasses multiplies all unions of the four classes of every fourth bit,
// where the numbers in the integer products are the largest there are, and the
// same less one bit.
func TestMulClasses(t *testing.T) {
	for a := range uint64(16) {
		for b := range uint64(16) {
			x, y := classMask*a, classMask*b
			testMul(t, []uint64{x}, []uint64{y})
			for i := range 64 {
				testMul(t, []uint64{x &^ (1 << i)}, []uint64{y})
				testMul(t, []uint64{x}, []uint64{y &^ (1 << i)})
			}
		}
	}
}

func TestMulSums(t *testing.T) {
	rng := rand.New(rand.NewChaCha8([32]byte{4}))
	for n := range 20 {
		for range 20 {
			xs, ys := make([]uint64, n), make([]uint64, n)
			for i := range xs {
				xs[i], ys[i] = rng.Uint64(), rng.Uint64()
				for range i % 4 {
					xs[i] |= rng.Uint64()
					ys[i] |= rng.Uint64()
				}
			}
			testMul(t, xs, ys)
		}
	}
}
