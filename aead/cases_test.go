package aead_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"blkcrypt/aead"
)

// The last byte of a nonce counts, of whatever size it is.
func TestD01LastNonceByte(t *testing.T) {
	r := newRand()
	b := foreignAES(t, random(r, 16))
	for n := 6; n <= 15; n++ {
		a := newTestAEAD(t, "ocb", b, aead.WithNonceSize(n))
		nonce, plain := random(r, n), random(r, 50)
		seen := map[string]int{}
		for last := range 256 {
			nonce[n-1] = byte(last)
			sealed := string(a.Seal(nil, nonce, plain, nil))
			if other, ok := seen[sealed]; ok {
				t.Fatalf("nonces of %d bytes that end in %d and %d give the same ciphertext", n, other, last)
			}
			seen[sealed] = last
		}
	}
}

func TestD02ShortNoncesOfOCB(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	for _, n := range []int{-1, 0, 1, 2, 3, 4, 5, 16, 17} {
		if _, err := aead.NewOCB(b, aead.WithNonceSize(n)); err == nil {
			t.Errorf("a nonce of %d bytes was accepted", n)
		}
	}
}

// A CCM nonce of 13 bytes leaves two for the length, one of 12 three.
func TestD04LongestCCM(t *testing.T) {
	b := newBlock(t, "aes128", make([]byte, 16))
	for _, c := range []struct{ nonce, max int }{{13, 1<<16 - 1}, {12, 1<<24 - 1}} {
		a := newTestAEAD(t, "ccm", b, aead.WithNonceSize(c.nonce))
		if a.MaxSize() != int64(c.max) {
			t.Errorf("nonces of %d bytes: MaxSize is %d, want %d", c.nonce, a.MaxSize(), c.max)
		}
		nonce, buf := make([]byte, c.nonce), make([]byte, c.max, c.max+17)
		sealed := a.Seal(buf[:0], nonce, buf, nil)
		if c.nonce == 13 {
			if want := reference("ccm", foreignAES(t, make([]byte, 16)), 16, nonce, make([]byte, c.max), nil); !bytes.Equal(sealed, want) {
				t.Errorf("nonces of %d bytes: the longest message differs from the reference", c.nonce)
			}
		}
		plain, err := a.Open(sealed[:0], nonce, sealed, nil)
		if err != nil || len(plain) != c.max {
			t.Errorf("nonces of %d bytes: the longest message: %d bytes, %v", c.nonce, len(plain), err)
		}
		tooLong := buf[:c.max+1]
		mustPanic(t, "message too large", func() { a.Seal(nil, nonce, tooLong, nil) })
		batch := aead.Batch{Dst: make([]byte, c.max+17), Src: tooLong, Size: c.max + 1, Count: 1, Nonces: nonce}
		mustPanic(t, "message too large", func() { a.SealBatch(&batch) })
		sealed = buf[:c.max+17]
		dst := bytes.Repeat([]byte{1}, c.max+1)
		if _, err := a.Open(dst[:0], nonce, sealed, nil); !errors.Is(err, aead.ErrAuth) || !allZero(dst) {
			t.Errorf("nonces of %d bytes: opening a message too long: %v", c.nonce, err)
		}
		batch = aead.Batch{Dst: bytes.Repeat([]byte{1}, c.max+1), Src: sealed, Size: c.max + 1, Count: 1, Nonces: nonce}
		if bad := a.OpenBatch(&batch); bad != 0 || !allZero(batch.Dst) {
			t.Errorf("nonces of %d bytes: opening a batch too long: %d", c.nonce, bad)
		}
	}
}

func TestD05NoncesOfCCM(t *testing.T) {
	b := newBlock(t, "aes128", make([]byte, 16))
	for _, n := range []int{0, 6, 14, 15, 16} {
		if _, err := aead.NewCCM(b, aead.WithNonceSize(n)); err == nil {
			t.Errorf("a nonce of %d bytes was accepted", n)
		}
	}
	// Past the 2^24 bytes of nonces of 12 bytes.
	a := newTestAEAD(t, "ccm", b, aead.WithNonceSize(7))
	nonce, buf := []byte("7 bytes"), make([]byte, 1<<24+1, 1<<24+17)
	sealed := a.Seal(buf[:0], nonce, buf, nil)
	if want := reference("ccm", foreignAES(t, make([]byte, 16)), 16, nonce, make([]byte, 1<<24+1), nil); !bytes.Equal(sealed, want) {
		t.Error("a long message differs from the reference")
	}
	if _, err := a.Open(sealed[:0], nonce, sealed, nil); err != nil {
		t.Error(err)
	}
}

