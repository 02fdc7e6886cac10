package bulk_test

import (
	"crypto/cipher"
	"encoding/binary"
	"math/rand/v2"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/ghash"
)

// oracle is a block cipher, one block at a time, and OCB's L_0 and so on.
type oracle struct {
	enc, dec func(block) block
	l        *[64]block
}

func newOracle(enc, dec func(block) block) oracle {
	o := oracle{enc, dec, new([64]block)}
	l := double(double(enc(block{})))
	for i := range o.l {
		o.l[i] = l
		l = double(l)
	}
	return o
}

func toyOracle(k *bulk.Key) oracle {
	return newOracle(
		func(b block) block { return toyEncrypt(k, b) },
		func(b block) block { return toyDecrypt(k, b) })
}

func blockOracle(b cipher.Block) oracle {
	one := func(f func(dst, src []byte)) func(block) block {
		return func(x block) (y block) {
			f(y[:], x[:])
			return y
		}
	}
	return newOracle(one(b.Encrypt), one(b.Decrypt))
}

// state is the state of any mode: a chaining value, counter, tweak or index, or
// OCB's, of which GCM has the sum.
type state struct {
	iv   block
	ocb  bulk.OCBState
	hash *ghash.Key // GCM's
}

// mode is a method of bulk.Key, and what it should do with one block.
type mode struct {
	name string
	run  func(k *bulk.Key, s *state, dst, src []byte)
	step func(o oracle, s *state, in block) block
}

// serial is run, block by block. dst and src may be the same.
func (m *mode) serial(o oracle, s *state, dst, src []byte) {
	for i := 0; i < len(src); i += bulk.BlockSize {
		out := m.step(o, s, block(src[i:]))
		copy(dst[i:], out[:])
	}
}

func xor(a, b block) block {
	for i := range a {
		a[i] ^= b[i]
	}
	return a
}

// add1 adds 1 to the last n bytes of b, modulo 256^n.
func add1(b block, n int) block {
	for i := len(b) - 1; i >= len(b)-n; i-- {
		if b[i]++; b[i] != 0 {
			break
		}
	}
	return b
}

func counter(bytes int) func(o oracle, s *state, in block) block {
	return func(o oracle, s *state, in block) block {
		out := xor(in, o.enc(s.iv))
		s.iv = add1(s.iv, bytes)
		return out
	}
}

// ntz counts the zeros at the low end of i (RFC 7253, section 2).
func ntz(i uint64) (n int) {
	for ; i%2 == 0; i /= 2 {
		n++
	}
	return n
}

// double is RFC 7253's: a shift by one bit, and 0x87 for the bit that falls out.
func double(b block) (d block) {
	for i := range b {
		d[i] = b[i] << 1
		if i+1 < len(b) {
			d[i] |= b[i+1] >> 7
		}
	}
	if b[0]&0x80 != 0 {
		d[15] ^= 0x87
	}
	return d
}

// offset makes Offset_i of Offset_{i-1}.
func offset(o oracle, s *state) block {
	s.ocb.Index++
	s.ocb.Offset = xor(s.ocb.Offset, o.l[ntz(s.ocb.Index)])
	return s.ocb.Offset
}

// chained is a mode whose state is one block.
func chained(name string, run func(k *bulk.Key, iv *block, dst, src []byte), step func(o oracle, s *state, in block) block) *mode {
	return &mode{name, func(k *bulk.Key, s *state, dst, src []byte) { run(k, &s.iv, dst, src) }, step}
}

