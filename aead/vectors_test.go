package aead_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
)

// hexBytes is bytes written in hexadecimal.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type vector struct {
	ID, Cipher, Mode string
	Key, Nonce       hexBytes
	AAD              hexBytes
	AADRule          string
	PT, CT, Tag      hexBytes
}

func (v *vector) sealed() []byte { return bytes.Join([][]byte{v.CT, v.Tag}, nil) }

// loadVectors reads a file of testdata into v.
func loadVectors(t testing.TB, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(name, err)
	}
}

// newBlock returns the cipher called, for instance, "aes128" or "sm4".
func newBlock(t testing.TB, name string, key []byte, options ...ciphers.Option) cipher.Block {
	t.Helper()
	if name != "sm4" {
		name = name[:len(name)-3] + "-" + name[len(name)-3:]
	}
	b, err := ciphers.New(name, key, options...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// foreignAES returns the standard library's AES, which this module knows as a
// [cipher.Block] and no more.
func foreignAES(t testing.TB, key []byte) cipher.Block {
	t.Helper()
	b, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newTestAEAD(t testing.TB, mode string, b cipher.Block, options ...aead.Option) *aead.AEAD {
	t.Helper()
	a, err := aead.New(mode, b, options...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestVectors(t *testing.T) {
	files := map[string]int{ // how many vectors there are in each
		"draft_kato_camellia_gcm.json": 18,
		"eax_paper.json":               10,
		"gcm_sizes.json":               17,
		"gcm_spec.json":                26,
		"ocb_nonce120.json":            16,
		"rfc3610_ccm.json":             24,
		"rfc5528_camellia_ccm.json":    24,
		"rfc7253_ocb.json":             17,
		"rfc8998_sm4_gcm_ccm.json":     2,
		"sp800_38c_ccm.json":           4,
	}
	for name, count := range files {
		var file struct{ Vectors []vector }
		loadVectors(t, name, &file)
		if len(file.Vectors) != count {
			t.Errorf("%s: %d vectors, want %d", name, len(file.Vectors), count)
		}
		for _, v := range file.Vectors {
			if v.AADRule != "" { // SP 800-38C, example 4
				v.AAD = make([]byte, 65536)
				for i := range v.AAD {
					v.AAD[i] = byte(i)
				}
			}
			t.Run(v.ID, func(t *testing.T) {
				testVector(t, &v, newBlock(t, v.Cipher, v.Key))
				testVector(t, &v, newBlock(t, v.Cipher, v.Key, ciphers.WithTier("generic")))
				if strings.HasPrefix(v.Cipher, "aes") {
					testVector(t, &v, foreignAES(t, v.Key))
				}
			})
		}
	}
}

func testVector(t *testing.T, v *vector, b cipher.Block) {
	a := newTestAEAD(t, v.Mode, b, aead.WithNonceSize(len(v.Nonce)), aead.WithTagSize(len(v.Tag)))
	sealed := a.Seal(nil, v.Nonce, v.PT, v.AAD)
	if !bytes.Equal(sealed, v.sealed()) {
		t.Errorf("sealed %x, want %x", sealed, v.sealed())
	}
	opened, err := a.Open(nil, v.Nonce, v.sealed(), v.AAD)
	if err != nil || !bytes.Equal(opened, v.PT) {
		t.Errorf("opened %x, %v, want %x", opened, err, v.PT)
	}
	sealed[len(sealed)/2] ^= 0x10
	if got, err := a.Open(nil, v.Nonce, sealed, v.AAD); err != aead.ErrAuth || got != nil {
		t.Errorf("changed, opened to %x, %v", got, err)
	}
}

// RFC 7253, appendix A: one tag over 384 messages of 0 to 127 bytes.
func TestOCBIterated(t *testing.T) {
	var file struct {
		Iterated []struct {
			Cipher string
			TagLen int
			Output hexBytes
		}
	}
	loadVectors(t, "rfc7253_ocb.json", &file)
	if len(file.Iterated) != 9 {
		t.Fatalf("%d vectors, want 9", len(file.Iterated))
	}
	keySize := map[string]int{"aes128": 16, "aes192": 24, "aes256": 32}
	for _, v := range file.Iterated {
		key := make([]byte, keySize[v.Cipher])
		key[len(key)-1] = byte(8 * v.TagLen)
		a := newTestAEAD(t, "ocb", newBlock(t, v.Cipher, key), aead.WithTagSize(v.TagLen))
		if got := ocbIterated(a); !bytes.Equal(got, v.Output) {
			t.Errorf("%s with tags of %d bytes: %x, want %x", v.Cipher, v.TagLen, got, v.Output)
		}
	}
}
