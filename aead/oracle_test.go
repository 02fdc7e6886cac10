package aead_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/internal/cryptotest"
)

var modes = []string{"gcm", "ocb", "eax", "ccm"}

// random returns n bytes that depend on r alone.
func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// reference is the slow implementation's ciphertext and tag.
func reference(mode string, b cipher.Block, tagSize int, nonce, plain, ad []byte) []byte {
	text, tag := cryptotest.Seal(mode, b, nonce, ad, plain, tagSize)
	return append(text, tag...)
}

// checkAgainst seals plain in a buffer of its own and in place, opens it in both
// ways, and wants sealed.
func checkAgainst(t *testing.T, a *aead.AEAD, nonce, plain, ad, sealed []byte) {
	t.Helper()
	if got := a.Seal(nil, nonce, plain, ad); !bytes.Equal(got, sealed) {
		t.Fatalf("%d bytes, %d of associated data: sealed %x, want %x", len(plain), len(ad), got, sealed)
	}
	buf := append(make([]byte, 0, len(sealed)), plain...)
	if got := a.Seal(buf[:0], nonce, buf, ad); !bytes.Equal(got, sealed) || &got[0] != &buf[:1][0] {
		t.Fatalf("%d bytes, %d of associated data: sealed in place %x, want %x", len(plain), len(ad), got, sealed)
	}
	if got, err := a.Open(nil, nonce, sealed, ad); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("%d bytes, %d of associated data: opened %x, %v, want %x", len(plain), len(ad), got, err, plain)
	}
	buf = buf[:len(sealed)]
	if got, err := a.Open(buf[:0], nonce, buf, ad); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("%d bytes, %d of associated data: opened in place %x, %v, want %x", len(plain), len(ad), got, err, plain)
	}
}

// Every length up to 1100, with associated data of changing length.
func TestD03EveryLength(t *testing.T) {
	r := newRand()
	data, adData, key := random(r, 1100), random(r, 300), random(r, 16)
	for _, mode := range modes {
		for name, b := range map[string]cipher.Block{
			"aes": newBlock(t, "aes128", key), "foreign": foreignAES(t, key), "sm4": newBlock(t, "sm4", key),
		} {
			t.Run(mode+"-"+name, func(t *testing.T) {
				a := newTestAEAD(t, mode, b)
				step := 1
				if testing.Short() {
					step = 7
				}
				for n := 0; n <= len(data); n += step {
					nonce, ad := random(r, 12), adData[:n*7%301]
					checkAgainst(t, a, nonce, data[:n], ad, reference(mode, b, 16, nonce, data[:n], ad))
				}
			})
		}
	}
}

// sizes are the sizes of nonces, of which GCM and EAX have more, and of tags.
var sizes = map[string]struct{ nonces, tags []int }{
	"gcm": {[]int{1, 2, 8, 11, 12, 13, 15, 16, 17, 31, 32, 33, 48, 60, 128, 300}, []int{4, 8, 12, 13, 14, 15, 16}},
	"ocb": {[]int{6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, []int{8, 12, 16}},
	"eax": {[]int{0, 1, 8, 12, 15, 16, 17, 31, 32, 33, 48, 257}, []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
	"ccm": {[]int{7, 8, 9, 10, 11, 12, 13}, []int{4, 6, 8, 10, 12, 14, 16}},
}

// Every size of nonces and tags, against the reference.
func TestSizes(t *testing.T) {
	r := newRand()
	b := foreignAES(t, random(r, 32))
	for mode, s := range sizes {
		for _, n := range s.nonces {
			for _, tag := range s.tags {
				a := newTestAEAD(t, mode, b, aead.WithNonceSize(n), aead.WithTagSize(tag))
				if a.NonceSize() != n || a.Overhead() != tag {
					t.Errorf("%s: sizes are %d and %d, want %d and %d", mode, a.NonceSize(), a.Overhead(), n, tag)
				}
				for range 3 {
					nonce, plain, ad := random(r, n), random(r, r.IntN(70)), random(r, r.IntN(40))
					checkAgainst(t, a, nonce, plain, ad, reference(mode, b, tag, nonce, plain, ad))
				}
			}
		}
	}
}

// GCM with the standard library's AES against the standard library's GCM.
func TestStandardLibraryGCM(t *testing.T) {
	r := newRand()
	for i := range 500 {
		b := foreignAES(t, random(r, 16+8*r.IntN(3)))
		plain, ad := random(r, r.IntN(600)), random(r, r.IntN(100))
		nonceSize, tagSize := 12, 16
		var want cipher.AEAD
		var err error
		switch i % 3 {
		case 0:
			want, err = cipher.NewGCM(b)
		case 1:
			nonceSize = 1 + r.IntN(40)
			want, err = cipher.NewGCMWithNonceSize(b, nonceSize)
		case 2:
			tagSize = 12 + r.IntN(5)
			want, err = cipher.NewGCMWithTagSize(b, tagSize)
		}
		if err != nil {
			t.Fatal(err)
		}
		a := newTestAEAD(t, "gcm", b, aead.WithNonceSize(nonceSize), aead.WithTagSize(tagSize))
		nonce := random(r, nonceSize)
		checkAgainst(t, a, nonce, plain, ad, want.Seal(nil, nonce, plain, ad))
	}
}

// FuzzStandardLibraryGCM does the same with whatever the fuzzer finds, over this
// module's AES as well.
func FuzzStandardLibraryGCM(f *testing.F) {
	f.Add([]byte("key"), []byte("twelve bytes"), []byte("data"), []byte("text"))
	f.Add(bytes.Repeat([]byte{0xff}, 33), []byte{0}, bytes.Repeat([]byte{1}, 50), bytes.Repeat([]byte{2}, 1500))
	f.Fuzz(func(t *testing.T, seed, nonce, ad, plain []byte) {
		if len(nonce) == 0 {
			return // GCM has no empty nonces
		}
		key := make([]byte, 16+8*(len(seed)%3))
		copy(key, seed)
		std, err := cipher.NewGCMWithNonceSize(foreignAES(t, key), len(nonce))
		if err != nil {
			t.Fatal(err)
		}
		want := std.Seal(nil, nonce, plain, ad)
		for _, b := range []cipher.Block{foreignAES(t, key), newBlock(t, fmt.Sprint("aes", 8*len(key)), key)} {
			checkAgainst(t, newTestAEAD(t, "gcm", b, aead.WithNonceSize(len(nonce))), nonce, plain, ad, want)
		}
	})
}
