package aead_test

import (
	"bytes"
	stdaes "crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"flag"
	"fmt"
	"slices"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
	"blkcrypt/ciphers/aes"
	"blkcrypt/ciphers/camellia"
	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
	"blkcrypt/internal/ghash"
)

var wycheproof = flag.String("wycheproof", "", "run the vectors in this folder of Wycheproof's (testvectors_v1) as well")

var suiteModes = []string{"gcm", "ocb", "eax", "ccm"}

// eachTier calls f with every cipher, tier and key size, or one size if
// [cryptotest.Thin].
func eachTier(f func(c ciphers.Info, tier string, keySize int)) {
	for _, c := range ciphers.List() {
		for _, tier := range c.Tiers {
			for _, size := range c.KeySizes {
				if !cryptotest.Thin() || size == c.KeySizes[0] {
					f(c, tier, size)
				}
			}
		}
	}
}

// tierBlock makes a key of a cipher on a tier, "" for the best.
func tierBlock(t testing.TB, cipher, tier string, key []byte) *ciphers.Block {
	t.Helper()
	var o []ciphers.Option
	if tier != "" {
		o = append(o, ciphers.WithTier(tier))
	}
	b, err := ciphers.New(cipher, key, o...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func suiteKey(size, seed int) []byte {
	key := make([]byte, size)
	for i := range key {
		key[i] = byte(i*73 + seed)
	}
	return key
}

// TestSuites holds all suites on all tiers to the contract of an AEAD.
func TestSuites(t *testing.T) {
	eachTier(func(c ciphers.Info, tier string, size int) {
		for _, mode := range suiteModes {
			key := suiteKey(size, len(tier))
			b := tierBlock(t, c.Name, tier, key)
			t.Run(fmt.Sprintf("%s-%s/%s", b.Name(), mode, tier), func(t *testing.T) {
				var reference cipher.Block = tierBlock(t, c.Name, c.Tiers[len(c.Tiers)-1], key)
				if c.Name == "aes" {
					std, err := stdaes.NewCipher(key)
					if err != nil {
						t.Fatal(err)
					}
					reference = std
				}
				a, err := aead.New(mode, b)
				if err != nil {
					t.Fatal(err)
				}
				k, err := bulk.Of(b)
				if err != nil {
					t.Fatal(err)
				}
				cryptotest.AEADSuite(t, mode, reference, suiteWidth(t, mode, k), a)
			})
		}
	})
}

// TestSuiteKernels sees which kernels the modes reach.
func TestSuiteKernels(t *testing.T) {
	for _, c := range []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher} {
		t.Run(c.Name, func(t *testing.T) { cryptotest.AEADKernels(t, c) })
	}
}

// suiteWidth is the number of blocks of the largest group that a mode works at once.
func suiteWidth(t *testing.T, mode string, k *bulk.Key) int {
	t.Helper()
	hash, err := k.NewGCMHash()
	if err != nil {
		t.Fatal(err)
	}
	if mode != "gcm" {
		return k.Width()
	}
	return max(k.Width(), k.GCMGroup(hash)/bulk.BlockSize)
}

// TestSuiteGHASH holds GCM to the contract with each tier of GHASH that this
// machine runs, as it is met when processor features are taken away.
func TestSuiteGHASH(t *testing.T) {
	key := suiteKey(16, 1)
	reference, err := stdaes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	missing := ghash.Tiers(cpu.Detect())
	for _, features := range without() {
		allowed := cpu.Detect()
		for _, f := range features {
			if allowed, err = cpu.Without(allowed, f); err != nil {
				t.Fatal(err)
			}
		}
		tier := ghash.Tiers(allowed)[0]
		if !slices.Contains(missing, tier) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(s string) bool { return s == tier })
		t.Run(fmt.Sprintf("%s without %v", tier, features), func(t *testing.T) {
			b, err := ciphers.New("aes", key, ciphers.Without(features...))
			if err != nil {
				t.Fatal(err)
			}
			a, err := aead.NewGCM(b)
			if err != nil {
				t.Fatal(err)
			}
			k, err := bulk.Of(b)
			if err != nil {
				t.Fatal(err)
			}
			cryptotest.AEADSuite(t, "gcm", reference, suiteWidth(t, "gcm", k), a)
		})
	}
	if len(missing) > 0 {
		t.Errorf("tiers of GHASH that no choice of features leads to: %v", missing)
	}
}

