package ciphers_test

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"slices"
	"strings"
	"testing"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/aes"
	"blkcrypt/ciphers/camellia"
	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		want string
	}{
		{"aes", 16, "aes-128"}, {"aes", 24, "aes-192"}, {"AES", 32, "aes-256"}, {"aes-192", 24, "aes-192"},
		{"camellia", 16, "camellia-128"}, {"Camellia-256", 32, "camellia-256"},
		{"sm4", 16, "sm4"}, {"sm4-128", 16, "sm4"},
	} {
		key := suiteKeyBytes(c.size)
		b, err := ciphers.New(c.name, key)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if b.Name() != c.want || b.BlockSize() != 16 {
			t.Errorf("%s with %d bytes of key: called %s, blocks of %d bytes", c.name, c.size, b.Name(), b.BlockSize())
		}
		text := []byte("sixteen bytes...")
		b.Encrypt(text, text)
		clear(key) // it keeps none of the slice
		if b.Decrypt(text, text); string(text) != "sixteen bytes..." {
			t.Errorf("%s: decrypted to %q", c.name, text)
		}
	}
}

func suiteKeyBytes(n int) []byte {
	key := make([]byte, n)
	for i := range key {
		key[i] = byte(37*i + 1)
	}
	return key
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		o    []ciphers.Option
		want string
	}{
		{"des", 16, nil, `ciphers: no cipher "des", want one of aes, camellia, sm4`},
		{"", 16, nil, `ciphers: no cipher ""`},
		{"aes-", 16, nil, `ciphers: no cipher "aes-"`},
		{"aes-64", 8, nil, `ciphers: no cipher "aes-64"`},
		{"aes-128-gcm", 16, nil, `ciphers: no cipher "aes-128-gcm"`},
		{"sm4-256", 32, nil, `ciphers: no cipher "sm4-256"`},
		{"aes-256", 16, nil, "ciphers: aes-256 with a key of 16 bytes, want 32"},
		{"aes", 17, nil, "ciphers: aes: key of 17 bytes, want one of [16 24 32]"},
		{"sm4", 32, nil, "ciphers: sm4: key of 32 bytes, want one of [16]"},
		{"sm4", 0, nil, "ciphers: sm4: key of 0 bytes"},
		{"aes", 16, []ciphers.Option{ciphers.WithTier("fast")}, `ciphers: aes: no tier "fast", want one of `},
		{"aes", 16, []ciphers.Option{ciphers.Without("avx")}, `no processor feature "avx"`},
	} {
		b, err := ciphers.New(c.name, make([]byte, c.size), c.o...)
		if b != nil || err == nil || !strings.HasPrefix(err.Error(), "ciphers: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %d bytes of key: error %v, want %q", c.name, c.size, err, c.want)
		}
	}
}

