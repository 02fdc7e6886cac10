package aead_test

import (
	"bytes"
	"crypto/cipher"
	"crypto/des"
	"strings"
	"sync"
	"testing"

	"blkcrypt/aead"
)

func TestNew(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	for _, mode := range modes {
		a := newTestAEAD(t, strings.ToUpper(mode), b)
		if a.NonceSize() != 12 || a.Overhead() != 16 {
			t.Errorf("%s: sizes are %d and %d, want 12 and 16", mode, a.NonceSize(), a.Overhead())
		}
	}
	gcm, err1 := aead.NewGCM(b)
	ocb, err2 := aead.NewOCB(b)
	eax, err3 := aead.NewEAX(b)
	ccm, err4 := aead.NewCCM(b)
	for i, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(modes[i], err)
		}
	}
	nonce := make([]byte, 12)
	for i, a := range []*aead.AEAD{gcm, ocb, eax, ccm} {
		if !bytes.Equal(a.Seal(nil, nonce, nonce, nil), newTestAEAD(t, modes[i], b).Seal(nil, nonce, nonce, nil)) {
			t.Errorf("the constructor of %s and its name differ", modes[i])
		}
	}
}

func TestNewErrors(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	triple, err := des.NewTripleDESCipher(make([]byte, 24))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode string
		b    cipher.Block
		o    aead.Option
		want string
	}{
		{"cbc", b, aead.WithTagSize(16), `aead: no mode "cbc"`},
		{"", b, aead.WithTagSize(16), `aead: no mode ""`},
		{"gcm", triple, aead.WithTagSize(16), "16-byte blocks"},
		{"ccm", nil, aead.WithTagSize(16), "16-byte blocks"},
		{"gcm", b, aead.WithNonceSize(0), "aead: gcm with nonces of 0 bytes, want 1 or more"},
		{"gcm", b, aead.WithNonceSize(-1), "nonces of -1 bytes"},
		{"ocb", b, aead.WithNonceSize(16), "aead: ocb with nonces of 16 bytes, want 6 to 15"},
		{"eax", b, aead.WithNonceSize(-1), "nonces of -1 bytes"},
		{"ccm", b, aead.WithNonceSize(-1), "nonces of -1 bytes"},
		{"ccm", b, aead.WithNonceSize(100), "nonces of 100 bytes"},
	} {
		a, err := aead.New(c.mode, c.b, c.o)
		if a != nil || err == nil || !strings.HasPrefix(err.Error(), "aead: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.mode, err, c.want)
		}
	}
	tags := map[string][]int{"gcm": {4, 8, 12, 13, 14, 15, 16}, "ocb": {8, 12, 16},
		"eax": {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "ccm": {4, 6, 8, 10, 12, 14, 16}}
	for mode, allowed := range tags {
		for n := -1; n <= 33; n++ {
			_, err := aead.New(mode, b, aead.WithTagSize(n))
			if ok := bytes.IndexByte(asBytes(allowed), byte(n)) >= 0; ok != (err == nil) {
				t.Errorf("%s with tags of %d bytes: %v", mode, n, err)
			}
		}
	}
}

func asBytes(list []int) (b []byte) {
	for _, n := range list {
		b = append(b, byte(n))
	}
	return b
}

func TestWrongNonceLength(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	for _, mode := range modes {
		a := newTestAEAD(t, mode, b)
		for _, n := range []int{0, 11, 13, 24} {
			mustPanic(t, "incorrect nonce length", func() { a.Seal(nil, make([]byte, n), nil, nil) })
			mustPanic(t, "incorrect nonce length", func() { a.Open(nil, make([]byte, n), make([]byte, 16), nil) })
		}
	}
}

// Output is appended to dst, in its memory where that has room, and touches
// nothing behind; inputs stay as they are.
func TestAppend(t *testing.T) {
	r := newRand()
	for _, mode := range modes {
		a := newTestAEAD(t, mode, foreignAES(t, random(r, 16)))
		for _, size := range []int{0, 1, 16, 100, 5000} {
			nonce, plain, ad, prefix := random(r, 12), random(r, size), random(r, 21), random(r, 9)
			want := a.Seal(nil, nonce, plain, ad)
			inputs := [][]byte{nonce, plain, ad, want}
			var before [][]byte
			for _, in := range inputs {
				before = append(before, bytes.Clone(in))
			}
			for _, room := range []int{0, size, size + 16, size + 40} {
				dst := append(make([]byte, 0, 9+room), prefix...)
				rest := dst[9:cap(dst)]
				for i := range rest {
					rest[i] = 0xa5
				}
				sealed := a.Seal(dst, nonce, plain, ad)
				if !bytes.Equal(sealed, append(bytes.Clone(prefix), want...)) {
					t.Errorf("%s, %d bytes: sealed %x", mode, size, sealed)
				}
				if inPlace := &sealed[0] == &dst[0]; inPlace != (cap(dst) >= len(sealed)) {
					t.Errorf("%s, %d bytes with room for %d: dst's memory used: %v", mode, size, room, inPlace)
				}
				if len(rest) > size+16 && len(bytes.Trim(rest[size+16:], "\xa5")) > 0 {
					t.Errorf("%s, %d bytes: Seal wrote behind its output", mode, size)
				}
				for i := range rest {
					rest[i] = 0xa5
				}
				opened, err := a.Open(dst, nonce, want, ad)
				if err != nil || !bytes.Equal(opened, append(bytes.Clone(prefix), plain...)) {
					t.Errorf("%s, %d bytes: opened %x, %v", mode, size, opened, err)
				}
				if len(rest) > size && len(bytes.Trim(rest[size:], "\xa5")) > 0 {
					t.Errorf("%s, %d bytes: Open wrote behind its output", mode, size)
				}
			}
			for i, in := range inputs {
				if !bytes.Equal(in, before[i]) {
					t.Errorf("%s, %d bytes: input %d was modified", mode, size, i)
				}
			}
		}
	}
}