var (
	ecbEncrypt = &mode{"EncryptBlocks",
		func(k *bulk.Key, _ *state, dst, src []byte) { k.EncryptBlocks(dst, src) },
		func(o oracle, _ *state, in block) block { return o.enc(in) }}
	ecbDecrypt = &mode{"DecryptBlocks",
		func(k *bulk.Key, _ *state, dst, src []byte) { k.DecryptBlocks(dst, src) },
		func(o oracle, _ *state, in block) block { return o.dec(in) }}
	ctr        = chained("CTR", (*bulk.Key).CTR, counter(16))
	ctr32      = chained("CTR32", (*bulk.Key).CTR32, counter(4))
	cbcDecrypt = chained("CBCDecrypt", (*bulk.Key).CBCDecrypt, func(o oracle, s *state, in block) block {
		out := xor(s.iv, o.dec(in))
		s.iv = in
		return out
	})
	cfbDecrypt = chained("CFBDecrypt", (*bulk.Key).CFBDecrypt, func(o oracle, s *state, in block) block {
		out := xor(in, o.enc(s.iv))
		s.iv = in
		return out
	})
	ocbEncrypt = &mode{"OCBEncrypt",
		func(k *bulk.Key, s *state, dst, src []byte) { k.OCBEncrypt(&s.ocb, dst, src) },
		func(o oracle, s *state, in block) block {
			z := offset(o, s)
			s.ocb.Sum = xor(s.ocb.Sum, in)
			return xor(z, o.enc(xor(in, z)))
		}}
	ocbDecrypt = &mode{"OCBDecrypt",
		func(k *bulk.Key, s *state, dst, src []byte) { k.OCBDecrypt(&s.ocb, dst, src) },
		func(o oracle, s *state, in block) block {
			z := offset(o, s)
			out := xor(z, o.dec(xor(in, z)))
			s.ocb.Sum = xor(s.ocb.Sum, out)
			return out
		}}
	// OCBAuth writes no text: the text stands for its own output.
	ocbAuth = &mode{"OCBAuth",
		func(k *bulk.Key, s *state, dst, src []byte) {
			k.OCBAuth(&s.ocb, src)
			copy(dst, src)
		},
		func(o oracle, s *state, in block) block {
			s.ocb.Sum = xor(s.ocb.Sum, o.enc(xor(in, offset(o, s))))
			return in
		}}

	gcmEncrypt = &mode{"GCMEncrypt", gcm((*bulk.Key).GCMEncrypt), func(o oracle, s *state, in block) block {
		out := counter(4)(o, s, in)
		s.ocb.Sum = gcmProduct(xor(s.ocb.Sum, out), o.enc(block{}))
		return out
	}}
	gcmDecrypt = &mode{"GCMDecrypt", gcm((*bulk.Key).GCMDecrypt), func(o oracle, s *state, in block) block {
		s.ocb.Sum = gcmProduct(xor(s.ocb.Sum, in), o.enc(block{}))
		return counter(4)(o, s, in)
	}}

	modes = []*mode{ecbEncrypt, ecbDecrypt, ctr, ctr32, cbcDecrypt, cfbDecrypt, ocbEncrypt, ocbDecrypt, ocbAuth, gcmEncrypt, gcmDecrypt}
)

func gcm(f func(k *bulk.Key, s *bulk.GCMState, dst, src []byte)) func(k *bulk.Key, s *state, dst, src []byte) {
	return func(k *bulk.Key, s *state, dst, src []byte) {
		g := bulk.GCMState{Hash: s.hash, Counter: s.iv, Sum: s.ocb.Sum}
		f(k, &g, dst, src)
		s.iv, s.ocb.Sum = g.Counter, g.Sum
	}
}

func gcmHash(k *bulk.Key) *ghash.Key {
	hash, err := k.NewGCMHash()
	if err != nil {
		panic(err)
	}
	return hash
}

// gcmProduct multiplies as SP 800-38D, section 6.3, algorithm 1 says.
func gcmProduct(x, y block) (z block) {
	var z0, z1 uint64
	v0, v1 := binary.BigEndian.Uint64(y[:8]), binary.BigEndian.Uint64(y[8:])
	for i := range 128 {
		bit := -uint64(x[i/8] >> (7 - i%8) & 1)
		z0, z1 = z0^v0&bit, z1^v1&bit
		out := -(v1 & 1)
		v0, v1 = v0>>1^out&(0xe1<<56), v1>>1|v0<<63
	}
	binary.BigEndian.PutUint64(z[:8], z0)
	binary.BigEndian.PutUint64(z[8:], z1)
	return z
}

// serialMAC is CBC-MAC without its last words: one lane after the other.
func serialMAC(o oracle, macs, src []byte, stride, lanes, blocks int) {
	for j := range lanes {
		mac := block(macs[16*j:])
		for i := range blocks {
			mac = o.enc(xor(mac, block(src[j*stride+16*i:])))
		}
		copy(macs[16*j:], mac[:])
	}
}

// random gives bytes that are the same at every run.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
