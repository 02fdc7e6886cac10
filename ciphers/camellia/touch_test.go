//go:build amd64 && unix

package camellia

import (
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// Each call of the portable code reads the S-box in full before anything else:
// where most of it can't be read, that is where it ends.
func TestTouchesTableFirst(t *testing.T) {
	made := table
	defer func() { table = made }()
	table = (*page)(unsafe.Pointer(unsafe.SliceData(cryptotest.NewFence(t, cacheLine).End(cacheLine))))
	k := bulk.Key{Rounds: 18}
	for _, n := range []int{1, 2, 5} {
		b := make([]byte, n*bulk.BlockSize)
		for what, f := range map[string]func(){
			"encryption":    func() { generic.Encrypt(&k, b, b) },
			"decryption":    func() { generic.Decrypt(&k, b, b) },
			"key expansion": func() { generic.Expand(&k, b[:16]) },
		} {
			if got := cryptotest.FaultIn(f); got != "(*sbox).touch" {
				t.Errorf("%s of %d blocks first reads the table in %q", what, n, got)
			}
		}
	}
}
