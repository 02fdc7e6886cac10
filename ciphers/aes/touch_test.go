//go:build amd64 && unix

package aes

import (
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// Each call of the portable code reads its tables in full before anything else:
// where most of them can't be read, that is where it ends.
func TestTouchesTablesFirst(t *testing.T) {
	const line = 64
	fenced := (*tables)(unsafe.Pointer(unsafe.SliceData(cryptotest.NewFence(t, line).End(line))))
	made := lookup
	defer func() { lookup = made }()
	for _, size := range Cipher.KeySizes {
		lookup = made
		var k, other bulk.Key
		expand(&k, make([]byte, size))
		lookup = fenced
		for _, n := range []int{1, 2, 5} {
			b := make([]byte, n*blockSize)
			for _, c := range []struct {
				what, touch string
				f           func()
			}{
				{"encryption", "(*tables).touchEnc", func() { encrypt(&k, b, b) }},
				{"decryption", "(*tables).touchDec", func() { decrypt(&k, b, b) }},
				{"key expansion", "(*tables).touchEnc", func() { expand(&other, make([]byte, size)) }},
			} {
				// The loop in touch may be inlined.
				if got := cryptotest.FaultIn(c.f); got != c.touch && got != "touch" {
					t.Errorf("%s of %d blocks with a %d-byte key first reads tables in %q", c.what, n, size, got)
				}
			}
		}
	}
}
