package ciphers_test

import (
	"bytes"
	stdaes "crypto/aes"
	"flag"
	"testing"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/aes"
	"blkcrypt/ciphers/camellia"
	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// TestSuites holds all tiers of all ciphers to the suite of block ciphers.
func TestSuites(t *testing.T) {
	all := []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) { cryptotest.BlockSuite(t, c) })
	}
	if n := len(ciphers.List()); n != len(all) {
		t.Errorf("%d ciphers tested of %d", len(all), n)
	}
}

// TestD09TiersNeedWhatTheyUse: a kernel must not meet a processor that lacks one
// of its instructions.
func TestD09TiersNeedWhatTheyUse(t *testing.T) {
	for _, c := range []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher} {
		cryptotest.AssemblySuite(t, c, c.Name)
	}
}

var forced = flag.String("force", "", "use the tiers of this `name`, whatever the processor says that it runs")

// TestForced is for an emulator that faults on instructions of AVX-512, and thereby
// shows that a tier has none, but does others wrong.
func TestForced(t *testing.T) {
	found := 0
	for _, c := range []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher} {
		for _, tier := range c.Tiers {
			if tier.Name == *forced {
				cryptotest.ForceTier(t, c, tier)
				found++
			}
		}
	}
	if *forced != "" && found == 0 {
		t.Errorf("no tier %q", *forced)
	}
}

// FuzzAES compares AES on each tier with the standard library's.
func FuzzAES(f *testing.F) {
	f.Add([]byte("a key of any length"), []byte("and some blocks of plaintext to encrypt"))
	f.Add([]byte{}, bytes.Repeat([]byte{0xff}, 1000))
	f.Fuzz(func(t *testing.T, seed, text []byte) {
		key := make([]byte, 16+8*(len(seed)%3))
		copy(key, seed)
		std, err := stdaes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		text = text[:len(text)&^15]
		want := make([]byte, len(text))
		for i := 0; i < len(text); i += 16 {
			std.Encrypt(want[i:], text[i:])
		}
		for _, c := range ciphers.List() {
			if c.Name != "aes" {
				continue
			}
			for _, tier := range c.Tiers {
				k := suiteKey(t, c.Name, tier, key)
				got := make([]byte, len(text))
				k.EncryptBlocks(got, text)
				if !bytes.Equal(got, want) {
					t.Fatalf("%s: %x encrypts to %x, want %x", tier, text, got, want)
				}
				k.DecryptBlocks(got, got)
				if !bytes.Equal(got, text) {
					t.Fatalf("%s: %x decrypts to %x, want %x", tier, want, got, text)
				}
			}
		}
	})
}

// FuzzTiers compares the tiers of each cipher with one another, in both directions
// and in counter mode.
func FuzzTiers(f *testing.F) {
	f.Add(uint8(0), []byte("a key of any length"), []byte("and a counter"), []byte("and some blocks of plaintext to encrypt"))
	f.Add(uint8(9), []byte{}, bytes.Repeat([]byte{0xff}, 16), bytes.Repeat([]byte{0xff}, 2000))
	f.Fuzz(func(t *testing.T, pick uint8, seed, iv, text []byte) {
		list := ciphers.List()
		c := list[int(pick)%len(list)]
		key := make([]byte, c.KeySizes[len(seed)%len(c.KeySizes)])
		copy(key, seed)
		var counter [16]byte
		copy(counter[:], iv)
		text = text[:len(text)&^15]
		var want [3][]byte
		for i := len(c.Tiers) - 1; i >= 0; i-- {
			k := suiteKey(t, c.Name, c.Tiers[i], key)
			var got [3][]byte
			for j := range got {
				got[j] = make([]byte, len(text))
			}
			k.EncryptBlocks(got[0], text)
			k.DecryptBlocks(got[1], text)
			ctr := counter
			k.CTR(&ctr, got[2], text)
			if i == len(c.Tiers)-1 {
				want = got
			}
			for j, what := range []string{"encryption", "decryption", "counter mode"} {
				if !bytes.Equal(got[j], want[j]) {
					t.Fatalf("%s %s: %s of %x yields %x, want %x", c.Name, c.Tiers[i], what, text, got[j], want[j])
				}
			}
		}
	})
}

// suiteKey makes a key on a tier.
func suiteKey(t testing.TB, cipher, tier string, key []byte) *bulk.Key {
	t.Helper()
	b, err := ciphers.New(cipher, key, ciphers.WithTier(tier))
	if err != nil {
		t.Fatal(err)
	}
	return b.BulkKey()
}
