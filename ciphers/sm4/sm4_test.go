package sm4_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

func newKey(tb testing.TB, key []byte, tier string) *bulk.Key {
	tb.Helper()
	k, err := bulk.NewKey(sm4.Cipher, key, cpu.Detect(), tier)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// eachTier runs f with the name of each tier that this machine runs.
func eachTier(t *testing.T, f func(t *testing.T, tier string)) {
	for _, tier := range cryptotest.Runnable(sm4.Cipher) {
		t.Run(tier.Name, func(t *testing.T) { f(t, tier.Name) })
	}
}

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// random gives bytes that are the same at every run.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// GB/T 32907-2016, appendix A: the same key and plaintext, encrypted once and a
// million times over. The second uses each entry of the S-box many times.
func TestStandardExamples(t *testing.T) {
	eachTier(t, func(t *testing.T, tier string) {
		text := unhex(t, "0123456789abcdeffedcba9876543210")
		k := newKey(t, text, tier)
		b := bytes.Clone(text)
		k.EncryptBlocks(b, b)
		if want := unhex(t, "681edf34d206965e86b3e94f536e4246"); !bytes.Equal(b, want) {
			t.Fatalf("example 1: got %x, want %x", b, want)
		}
		for range 1_000_000 - 1 {
			k.EncryptBlocks(b, b)
		}
		if want := unhex(t, "595298c7c6fd271f0402f804c33d3f66"); !bytes.Equal(b, want) {
			t.Errorf("example 2: got %x, want %x", b, want)
		}
	})
}

// The same a million times over in each lane that a tier has, by CBC-MAC of zeros.
func TestStandardExamplesInLanes(t *testing.T) {
	eachTier(t, func(t *testing.T, tier string) {
		if tier == "generic" && cryptotest.Thin() {
			t.Skip("takes seconds under the race detector, and has no code for lanes")
		}
		text := unhex(t, "0123456789abcdeffedcba9876543210")
		want := unhex(t, "595298c7c6fd271f0402f804c33d3f66")
		k := newKey(t, text, tier)
		const blocks = 10_000
		macs, zero := bytes.Repeat(text, k.Width()), make([]byte, 16*blocks)
		for range 1_000_000 / blocks {
			k.MACLanes(macs, zero, 0, k.Width(), blocks)
		}
		if !bytes.Equal(macs, bytes.Repeat(want, k.Width())) {
			t.Errorf("got %x, want %x in all", macs, want)
		}
	})
}

// The cipher's own vector is what the self-test trusts.
func TestCipherTable(t *testing.T) {
	c := sm4.Cipher
	if c.Name != "sm4" || len(c.KeySizes) != 1 || c.KeySizes[0] != 16 {
		t.Errorf("name %q, key sizes %v", c.Name, c.KeySizes)
	}
	for _, v := range c.Vectors {
		got := newReference(v.Key).encrypt([16]byte(v.Plain))
		if !bytes.Equal(got[:], v.Cipher) {
			t.Errorf("the reference gives %x for the vector %x", got, v.Cipher)
		}
	}
	if last := c.Tiers[len(c.Tiers)-1]; last.Name != "generic" || last.Need != 0 {
		t.Errorf("the last tier is %q and needs %x", last.Name, last.Need)
	}
	for n := range 40 {
		if _, err := bulk.NewKey(c, make([]byte, n), 0, ""); (err == nil) != (n == 16) {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
}

// Every number of blocks up to some more than fill a tier's registers, out of place
// and in place, both ways, against the reference.
func TestAgainstReference(t *testing.T) {
	eachTier(t, func(t *testing.T, tier string) {
		most := 41
		if k := newKey(t, make([]byte, 16), tier); k.Width() > 16 {
			most = k.Width() + 18
		}
		for n := range most + 1 {
			key, src := random(uint64(n), 16), random(uint64(n)+1000, 16*n)
			ref, k := newReference(key), newKey(t, key, tier)
			enc, dec := make([]byte, 0, 16*n), make([]byte, 0, 16*n)
			for i := 0; i < len(src); i += 16 {
				e, d := ref.encrypt([16]byte(src[i:])), ref.decrypt([16]byte(src[i:]))
				enc, dec = append(enc, e[:]...), append(dec, d[:]...)
			}
			checkBlocks(t, "encryption", k.EncryptBlocks, src, enc)
			checkBlocks(t, "decryption", k.DecryptBlocks, src, dec)
			checkBlocks(t, "decryption of the encrypted", k.DecryptBlocks, enc, src)
		}
	})
}

func checkBlocks(t *testing.T, name string, f func(dst, src []byte), src, want []byte) {
	t.Helper()
	n := len(src)
	in := bytes.Clone(src)
	// One byte off alignment, with a guard on either side.
	out := bytes.Repeat([]byte{0xa5}, n+2)
	f(out[1:1+n], in)
	if !bytes.Equal(out[1:1+n], want) {
		t.Errorf("%s of %d bytes is wrong", name, n)
	}
	if out[0] != 0xa5 || out[n+1] != 0xa5 {
		t.Errorf("%s of %d bytes wrote past its output", name, n)
	}
	if !bytes.Equal(in, src) {
		t.Errorf("%s of %d bytes changed its input", name, n)
	}
	f(in, in)
	if !bytes.Equal(in, want) {
		t.Errorf("%s of %d bytes in place is wrong", name, n)
	}
}

// The portable schedule in Enc and Dec is the standard's: section 7.3, and 7.2 for the order.
func TestSchedule(t *testing.T) {
	for seed := range uint64(32) {
		key := random(seed, 16)
		k, ref := newKey(t, key, "generic"), newReference(key)
		if k.Rounds != 32 {
			t.Fatalf("%d rounds", k.Rounds)
		}
		for i := range 32 {
			if k.Enc[i] != ref.rk[i] || k.Dec[31-i] != ref.rk[i] {
				t.Fatalf("seed %d: round key %d is %08x and %08x, want %08x", seed, i, k.Enc[i], k.Dec[31-i], ref.rk[i])
			}
		}
	}
}
