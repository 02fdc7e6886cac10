package sm4_test

import (
	"testing"

	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

func BenchmarkEncrypt8K(b *testing.B) { benchmark(b, 8192, (*bulk.Key).EncryptBlocks) }
func BenchmarkDecrypt8K(b *testing.B) { benchmark(b, 8192, (*bulk.Key).DecryptBlocks) }
func BenchmarkEncrypt16(b *testing.B) { benchmark(b, 16, (*bulk.Key).EncryptBlocks) }

func benchmark(b *testing.B, n int, f func(k *bulk.Key, dst, src []byte)) {
	for _, tier := range cryptotest.Runnable(sm4.Cipher) {
		b.Run(tier.Name, func(b *testing.B) {
			k := newKey(b, make([]byte, sm4.KeySize), tier.Name)
			buf := make([]byte, n)
			b.SetBytes(int64(n))
			for b.Loop() {
				f(k, buf, buf)
			}
		})
	}
}

func BenchmarkExpand(b *testing.B) {
	for _, tier := range cryptotest.Runnable(sm4.Cipher) {
		b.Run(tier.Name, func(b *testing.B) {
			key := make([]byte, sm4.KeySize)
			k := newKey(b, key, tier.Name)
			for b.Loop() {
				tier.Expand(k, key)
			}
		})
	}
}
