package camellia

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blkcrypt/internal/bulk"
)

// vectorDir is where large collections of vectors lie, beside the repository.
var vectorDir = filepath.Join("..", "..", "..", "shared", "vectors")

// open reads a file of vectors, nil and a line in the log where there is none.
func open(t *testing.T, path ...string) []byte {
	t.Helper()
	name := filepath.Join(append([]string{vectorDir}, path...)...)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Logf("%s is absent: its vectors are not tested", name)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newKey(t testing.TB, key []byte) *bulk.Key {
	t.Helper()
	k, err := bulk.NewKey(Cipher, key, 0, "generic")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// randomKey returns n bytes that are always the same for a seed.
func randomKey(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// check encrypts and decrypts a known text.
func check(t *testing.T, name string, k *bulk.Key, plain, want []byte) {
	t.Helper()
	got := make([]byte, len(plain))
	k.EncryptBlocks(got, plain)
	if !bytes.Equal(got, want) {
		t.Errorf("%s: encryption gives %x, want %x", name, got, want)
	}
	k.DecryptBlocks(got, want)
	if !bytes.Equal(got, plain) {
		t.Errorf("%s: decryption gives %x, want %x", name, got, plain)
	}
}

// TestRFC3713 checks the vectors of appendix A on the package and the reference.
func TestRFC3713(t *testing.T) {
	for _, v := range Cipher.Vectors {
		name := fmt.Sprintf("%d-bit key", 8*len(v.Key))
		check(t, name, newKey(t, v.Key), v.Plain, v.Cipher)
		out := make([]byte, 16)
		refExpand(v.Key).encrypt(out, v.Plain)
		if !bytes.Equal(out, v.Cipher) {
			t.Errorf("%s: the reference gives %x, want %x", name, out, v.Cipher)
		}
	}
}

// TestNTT checks the 3840 vectors that the designers publish as t_camellia.txt.
func TestNTT(t *testing.T) {
	for _, n := range Cipher.KeySizes {
		data := open(t, "pyca", "Camellia", fmt.Sprintf("camellia-%d-ecb.txt", 8*n))
		if data == nil {
			continue
		}
		var k *bulk.Key
		var plain []byte
		count := 0
		for line := range strings.Lines(string(data)) {
			label, value, ok := strings.Cut(line, " : ")
			if !ok {
				continue
			}
			b := unhex(t, strings.Join(strings.Fields(value), ""))
			switch label[0] {
			case 'K':
				k = newKey(t, b)
			case 'P':
				plain = b
			case 'C':
				check(t, fmt.Sprintf("%d-bit key, %s", 8*n, label), k, plain, b)
				count++
			}
		}
		if count != 1280 {
			t.Errorf("%d vectors with %d-bit keys, want 1280", count, 8*n)
		}
	}
}

// jsonVector is one of the collections' vectors: the plaintext and ciphertext,
// or the rule and the hash that stand for them.
type jsonVector struct {
	ID, Cipher, Mode, Key string
	PT, CT                string
	PTLen, PTSeed         int
	CTSHA256              string
}

func readJSON(t *testing.T, path ...string) []jsonVector {
	data := open(t, path...)
	if data == nil {
		return nil
	}
	var file struct{ Vectors []jsonVector }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

// TestLinux checks the vectors of Linux's crypto/testmgr.h.
func TestLinux(t *testing.T) {
	for _, v := range readJSON(t, "linux", "camellia.json") {
		check(t, v.ID, newKey(t, unhex(t, v.Key)), unhex(t, v.PT), unhex(t, v.CT))
	}
}

// TestGenerated checks ECB vectors that were computed with libgcrypt.
func TestGenerated(t *testing.T) {
	cells := map[string]int{}
	for _, v := range readJSON(t, "generated", "libgcrypt.json") {
		if v.Mode != "ecb" || !strings.HasPrefix(v.Cipher, "camellia") {
			continue
		}
		cells[v.Cipher]++
		k := newKey(t, unhex(t, v.Key))
		plain := make([]byte, v.PTLen)
		for j := range plain {
			plain[j] = byte(7*j + 13*(j>>8) + v.PTSeed)
		}
		if v.CTSHA256 == "" {
			check(t, v.ID, k, plain, unhex(t, v.CT))
			continue
		}
		got := make([]byte, len(plain))
		k.EncryptBlocks(got, plain)
		if sum := sha256.Sum256(got); hex.EncodeToString(sum[:]) != v.CTSHA256 {
			t.Errorf("%s: the ciphertext's SHA-256 is %x, want %s", v.ID, sum, v.CTSHA256)
		}
		check(t, v.ID, k, plain, got)
	}
	for cell, n := range cells {
		if n < 10 {
			t.Errorf("only %d vectors for %s", n, cell)
		}
	}
	if len(cells) != 0 && len(cells) != len(Cipher.KeySizes) {
		t.Errorf("vectors for %d key sizes, want %d", len(cells), len(Cipher.KeySizes))
	}
}

// TestReference compares every length up to 33 blocks with the reference, for
// many keys, at unaligned places, in place and not, and looks for writes beyond
// the end.
func TestReference(t *testing.T) {
	for _, n := range Cipher.KeySizes {
		t.Run(strconv.Itoa(8*n), func(t *testing.T) {
			for blocks := range 34 {
				key := randomKey(n, uint64(blocks))
				k, ref := newKey(t, key), refExpand(key)
				inverse := ref.inverted()
				size, off := 16*blocks, blocks%17
				src := randomKey(off+size, 77)[off:]
				enc, dec := make([]byte, size), make([]byte, size)
				for i := 0; i < size; i += 16 {
					ref.encrypt(enc[i:], src[i:])
					inverse.encrypt(dec[i:], src[i:])
				}
				const guard = 0xa5
				run := func(what string, f func(dst, src []byte), want []byte) {
					buf := bytes.Repeat([]byte{guard}, off+size+16)
					dst := buf[off : off+size]
					before := bytes.Clone(src)
					f(dst, src)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%s of %d blocks gives %x, want %x", what, blocks, dst, want)
					}
					if !bytes.Equal(src, before) {
						t.Fatalf("%s of %d blocks changes its input", what, blocks)
					}
					copy(dst, src)
					f(dst, dst)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%s of %d blocks in place gives %x, want %x", what, blocks, dst, want)
					}
					rest := append(buf[:off:off], buf[off+size:]...)
					if !bytes.Equal(rest, bytes.Repeat([]byte{guard}, len(rest))) {
						t.Fatalf("%s of %d blocks writes outside of dst", what, blocks)
					}
				}
				run("encryption", k.EncryptBlocks, enc)
				run("decryption", k.DecryptBlocks, dec)
				back := make([]byte, size)
				k.DecryptBlocks(back, enc)
				if !bytes.Equal(back, src) {
					t.Fatalf("decryption does not undo encryption of %d blocks", blocks)
				}
			}
		})
	}
}

// TestKeySizes holds that every other size is refused.
func TestKeySizes(t *testing.T) {
	for n := range 40 {
		_, err := bulk.NewKey(Cipher, make([]byte, n), 0, "generic")
		if ok := n == 16 || n == 24 || n == 32; ok != (err == nil) {
			t.Errorf("key of %d bytes: error %v", n, err)
		}
	}
}

// TestAllocs holds that single blocks on the stack stay there.
func TestAllocs(t *testing.T) {
	k := newKey(t, example[:16])
	if n := testing.AllocsPerRun(100, func() {
		var block [16]byte
		k.EncryptBlocks(block[:], block[:])
		k.DecryptBlocks(block[:], block[:])
		if block != [16]byte{} {
			t.Error("decryption does not undo encryption")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
