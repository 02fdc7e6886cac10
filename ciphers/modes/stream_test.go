package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"testing"

	"blkcrypt/internal/cryptotest"
)

// The standard library's modes, over its own AES.
var standard = map[string]struct{ encrypt, decrypt setup }{
	"cbc": {blockMode(cipher.NewCBCEncrypter), blockMode(cipher.NewCBCDecrypter)},
	//lint:ignore SA1019 what is deprecated is what to compare with
	"cfb": {stream(cipher.NewCFBEncrypter), stream(cipher.NewCFBDecrypter)},
	//lint:ignore SA1019 what is deprecated is what to compare with
	"ofb": {stream(cipher.NewOFB), stream(cipher.NewOFB)},
	"ctr": {stream(cipher.NewCTR), stream(cipher.NewCTR)},
}

// ivs are a random one, and those from which a counter carries into each byte.
func ivs() [][]byte {
	list := [][]byte{random(5, 16)}
	for n := 1; n <= 16; n++ {
		iv := random(6, 16)
		copy(iv[16-n:], bytes.Repeat([]byte{0xff}, n))
		iv[15] -= 3
		list = append(list, iv)
	}
	return list
}

// pieces runs crypt over buf in place, in pieces of these sizes, the last as
// often as needed.
func pieces(crypt func(dst, src []byte), buf []byte, sizes ...int) {
	for i := 0; len(buf) > 0; i++ {
		n := min(sizes[min(i, len(sizes)-1)], len(buf))
		crypt(buf[:n], buf[:n])
		buf = buf[n:]
	}
}

// TestAgainstStandard compares every length and cut with the standard library.
func TestAgainstStandard(t *testing.T) {
	key := random(1, 24)
	ref, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	for tier, m := range makers(t, "aes") {
		t.Run(tier, func(t *testing.T) {
			b := must(t, m, key)
			for name, std := range standard {
				compare(t, name+" encryption", unit[name], encrypters[name], std.encrypt, b, ref)
				compare(t, name+" decryption", unit[name], decrypters[name], std.decrypt, b, ref)
			}
		})
	}
}

func compare(t *testing.T, what string, unit int, ours, theirs setup, b, ref cipher.Block) {
	t.Helper()
	const short, long = 50, 2500
	src := random(7, long)
	rng := rand.New(rand.NewPCG(1, 2))
	for i, iv := range ivs() {
		want := make([]byte, long/unit*unit)
		theirs(ref, iv)(want, src[:len(want)])
		check := func(how string, got []byte) {
			t.Helper()
			if !bytes.Equal(got, want[:len(got)]) {
				t.Fatalf("%s of %d bytes, IV %d, %s: wrong", what, len(got), i, how)
			}
		}
		whole := bytes.Clone(src[:len(want)])
		ours(b, iv)(whole, whole)
		check("in place", whole)
		// Every length and every cut of it, in short messages and one IV.
		for n := 0; n <= short && i == 0; n += unit {
			for cut := 0; cut <= n; cut += unit {
				crypt, in, out := ours(b, iv), bytes.Clone(src[:n]), make([]byte, n+3)
				crypt(out[1:1+cut], in[:cut])
				crypt(out[1+cut:], in[cut:]) // dst is longer
				check("cut in two", out[1:1+n])
				if !bytes.Equal(in, src[:n]) {
					t.Fatalf("%s changed its input", what)
				}
			}
		}
		for range 4 {
			n := rng.IntN(long/unit+1) * unit
			buf := bytes.Clone(src[:n])
			sizes := make([]int, 12)
			for i := range sizes {
				sizes[i] = (1 + rng.IntN(1<<(4+i%8)/unit+1)) * unit
			}
			pieces(ours(b, iv), buf, sizes...)
			check(fmt.Sprint("in pieces of ", sizes), buf)
		}
	}
}

// TestFences works at the edges of pages that can't be touched.
func TestFences(t *testing.T) {
	src, dst := cryptotest.NewFence(t, 1<<10), cryptotest.NewFence(t, 1<<10)
	for tier, m := range makers(t, "aes") {
		b := must(t, m, random(1, 16))
		for name := range encrypters {
			for what, set := range map[string]setup{"encryption": encrypters[name], "decryption": decrypters[name]} {
				for n := 0; n <= 600; n += unit[name] {
					text := random(2, n)
					want := make([]byte, n)
					set(b, random(3, 16))(want, text)
					for i := range 4 {
						in, out := src.Either(i, n), dst.Either(i/2, n)
						copy(in, text)
						if set(b, random(3, 16))(out, in); !bytes.Equal(out, want) {
							t.Fatalf("%s, %s %s of %d bytes: wrong at a page's edge", tier, name, what, n)
						}
					}
					if n > 50 {
						n += 4 * unit[name]
					}
				}
			}
		}
	}
}
