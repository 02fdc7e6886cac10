package modes_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"blkcrypt/ciphers/modes"
	"blkcrypt/internal/cryptotest"
)

// crypt returns what encrypts and what decrypts the text of a vector.
func crypt(t *testing.T, v *cryptotest.Vector, m maker) (encrypt, decrypt func(dst, src []byte)) {
	t.Helper()
	switch v.Mode {
	case "xts":
		options := []modes.XTSOption{modes.AllowEqualKeys()}
		if v.GB {
			options = append(options, modes.GBTweaks())
		}
		x, err := modes.NewXTS(m, v.Key, options...)
		if err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		return func(dst, src []byte) { x.Encrypt(dst, src, [16]byte(v.Nonce)) },
			func(dst, src []byte) { x.Decrypt(dst, src, [16]byte(v.Nonce)) }
	case "lrw":
		l, err := modes.NewLRW(m, v.Key)
		if err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		return func(dst, src []byte) { l.Encrypt(dst, src, [16]byte(v.Nonce)) },
			func(dst, src []byte) { l.Decrypt(dst, src, [16]byte(v.Nonce)) }
	}
	b := must(t, m, v.Key)
	return encrypters[v.Mode](b, v.Nonce), decrypters[v.Mode](b, v.Nonce)
}

func checkVector(t *testing.T, v *cryptotest.Vector, m maker) {
	t.Helper()
	encrypt, decrypt := crypt(t, v, m)
	if !v.Valid {
		// Wycheproof has texts that no right sender makes: of part of a block, or
		// with wrong padding.
		if len(v.Text)%16 != 0 {
			if !panics(func() { decrypt(make([]byte, len(v.Text)), v.Text) }) {
				t.Errorf("%s: takes %d bytes", v.ID, len(v.Text))
			}
			return
		}
		plain := make([]byte, len(v.Text))
		decrypt(plain, v.Text)
		if padded(plain) {
			t.Errorf("%s: decrypts to a padded text", v.ID)
		}
		return
	}
	times := max(1, v.Times)
	text := bytes.Clone(v.Plain)
	for range times {
		encrypt(text, text)
	}
	if err := v.Check(text, nil); err != nil {
		t.Error(err)
	}
	got := make([]byte, len(text))
	for range times {
		decrypt(got, text)
		copy(text, got)
	}
	if !bytes.Equal(got, v.Plain) {
		t.Errorf("%s %s: decrypted to\n%x, want\n%x", v.Cell(), v.ID, got, v.Plain)
	}
}

// padded reports whether b ends as PKCS #7 pads (RFC 5652, section 6.3).
func padded(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	n := int(b[len(b)-1])
	return 0 < n && n <= 16 && bytes.HasSuffix(b, bytes.Repeat([]byte{byte(n)}, n))
}

// TestVectors runs the vectors of testdata, which names their sources.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Source  string
		Vectors []struct {
			Cipher, Mode, Key, IV, Plain, Text string
			GB                                 bool
		}
	}
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, g := range groups {
		for i, e := range g.Vectors {
			v := &cryptotest.Vector{ID: g.Source, Cipher: e.Cipher, Mode: e.Mode, Key: unhex(e.Key), Nonce: unhex(e.IV),
				Plain: unhex(e.Plain), Text: unhex(e.Text), GB: e.GB, Valid: true}
			for tier, m := range makers(t, v.Cipher) {
				if checkVector(t, v, m); t.Failed() {
					t.Fatalf("%s, vector %d, with tier %s", g.Source, i, tier)
				}
			}
		}
	}
}

// TestAllVectors runs those of the collection beside the module.
func TestAllVectors(t *testing.T) {
	list := []string{"ecb", "cbc", "cfb", "ofb", "ctr", "xts", "lrw"}
	count := cryptotest.Count{}
	all := map[string]map[string]maker{}
	for _, c := range []string{"aes", "camellia", "sm4"} {
		all[c] = makers(t, c)
	}
	for _, v := range cryptotest.Load(t, list...) {
		count.Add(v)
		for tier, m := range all[v.Cipher] {
			if checkVector(t, v, m); t.Failed() {
				t.Fatalf("with tier %s", tier)
			}
		}
	}
	count.Covers(t, []string{"aes", "camellia", "sm4"}, list)
}
