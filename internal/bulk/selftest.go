package bulk

import (
	"bytes"
	"fmt"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/ghash"
)

// selfTest checks a tier once a process: the published vectors, then all that it
// offers against the cipher's reference tier. Its kernel for GCM is checked with
// the first key whose processor features suffice for it.
func (c *Cipher) selfTest(t *Kernels, allowed cpu.Features) error {
	if err := t.check.Get(c.Name, t.Name, func() string { return c.fault(t) }); err != nil {
		return err
	}
	if t.GCM == nil || !ghash.Has(allowed, t.GCMHash) {
		return nil
	}
	return t.checkGCM.Get(c.Name, t.Name, func() string { return c.differs(t, allowed, gcmProbes, t.GCMWidth) })
}

// fault names what t computes wrong, "" for nothing.
func (c *Cipher) fault(t *Kernels) string {
	var got Key
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
	return c.differs(t, 0, probes, t.Width)
}

// differs names what t, with keys that allow these features, computes otherwise than
// the reference does.
func (c *Cipher) differs(t *Kernels, allowed cpu.Features, probes []probe, width int) string {
	// One block more than two full groups, so that a tier's widest code runs, goes on
	// to another group, and leaves a remainder.
	src := make([]byte, (2*width+1)*BlockSize)
	for i := range src {
		src[i] = byte(i*i>>3 + i)
	}
	reference := c.Tiers[len(c.Tiers)-1]
	var got, ref Key
	for i, v := range c.Vectors {
		got.init(t, v.Key)
		got.features = allowed
		ref.init(reference, v.Key)
		for _, p := range probes {
			sizes := []int{len(src)}
			if i == 0 && p.tails != nil && p.tails(t) {
				// Code for tails picks among cores, each of which holds at
				// least half of what the next wider one does. (Keys of other
				// sizes have them work more rounds, but the same code.)
				for n := width - 1; n > 1; n /= 2 {
					sizes = append(sizes, n*BlockSize)
				}
			}
			for _, n := range sizes {
				a, b := bytes.Clone(src[:n]), bytes.Clone(src[:n])
				if p.run(&got, a) != p.run(&ref, b) || !bytes.Equal(a, b) {
					return fmt.Sprintf("%s with %d-bit keys", p.name, 8*len(v.Key))
				}
			}
		}
	}
	return ""
}

// probeState is what a probe leaves beside the text.
type probeState [2][BlockSize]byte

// A probe is something that the self-test compares. Each works on b in place, as
// files are encrypted.
type probe struct {
	name  string
	run   func(k *Key, b []byte) probeState
	tails func(t *Kernels) bool // whether the kernel takes tails; nil for never
}

func always(*Kernels) bool          { return true } // of any number of blocks or lanes
func ctrTails(t *Kernels) bool      { return t.CTRTails }
func feedbackTails(t *Kernels) bool { return t.FeedbackTails }
func ocbTails(t *Kernels) bool      { return t.OCBTails }
func xtsTails(t *Kernels) bool      { return t.XTSTails }

var probes = []probe{
	{"ECB encryption", func(k *Key, b []byte) (s probeState) { k.EncryptBlocks(b, b); return }, always},
	{"ECB decryption", func(k *Key, b []byte) (s probeState) { k.DecryptBlocks(b, b); return }, always},
	{"CTR", chained((*Key).CTR), ctrTails},
	{"CTR with a 32-bit counter", chained((*Key).CTR32), ctrTails},
	{"CBC decryption", chained((*Key).CBCDecrypt), feedbackTails},
	{"CFB decryption", chained((*Key).CFBDecrypt), feedbackTails},
	{"CBC encryption", chained((*Key).CBCEncrypt), nil},
	{"CFB encryption", chained((*Key).CFBEncrypt), nil},
	{"OFB", chained((*Key).OFB), nil},
	{"XTS encryption", chained(xts((*Key).XTSEncrypt, false)), xtsTails},
	{"XTS decryption", chained(xts((*Key).XTSDecrypt, false)), xtsTails},
	{"XTS encryption by GB/T 17964", chained(xts((*Key).XTSEncrypt, true)), xtsTails},
	{"XTS decryption by GB/T 17964", chained(xts((*Key).XTSDecrypt, true)), xtsTails},
	{"OCB encryption", ocb((*Key).OCBEncrypt), ocbTails},
	{"OCB decryption", ocb((*Key).OCBDecrypt), ocbTails},
	{"OCB of associated data", ocb(func(k *Key, s *OCBState, _, src []byte) { k.OCBAuth(s, src) }), ocbTails},
	{"CBC-MAC", func(k *Key, b []byte) (s probeState) {
		// A lane of two blocks starts at each block but the last.
		lanes := len(b)/BlockSize - 1
		k.MACLanes(b[:lanes*BlockSize], bytes.Clone(b), BlockSize, lanes, 2)
		return
	}, always},
}

// gcmProbes have their kernel work on two groups when decrypting.
var gcmProbes = []probe{
	{"GCM decryption", gcm((*Key).GCMDecrypt), nil},
	{"GCM encryption", gcm((*Key).GCMEncrypt), nil},
}

func gcm(f func(k *Key, s *GCMState, dst, src []byte)) func(*Key, []byte) probeState {
	return func(k *Key, b []byte) probeState {
		hash, err := k.NewGCMHash()
		if err != nil {
			return probeState{} // as no counter ends
		}
		s := GCMState{Hash: hash, Counter: selfTestIV}
		f(k, &s, b, b)
		return probeState{s.Counter, s.Sum}
	}
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
