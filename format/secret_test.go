package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestPassphrases(t *testing.T) {
	for _, x := range []struct {
		name, file, want string
	}{
		{"A01 line feed dropped", "pw\n", "pw"},
		{"A02 CR LF dropped", "pw\r\n", "pw"},
		{"A03 inner CR is data", "hunter2\rextra\n", "hunter2\rextra"},
		{"CR at the end is data", "pw\r", "pw\r"},
		{"one line end only", "pw\r\r\n", "pw\r"},
		{"A05 blanks count", " pw \n", " pw "},
		{"A14 decomposed", "cafe\u0301", "caf\u00e9"},
		{"A14 composed", "caf\u00e9", "caf\u00e9"},
		{"no compatibility folding", "\ufb01\u00aa", "\ufb01\u00aa"},
		{"A15 not UTF-8", "t\xa7\xa7\n", "t\xa7\xa7"},
		{"not UTF-8, not composed", "e\u0301\xff", "e\u0301\xff"},
		{"grows in normal form", strings.Repeat("\U0001d160", 1024), strings.Repeat("\U0001d158\U0001d165\U0001d16e", 1024)},
		{"longest", strings.Repeat("x", 4096) + "\n", strings.Repeat("x", 4096)},
	} {
		s, err := ParsePassphrase([]byte(x.file))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		} else if string(s.data) != x.want || !s.IsPassphrase() {
			t.Errorf("%s: %q, want %q", x.name, s.data, x.want)
		}
	}
	for _, x := range []struct{ name, file, why string }{
		{"A04 second line", "pw\nsecond\n", "line"},
		{"A04 second line, empty", "pw\n\n", "line"},
		{"A06 empty", "", "empty"},
		{"A06 line feed", "\n", "empty"},
		{"A06 CR LF", "\r\n", "empty"},
		{"NUL", "p\x00w", "NUL"},
		{"UTF-8 BOM", "\xef\xbb\xbfpw", "UTF-8 byte-order"},
		{"UTF-16LE", "\xff\xfep\x00w\x00\n\x00", "UTF-16 byte-order"},
		{"UTF-16BE", "\xfe\xff\x00p\x00w", "UTF-16 byte-order"},
		{"too long", strings.Repeat("x", 4097), "4097"},
	} {
		_, err := ParsePassphrase([]byte(x.file))
		var e *SecretError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	if _, err := NewPassphrase([]byte("pw\n")); err == nil {
		t.Error("a typed line feed was dropped")
	}
}

func TestKeyFiles(t *testing.T) {
	line, err := GenerateKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(string(line), "\n")
	if len(line) != 64 || !strings.HasPrefix(text, "blkcrypt-key-1:") {
		t.Fatalf("key file %q", line)
	}
	raw, err := base64.RawURLEncoding.DecodeString(text[15:])
	if err != nil || len(raw) != 36 {
		t.Fatal(err, len(raw))
	}
	if sum := sha256.Sum256(raw[:32]); !bytes.Equal(sum[:4], raw[32:]) {
		t.Error("check bytes are not of SHA-256")
	}
	for _, form := range []string{text, text + "\n", text + "\r\n", string(raw[:32])} {
		s, err := ParseKeyFile([]byte(form))
		if err != nil {
			t.Errorf("%q: %v", form, err)
		} else if !bytes.Equal(s.data, raw[:32]) || s.IsPassphrase() {
			t.Errorf("%q: another key", form)
		}
	}
	other := "A"
	if text[30] == 'A' {
		other = "B"
	}
	for name, form := range map[string]string{
		"empty":           "",
		"prefix only":     "blkcrypt-key-1:",
		"cut":             text[:len(text)-1],
		"longer":          text + "A",
		"two lines":       text + "\n\n",
		"blank before":    " " + text,
		"blank after":     text + " ",
		"line end inside": text[:30] + "\n" + text[31:],
		"not base64url":   text[:30] + "+" + text[31:],
		"a typo":          text[:30] + other + text[31:],
		"version 2":       "blkcrypt-key-2:" + text[15:],
		"31 bytes":        string(raw[:31]),
		"33 bytes":        string(raw[:33]),
		"text":            "a phrase of 32 bytes is no key!\n",
		"hexadecimal":     strings.Repeat("0f", 32),
	} {
		_, err := ParseKeyFile([]byte(form))
		var e *SecretError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseKeyFile(make([]byte, 47)); !strings.Contains(err.Error(), "47") {
		t.Errorf("does not say the length: %v", err)
	}
	again, err := GenerateKeyFile()
	if err != nil || bytes.Equal(line, again) {
		t.Error("the same key twice")
	}
}

func TestSecretEqualAndWipe(t *testing.T) {
	key := bytes.Repeat([]byte{0xf0}, 32)
	a, err := ParseKeyFile(key)
	if err != nil {
		t.Fatal(err)
	}
	b := passphrase(t, string(key)) // the same bytes, of another kind
	if a.Equal(b) || !a.Equal(a) || passphrase(t, "x").Equal(passphrase(t, "xy")) {
		t.Error("Equal is wrong")
	}
	a.Wipe()
	if !zero(a.data) || zero(key) {
		t.Error("Wipe is wrong")
	}
}

func FuzzPassphrase(f *testing.F) {
	for _, s := range []string{"pw\n", "e\u0301", "\xef\xbb\xbfx", "\xff\xfex\x00", "a\x00b", "a\r\n", "\n", "\xa7"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParsePassphrase(b)
		if err != nil {
			return
		}
		// What is accepted is one line, and giving it again changes nothing.
		if bytes.IndexByte(s.data, '\n') >= 0 || bytes.IndexByte(s.data, 0) >= 0 || len(s.data) == 0 {
			t.Fatalf("%q became %q", b, s.data)
		}
		if again, err := NewPassphrase(s.data); err == nil && !again.Equal(s) {
			t.Fatalf("%q became %q", s.data, again.data)
		}
	})
}

func FuzzKeyFile(f *testing.F) {
	line, err := GenerateKeyFile()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(bytes.Repeat([]byte{0x80}, 32))
	f.Add([]byte("blkcrypt-key-1:" + strings.Repeat("A", 48)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseKeyFile(b)
		if err == nil && (len(s.data) != fileKeySize || s.IsPassphrase()) {
			t.Fatalf("%q became a key of %d bytes", b, len(s.data))
		}
	})
}