// The size of the tag comes from the AEAD, never from the input.
func TestD06CutTag(t *testing.T) {
	r := newRand()
	b := foreignAES(t, random(r, 16))
	for _, mode := range modes {
		a := newTestAEAD(t, mode, b)
		for _, size := range []int{0, 1, 16, 40} {
			nonce, plain := random(r, 12), random(r, size)
			sealed := a.Seal(nil, nonce, plain, nil)
			for cut := range 17 {
				got, err := a.Open(nil, nonce, sealed[:size+cut], nil)
				if cut < 16 && (got != nil || !errors.Is(err, aead.ErrAuth)) || cut == 16 && err != nil {
					t.Errorf("%s, %d bytes and a tag cut to %d: %x, %v", mode, size, cut, got, err)
				}
			}
			if got, err := a.Open(nil, nonce, sealed[size:], nil); size > 0 && err == nil {
				t.Errorf("%s, the tag of %d bytes alone: %x, %v", mode, size, got, err)
			}
		}
	}
}

// GCM nonces of other sizes than 12 bytes: TestVectors and TestSizes compare
// them with published vectors and the reference. Each byte of them counts, and
// so does the size.
func TestD07NoncesOfGCM(t *testing.T) {
	r := newRand()
	b := foreignAES(t, random(r, 16))
	if _, err := aead.NewGCM(b, aead.WithNonceSize(0)); err == nil {
		t.Error("an empty nonce was accepted")
	}
	for _, n := range []int{1, 8, 12, 16, 17, 128} {
		a := newTestAEAD(t, "gcm", b, aead.WithNonceSize(n))
		nonce, plain := random(r, n), random(r, 50)
		sealed := a.Seal(nil, nonce, plain, nil)
		for i := range nonce {
			nonce[i] ^= 1
			if _, err := a.Open(nil, nonce, sealed, nil); err == nil {
				t.Errorf("byte %d of a nonce of %d bytes does not count", i, n)
			}
			nonce[i] ^= 1
		}
		longer := newTestAEAD(t, "gcm", b, aead.WithNonceSize(n+1))
		if _, err := longer.Open(nil, append(nonce, 0), sealed, nil); err == nil {
			t.Errorf("a nonce of %d bytes and a zero is taken for the nonce", n)
		}
	}
}

// Output at every distance from the input: only the input itself and what does
// not touch it will do.
func TestD10Overlap(t *testing.T) {
	r := newRand()
	for _, mode := range modes {
		a := newTestAEAD(t, mode, foreignAES(t, random(r, 16)))
		for _, size := range []int{1, 15, 16, 17, 100} {
			nonce, plain, buf := random(r, 12), random(r, size), random(r, 5*size+100)
			want := a.Seal(nil, nonce, plain, nil)
			at := 2*size + 40 // of the input in buf
			for off := -size - 20; off <= size+20; off++ {
				out := buf[at+off : at+off]
				in := buf[at : at+size]
				copy(in, plain)
				if off != 0 && off > -size-16 && off < size {
					mustPanic(t, "overlap of output and input", func() { a.Seal(out, nonce, in, nil) })
				} else if got := a.Seal(out, nonce, in, nil); !bytes.Equal(got, want) {
					t.Errorf("%s, %d bytes, output %d bytes from input: sealed %x, want %x", mode, size, off, got, want)
				}
				in = buf[at : at+size+16]
				copy(in, want)
				if off != 0 && off > -size && off < size+16 {
					mustPanic(t, "overlap of output and input", func() { a.Open(out, nonce, in, nil) })
				} else if got, err := a.Open(out, nonce, in, nil); err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%s, %d bytes, output %d bytes from input: opened %x, %v", mode, size, off, got, err)
				}
			}
			ad := buf[:10]
			mustPanic(t, "overlap of output and additional data", func() { a.Seal(buf[9:9], nonce, plain, ad) })
			mustPanic(t, "overlap of output and additional data", func() { a.Open(buf[9:9], nonce, want, ad) })
		}
	}
}

// What one AEAD sealed, another opens as the first thing it does, in every mode and
// with every size of tag.
func TestD12OpenFirst(t *testing.T) {
	r := newRand()
	key := random(r, 16)
	for _, mode := range []string{"gcm", "ocb", "eax", "ccm"} {
		for _, tag := range []int{4, 8, 12, 16} {
			if mode == "ocb" && tag == 4 {
				continue
			}
			nonce, plain, ad := random(r, 12), random(r, 1000), random(r, 20)
			sealed := newTestAEAD(t, mode, foreignAES(t, key), aead.WithTagSize(tag)).Seal(nil, nonce, plain, ad)
			fresh := newTestAEAD(t, mode, foreignAES(t, key), aead.WithTagSize(tag))
			if got, err := fresh.Open(nil, nonce, sealed, ad); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s with tags of %d bytes: %v", mode, tag, err)
			}
		}
	}
}

func mustPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.HasPrefix(got, "aead: ") || !strings.Contains(got, text) {
			t.Errorf("panicked with %q, want %q", got, text)
		}
	}()
	f()
}

func allZero(b []byte) bool {
	return len(bytes.Trim(b, "\x00")) == 0
}
