//go:build amd64 && unix

package sm4

import (
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// Each call of the portable code reads the S-box in full before anything else:
// where most of it can't be read, that is where it ends.
func TestTouchesTableFirst(t *testing.T) {
	const line = 64
	made := sbox
	defer func() { sbox = made }()
	sbox = (*[256]byte)(unsafe.Pointer(unsafe.SliceData(cryptotest.NewFence(t, line).End(line))))
	var k bulk.Key
	for _, n := range []int{1, 2, 5} {
		b := make([]byte, n*bulk.BlockSize)
		for what, f := range map[string]func(){
			"encryption":    func() { generic.Encrypt(&k, b, b) },
			"decryption":    func() { generic.Decrypt(&k, b, b) },
			"key expansion": func() { generic.Expand(&k, b[:KeySize]) },
		} {
			if got := cryptotest.FaultIn(f); got != "touch" {
				t.Errorf("%s of %d blocks first reads the table in %q", what, n, got)
			}
		}
	}
}
