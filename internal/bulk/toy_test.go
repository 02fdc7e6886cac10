package bulk_test

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"blkcrypt/internal/bulk"
)

type block = [bulk.BlockSize]byte

// toy is a cipher made up for these tests, with keys of three sizes: add, rotate
// and XOR on four words. It hides nothing, but each bit of key and block counts.
var toySizes = []int{16, 24, 32}

func expandToy(k *bulk.Key, key []byte) {
	k.Rounds = 4 + len(key)/8
	w := uint32(0x9e3779b9)
	for i := range k.Rounds {
		for j := range 4 {
			w = bits.RotateLeft32(w, 5)*0x85ebca6b + uint32(key[(4*i+j)%len(key)]) + uint32(i)
		}
		k.Enc[i], k.Dec[k.Rounds-1-i] = w, w
	}
}

func toyEncrypt(k *bulk.Key, b block) (out block) {
	var x [4]uint32
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	for _, rk := range k.Enc[:k.Rounds] {
		x[0] += rk
		x[1] ^= bits.RotateLeft32(x[0], 7)
		x[2] += x[1]
		x[3] ^= bits.RotateLeft32(x[2], 13)
		x[0], x[1], x[2], x[3] = x[1], x[2], x[3], x[0]
	}
	for i := range x {
		binary.LittleEndian.PutUint32(out[4*i:], x[i])
	}
	return out
}

func toyDecrypt(k *bulk.Key, b block) (out block) {
	var x [4]uint32
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	for _, rk := range k.Dec[:k.Rounds] {
		x[0], x[1], x[2], x[3] = x[3], x[0], x[1], x[2]
		x[3] ^= bits.RotateLeft32(x[2], 13)
		x[2] -= x[1]
		x[1] ^= bits.RotateLeft32(x[0], 7)
		x[0] -= rk
	}
	for i := range x {
		binary.LittleEndian.PutUint32(out[4*i:], x[i])
	}
	return out
}

// bare returns a tier of toy with the two mandatory kernels only.
func bare(name string, width int) *bulk.Kernels {
	each := func(f func(*bulk.Key, block) block) func(k *bulk.Key, dst, src []byte) {
		return func(k *bulk.Key, dst, src []byte) {
			if len(src) == 0 || len(src) != len(dst) || len(src)%bulk.BlockSize != 0 || len(src) > 1<<17 {
				panic("contract: blocks")
			}
			for i := 0; i < len(src); i += bulk.BlockSize {
				b := f(k, block(src[i:]))
				copy(dst[i:], b[:])
			}
		}
	}
	return &bulk.Kernels{Name: name, Width: width, Expand: expandToy, Encrypt: each(toyEncrypt), Decrypt: each(toyDecrypt)}
}

// full returns a tier of toy with the kernels of modes and MACLanes. They work block by block, as the
// oracle does; panic when they are called in a way that bulk.Kernels rules out; and
// count their calls in calls.
func full(name string, width int, calls map[string]int) *bulk.Kernels {
	t := bare(name, width)
	chain := func(m *mode) func(k *bulk.Key, iv *block, dst, src []byte) {
		return func(k *bulk.Key, iv *block, dst, src []byte) {
			calls[m.name]++
			n, group := len(src)/bulk.BlockSize, 16*width
			if t.CTRTails && (m == ctr || m == ctr32) || t.FeedbackTails && (m == cbcDecrypt || m == cfbDecrypt) {
				group = 16
			}
			if n == 0 || len(dst) != len(src) || len(src)%group != 0 || len(src) > max(1<<17, 16*width) {
				panic("contract: " + m.name)
			}
			if m == ctr && binary.BigEndian.Uint64(iv[8:])+uint64(n) < uint64(n) {
				panic("contract: the counter's low half wraps")
			}
			s := state{iv: *iv}
			m.serial(toyOracle(k), &s, dst, src)
			*iv = s.iv
		}
	}
	ocb := func(m *mode) func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) {
		return func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) {
			calls[m.name]++
			group := 16 * width
			if t.OCBTails {
				group = 16
			}
			if s.Index%16 != 0 || len(src) == 0 || len(dst) != len(src) || len(src)%group != 0 {
				panic("contract: " + m.name)
			}
			if m == ocbAuth {
				if &dst[0] != &src[0] {
					panic("contract: OCBAuth's dst")
				}
				dst = make([]byte, len(src)) // it must not write there
			}
			st, o := state{ocb: *s}, toyOracle(k)
			copy(o.l[:], s.Table.L[:]) // which are not the key's in LRW
			m.serial(o, &st, dst, src)
			*s = st.ocb
		}
	}
	t.CTR, t.CTR32, t.CBCDecrypt, t.CFBDecrypt = chain(ctr), chain(ctr32), chain(cbcDecrypt), chain(cfbDecrypt)
	t.OCBEncrypt, t.OCBDecrypt, t.OCBAuth = ocb(ocbEncrypt), ocb(ocbDecrypt), ocb(ocbAuth)
	t.GCMHash, t.GCMWidth = "generic", width
	t.GCM = func(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte) {
		m := gcmEncrypt
		if &hashed[0] == &src[0] {
			m = gcmDecrypt
		}
		calls[m.name]++
		group := 16 * width
		if s.Hash.Tier() != "generic" || len(src) == 0 || len(dst) != len(src) || len(hashed) != len(src) || len(src)%group != 0 || len(src) > max(1<<17, group) {
			panic("contract: GCM")
		}
		st := state{iv: s.Counter, ocb: bulk.OCBState{Sum: s.Sum}}
		for i := 0; i < len(src); i += group {
			// Hashing is what decrypting does to the sum.
			sum := st
			gcmDecrypt.serial(toyOracle(k), &sum, make([]byte, group), hashed[i:i+group])
			ctr32.serial(toyOracle(k), &st, dst[i:i+group], src[i:i+group])
			st.ocb.Sum = sum.ocb.Sum
		}
		s.Counter, s.Sum = st.iv, st.ocb.Sum
	}
	t.MACLanes = func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
		calls["MACLanes"]++
		if lanes == 0 || lanes > width || blocks == 0 || len(macs) != 16*lanes ||
			(blocks > 1 && (16*lanes*blocks > 1<<17 || 16*blocks > 1<<15)) {
			panic("contract: MACLanes")
		}
		serialMAC(toyOracle(k), macs, src, stride, lanes, blocks)
	}
	return t
}

