package aead_test

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"math/rand/v2"
	"testing"

	"blkcrypt/aead"
)

// layout is where the chunks of a batch lie.
type layout struct {
	name           string
	inPlace        bool
	plain, sealed  int // extra stride on either side
	nonceSize, tag int
}

var layouts = []layout{
	{"tight", false, 0, 0, 12, 16},
	{"spaced", false, 3, 21, 13, 8},
	{"in-place", true, 0, 0, 12, 16},
	{"in-place-spaced", true, 0, 5, 8, 12},
}

// chunks is a batch and what must come of it.
type chunks struct {
	layout
	a             *aead.AEAD
	size, count   int
	plainStride   int
	sealedStride  int
	nonces, ad    []byte
	plain, sealed []byte // at their strides, 0xa5 between
}

// newChunks seals count messages one by one.
func newChunks(r *rand.Rand, a *aead.AEAD, l layout, size, count int) *chunks {
	c := &chunks{layout: l, a: a, size: size, count: count}
	c.sealedStride = size + l.tag + l.sealed
	c.plainStride = size + l.plain
	if l.inPlace {
		c.plainStride = c.sealedStride
	}
	c.nonces, c.ad = random(r, count*l.nonceSize), random(r, r.IntN(40))
	c.plain = bytes.Repeat([]byte{0xa5}, count*c.plainStride)
	c.sealed = bytes.Repeat([]byte{0xa5}, count*c.sealedStride)
	for j := range count {
		plain := c.plain[j*c.plainStride:][:size]
		copy(plain, random(r, size))
		copy(c.sealed[j*c.sealedStride:], a.Seal(nil, c.nonces[j*l.nonceSize:][:l.nonceSize], plain, c.ad))
	}
	return c
}

// batch returns the batch that seals or opens src, and the memory it writes to.
func (c *chunks) batch(seal bool, src []byte) (*aead.Batch, []byte) {
	b := &aead.Batch{Src: bytes.Clone(src), Size: c.size, Count: c.count, Nonces: c.nonces, AD: c.ad}
	b.DstStride, b.SrcStride = c.plainStride, c.sealedStride
	n := len(c.plain)
	if seal {
		b.DstStride, b.SrcStride = c.sealedStride, c.plainStride
		n = len(c.sealed)
	}
	if c.inPlace {
		b.Dst = b.Src
	} else {
		b.Dst = bytes.Repeat([]byte{0xa5}, n)
	}
	return b, b.Dst
}

func (c *chunks) chunk(buf []byte, stride, j int) []byte { return buf[j*stride:][:c.size] }

func (c *chunks) check(t *testing.T) {
	t.Helper()
	b, dst := c.batch(true, c.plain)
	c.a.SealBatch(b)
	if !bytes.Equal(dst, c.sealed) {
		t.Errorf("%d chunks of %d bytes, %s: sealed otherwise than one by one", c.count, c.size, c.name)
	}
	if !c.inPlace && !bytes.Equal(b.Src, c.plain) {
		t.Errorf("%d chunks of %d bytes, %s: SealBatch modified its input", c.count, c.size, c.name)
	}
	b, dst = c.batch(false, c.sealed)
	if bad := c.a.OpenBatch(b); bad != -1 {
		t.Errorf("%d chunks of %d bytes, %s: chunk %d does not open", c.count, c.size, c.name, bad)
	}
	want := c.plain
	if c.inPlace {
		want = bytes.Clone(c.sealed)
		for j := range c.count {
			copy(c.chunk(want, c.sealedStride, j), c.chunk(c.plain, c.plainStride, j))
		}
	}
	if !bytes.Equal(dst, want) {
		t.Errorf("%d chunks of %d bytes, %s: opened otherwise than sealed", c.count, c.size, c.name)
	}
	if !c.inPlace && !bytes.Equal(b.Src, c.sealed) {
		t.Errorf("%d chunks of %d bytes, %s: OpenBatch modified its input", c.count, c.size, c.name)
	}
}

