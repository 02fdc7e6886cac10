package cryptotest

import (
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Seal computes ciphertext and tag of the mode "gcm", "ocb", "eax" or "ccm" one
// block at a time, by the words of its specification. It shares no code with
// the modes it is there to check.
func Seal(mode string, b cipher.Block, nonce, ad, plain []byte, tagSize int) (text, tag []byte) {
	s := map[string]func(slow, []byte, []byte, []byte, int) ([]byte, block){
		"gcm": slow.gcm, "ocb": slow.ocb, "eax": slow.eax, "ccm": slow.ccm,
	}[mode]
	text, full := s(slow{b}, nonce, ad, plain, tagSize)
	return text, full[:tagSize]
}

type block [16]byte

func (b block) xor(c block) block {
	for i := range b {
		b[i] ^= c[i]
	}
	return b
}

// fill returns the first 16 bytes of s, or s and zeros.
func fill(s []byte) (b block) {
	copy(b[:], s)
	return b
}

// blocks calls f with each 16 bytes of s, the last perhaps fewer.
func blocks(s []byte, f func(part []byte)) {
	for ; len(s) > 16; s = s[16:] {
		f(s[:16])
	}
	if len(s) > 0 {
		f(s)
	}
}

type slow struct{ cipher.Block }

func (s slow) enc(b block) (out block) {
	s.Encrypt(out[:], b[:])
	return out
}

// ctr encrypts with a counter in the last size bytes, after adding 1 to it if
// asked to.
func (s slow) ctr(counter block, size int, in []byte) []byte {
	out := make([]byte, 0, len(in))
	blocks(in, func(part []byte) {
		key := s.enc(counter)
		for i, x := range part {
			out = append(out, x^key[i])
		}
		counter = increment(counter, size)
	})
	return out
}

// increment adds 1 to the big-endian number in the last size bytes.
func increment(b block, size int) block {
	for i := 15; i >= 16-size; i-- {
		b[i]++
		if b[i] != 0 {
			break
		}
	}
	return b
}

// double multiplies by x, the block being a big-endian polynomial.
func double(b block) (d block) {
	for i := range b {
		d[i] = b[i] << 1
		if i < 15 {
			d[i] |= b[i+1] >> 7
		}
	}
	if b[0]&0x80 != 0 {
		d[15] ^= 0x87
	}
	return d
}

// gcm: SP 800-38D, sections 6.3 to 7.1.
func (s slow) gcm(nonce, ad, plain []byte, _ int) ([]byte, block) {
	h := s.enc(block{})
	ghash := func(y block, data []byte) block {
		blocks(data, func(part []byte) { y = ghashProduct(y.xor(fill(part)), h) })
		return y
	}
	lengths := func(y block, a, c int) block {
		var l block
		binary.BigEndian.PutUint64(l[:8], uint64(a)*8)
		binary.BigEndian.PutUint64(l[8:], uint64(c)*8)
		return ghash(y, l[:])
	}
	var j0 block
	if len(nonce) == 12 {
		copy(j0[:], nonce)
		j0[15] = 1
	} else {
		j0 = lengths(ghash(j0, nonce), 0, len(nonce))
	}
	text := s.ctr(increment(j0, 4), 4, plain)
	sum := lengths(ghash(ghash(block{}, ad), text), len(ad), len(text))
	return text, sum.xor(s.enc(j0))
}

// ghashProduct: SP 800-38D, section 6.3, where the first bit is the lowest
// power of x.
func ghashProduct(x, y block) (z block) {
	for i := range 128 {
		if x[i/8]>>(7-i%8)&1 == 1 {
			z = z.xor(y)
		}
		y = doubleGCM(y)
	}
	return z
}

// doubleGCM multiplies by x in the order of bits of GCM and of GB/T 17964's XTS.
func doubleGCM(b block) (d block) {
	for i := range b {
		d[i] = b[i] >> 1
		if i > 0 {
			d[i] |= b[i-1] << 7
		}
	}
	d[0] ^= b[15] & 1 * 0xe1
	return d
}

// doubleXTS multiplies by x in the order of bits of IEEE 1619's XTS.
func doubleXTS(b block) block {
	slices.Reverse(b[:])
	b = double(b)
	slices.Reverse(b[:])
	return b
}

// ocb: RFC 7253, sections 4.1 and 4.2.
func (s slow) ocb(nonce, ad, plain []byte, tagSize int) ([]byte, block) {
	star := s.enc(block{})
	dollar := double(star)
	l := func(i uint64) block {
		b := double(dollar)
		for range bits.TrailingZeros64(i) {
			b = double(b)
		}
		return b
	}

	var n block
	n[0] = byte(tagSize * 8 % 128 << 1)
	n[15-len(nonce)] |= 1
	copy(n[16-len(nonce):], nonce)
	bottom := int(n[15] & 63)
	n[15] &^= 63
	top := s.enc(n)
	stretch := append([]byte(nil), top[:]...)
	for i := range 8 {
		stretch = append(stretch, top[i]^top[i+1])
	}
	var offset block
	for i := range offset {
		at, by := i+bottom/8, bottom%8
		offset[i] = stretch[at]<<by | byte(uint(stretch[at+1])>>(8-by))
	}

	var text []byte
	var sum block
	i := uint64(0)
	blocks(plain, func(part []byte) {
		if i++; len(part) == 16 {
			offset = offset.xor(l(i))
			c := s.enc(fill(part).xor(offset)).xor(offset)
			text = append(text, c[:]...)
			sum = sum.xor(fill(part))
			return
		}
		offset = offset.xor(star)
		key := s.enc(offset)
		for j, x := range part {
			text = append(text, x^key[j])
		}
		sum = sum.xor(padOne(part))
	})
	tag := s.enc(sum.xor(offset).xor(dollar))

	offset, i = block{}, 0
	blocks(ad, func(part []byte) {
		if i++; len(part) == 16 {
			offset = offset.xor(l(i))
			tag = tag.xor(s.enc(fill(part).xor(offset)))
			return
		}
		offset = offset.xor(star)
		tag = tag.xor(s.enc(padOne(part).xor(offset)))
	})
	return text, tag
}

// padOne appends a one bit and zeros to a partial block.
func padOne(part []byte) block {
	b := fill(part)
	b[len(part)] = 0x80
	return b
}

// eax: "The EAX Mode of Operation", figure 4.
func (s slow) eax(nonce, ad, plain []byte, _ int) ([]byte, block) {
	n, h := s.omac(0, nonce), s.omac(1, ad)
	text := s.ctr(n, 16, plain)
	return text, n.xor(h).xor(s.omac(2, text))
}

// omac is CMAC (SP 800-38B, section 6.2) of a block that holds t and of data.
func (s slow) omac(t byte, data []byte) (mac block) {
	k1 := double(s.enc(block{}))
	data = append([]byte{15: t}, data...)
	left := len(data)
	blocks(data, func(part []byte) {
		left -= len(part)
		b := fill(part)
		if left == 0 {
			if len(part) == 16 {
				b = b.xor(k1)
			} else {
				b = padOne(part).xor(double(k1))
			}
		}
		mac = s.enc(mac.xor(b))
	})
	return mac
}

// ccm: SP 800-38C, appendix A and section 6.1.
func (s slow) ccm(nonce, ad, plain []byte, tagSize int) ([]byte, block) {
	q := 15 - len(nonce)
	var b0 block
	b0[0] = byte((tagSize-2)/2<<3 | (q - 1))
	if len(ad) > 0 {
		b0[0] |= 0x40
	}
	copy(b0[1:], nonce)
	for i, n := 15, len(plain); i > 15-q; i, n = i-1, n>>8 {
		b0[i] = byte(n)
	}
	mac := s.enc(b0)
	absorb := func(data []byte) {
		blocks(data, func(part []byte) { mac = s.enc(mac.xor(fill(part))) })
	}
	switch n := len(ad); {
	case n == 0:
	case n < 0xff00:
		absorb(append([]byte{byte(n >> 8), byte(n)}, ad...))
	default:
		absorb(append(binary.BigEndian.AppendUint32([]byte{0xff, 0xfe}, uint32(n)), ad...))
	}
	absorb(plain)

	var a0 block
	a0[0] = byte(q - 1)
	copy(a0[1:], nonce)
	return s.ctr(increment(a0, q), q, plain), mac.xor(s.enc(a0))
}
