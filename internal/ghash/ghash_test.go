package ghash

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"blkcrypt/internal/cpu"
)

// reference multiplies as SP 800-38D, section 6.3, algorithm 1 says, one bit
// after another, and hashes as section 6.4 says.
func reference(h, y [BlockSize]byte, blocks []byte) [BlockSize]byte {
	for ; len(blocks) > 0; blocks = blocks[BlockSize:] {
		for i := range y {
			y[i] ^= blocks[i]
		}
		var z [BlockSize]byte
		v := h
		for i := range 128 {
			if y[i/8]>>(7-i%8)&1 == 1 {
				for j := range z {
					z[j] ^= v[j]
				}
			}
			carry := byte(0)
			for j := range v {
				v[j], carry = v[j]>>1|carry<<7, v[j]&1
			}
			v[0] ^= carry * 0xe1
		}
		y = z
	}
	return y
}

// each runs f with every tier of this machine.
func each(t *testing.T, f func(t *testing.T, key func(h [BlockSize]byte) *Key)) {
	for _, name := range Tiers(cpu.Detect()) {
		t.Run(name, func(t *testing.T) {
			f(t, func(h [BlockSize]byte) *Key {
				k := new(Key)
				if err := k.Init(&h, cpu.Detect(), name); err != nil {
					t.Fatal(err)
				}
				if k.Tier() != name {
					t.Fatalf("got tier %s", k.Tier())
				}
				return k
			})
		})
	}
}

func block(s string) (b [BlockSize]byte) {
	if n, err := hex.Decode(b[:], []byte(s)); n != BlockSize || err != nil {
		panic(s)
	}
	return b
}

// Subkeys, ciphertexts and hashes of test cases 2, 3 and 4 in "The
// Galois/Counter Mode of Operation" (McGrew and Viega, 2005), the proposal that
// SP 800-38D standardises.
var published = []struct{ h, blocks, hash string }{
	{"66e94bd4ef8a2c3b884cfa59ca342b2e",
		"0388dace60b6a392f328c2b971b2fe78" + "00000000000000000000000000000080",
		"f38cbb1ad69223dcc3457ae5b6b0f885"},
	{"b83b533708bf535d0aa6e52980d53b78",
		"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" +
			"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985" +
			"00000000000000000000000000000200",
		"7f1b32b81b820d02614f8895ac1d4eac"},
	{"b83b533708bf535d0aa6e52980d53b78",
		"feedfacedeadbeeffeedfacedeadbeefabaddad2000000000000000000000000" +
			"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e" +
			"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e09100000000" +
			"00000000000000a000000000000001e0",
		"698e57f70e6ecc7fd9463b7260a9ae5f"},
}

func TestPublished(t *testing.T) {
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		for _, v := range published {
			blocks, err := hex.DecodeString(v.blocks)
			if err != nil {
				t.Fatal(err)
			}
			var y [BlockSize]byte
			key(block(v.h)).Update(&y, blocks)
			if y != block(v.hash) {
				t.Errorf("H = %s: got %x, want %s", v.h, y, v.hash)
			}
			if ref := reference(block(v.h), [BlockSize]byte{}, blocks); ref != block(v.hash) {
				t.Errorf("H = %s: the reference gives %x, want %s", v.h, ref, v.hash)
			}
		}
	})
}

// TestAgainstGCM takes GHASH out of the standard library's GCM: with empty
// plaintext the tag is GHASH(additional data, lengths) XOR E(J0) (SP 800-38D,
// section 7.1).
func TestAgainstGCM(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{1})
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		for n := range 40 {
			k, ad := make([]byte, 16), make([]byte, 16*n)
			rng.Read(k)
			rng.Read(ad)
			b, err := aes.NewCipher(k)
			if err != nil {
				t.Fatal(err)
			}
			gcm, err := cipher.NewGCM(b)
			if err != nil {
				t.Fatal(err)
			}
			want := [BlockSize]byte(gcm.Seal(nil, make([]byte, 12), nil, ad))
			var h, y, j0, lengths [BlockSize]byte
			b.Encrypt(h[:], h[:])
			j0[15] = 1
			b.Encrypt(j0[:], j0[:])
			binary.BigEndian.PutUint64(lengths[:], uint64(8*len(ad)))
			ghash := key(h)
			ghash.Update(&y, ad)
			ghash.Update(&y, lengths[:])
			for i := range y {
				y[i] ^= j0[i]
			}
			if y != want {
				t.Fatalf("%d blocks: got %x, want %x", n, y, want)
			}
		}
	})
}

// TestLengthsAndSplits holds every number of blocks up to two groups and more, cut
// in two at every place, against the reference. All ones and mostly ones put the
// most carries into the integer products.
func TestLengthsAndSplits(t *testing.T) {
	const most = 2*64 + 9
	step := 1
	if testing.Short() {
		step = 13
	}
	rng := rand.NewChaCha8([32]byte{2})
	fill := map[string]func(b []byte){
		"random": func(b []byte) { rng.Read(b) },
		"ones": func(b []byte) {
			for i := range b {
				b[i] = 0xff
			}
		},
		"mostly ones": func(b []byte) {
			sparse := make([]byte, len(b))
			for range 4 {
				rng.Read(sparse)
				for i := range b {
					b[i] |= sparse[i]
				}
			}
		},
	}
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		for what, f := range fill {
			var h, y0 [BlockSize]byte
			src := make([]byte, most*BlockSize)
			f(h[:])
			f(y0[:])
			f(src)
			k := key(h)
			y0 = reference(h, y0, src[:BlockSize])
			want := y0
			for n := range most + 1 {
				if n > 0 {
					want = reference(h, want, src[(n-1)*BlockSize:n*BlockSize])
				}
				for cut := 0; cut <= n; cut += step {
					y := y0
					k.Update(&y, src[:cut*BlockSize])
					k.Update(&y, src[cut*BlockSize:n*BlockSize])
					if y != want {
						t.Fatalf("%s, %d blocks cut after %d: got %x, want %x", what, n, cut, y, want)
					}
				}
			}
		}
	})
}

