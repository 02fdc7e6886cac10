package aead_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/ghash"
)

// times multiplies as GHASH does.
func times(t *testing.T, x, y [16]byte) [16]byte {
	t.Helper()
	var k ghash.Key
	if err := k.Init(&y, 0, "generic"); err != nil {
		t.Fatal(err)
	}
	k.Update(&x, make([]byte, 16))
	return x
}

// nonceFor returns the 16-byte nonce that GCM with the cipher b hashes to the
// pre-counter block j0 (SP 800-38D, section 7.1, step 2), (nonce·H + lengths)·H.
func nonceFor(t *testing.T, b cipher.Block, j0 [16]byte) []byte {
	t.Helper()
	var h, one [16]byte
	b.Encrypt(h[:], h[:])
	one[0] = 0x80
	inverse := one // H^(2^128-2), as the field has 2^128 elements
	for square, i := h, 1; i < 128; i++ {
		square = times(t, square, square)
		inverse = times(t, inverse, square)
	}
	if times(t, h, inverse) != one {
		t.Fatal("no inverse")
	}
	nonce := times(t, j0, inverse)
	nonce[15] ^= 128
	nonce = times(t, nonce, inverse)
	return nonce[:]
}

// The counter's last 32 bits run out within a message: at its start, at the ends of
// groups and in the rest behind them. Nothing is carried into the other 96
// (SP 800-38D, section 6.2).
func TestGCMCounterWraps(t *testing.T) {
	eachTier(func(c ciphers.Info, tier string, size int) {
		key := suiteKey(size, 3)
		b := tierBlock(t, c.Name, tier, key)
		k, err := bulk.Of(b)
		if err != nil {
			t.Fatal(err)
		}
		var peer cipher.Block = b
		if c.Name == "aes" {
			if peer, err = stdaes.NewCipher(key); err != nil {
				t.Fatal(err)
			}
		}
		want, err := cipher.NewGCMWithNonceSize(peer, 16)
		if err != nil {
			t.Fatal(err)
		}
		a := newTestAEAD(t, "gcm", b, aead.WithNonceSize(16))
		group := suiteWidth(t, "gcm", k)
		text := suiteKey(max(3*group+3, 17)*16, 5)
		for _, before := range []int{0, 1, 2, group / 2, group - 1, group, group + 1, 2*group - 1, 2 * group, 2*group + 1, 3*group + 1} {
			j0 := [16]byte{0: 0xff, 11: 0xff} // a carry would show
			binary.BigEndian.PutUint32(j0[12:], -uint32(before)-1)
			nonce := nonceFor(t, b, j0)
			for _, n := range []int{len(text), len(text) - 7, 255, 241, 240, 40} {
				sealed := want.Seal(nil, nonce, text[:n], text[:5])
				t.Run(fmt.Sprintf("%s/%d/%s/%d", c.Name, 8*size, tier, before), func(t *testing.T) {
					checkAgainst(t, a, nonce, text[:n], text[:5], sealed)
				})
			}
		}
	})
}

// TestD08AESGCMByFeatures: AES, GHASH and the kernel that does both choose by
// different features of the processor. Whatever is taken away, nothing changes, and
// nothing that is not authentic is left.
func TestD08AESGCMByFeatures(t *testing.T) {
	r := newRand()
	key, nonce, ad, plain := random(r, 16), random(r, 12), random(r, 33), random(r, 4300)
	std, err := stdaes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := cipher.NewGCM(std)
	if err != nil {
		t.Fatal(err)
	}
	lists := append(without(), []string{"intel-vaes-vpclmul", "intel-pclmul"}, []string{"intel-avx512", "intel-pclmul"})
	var all []*aead.AEAD
	for _, features := range lists {
		b, err := ciphers.New("aes", key, ciphers.Without(features...))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, newTestAEAD(t, "gcm", b))
	}
	buf := make([]byte, 0, len(plain)+16)
	for n := 0; n <= len(plain); {
		want := reference.Seal(nil, nonce, plain[:n], ad)
		for i, a := range all {
			if got := a.Seal(buf, nonce, plain[:n], ad); !bytes.Equal(got, want) {
				t.Fatalf("without %v: %d bytes sealed otherwise than by crypto/cipher", lists[i], n)
			}
			if got, err := a.Open(buf, nonce, want, ad); err != nil || !bytes.Equal(got, plain[:n]) {
				t.Fatalf("without %v: %d bytes do not open: %v", lists[i], n, err)
			}
			want[n] ^= 1
			if _, err := a.Open(buf, nonce, want, ad); err == nil || !allZero(buf[:n]) {
				t.Fatalf("without %v: a forgery of %d bytes opens, or leaves something", lists[i], n)
			}
			want[n] ^= 1
		}
		if n++; n > 1100 {
			n += 30 // as far as two groups of the widest kernel and more, not each
		}
	}
}