// A failed Open leaves zeros where the plaintext would have been, whatever is
// wrong, and nothing else.
func TestFailedOpenClears(t *testing.T) {
	r := newRand()
	for _, mode := range modes {
		a := newTestAEAD(t, mode, foreignAES(t, random(r, 16)))
		for _, size := range []int{1, 16, 33, 40000} {
			nonce, ad := random(r, 12), random(r, 5)
			sealed := a.Seal(nil, nonce, random(r, size), ad)
			for _, i := range []int{0, size / 2, size, size + 15} {
				sealed[i] ^= 0x40
				dst := bytes.Repeat([]byte{0xa5}, size+10)
				if got, err := a.Open(dst[:5], nonce, sealed, ad); got != nil || err != aead.ErrAuth {
					t.Errorf("%s, %d bytes, byte %d changed: %x, %v", mode, size, i, got, err)
				}
				if !allZero(dst[5:5+size]) || string(dst[:5])+string(dst[5+size:]) != strings.Repeat("\xa5", 10) {
					t.Errorf("%s, %d bytes, byte %d changed: dst is %x", mode, size, i, dst)
				}
				inPlace := bytes.Clone(sealed)
				if _, err := a.Open(inPlace[:0], nonce, inPlace, ad); err == nil || !allZero(inPlace[:size]) {
					t.Errorf("%s, %d bytes, byte %d changed, in place: %v, %x", mode, size, i, err, inPlace)
				}
				sealed[i] ^= 0x40
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	r := newRand()
	for _, mode := range modes {
		a := newTestAEAD(t, mode, newBlock(t, "aes128", random(r, 16)))
		nonce, plain := random(r, 12), random(r, 1000)
		want := a.Seal(nil, nonce, plain, plain)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					if !bytes.Equal(a.Seal(nil, nonce, plain, plain), want) {
						t.Errorf("%s: two goroutines at once seal otherwise", mode)
					}
				}
			})
		}
		wg.Wait()
	}
}

// What Wipe is for: afterwards the AEAD has no key of its own to work with.
func TestWipe(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	nonce := make([]byte, 12)
	for _, mode := range []string{"gcm", "ocb", "eax"} { // CCM derives nothing
		a := newTestAEAD(t, mode, b)
		before := a.Seal(nil, nonce, nonce, nonce)
		a.Wipe()
		if bytes.Equal(a.Seal(nil, nonce, nonce, nonce), before) {
			t.Errorf("%s works on after Wipe", mode)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	r := newRand()
	for _, mode := range modes {
		a := newTestAEAD(t, mode, newBlock(t, "aes128", random(r, 16)))

		// Stack memory through the concrete type.
		stack := func() {
			var nonce [12]byte
			var text [64 + 16]byte
			var ad [20]byte
			sealed := a.Seal(text[:0], nonce[:], text[:64], ad[:])
			if _, err := a.Open(sealed[:0], nonce[:], sealed, ad[:]); err != nil {
				t.Error(err)
			}
			var many [4 * 80]byte
			var nonces [4 * 12]byte
			b := aead.Batch{Dst: many[:], Src: many[:], DstStride: 80, SrcStride: 80, Size: 64, Count: 4, Nonces: nonces[:], AD: ad[:]}
			a.SealBatch(&b)
			if a.OpenBatch(&b) != -1 {
				t.Error("a batch does not open")
			}
		}
		if n := testing.AllocsPerRun(100, stack); n != 0 {
			t.Errorf("%s: %v allocations with stack memory", mode, n)
		}

		// Heap memory through the interface.
		var i cipher.AEAD = a
		nonce, text, ad := random(r, 12), random(r, 1000), random(r, 20)
		heap := func() {
			sealed := i.Seal(text[:0], nonce, text[:900], ad)
			if _, err := i.Open(sealed[:0], nonce, sealed, ad); err != nil {
				t.Error(err)
			}
		}
		if n := testing.AllocsPerRun(100, heap); n != 0 {
			t.Errorf("%s: %v allocations with heap memory", mode, n)
		}
		count := 3*a.Lanes() + 1
		many, nonces := make([]byte, count*(4096+16)), make([]byte, 12*count)
		b := aead.Batch{Dst: many, Src: many, DstStride: 4112, SrcStride: 4112, Size: 4096, Count: count, Nonces: nonces, AD: ad}
		batch := func() {
			aead.SealBatch(i, &b)
			if aead.OpenBatch(i, &b) != -1 {
				t.Error("a batch does not open")
			}
		}
		if n := testing.AllocsPerRun(10, batch); n != 0 {
			t.Errorf("%s: %v allocations for a batch", mode, n)
		}
	}
}
