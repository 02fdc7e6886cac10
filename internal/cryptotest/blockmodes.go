package cryptotest

import (
	"crypto/aes"
	"crypto/cipher"
	"math/bits"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/ghash"
)

// pass is the state of one pass of a mode over whole blocks. GCM's counter and sum
// are iv and ocb.Sum.
type pass struct {
	iv   [bulk.BlockSize]byte
	ocb  bulk.OCBState
	hash *ghash.Key
}

// newPass is a pass with what is derived from a key.
func newPass(k *bulk.Key) pass {
	hash, err := k.NewGCMHash()
	if err != nil {
		panic(err)
	}
	return pass{ocb: bulk.OCBState{Table: bulk.NewOCBTable(k)}, hash: hash}
}

// A blockMode is a method of bulk.Key that works on many blocks, and what it
// does to one, by the book.
type blockMode struct {
	name string
	run  func(k *bulk.Key, s *pass, dst, src []byte)
	step func(o slow, s *pass, in block) block
}

var blockModes = []blockMode{
	{"EncryptBlocks",
		func(k *bulk.Key, _ *pass, dst, src []byte) { k.EncryptBlocks(dst, src) },
		func(o slow, _ *pass, in block) block { return o.enc(in) }},
	{"DecryptBlocks",
		func(k *bulk.Key, _ *pass, dst, src []byte) { k.DecryptBlocks(dst, src) },
		func(o slow, _ *pass, in block) block { return o.dec(in) }},
	{"CTR",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CTR(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepCTR(s, in, 16) }},
	{"CTR32",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CTR32(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepCTR(s, in, 4) }},
	{"CBCDecrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CBCDecrypt(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block {
			out := o.dec(in).xor(s.iv)
			s.iv = in
			return out
		}},
	{"CFBDecrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CFBDecrypt(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block {
			out := o.enc(s.iv).xor(in)
			s.iv = in
			return out
		}},
	{"OCBEncrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.OCBEncrypt(&s.ocb, dst, src) },
		func(o slow, s *pass, in block) block {
			offset := o.nextOffset(s)
			s.ocb.Sum = in.xor(s.ocb.Sum)
			return o.enc(in.xor(offset)).xor(offset)
		}},
	{"OCBDecrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.OCBDecrypt(&s.ocb, dst, src) },
		func(o slow, s *pass, in block) block {
			offset := o.nextOffset(s)
			out := o.dec(in.xor(offset)).xor(offset)
			s.ocb.Sum = out.xor(s.ocb.Sum)
			return out
		}},
	{"OCBAuth",
		func(k *bulk.Key, s *pass, dst, src []byte) {
			k.OCBAuth(&s.ocb, src)
			copy(dst, src)
		},
		func(o slow, s *pass, in block) block {
			s.ocb.Sum = o.enc(in.xor(o.nextOffset(s))).xor(s.ocb.Sum)
			return in
		}},
	{"XTSEncrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.XTSEncrypt(&s.iv, false, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepXTS(o.enc, s, in, doubleXTS) }},
	{"XTSDecrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.XTSDecrypt(&s.iv, false, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepXTS(o.dec, s, in, doubleXTS) }},
	{"XTSEncrypt by GB/T 17964",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.XTSEncrypt(&s.iv, true, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepXTS(o.enc, s, in, doubleGCM) }},
	{"XTSDecrypt by GB/T 17964",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.XTSDecrypt(&s.iv, true, dst, src) },
		func(o slow, s *pass, in block) block { return o.stepXTS(o.dec, s, in, doubleGCM) }},
	{"GCMEncrypt", runGCM((*bulk.Key).GCMEncrypt),
		func(o slow, s *pass, in block) block {
			out := o.stepCTR(s, in, 4)
			s.ocb.Sum = ghashProduct(out.xor(s.ocb.Sum), o.enc(block{}))
			return out
		}},
	{"GCMDecrypt", runGCM((*bulk.Key).GCMDecrypt),
		func(o slow, s *pass, in block) block {
			s.ocb.Sum = ghashProduct(in.xor(s.ocb.Sum), o.enc(block{}))
			return o.stepCTR(s, in, 4)
		}},
	{"CBCEncrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CBCEncrypt(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block {
			s.iv = o.enc(in.xor(s.iv))
			return s.iv
		}},
	{"CFBEncrypt",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.CFBEncrypt(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block {
			s.iv = in.xor(o.enc(s.iv))
			return s.iv
		}},
	{"OFB",
		func(k *bulk.Key, s *pass, dst, src []byte) { k.OFB(&s.iv, dst, src) },
		func(o slow, s *pass, in block) block {
			s.iv = o.enc(s.iv)
			return in.xor(s.iv)
		}},
}

func runGCM(f func(k *bulk.Key, s *bulk.GCMState, dst, src []byte)) func(*bulk.Key, *pass, []byte, []byte) {
	return func(k *bulk.Key, s *pass, dst, src []byte) {
		g := bulk.GCMState{Hash: s.hash, Counter: s.iv, Sum: s.ocb.Sum}
		f(k, &g, dst, src)
		s.iv, s.ocb.Sum = g.Counter, g.Sum
	}
}

func (o slow) dec(b block) (out block) {
	o.Decrypt(out[:], b[:])
	return out
}

func (o slow) stepCTR(s *pass, in block, size int) block {
	out := o.enc(s.iv).xor(in)
	s.iv = increment(s.iv, size)
	return out
}

func (o slow) stepXTS(crypt func(block) block, s *pass, in block, double func(block) block) block {
	out := crypt(in.xor(s.iv)).xor(s.iv)
	s.iv = double(s.iv)
	return out
}

// nextOffset: RFC 7253, section 4.1, with L_i made anew each time.
func (o slow) nextOffset(s *pass) block {
	s.ocb.Index++
	l := double(double(o.enc(block{})))
	for range bits.TrailingZeros64(s.ocb.Index) {
		l = double(l)
	}
	s.ocb.Offset = l.xor(s.ocb.Offset)
	return s.ocb.Offset
}

// walk works through src block by block. It returns the output and the state
// before each block and after the last.
func (m *blockMode) walk(o slow, s pass, src []byte) (out []byte, states []pass) {
	states = append(states, s)
	blocks(src, func(part []byte) {
		b := m.step(o, &s, block(part))
		out = append(out, b[:]...)
		states = append(states, s)
	})
	return out, states
}

// oracle returns one block at a time of the cipher: AES of the standard library,
// else the reference tier, which vectors must have proved.
func oracle(t testing.TB, c *bulk.Cipher, key []byte) slow {
	t.Helper()
	if c.Name == "aes" {
		b, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		return slow{b}
	}
	k, err := bulk.NewKey(c, key, 0, c.Tiers[len(c.Tiers)-1].Name)
	if err != nil {
		t.Fatal(err)
	}
	return slow{oneBlock{k}}
}

// oneBlock is a key as a cipher.Block.
type oneBlock struct{ k *bulk.Key }

var _ cipher.Block = oneBlock{}

func (oneBlock) BlockSize() int            { return bulk.BlockSize }
func (b oneBlock) Encrypt(dst, src []byte) { b.k.EncryptBlocks(dst[:16], src[:16]) }
func (b oneBlock) Decrypt(dst, src []byte) { b.k.DecryptBlocks(dst[:16], src[:16]) }
