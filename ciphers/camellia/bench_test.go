package camellia

import (
	"strconv"
	"testing"

	"blkcrypt/internal/bulk"
)

// perKeySize runs f for each key size, named by its bits.
func perKeySize(b *testing.B, f func(b *testing.B, k *bulk.Key)) {
	for _, n := range Cipher.KeySizes {
		k := newKey(b, example[:n])
		b.Run(strconv.Itoa(8*n), func(b *testing.B) { f(b, k) })
	}
}

func BenchmarkEncrypt8K(b *testing.B) {
	perKeySize(b, func(b *testing.B, k *bulk.Key) {
		buf := make([]byte, 8192)
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			k.EncryptBlocks(buf, buf)
		}
	})
}

func BenchmarkDecrypt8K(b *testing.B) {
	perKeySize(b, func(b *testing.B, k *bulk.Key) {
		buf := make([]byte, 8192)
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			k.DecryptBlocks(buf, buf)
		}
	})
}

func BenchmarkEncryptBlock(b *testing.B) {
	perKeySize(b, func(b *testing.B, k *bulk.Key) {
		var block [16]byte
		b.SetBytes(int64(len(block)))
		for b.Loop() {
			k.EncryptBlocks(block[:], block[:])
		}
	})
}

func BenchmarkExpand(b *testing.B) {
	for _, n := range Cipher.KeySizes {
		b.Run(strconv.Itoa(8*n), func(b *testing.B) {
			var k bulk.Key
			for b.Loop() {
				expand(&k, example[:n])
			}
		})
	}
}

// BenchmarkTable is what the package costs at the start of a program.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		newPage()
	}
}