// Each tier that List names can be had by its name, and not when what it needs is
// taken away; the best one is chosen unasked.
func TestTiers(t *testing.T) {
	for i, c := range []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher} {
		var tiers []string
		portable := "" // the first that needs nothing
		for _, tier := range c.Tiers {
			if cpu.Detect().Has(tier.Need) {
				tiers = append(tiers, tier.Name)
			}
			if tier.Need == 0 && portable == "" {
				portable = tier.Name
			}
		}
		if info := ciphers.List()[i]; info.Name != c.Name || !slices.Equal(info.Tiers, tiers) || !slices.Equal(info.KeySizes, c.KeySizes) {
			t.Errorf("%s is listed as %v, its tiers are %v", c.Name, info, tiers)
		}
		key := suiteKeyBytes(c.KeySizes[0])
		for _, tier := range c.Tiers {
			b, err := ciphers.New(c.Name, key, ciphers.WithTier(tier.Name))
			if ok := slices.Contains(tiers, tier.Name); ok != (err == nil) || ok && b.Tier() != tier.Name {
				t.Errorf("%s: tier %s: %v", c.Name, tier.Name, err)
			}
			_, err = ciphers.New(c.Name, key, ciphers.WithTier(tier.Name), ciphers.Without("all"))
			if (err == nil) != (tier.Need == 0) || err != nil && !strings.Contains(err.Error(), "needs "+tier.Need.Names()[0]) {
				t.Errorf("%s: tier %s without any feature: %v", c.Name, tier.Name, err)
			}
		}
		for _, v := range []struct {
			want string
			o    []ciphers.Option
		}{{tiers[0], nil}, {portable, []ciphers.Option{ciphers.Without("all")}}, {portable, []ciphers.Option{ciphers.Without(cpu.Known()[1:]...)}}} {
			if b, err := ciphers.New(c.Name, key, v.o...); err != nil || b.Tier() != v.want {
				t.Errorf("%s: %v, tier %s, want %s", c.Name, err, b.Tier(), v.want)
			}
		}
	}
	// What List returns is the caller's.
	for _, c := range ciphers.List() {
		clear(c.KeySizes)
	}
	if c := ciphers.List()[0]; !slices.Equal(c.KeySizes, []int{16, 24, 32}) {
		t.Errorf("key sizes of %s: %v", c.Name, c.KeySizes)
	}
}

// One block, by the rules of [cipher.Block].
func TestBlock(t *testing.T) {
	b, err := ciphers.New("camellia", suiteKeyBytes(32))
	if err != nil {
		t.Fatal(err)
	}
	var _ cipher.Block = b
	buf := make([]byte, 64)
	for name, crypt := range map[string]func(dst, src []byte){"Encrypt": b.Encrypt, "Decrypt": b.Decrypt} {
		for want, args := range map[string][2][]byte{
			"ciphers: input not full block":   {buf[:16], buf[32:47]},
			"ciphers: output not full block":  {buf[:15], buf[32:48]},
			"ciphers: invalid buffer overlap": {buf[1:17], buf[:16]},
		} {
			if got := panicOf(func() { crypt(args[0], args[1]) }); got != want {
				t.Errorf("%s panics with %v, want %s", name, got, want)
			}
		}
		// Longer slices: only the first block of each counts, for overlap too.
		clear(buf)
		want := make([]byte, 16)
		crypt(want, buf)
		if crypt(buf[16:], buf[:32]); !bytes.Equal(buf[16:32], want) || !bytes.Equal(buf[32:], make([]byte, 32)) {
			t.Errorf("%s of longer slices: %x", name, buf)
		}
	}
}

func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestWipe(t *testing.T) {
	for _, c := range ciphers.List() {
		for _, tier := range c.Tiers {
			b, err := ciphers.New(c.Name, suiteKeyBytes(16), ciphers.WithTier(tier))
			if err != nil {
				t.Fatal(err)
			}
			k := b.BulkKey()
			b.Wipe()
			if k.Enc != [len(k.Enc)]uint32{} || k.Dec != [len(k.Dec)]uint32{} {
				t.Errorf("%s: something is left of a wiped key", tier)
			}
			var text [16]byte
			for _, crypt := range []func(dst, src []byte){b.Encrypt, b.Decrypt} {
				if panicOf(func() { crypt(text[:], text[:]) }) == nil {
					t.Errorf("%s: a wiped key works", tier)
				}
			}
		}
	}
}

// TestSelfTest: with a broken kernel, New gives an error and never a key.
func TestSelfTest(t *testing.T) {
	defer ciphers.Break(t)()
	for range 2 {
		b, err := ciphers.New("broken", make([]byte, 16))
		if b != nil || !errors.Is(err, ciphers.ErrSelfTest) {
			t.Fatalf("%v, %v", b, err)
		}
		if got, want := err.Error(), "ciphers: broken: self-test failed: tier generic computes encryption with 128-bit keys wrong"; got != want {
			t.Errorf("the error says %q, want %q", got, want)
		}
	}
}
