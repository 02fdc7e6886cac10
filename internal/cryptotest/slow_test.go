package cryptotest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"testing"
)

// TestSlow holds the slow modes against the published vectors for AES, with the
// standard library's AES.
func TestSlow(t *testing.T) {
	modes := []string{"gcm", "ocb", "eax", "ccm"}
	count := Count{}
	for _, v := range Load(t, modes...) {
		count.Add(v)
		if v.Cipher != "aes" || !v.Valid || v.Iterated || len(v.Plain) > 1<<20 {
			continue
		}
		b, err := aes.NewCipher(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Check(Seal(v.Mode, b, v.Nonce, v.AD, v.Plain, v.TagSize)); err != nil {
			t.Error(err)
		}
	}
	if len(count) == 0 {
		return
	}
	for _, m := range modes {
		if count["aes128 "+m] == nil {
			t.Errorf("no vectors of AES in %s", m)
		}
	}
}

// TestSlowGCM holds slow GCM against the standard library's.
func TestSlowGCM(t *testing.T) {
	b, err := aes.NewCipher(ruled(32, 7, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	g, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		nonce, ad, plain := ruled(12, 3, 0, n), ruled(n*3%50, 5, 0, n), ruled(n, 7, 0, n)
		text, tag := Seal("gcm", b, nonce, ad, plain, 16)
		if want := g.Seal(nil, nonce, plain, ad); !bytes.Equal(append(text, tag...), want) {
			t.Errorf("%d bytes: %x %x, want %x", n, text, tag, want)
		}
	}
}
