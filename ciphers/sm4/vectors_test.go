package sm4_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blkcrypt/internal/bulk"
)

// vectorDir holds the big collections, beside the repository.
const vectorDir = "../../../shared/vectors"

// readVectors returns nil, and says so in the log, where the collection is absent.
func readVectors(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectorDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Logf("%s is absent: not compared with it", name)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type vector struct {
	name                string
	key, iv, plain, enc []byte
}

// The examples of draft-ribose-cfrg-sm4-10, sections A.1 and A.2.1: one or two
// blocks under two keys.
func TestDraftVectors(t *testing.T) {
	for _, v := range [][3]string{
		{"fedcba98765432100123456789abcdef", "000102030405060708090a0b0c0d0e0f", "f766678f13f01adeac1b3ea955adb594"},
		{"0123456789abcdeffedcba9876543210", "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
			"5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304"},
		{"fedcba98765432100123456789abcdef", "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
			"c5876897e4a59bbba72a10c83872245b12dd90bc2d200692b529a4155ac9e600"},
	} {
		testECB(t, vector{name: "draft-ribose", key: unhex(t, v[0]), plain: unhex(t, v[1]), enc: unhex(t, v[2])})
	}
}

func testECB(t *testing.T, v vector) {
	t.Helper()
	k := newKey(t, v.key, "generic")
	b := make([]byte, len(v.plain))
	k.EncryptBlocks(b, v.plain)
	if !bytes.Equal(b, v.enc) {
		t.Errorf("%s: encrypted to %x, want %x", v.name, b, v.enc)
	}
	k.DecryptBlocks(b, v.enc)
	if !bytes.Equal(b, v.plain) {
		t.Errorf("%s: decrypted to %x, want %x", v.name, b, v.plain)
	}
}

// The modes that a bulk key has itself, over this cipher's kernels.
func testMode(t *testing.T, mode string, v vector) {
	t.Helper()
	f := map[string]func(k *bulk.Key, iv *[16]byte, dst, src []byte){
		"ctr": (*bulk.Key).CTR, "cbc": (*bulk.Key).CBCDecrypt, "cfb": (*bulk.Key).CFBDecrypt,
	}[mode]
	iv := [16]byte(v.iv)
	b := make([]byte, len(v.enc))
	f(newKey(t, v.key, "generic"), &iv, b, v.enc)
	if !bytes.Equal(b, v.plain) {
		t.Errorf("%s: decrypted to %x, want %x", v.name, b, v.plain)
	}
}

// NIST's format of vectors, as pyca/cryptography keeps the draft's.
func TestDraftFiles(t *testing.T) {
	for _, mode := range []string{"ecb", "ctr", "cbc", "cfb"} {
		data := readVectors(t, "pyca/SM4/draft-ribose-cfrg-sm4-10-"+mode+".txt")
		if data == nil {
			continue
		}
		n := 0
		v := vector{}
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
			switch name {
			case "COUNT":
				v.name = mode + " " + value
			case "KEY":
				v.key = unhex(t, value)
			case "IV":
				v.iv = unhex(t, value)
			case "PLAINTEXT":
				v.plain = unhex(t, value)
			case "CIPHERTEXT":
				v.enc = unhex(t, value)
				n++
				if mode == "ecb" {
					testECB(t, v)
				} else {
					testMode(t, mode, v)
				}
			}
		}
		if n < 2 {
			t.Errorf("%s: %d vectors found", mode, n)
		}
	}
}

func TestLinuxVectors(t *testing.T) {
	for _, mode := range []string{"", "_ctr", "_cbc", "_cfb"} {
		data := readVectors(t, "linux/sm4"+mode+".json")
		if data == nil {
			continue
		}
		var file struct {
			Vectors []struct{ ID, Key, IV, PT, CT string }
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		if len(file.Vectors) == 0 {
			t.Errorf("no vectors in linux/sm4%s.json", mode)
		}
		for _, j := range file.Vectors {
			v := vector{j.ID, unhex(t, j.Key), unhex(t, j.IV), unhex(t, j.PT), unhex(t, j.CT)}
			if mode == "" {
				testECB(t, v)
			} else {
				testMode(t, mode[1:], v)
			}
		}
	}
}

// ECB vectors computed by libgcrypt, with their plaintexts given by a rule.
func TestLibgcryptVectors(t *testing.T) {
	data := readVectors(t, "generated/libgcrypt.json")
	if data == nil {
		return
	}
	var file struct {
		Vectors []struct {
			ID, Cipher, Mode, Key, CT, CTSHA256 string
			PTLen, PTSeed                       int
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, j := range file.Vectors {
		if j.Cipher != "sm4" || j.Mode != "ecb" {
			continue
		}
		n++
		v := vector{name: j.ID, key: unhex(t, j.Key), plain: make([]byte, j.PTLen)}
		for i := range v.plain {
			v.plain[i] = byte(7*i + 13*(i>>8) + j.PTSeed)
		}
		if j.CTSHA256 == "" {
			v.enc = unhex(t, j.CT)
			testECB(t, v)
			continue
		}
		got := make([]byte, j.PTLen)
		newKey(t, v.key, "generic").EncryptBlocks(got, v.plain)
		if sum := sha256.Sum256(got); hex.EncodeToString(sum[:]) != j.CTSHA256 {
			t.Errorf("%s: wrong digest of %d bytes", j.ID, j.PTLen)
		}
	}
	if n == 0 {
		t.Error("no SM4-ECB vectors found")
	}
}
