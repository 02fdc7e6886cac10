package sm4_test

import (
	"bytes"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
)

func newAEAD(t *testing.T, mode, tier string, key []byte) *aead.AEAD {
	t.Helper()
	b, err := ciphers.New("sm4", key, ciphers.WithTier(tier))
	if err != nil {
		t.Fatal(err)
	}
	a, err := aead.New(mode, b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// RFC 8998, appendix A.
func TestRFC8998(t *testing.T) {
	key, nonce := unhex(t, "0123456789abcdeffedcba9876543210"), unhex(t, "00001234567800000000abcd")
	ad := unhex(t, "feedfacedeadbeeffeedfacedeadbeefabaddad2")
	plain := unhex(t, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"+
		"eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa")
	for mode, sealed := range map[string]string{
		"gcm": "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735" +
			"d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d" + "83de3541e4c2b58177e065a9bf7b62ec",
		"ccm": "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094" +
			"fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b" + "16842d4fa186f56ab33256971fa110f4",
	} {
		eachTier(t, func(t *testing.T, tier string) {
			a, want := newAEAD(t, mode, tier, key), unhex(t, sealed)
			if got := a.Seal(nil, nonce, plain, ad); !bytes.Equal(got, want) {
				t.Errorf("%s: sealed to %x, want %x", mode, got, want)
			}
			if got, err := a.Open(nil, nonce, want, ad); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s: opened to %x, %v", mode, got, err)
			}
		})
	}
}

// TestD08GCMByFeatures: GCM's two parts, SM4 and GHASH, choose their kernels by
// different features of the processor. Whatever is taken away, nothing changes.
func TestD08GCMByFeatures(t *testing.T) {
	key, nonce, ad, plain := random(4, 16), random(5, 12), random(6, 33), random(7, 1100)
	gcm := func(without ...string) *aead.AEAD {
		b, err := ciphers.New("sm4", key, ciphers.Without(without...))
		if err != nil {
			t.Fatal(err)
		}
		a, err := aead.NewGCM(b)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	reference := gcm("all")
	all := map[string]*aead.AEAD{}
	for _, name := range []string{"arm-neon", "intel-avx512", "intel-vaes-vpclmul", "intel-gfni", "intel-avx2", "intel-avx", "intel-aesni", "intel-pclmul"} {
		all["without "+name] = gcm(name)
	}
	all["without GFNI and AVX2"] = gcm("intel-gfni", "intel-avx2")
	for n := range len(plain) + 1 {
		want := reference.Seal(nil, nonce, plain[:n], ad)
		for name, a := range all {
			if got := a.Seal(nil, nonce, plain[:n], ad); !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes sealed otherwise than by the portable tier", name, n)
			}
			if got, err := a.Open(nil, nonce, want, ad); err != nil || !bytes.Equal(got, plain[:n]) {
				t.Fatalf("%s: %d bytes do not open: %v", name, n, err)
			}
		}
	}
}

// One key seals and then opens, and seals again: nothing of a direction stays with
// it. (libgcrypt keeps the direction of the first SM4-OCB call in the key from its
// commit aaa88b3f of 2026 on.)
func TestOCBTurns(t *testing.T) {
	key, nonce, ad := random(1, 16), random(2, 12), random(3, 1500)
	eachTier(t, func(t *testing.T, tier string) {
		a, reference := newAEAD(t, "ocb", tier, key), newAEAD(t, "ocb", "generic", key)
		for _, n := range []int{0, 16, 100, 1024, 5000} {
			plain := random(uint64(n), n)
			want := reference.Seal(nil, nonce, plain, ad)
			for range 2 {
				sealed := a.Seal(nil, nonce, plain, ad)
				if !bytes.Equal(sealed, want) {
					t.Fatalf("%d bytes sealed otherwise than by the portable tier", n)
				}
				if got, err := a.Open(nil, nonce, sealed, ad); err != nil || !bytes.Equal(got, plain) {
					t.Fatalf("%d bytes do not open: %v", n, err)
				}
			}
		}
	})
}
