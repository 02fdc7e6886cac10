package aead_test

import (
	"bytes"
	"crypto/cipher"
	"crypto/des"
	"strings"
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
		{"cbc", b, aead.WithTagSize(16), `aead: no mode "cbc", want one of gcm, ocb, eax, ccm`},
		{"", b, aead.WithTagSize(16), `aead: no mode ""`},
		{"gcm", triple, aead.WithTagSize(16), "aead: the block cipher must have 16-byte blocks"},
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

func TestMaxSize(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	for mode, want := range map[string]int64{"gcm": 1<<36 - 32, "ocb": 1<<52 - 1, "eax": 1<<63 - 1} {
		if got := newTestAEAD(t, mode, b).MaxSize(); got != want {
			t.Errorf("%s: %d bytes, want %d", mode, got, want)
		}
	}
	for n, bits := range map[int]int{7: 63, 8: 56, 9: 48, 10: 40, 11: 32, 12: 24, 13: 16} {
		if got := newTestAEAD(t, "ccm", b, aead.WithNonceSize(n)).MaxSize(); got != 1<<bits-1 {
			t.Errorf("ccm with nonces of %d bytes: %d bytes, want 2^%d - 1", n, got, bits)
		}
	}
}

// counted counts the blocks that a cipher is asked for.
type counted struct {
	cipher.Block
	blocks *int
}

func (c counted) Encrypt(dst, src []byte) { *c.blocks++; c.Block.Encrypt(dst, src) }
func (c counted) Decrypt(dst, src []byte) { *c.blocks++; c.Block.Decrypt(dst, src) }

// GCM and EAX decrypt nothing that is not authentic: a forgery costs fewer blocks by
// those of the text. (GCM makes the key stream for the last part of one beforehand.)
func TestOpenVerifiesFirst(t *testing.T) {
	n := 0
	for _, mode := range []string{"gcm", "eax"} {
		a := newTestAEAD(t, mode, counted{foreignAES(t, make([]byte, 16)), &n})
		const size = 100*16 + 5
		nonce := make([]byte, 12)
		sealed := a.Seal(nil, nonce, make([]byte, size), nil)
		open := func() int {
			n = 0
			a.Open(nil, nonce, sealed, nil)
			return n
		}
		good := open()
		sealed[size] ^= 1
		if bad := open(); good-bad < 100 {
			t.Errorf("%s: %d blocks to open, %d for a forgery", mode, good, bad)
		}
	}
}

func asBytes(list []int) (b []byte) {
	for _, n := range list {
		b = append(b, byte(n))
	}
	return b
}

// After Wipe there is no sealing under zeros.
func TestWipe(t *testing.T) {
	for name, b := range map[string]cipher.Block{"foreign": foreignAES(t, make([]byte, 16)), "own": newBlock(t, "aes128", make([]byte, 16))} {
		for _, mode := range modes {
			a := newTestAEAD(t, mode, b)
			nonce, buf := make([]byte, 12), make([]byte, 48)
			a.Wipe()
			a.Wipe()
			batch := aead.Batch{Dst: buf, Src: buf, DstStride: 16, SrcStride: 16, Count: 3, Nonces: make([]byte, 36)}
			for what, f := range map[string]func(){
				"Seal":      func() { a.Seal(buf[:0], nonce, nil, nil) },
				"Open":      func() { a.Open(buf[:0], nonce, buf[:16], nil) },
				"SealBatch": func() { a.SealBatch(&batch) },
				"OpenBatch": func() { a.OpenBatch(&batch) },
			} {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s, %s cipher: %s works after Wipe", mode, name, what)
						}
					}()
					f()
				}()
			}
			if !allZero(buf) {
				t.Errorf("%s, %s cipher: something was written after Wipe", mode, name)
			}
			// The cipher is whole.
			newTestAEAD(t, mode, b).Seal(nil, nonce, nil, nil)
		}
	}
}

// (Batches of many chunks are in the suites.)
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
	}
}