// without lists what to take away from the processor: nothing, each feature, all.
func without() [][]string {
	list := [][]string{nil}
	for _, f := range cpu.Detect().Names() {
		list = append(list, []string{f})
	}
	return append(list, []string{"all"})
}

// TestSuiteVectors runs every published vector on every tier, by itself and in batches
// of 1 to twice as many and one as there are lanes.
func TestSuiteVectors(t *testing.T) {
	vectors := cryptotest.Load(t, suiteModes...)
	if *wycheproof != "" {
		more := cryptotest.Wycheproof(t, *wycheproof, suiteModes...)
		t.Logf("%d vectors in %s", len(more), *wycheproof)
		vectors = append(vectors, more...)
	}
	for _, c := range ciphers.List() {
		for i, tier := range c.Tiers {
			t.Run(c.Name+"/"+tier, func(t *testing.T) {
				count := cryptotest.Count{}
				refused := 0
				for n, v := range vectors {
					if v.Cipher != c.Name {
						continue
					}
					count.Add(v)
					if !suiteVector(t, tier, n, v) {
						refused++
					}
				}
				if i == 0 {
					count.Covers(t, []string{c.Name}, suiteModes)
					t.Logf("%d of them are of OCB with nonces of under 6 bytes, which this module refuses", refused)
				}
			})
		}
	}
}

// suiteVector runs vector number n. It returns false if the sizes are among those that
// the module refuses though the mode has them.
func suiteVector(t *testing.T, tier string, n int, v *cryptotest.Vector) bool {
	t.Helper()
	b := tierBlock(t, v.Cipher, tier, v.Key)
	defer b.Wipe()
	if v.Iterated {
		a, err := aead.NewOCB(b, aead.WithTagSize(v.TagSize))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Check(nil, ocbIterated(a)); err != nil {
			t.Error(err)
		}
		return true
	}
	a, err := aead.New(v.Mode, b, aead.WithNonceSize(len(v.Nonce)), aead.WithTagSize(v.TagSize))
	switch short := v.Mode == "ocb" && len(v.Nonce) < 6; {
	case err != nil && v.Valid && !short:
		t.Errorf("%s %s: %v", v.Cell(), v.ID, err)
		return true
	case err != nil:
		return !short
	case short:
		t.Errorf("%s %s: a nonce of %d bytes is taken", v.Cell(), v.ID, len(v.Nonce))
	}
	count := 1 + n%(2*a.Lanes()+1)
	if !v.Valid {
		sealed := append(bytes.Clone(v.Text), v.Tag...)
		if plain, err := a.Open(nil, v.Nonce, sealed, v.AD); err == nil {
			t.Errorf("%s %s: opened to %x", v.Cell(), v.ID, plain)
		}
		suiteBatch(t, a, count, v, sealed)
		return true
	}
	sealed := a.Seal(nil, v.Nonce, v.Plain, v.AD)
	size := len(v.Plain)
	if err := v.Check(sealed[:size], sealed[size:]); err != nil {
		t.Error(err)
	}
	if size < 1<<12 {
		suiteBatch(t, a, count, v, sealed)
	}
	plain, err := a.Open(sealed[:0], v.Nonce, sealed, v.AD)
	if err != nil || !bytes.Equal(plain, v.Plain) {
		t.Errorf("%s %s: opened to\n%.200x (%v), want\n%.200x", v.Cell(), v.ID, plain, err, v.Plain)
	}
	return true
}

