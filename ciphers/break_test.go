package ciphers

import (
	"testing"

	"blkcrypt/ciphers/aes"
	"blkcrypt/internal/bulk"
)

// Break adds a cipher "broken": portable AES in which a bit of each block comes out
// wrong. The function that it returns takes it away again.
func Break(t *testing.T) (restore func()) {
	t.Helper()
	good := aes.Cipher.Tiers[len(aes.Cipher.Tiers)-1]
	bad := &bulk.Kernels{Name: good.Name, Width: good.Width, Expand: good.Expand, Decrypt: good.Decrypt,
		Encrypt: func(k *bulk.Key, dst, src []byte) {
			good.Encrypt(k, dst, src)
			dst[5] ^= 0x10
		}}
	before := all
	all = append(all[:len(all):len(all)], &bulk.Cipher{
		Name: "broken", KeySizes: aes.Cipher.KeySizes, Tiers: []*bulk.Kernels{bad}, Vectors: aes.Cipher.Vectors})
	return func() { all = before }
}