// complete returns a tier of toy with all kernels. They allocate nothing, as each
// works through one key that has no kernels of its own.
func complete(name string, width int) *bulk.Kernels {
	d, err := bulk.NewKey(toyCipher(), make([]byte, 16), 0, "")
	if err != nil {
		panic(err)
	}
	of := func(k *bulk.Key) *bulk.Key {
		d.Enc, d.Dec, d.Rounds = k.Enc, k.Dec, k.Rounds
		return d
	}
	chain := func(f func(k *bulk.Key, iv *block, dst, src []byte)) func(*bulk.Key, *block, []byte, []byte) {
		return func(k *bulk.Key, iv *block, dst, src []byte) { f(of(k), iv, dst, src) }
	}
	t := bare(name, width)
	t.CTR, t.CTR32 = chain((*bulk.Key).CTR), chain((*bulk.Key).CTR32)
	t.CBCEncrypt, t.CBCDecrypt = chain((*bulk.Key).CBCEncrypt), chain((*bulk.Key).CBCDecrypt)
	t.CFBEncrypt, t.CFBDecrypt = chain((*bulk.Key).CFBEncrypt), chain((*bulk.Key).CFBDecrypt)
	t.OFB = chain((*bulk.Key).OFB)
	t.XTSEncrypt = func(k *bulk.Key, s *block, dst, src []byte) { of(k).XTSEncrypt(s, false, dst, src) }
	t.XTSDecrypt = func(k *bulk.Key, s *block, dst, src []byte) { of(k).XTSDecrypt(s, false, dst, src) }
	t.XTSEncryptGB = func(k *bulk.Key, s *block, dst, src []byte) { of(k).XTSEncrypt(s, true, dst, src) }
	t.XTSDecryptGB = func(k *bulk.Key, s *block, dst, src []byte) { of(k).XTSDecrypt(s, true, dst, src) }
	t.OCBEncrypt = func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) { of(k).OCBEncrypt(s, dst, src) }
	t.OCBDecrypt = func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) { of(k).OCBDecrypt(s, dst, src) }
	t.OCBAuth = func(k *bulk.Key, s *bulk.OCBState, _, src []byte) { of(k).OCBAuth(s, src) }
	t.GCMHash, t.GCMWidth = "generic", width
	t.GCM = func(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte) {
		for group := 16 * width; len(src) > 0; dst, src, hashed = dst[group:], src[group:], hashed[group:] {
			s.Hash.Update(&s.Sum, hashed[:group])
			of(k).CTR32(&s.Counter, dst[:group], src[:group])
		}
	}
	t.MACLanes = func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
		of(k).MACLanes(macs, src, stride, lanes, blocks)
	}
	return t
}

// toyCipher makes a cipher of these tiers and, last, a reference.
func toyCipher(tiers ...*bulk.Kernels) *bulk.Cipher {
	c := &bulk.Cipher{Name: "toy", KeySizes: toySizes, Tiers: append(tiers, bare("reference", 1))}
	for _, n := range toySizes {
		var k bulk.Key
		key, plain := random(uint64(n), n), random(uint64(n)+1, 16)
		expandToy(&k, key)
		text := toyEncrypt(&k, block(plain))
		c.Vectors = append(c.Vectors, bulk.Vector{Key: key, Plain: plain, Cipher: text[:]})
	}
	return c
}

func TestToyIsInvertible(t *testing.T) {
	for _, n := range toySizes {
		var k bulk.Key
		expandToy(&k, random(1, n))
		b := block(random(2, 16))
		if c := toyEncrypt(&k, b); c == b || toyDecrypt(&k, c) != b {
			t.Errorf("keys of %d bytes: %x encrypts to %x and decrypts to %x", n, b, c, toyDecrypt(&k, c))
		}
	}
}