// checkBad changes a byte in some chunks and wants the first of them told, those
// before it opened, and it and all after it cleared.
func (c *chunks) checkBad(t *testing.T, first int, at int, others ...int) {
	t.Helper()
	src := bytes.Clone(c.sealed)
	for _, j := range append(others, first) {
		src[j*c.sealedStride+at] ^= 4
	}
	b, dst := c.batch(false, src)
	if bad := c.a.OpenBatch(b); bad != first {
		t.Errorf("%d chunks of %d bytes, %s: %d is called the first bad one, want %d", c.count, c.size, c.name, bad, first)
	}
	untouched := bytes.Repeat([]byte{0xa5}, len(dst))
	if c.inPlace {
		untouched = src
	}
	for j := range c.count {
		got, want := c.chunk(dst, b.DstStride, j), c.chunk(c.plain, c.plainStride, j)
		if j >= first {
			want = make([]byte, c.size)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d chunks of %d bytes, %s: chunk %d holds %.40x after chunk %d proved bad", c.count, c.size, c.name, j, got, first)
		}
		if gap := got[c.size:b.DstStride:b.DstStride]; !bytes.Equal(gap, untouched[j*b.DstStride+c.size:][:len(gap)]) {
			t.Errorf("%d chunks of %d bytes, %s: OpenBatch wrote behind chunk %d", c.count, c.size, c.name, j)
		}
	}
}

func testBatches(t *testing.T, f func(t *testing.T, r *rand.Rand, a *aead.AEAD, l layout)) {
	r := newRand()
	key := random(r, 16)
	for _, mode := range modes {
		for name, b := range map[string]cipher.Block{
			"aes": newBlock(t, "aes128", key), "foreign": foreignAES(t, key), "sm4": newBlock(t, "sm4", key),
		} {
			for _, l := range layouts {
				t.Run(fmt.Sprintf("%s-%s-%s", mode, name, l.name), func(t *testing.T) {
					f(t, r, newTestAEAD(t, mode, b, aead.WithNonceSize(l.nonceSize), aead.WithTagSize(l.tag)), l)
				})
			}
		}
	}
}

func TestBatchEqualsLoop(t *testing.T) {
	testBatches(t, func(t *testing.T, r *rand.Rand, a *aead.AEAD, l layout) {
		lanes := max(a.Lanes(), 2)
		for count := 0; count <= 2*lanes+1; count++ {
			if count > 3 && count < lanes-1 && count%5 != 0 {
				continue
			}
			sizes := []int{0, 1, 15, 16, 17, 32, 100, 256}
			for _, size := range []int{sizes[count%len(sizes)], sizes[(count*3+1)%len(sizes)]} {
				newChunks(r, a, l, size, count).check(t)
			}
		}
		for _, count := range []int{1, lanes, lanes + 1} {
			for _, size := range []int{0, 1, 15, 16, 17, 48, 1000} {
				newChunks(r, a, l, size, count).check(t)
			}
		}
		// More than a tile of each lane, with and without a rest.
		newChunks(r, a, l, 33000, 3).check(t)
		newChunks(r, a, l, 4096, lanes).check(t)
	})
}

func TestOpenBatchBad(t *testing.T) {
	testBatches(t, func(t *testing.T, r *rand.Rand, a *aead.AEAD, l layout) {
		count := 2*a.Lanes() + 1
		c := newChunks(r, a, l, 40, count)
		for j := 0; j < count; j += 1 + count/9 {
			c.checkBad(t, j, 0)
			c.checkBad(t, j, 39)
			c.checkBad(t, j, 40+l.tag-1)
		}
		c.checkBad(t, 1, 20, count-1)
		c.checkBad(t, 0, 20, count-1, 1)
		newChunks(r, a, l, 40, 1).checkBad(t, 0, 3)
		newChunks(r, a, l, 0, 3).checkBad(t, 1, 0)
	})
}

func TestLanes(t *testing.T) {
	for _, mode := range modes {
		a := newTestAEAD(t, mode, foreignAES(t, make([]byte, 16)))
		if got, serial := a.Lanes(), mode == "eax" || mode == "ccm"; got < 1 || got > 1 != serial {
			t.Errorf("%s: %d lanes", mode, got)
		}
	}
}

