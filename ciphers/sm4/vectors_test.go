package sm4_test

import (
	"bytes"
	"testing"
)

// draft-ribose-cfrg-sm4-10, sections A.1.4 and A.2.1: one and two blocks. (Section
// A.1.1 has the standard's example. Other published vectors run in the suite of block
// ciphers.)
func TestDraftVectors(t *testing.T) {
	eachTier(t, func(t *testing.T, tier string) {
		for _, v := range [][3]string{
			{"fedcba98765432100123456789abcdef", "000102030405060708090a0b0c0d0e0f", "f766678f13f01adeac1b3ea955adb594"},
			{"0123456789abcdeffedcba9876543210", "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
				"5ec8143de509cff7b5179f8f474b86192f1d305a7fb17df985f81c8482192304"},
			{"fedcba98765432100123456789abcdef", "aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb",
				"c5876897e4a59bbba72a10c83872245b12dd90bc2d200692b529a4155ac9e600"},
		} {
			plain, text := unhex(t, v[1]), unhex(t, v[2])
			k := newKey(t, unhex(t, v[0]), tier)
			got := make([]byte, len(plain))
			if k.EncryptBlocks(got, plain); !bytes.Equal(got, text) {
				t.Errorf("encrypted to %x, want %x", got, text)
			}
			if k.DecryptBlocks(got, text); !bytes.Equal(got, plain) {
				t.Errorf("decrypted to %x, want %x", got, plain)
			}
		}
	})
}
