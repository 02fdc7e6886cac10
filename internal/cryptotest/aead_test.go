package cryptotest

import (
	"crypto/aes"
	"crypto/cipher"
	"testing"
)

// TestAEADSuite has the standard library's GCM pass through the suite: it must
// ask for no more than cipher.AEAD promises.
func TestAEADSuite(t *testing.T) {
	b, err := aes.NewCipher(ruled(16, 7, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	a, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	AEADSuite(t, "gcm", b, 8, a)
}