// suiteBatch runs a batch of count times the same vector, whose ciphertext and tag
// are sealed.
func suiteBatch(t *testing.T, a *aead.AEAD, count int, v *cryptotest.Vector, sealed []byte) {
	t.Helper()
	size := len(sealed) - a.Overhead()
	if size < 0 {
		return // not a batch's
	}
	b := aead.Batch{Size: size, Count: count, Nonces: bytes.Repeat(v.Nonce, count), AD: v.AD}
	b.Src, b.SrcStride, b.Dst, b.DstStride = bytes.Repeat(sealed, count), len(sealed), make([]byte, count*size), size
	want, plain := -1, bytes.Repeat(v.Plain, count)
	if !v.Valid {
		want, plain = 0, make([]byte, count*size)
	}
	if bad := a.OpenBatch(&b); bad != want || !bytes.Equal(b.Dst, plain) {
		t.Errorf("%s %s: chunk %d of %d is bad, and they are\n%.200x", v.Cell(), v.ID, bad, count, b.Dst)
	}
	if !v.Valid {
		return
	}
	b.Src, b.SrcStride, b.Dst, b.DstStride = plain, size, make([]byte, len(b.Src)), len(sealed)
	if a.SealBatch(&b); !bytes.Equal(b.Dst, bytes.Repeat(sealed, count)) {
		t.Errorf("%s %s: %d chunks sealed to\n%.200x", v.Cell(), v.ID, count, b.Dst)
	}
}

// ocbIterated is the procedure at the end of RFC 7253's appendix A.
func ocbIterated(a cipher.AEAD) []byte {
	number := uint64(0)
	seal := func(dst, plain, ad []byte) []byte {
		number++
		return a.Seal(dst, binary.BigEndian.AppendUint64(make([]byte, 4, 12), number), plain, ad)
	}
	var c []byte
	for i := range 128 {
		s := make([]byte, i)
		c = seal(c, s, s)
		c = seal(c, s, nil)
		c = seal(c, nil, s)
	}
	return seal(nil, nil, c)
}

// FuzzSuites compares the suites with the modes done block by block.
func FuzzSuites(f *testing.F) {
	f.Add(uint8(0), []byte("key"), []byte("nonce"), []byte("data"), []byte("text"))
	f.Add(uint8(77), []byte{}, bytes.Repeat([]byte{0xff}, 16), []byte{}, bytes.Repeat([]byte{1}, 700))
	f.Fuzz(func(t *testing.T, pick uint8, seed, nonce, ad, plain []byte) {
		list := ciphers.List()
		c := list[int(pick)%len(list)]
		mode := suiteModes[int(pick)/len(list)%len(suiteModes)]
		key := make([]byte, c.KeySizes[len(seed)%len(c.KeySizes)])
		copy(key, seed)
		nonce = append(nonce, make([]byte, 12)...)[:min(max(7, len(nonce)), 13)]
		reference := tierBlock(t, c.Name, c.Tiers[len(c.Tiers)-1], key)
		text, tag := cryptotest.Seal(mode, reference, nonce, ad, plain, 16)
		for _, tier := range c.Tiers {
			a, err := aead.New(mode, tierBlock(t, c.Name, tier, key), aead.WithNonceSize(len(nonce)))
			if err != nil {
				t.Fatal(err)
			}
			sealed := a.Seal(nil, nonce, plain, ad)
			if !bytes.Equal(sealed, append(text, tag...)) {
				t.Fatalf("%s %s %s: sealed to %x, want %x %x", c.Name, tier, mode, sealed, text, tag)
			}
			if got, err := a.Open(nil, nonce, sealed, ad); err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%s %s %s: opened to %x, %v", c.Name, tier, mode, got, err)
			}
			sealed[len(plain)*int(pick)/256] ^= 1 << (pick % 8)
			if _, err := a.Open(nil, nonce, sealed, ad); err == nil {
				t.Fatalf("%s %s %s: a changed ciphertext opens", c.Name, tier, mode)
			}
		}
	})
}
