package bulk

import (
	"bytes"
	"fmt"
)

// selfTest checks a tier once a process: the published vectors, then CTR,
// CBC and CFB decryption of more blocks than the tier works at once against
// the cipher's reference tier.
func (c *Cipher) selfTest(t *Kernels) error {
	t.check.Do(func() {
		if what := c.fault(t); what != "" {
			t.checkErr = fmt.Errorf("%s: %w: tier %s computes %s wrong", c.Name, ErrSelfTest, t.Name, what)
		}
	})
	return t.checkErr
}

// fault names what t computes wrong, "" for nothing.
func (c *Cipher) fault(t *Kernels) string {
	var got, ref Key
	for _, v := range c.Vectors {
		var out [BlockSize]byte
		got.init(t, v.Key)
		got.EncryptBlocks(out[:], v.Plain)
		if !bytes.Equal(out[:], v.Cipher) {
			return fmt.Sprintf("encryption with %d-bit keys", 8*len(v.Key))
		}
		got.DecryptBlocks(out[:], v.Cipher)
		if !bytes.Equal(out[:], v.Plain) {
			return fmt.Sprintf("decryption with %d-bit keys", 8*len(v.Key))
		}
	}
	// One block more than four full groups, so that a tier's widest loop, its
	// remainder and a counter carry are all met.
	n := (4*t.Width + 1) * BlockSize
	src, a, b := make([]byte, n), make([]byte, n), make([]byte, n)
	for i := range src {
		src[i] = byte(i*i>>3 + i)
	}
	reference := c.Tiers[len(c.Tiers)-1]
	bulks := []struct {
		name string
		run  func(k *Key, iv *[BlockSize]byte, dst, src []byte)
	}{
		{"CTR", (*Key).CTR}, {"CTR with a 32-bit counter", (*Key).CTR32},
		{"CBC decryption", (*Key).CBCDecrypt}, {"CFB decryption", (*Key).CFBDecrypt},
	}
	for _, v := range c.Vectors {
		got.init(t, v.Key)
		ref.init(reference, v.Key)
		for _, f := range bulks {
			iv, iv2 := selfTestIV, selfTestIV
			f.run(&got, &iv, a, src)
			f.run(&ref, &iv2, b, src)
			if !bytes.Equal(a, b) || iv != iv2 {
				return f.name
			}
		}
	}
	return ""
}

// selfTestIV is three steps from a carry out of its low half.
var selfTestIV = [BlockSize]byte{0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfd}