// TestSingleBits multiplies each single bit by each.
func TestSingleBits(t *testing.T) {
	// x^0 to x^254, each x times the one before.
	var power [255][BlockSize]byte
	power[0][0] = 0x80
	for i := 1; i < len(power); i++ {
		power[i] = reference([BlockSize]byte{0x40}, [BlockSize]byte{}, power[i-1][:])
	}
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		for i := range 128 {
			k := key(power[i])
			for j := range 128 {
				var y [BlockSize]byte
				k.Update(&y, power[j][:])
				if y != power[i+j] {
					t.Fatalf("x^%d · x^%d: got %x, want %x", i, j, y, power[i+j])
				}
			}
		}
	})
}

func TestTierChoice(t *testing.T) {
	h := block(published[0].h)
	var k Key
	if err := k.Init(&h, 0, ""); err != nil || k.Tier() != "generic" {
		t.Errorf("without features: tier %s, error %v", k.Tier(), err)
	}
	err := k.Init(&h, cpu.Detect(), "no-such-tier")
	if err == nil || !strings.Contains(err.Error(), `"no-such-tier"`) || !strings.Contains(err.Error(), `"generic"`) {
		t.Errorf("unknown tier: error %v names not it and those there are", err)
	}
	if err := k.Init(&h, cpu.Detect(), ""); err != nil {
		t.Fatal(err)
	}
	if best := Tiers(cpu.Detect())[0]; k.Tier() != best {
		t.Errorf("Init took %s, not %s", k.Tier(), best)
	}
}

func TestPartialBlockPanics(t *testing.T) {
	h, y := block(published[0].h), [BlockSize]byte{1}
	var k Key
	if err := k.Init(&h, cpu.Detect(), ""); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 15, 17, 8*16 + 4} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d bytes: no panic", n)
				}
			}()
			k.Update(&y, make([]byte, n))
		}()
	}
	if y != ([BlockSize]byte{1}) {
		t.Error("y has changed")
	}
}

func TestWipe(t *testing.T) {
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		k := key(block(published[1].h))
		k.Wipe()
		if *k != (Key{}) {
			t.Error("something is left")
		}
	})
}

func TestAllocations(t *testing.T) {
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		k := key(block(published[1].h))
		src := make([]byte, 11*BlockSize)
		if n := testing.AllocsPerRun(100, func() {
			var y [BlockSize]byte
			k.Update(&y, src)
			src[0] = y[0]
		}); n != 0 {
			t.Errorf("Update allocates %v times", n)
		}
		if n := testing.AllocsPerRun(100, func() {
			var k Key
			h := [BlockSize]byte(src)
			if err := k.Init(&h, cpu.Detect(), ""); err != nil {
				t.Error(err)
			}
			k.Update(&h, src)
			src[0] = h[0]
		}); n != 0 {
			t.Errorf("Init allocates %v times", n)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	h := block(published[1].h)
	src := make([]byte, 33*BlockSize)
	rand.NewChaCha8([32]byte{3}).Read(src)
	want := reference(h, [BlockSize]byte{}, src)
	each(t, func(t *testing.T, key func(h [BlockSize]byte) *Key) {
		k := key(h)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				var y [BlockSize]byte
				if k.Update(&y, src); y != want {
					t.Errorf("got %x, want %x", y, want)
				}
			})
		}
		wg.Wait()
	})
}

// BenchmarkUpdate reports cycles a byte by the clock that a chain of dependent
// additions shows just before.
func BenchmarkUpdate(b *testing.B) {
	for _, tier := range Tiers(cpu.Detect()) {
		for _, n := range []int{16, 64, 1024, 16384} {
			b.Run(fmt.Sprintf("%s/%d", tier, n), func(b *testing.B) {
				h := block(published[1].h)
				var k Key
				if err := k.Init(&h, cpu.Detect(), tier); err != nil {
					b.Fatal(err)
				}
				src := make([]byte, n)
				ghz := clock()
				b.SetBytes(int64(n))
				for b.Loop() {
					k.Update(&h, src)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())*ghz/float64(b.N)/float64(n), "cycles/B")
			})
		}
	}
}

func BenchmarkInit(b *testing.B) {
	for _, tier := range Tiers(cpu.Detect()) {
		b.Run(tier, func(b *testing.B) {
			h := block(published[1].h)
			var k Key
			for b.Loop() {
				if err := k.Init(&h, cpu.Detect(), tier); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// clock returns the processor's speed in GHz.
func clock() (ghz float64) {
	const n = 1 << 14
	for range 200 {
		start := time.Now()
		runtime.KeepAlive(additions(n))
		ghz = max(ghz, n/float64(time.Since(start).Nanoseconds()))
	}
	return ghz
}

//go:noinline
func additions(n int) (x int) {
	for i := 0; i < n; i += 8 {
		x += i
		x ^= n
		x += i
		x ^= n
		x += i
		x ^= n
		x += i
		x ^= n
	}
	return x
}
