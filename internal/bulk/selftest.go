package bulk

import (
	"bytes"
	"fmt"
)

// selfTest checks a tier once a process: the published vectors, then all that it
// offers against the cipher's reference tier.
func (c *Cipher) selfTest(t *Kernels) error {
	t.check.Do(func() {
		fail := func(what string) error {
			return fmt.Errorf("%s: %w: tier %s computes %s wrong", c.Name, ErrSelfTest, t.Name, what)
		}
		t.checkErr = fail("something") // which stays if a kernel panics
		if what := c.fault(t); what != "" {
			t.checkErr = fail(what)
		} else {
			t.checkErr = nil
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
	// One block more than two full groups, so that a tier's widest code runs twice
	// and its remainder once.
	src := make([]byte, (2*t.Width+1)*BlockSize)
	for i := range src {
		src[i] = byte(i*i>>3 + i)
	}
	reference := c.Tiers[len(c.Tiers)-1]
	for _, v := range c.Vectors {
		got.init(t, v.Key)
		ref.init(reference, v.Key)
		for _, p := range probes {
			a, b := bytes.Clone(src), bytes.Clone(src)
			if p.run(&got, a) != p.run(&ref, b) || !bytes.Equal(a, b) {
				return fmt.Sprintf("%s with %d-bit keys", p.name, 8*len(v.Key))
			}
		}
	}
	return ""
}

// probeState is what a probe leaves beside the text.
type probeState [2][BlockSize]byte

// probes are what the self-test compares. Each works on b in place, as files are
// encrypted.
var probes = []struct {
	name string
	run  func(k *Key, b []byte) probeState
}{
	{"ECB encryption", func(k *Key, b []byte) (s probeState) { k.EncryptBlocks(b, b); return }},
	{"ECB decryption", func(k *Key, b []byte) (s probeState) { k.DecryptBlocks(b, b); return }},
	{"CTR", chained((*Key).CTR)},
	{"CTR with a 32-bit counter", chained((*Key).CTR32)},
	{"CBC decryption", chained((*Key).CBCDecrypt)},
	{"CFB decryption", chained((*Key).CFBDecrypt)},
	{"CBC encryption", chained((*Key).CBCEncrypt)},
	{"CFB encryption", chained((*Key).CFBEncrypt)},
	{"OFB", chained((*Key).OFB)},
	{"XTS encryption", chained(xts((*Key).XTSEncrypt, false))},
	{"XTS decryption", chained(xts((*Key).XTSDecrypt, false))},
	{"XTS encryption by GB/T 17964", chained(xts((*Key).XTSEncrypt, true))},
	{"XTS decryption by GB/T 17964", chained(xts((*Key).XTSDecrypt, true))},
	{"OCB encryption", ocb((*Key).OCBEncrypt)},
	{"OCB decryption", ocb((*Key).OCBDecrypt)},
	{"OCB of associated data", ocb(func(k *Key, s *OCBState, _, src []byte) { k.OCBAuth(s, src) })},
	{"CBC-MAC", func(k *Key, b []byte) (s probeState) {
		// A lane of two blocks starts at each block but the last.
		lanes := len(b)/BlockSize - 1
		k.MACLanes(b[:lanes*BlockSize], bytes.Clone(b), BlockSize, lanes, 2)
		return
	}},
}

func chained(f func(k *Key, iv *[BlockSize]byte, dst, src []byte)) func(*Key, []byte) probeState {
	return func(k *Key, b []byte) probeState {
		iv := selfTestIV
		f(k, &iv, b, b)
		return probeState{iv}
	}
}

func xts(f func(k *Key, tweak *[BlockSize]byte, gb bool, dst, src []byte), gb bool) func(*Key, *[BlockSize]byte, []byte, []byte) {
	return func(k *Key, tweak *[BlockSize]byte, dst, src []byte) { f(k, tweak, gb, dst, src) }
}

func ocb(f func(k *Key, s *OCBState, dst, src []byte)) func(*Key, []byte) probeState {
	return func(k *Key, b []byte) probeState {
		s := OCBState{Table: NewOCBTable(k), Offset: selfTestIV}
		f(k, &s, b, b)
		return probeState{s.Offset, s.Sum}
	}
}

// selfTestIV is three steps from a carry out of its last 32 bits. (None goes out of
// the low half, where kernels would not be called.)
var selfTestIV = [BlockSize]byte{0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xff, 0xff, 0xff, 0xff, 0xfd}
