package aes

import (
	"fmt"
	"testing"

	"blkcrypt/internal/bulk"
)

func BenchmarkEncrypt(b *testing.B) { benchmark(b, (*bulk.Key).EncryptBlocks) }
func BenchmarkDecrypt(b *testing.B) { benchmark(b, (*bulk.Key).DecryptBlocks) }

func benchmark(b *testing.B, run func(k *bulk.Key, dst, src []byte)) {
	for _, size := range Cipher.KeySizes {
		k := newKey(b, make([]byte, size))
		for _, n := range []int{16, 8192} {
			b.Run(fmt.Sprintf("%d/%d", 8*size, n), func(b *testing.B) {
				buf := make([]byte, n)
				b.SetBytes(int64(n))
				for b.Loop() {
					run(k, buf, buf)
				}
			})
		}
	}
}

func BenchmarkExpand(b *testing.B) {
	for _, size := range Cipher.KeySizes {
		b.Run(fmt.Sprint(8*size), func(b *testing.B) {
			key := make([]byte, size)
			var k bulk.Key
			for b.Loop() {
				expand(&k, key)
			}
		})
	}
}

// What a program that imports the package pays at its start.
func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		newTables()
	}
}
