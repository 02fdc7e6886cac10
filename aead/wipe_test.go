package aead

import (
	"crypto/aes"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/ghash"
)

// Of what a mode derives from the key, nothing is left.
func TestWipeDerived(t *testing.T) {
	b, err := aes.NewCipher([]byte("sixteen byte key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range modeNames {
		a, err := New(mode, b)
		if err != nil {
			t.Fatal(err)
		}
		hash, ocb := a.hash, a.ocb
		derived := hash != nil && *hash != (ghash.Key{}) || ocb != nil && *ocb != (bulk.OCBTable{}) || a.omac != (omacKey{})
		if derived != (mode != "ccm") { // which derives nothing
			t.Errorf("%s: derived keys: %v", mode, derived)
		}
		a.Wipe()
		if hash != nil && *hash != (ghash.Key{}) || ocb != nil && *ocb != (bulk.OCBTable{}) || a.omac != (omacKey{}) {
			t.Errorf("%s: something is left", mode)
		}
	}
}
