package aes

import (
	"bytes"
	stdaes "crypto/aes"
	"fmt"
	"math/rand/v2"
	"testing"

	"blkcrypt/internal/bulk"
)

const blockSize = bulk.BlockSize

func newKey(t testing.TB, key []byte) *bulk.Key {
	t.Helper()
	k, err := bulk.NewKey(Cipher, key, 0, "generic")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func random(seed uint64) *rand.ChaCha8 {
	return rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
}

func randomBytes(r *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// oracle encrypts whole blocks with the standard library.
func oracle(t testing.TB, key, src []byte) []byte {
	t.Helper()
	b, err := stdaes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, len(src))
	for i := 0; i < len(src); i += blockSize {
		b.Encrypt(dst[i:], src[i:])
	}
	return dst
}

// check holds k against a plaintext and its ciphertext: both directions, out of
// place and in place.
func check(t testing.TB, k *bulk.Key, plain, ciph []byte) {
	t.Helper()
	for _, d := range []struct {
		name     string
		run      func(dst, src []byte)
		in, want []byte
	}{{"encrypt", k.EncryptBlocks, plain, ciph}, {"decrypt", k.DecryptBlocks, ciph, plain}} {
		in := bytes.Clone(d.in)
		got := make([]byte, len(in))
		d.run(got, in)
		if !bytes.Equal(got, d.want) {
			t.Errorf("%s %d bytes\n got %x\nwant %x", d.name, len(in), got, d.want)
		}
		if !bytes.Equal(in, d.in) {
			t.Errorf("%s %d bytes: the input was changed", d.name, len(in))
		}
		d.run(in, in)
		if !bytes.Equal(in, d.want) {
			t.Errorf("%s %d bytes in place\n got %x\nwant %x", d.name, len(in), in, d.want)
		}
	}
}

func TestVectors(t *testing.T) {
	sizes := map[int]bool{}
	for _, v := range Cipher.Vectors {
		sizes[len(v.Key)] = true
		check(t, newKey(t, v.Key), v.Plain, v.Cipher)
	}
	for _, n := range Cipher.KeySizes {
		if !sizes[n] {
			t.Errorf("no vector for %d-byte keys", n)
		}
	}
}

// SP 800-38A, appendix F.1: ECB, four blocks with each key size.
func TestSP80038A(t *testing.T) {
	plain := unhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" +
		"30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
	for _, v := range []struct{ key, ciph string }{
		{"2b7e151628aed2a6abf7158809cf4f3c",
			"3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf" +
				"43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"},
		{"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
			"bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef" +
				"ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"},
		{"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
			"f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870" +
				"b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"},
	} {
		check(t, newKey(t, unhex(v.key)), plain, unhex(v.ciph))
	}
}

// Many keys, every number of blocks the loops can meet, odd alignments.
func TestAgainstStandardLibrary(t *testing.T) {
	r := random(1)
	for _, size := range Cipher.KeySizes {
		for i := range 400 {
			key := randomBytes(r, size)
			off := i % 17
			plain := randomBytes(r, off+i%13*blockSize)[off:]
			check(t, newKey(t, key), plain, oracle(t, key, plain))
		}
	}
}

// A chain in the manner of AESAVS's Monte Carlo test (section 6.4.1): each
// output is the next input, and the key takes up the last outputs.
func TestChain(t *testing.T) {
	for _, size := range Cipher.KeySizes {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) {
			key := randomBytes(random(uint64(size)), size)
			a := make([]byte, blockSize)
			for range 20 {
				k := newKey(t, key)
				std, err := stdaes.NewCipher(key)
				if err != nil {
					t.Fatal(err)
				}
				start, prev, b := bytes.Clone(a), make([]byte, blockSize), bytes.Clone(a)
				for range 1000 {
					copy(prev, a)
					k.EncryptBlocks(a, a)
					std.Encrypt(b, b)
				}
				if !bytes.Equal(a, b) {
					t.Fatalf("key %x, 1000 steps from %x\n got %x\nwant %x", key, start, a, b)
				}
				for range 1000 {
					k.DecryptBlocks(b, b)
				}
				if !bytes.Equal(b, start) {
					t.Fatalf("key %x, 1000 steps back from %x\n got %x\nwant %x", key, a, b, start)
				}
				for i, x := range append(prev, a...)[2*blockSize-size:] {
					key[i] ^= x
				}
			}
		})
	}
}

func TestKeySizes(t *testing.T) {
	for n := range 65 {
		_, err := bulk.NewKey(Cipher, make([]byte, n), 0, "")
		if ok := n == 16 || n == 24 || n == 32; ok != (err == nil) {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
}

// A key must not depend on what was expanded in its memory before, and wiping
// must leave none of it.
func TestReuseAndWipe(t *testing.T) {
	k := newKey(t, bytes.Repeat([]byte{0xa5}, 32))
	v := Cipher.Vectors[0]
	if err := k.Init(Cipher, v.Key, 0, "generic"); err != nil {
		t.Fatal(err)
	}
	check(t, k, v.Plain, v.Cipher)
	k.Wipe()
	if k.Enc != (schedule{}) || k.Dec != (schedule{}) {
		t.Error("round keys are left after Wipe")
	}
}

func TestNoAllocation(t *testing.T) {
	k := newKey(t, make([]byte, 16))
	key := make([]byte, 32)
	for name, f := range map[string]func(){
		"encrypt": func() { var b [16]byte; k.EncryptBlocks(b[:], b[:]) },
		"decrypt": func() { var b [16]byte; k.DecryptBlocks(b[:], b[:]) },
		"ctr":     func() { var c, b [16]byte; k.CTR(&c, b[:], b[:]) },
		"expand": func() {
			var k bulk.Key
			expand(&k, key)
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s of 16 bytes: %v allocations", name, n)
		}
	}
}
