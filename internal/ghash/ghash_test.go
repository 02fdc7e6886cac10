package ghash

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// TestAgainstGCM takes GHASH out of the standard library's GCM: with empty
// plaintext the tag is GHASH(additional data, lengths) XOR E(J0).
func TestAgainstGCM(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{1})
	for n := 0; n < 40; n++ {
		key, ad := make([]byte, 16), make([]byte, 16*n)
		rng.Read(key)
		rng.Read(ad)
		b, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		gcm, err := cipher.NewGCM(b)
		if err != nil {
			t.Fatal(err)
		}
		want := gcm.Seal(nil, make([]byte, 12), nil, ad)
		var h, y, j0, lengths [16]byte
		b.Encrypt(h[:], h[:])
		j0[15] = 1
		b.Encrypt(j0[:], j0[:])
		binary.BigEndian.PutUint64(lengths[:], uint64(8*len(ad)))
		var k Key
		k.Init(&h)
		k.Update(&y, ad)
		k.Update(&y, lengths[:])
		for i := range y {
			y[i] ^= j0[i]
		}
		if !bytes.Equal(y[:], want) {
			t.Fatalf("%d blocks: got %x, want %x", n, y, want)
		}
	}
}