// An AEAD that is not of this package is looped over.
func TestForeignBatch(t *testing.T) {
	r := newRand()
	b := foreignAES(t, random(r, 16))
	std, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layouts {
		if l.nonceSize != 12 || l.tag != 16 {
			continue
		}
		for _, count := range []int{0, 1, 5} {
			c := newChunks(r, newTestAEAD(t, "gcm", b), l, 50, count)
			for _, a := range []cipher.AEAD{std, allocating{std}, c.a} {
				batch, dst := c.batch(true, c.plain)
				aead.SealBatch(a, batch)
				if !bytes.Equal(dst, c.sealed) {
					t.Errorf("%T, %d chunks: sealed otherwise than one by one", a, count)
				}
				batch, dst = c.batch(false, c.sealed)
				if bad := aead.OpenBatch(a, batch); bad != -1 {
					t.Errorf("%T, %d chunks: chunk %d does not open", a, count, bad)
				}
				for j := range count {
					if !bytes.Equal(c.chunk(dst, batch.DstStride, j), c.chunk(c.plain, c.plainStride, j)) {
						t.Errorf("%T, %d chunks: chunk %d opened otherwise than sealed", a, count, j)
					}
				}
				if count < 5 {
					continue
				}
				src := bytes.Clone(c.sealed)
				src[3*c.sealedStride] ^= 1
				batch, dst = c.batch(false, src)
				if bad := aead.OpenBatch(a, batch); bad != 3 {
					t.Errorf("%T: %d is called the first bad chunk, want 3", a, bad)
				}
				if !bytes.Equal(c.chunk(dst, batch.DstStride, 2), c.chunk(c.plain, c.plainStride, 2)) ||
					!allZero(c.chunk(dst, batch.DstStride, 3)) || !allZero(c.chunk(dst, batch.DstStride, 4)) {
					t.Errorf("%T: after chunk 3 proved bad, dst is %x", a, dst)
				}
			}
		}
	}
}

// allocating is an AEAD that never uses dst's memory.
type allocating struct{ cipher.AEAD }

func (a allocating) Seal(dst, nonce, plaintext, ad []byte) []byte {
	return a.AEAD.Seal(bytes.Clone(dst), nonce, plaintext, ad)
}

func (a allocating) Open(dst, nonce, ciphertext, ad []byte) ([]byte, error) {
	return a.AEAD.Open(bytes.Clone(dst), nonce, ciphertext, ad)
}

func TestBatchRules(t *testing.T) {
	b := foreignAES(t, make([]byte, 16))
	std, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	valid := aead.Batch{Dst: buf[:264], Src: buf[300:500], DstStride: 66, SrcStride: 50, Size: 50, Count: 4,
		Nonces: buf[600:648], AD: buf[700:710]}
	for _, a := range []cipher.AEAD{newTestAEAD(t, "gcm", b), newTestAEAD(t, "ccm", b), std} {
		aead.SealBatch(a, &valid)
		for _, c := range []struct {
			want   string
			change func(*aead.Batch)
		}{
			{"size", func(b *aead.Batch) { b.Size = -1 }},
			{"size", func(b *aead.Batch) { b.Count = -1 }},
			{"size", func(b *aead.Batch) { b.Size = int(^uint(0) >> 1) }},
			{"nonces", func(b *aead.Batch) { b.Nonces = b.Nonces[:47] }},
			{"nonces", func(b *aead.Batch) { b.Nonces = b.Nonces[:36] }},
			{"nonces", func(b *aead.Batch) { b.Count = 5 }},
			{"stride", func(b *aead.Batch) { b.DstStride = 65 }},
			{"stride", func(b *aead.Batch) { b.SrcStride = 49 }},
			{"stride", func(b *aead.Batch) { b.DstStride = -66 }},
			{"stride", func(b *aead.Batch) { b.DstStride = 1 << 30 }},
			{"buffer too short", func(b *aead.Batch) { b.DstStride = 67 }},
			{"buffer too short", func(b *aead.Batch) { b.Src = b.Src[:199] }},
			{"buffer too short", func(b *aead.Batch) { b.Dst = nil }},
			{"output and input", func(b *aead.Batch) { b.Src = buf[251:] }},
			{"output and input", func(b *aead.Batch) { b.Src = buf[1:] }},
			{"output and input", func(b *aead.Batch) { b.Src = buf }},
			{"output and input", func(b *aead.Batch) { b.Src, b.SrcStride = buf, 67 }},
			{"additional data or nonces", func(b *aead.Batch) { b.AD = buf[:1] }},
			{"additional data or nonces", func(b *aead.Batch) { b.Nonces = buf[240:288] }},
		} {
			bad := valid
			c.change(&bad)
			mustPanic(t, c.want, func() { aead.SealBatch(a, &bad) })
		}
		open := aead.Batch{Dst: buf[300:500], Src: buf[:264], DstStride: 50, SrcStride: 66, Size: 50, Count: 4,
			Nonces: buf[600:648], AD: buf[700:710]}
		aead.OpenBatch(a, &open)
		open.Src = open.Src[:263]
		mustPanic(t, "buffer too short", func() { aead.OpenBatch(a, &open) })
	}
}
