package cryptotest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"testing"

	"blkcrypt/internal/bulk"
)

const bs = bulk.BlockSize

// width is the number of blocks of a mode's largest group.
func (b *blockTest) width(m *blockMode) int {
	if m.name == "GCMEncrypt" || m.name == "GCMDecrypt" {
		return max(b.k.Width(), b.k.GCMGroup(newPass(b.k).hash)/bs)
	}
	return b.k.Width()
}

// lengths runs a mode over every number of blocks up to somewhat more than four
// groups, in place and not.
func (b *blockTest) lengths(m *blockMode, start pass) {
	src := ruled((4*b.width(m)+2)*bs, 13, 7, 5)
	want, states := m.walk(b.o, start, src)
	buf := make([]byte, len(src)+bs)
	for n := range sparse(len(states)) {
		for _, inPlace := range []bool{false, true} {
			what := fmt.Sprintf("%s of %d blocks, in place %v", m.name, n, inPlace)
			s := start
			dst, from := buf[:n*bs], bytes.Clone(src[:n*bs])
			for i := range buf {
				buf[i] = 0xa5
			}
			if inPlace {
				copy(dst, from)
				m.run(b.k, &s, dst, dst)
			} else {
				m.run(b.k, &s, dst, from)
			}
			b.same(what, dst, want[:n*bs], s, states[n])
			if !bytes.Equal(from, src[:n*bs]) {
				b.Errorf("%s: the input changed", what)
			}
			if rest := buf[n*bs:]; !bytes.Equal(rest, bytes.Repeat([]byte{0xa5}, len(rest))) {
				b.Errorf("%s: wrote beyond the output", what)
			}
		}
	}
}

// pieces runs a mode in two calls, cut in every place.
func (b *blockTest) pieces(m *blockMode, start pass) {
	src := ruled((2*b.width(m)+17)*bs, 11, 3, 9)
	want, states := m.walk(b.o, start, src)
	got := make([]byte, len(src))
	for cut := range sparse(len(states)) {
		s := start
		m.run(b.k, &s, got[:cut*bs], src[:cut*bs])
		if s != states[cut] {
			b.Errorf("%s: wrong state after %d blocks", m.name, cut)
		}
		m.run(b.k, &s, got[cut*bs:], src[cut*bs:])
		b.same(fmt.Sprintf("%s from %d, cut behind %d blocks", m.name, start.ocb.Index, cut), got, want, s, states[len(states)-1])
	}
}

// offsets runs a mode on memory that is not aligned.
func (b *blockTest) offsets(m *blockMode) {
	src := ruled((2*b.width(m)+3)*bs, 5, 11, 2)
	start := b.starts()[0]
	want, states := m.walk(b.o, start, src)
	end := states[len(states)-1]
	from, to := make([]byte, len(src)+64), make([]byte, len(src)+64)
	for off := range sparse(64) {
		s := start
		x := from[off : off+len(src)]
		y := to[off*21%64:][:len(src)]
		copy(x, src)
		m.run(b.k, &s, y, x)
		b.same(fmt.Sprintf("%s at offset %d", m.name, off), y, want, s, end)
		s = start
		m.run(b.k, &s, x, x)
		b.same(fmt.Sprintf("%s in place at offset %d", m.name, off), x, want, s, end)
	}
}

// fences runs a mode on memory next to pages that can't be touched.
func (b *blockTest) fences(m *blockMode) {
	w := b.width(m)
	start := b.starts()[0]
	src := ruled((4*w+1)*bs, 3, 5, 1)
	want, states := m.walk(b.o, start, src)
	in, out := NewFence(b, len(src)), NewFence(b, len(src))
	// What is less than a group may be read and written in many ways.
	counts := slices.Collect(sparse(w))[1:]
	for _, n := range append(counts, w, w+1, 2*w-1, 2*w, 2*w+1, 4*w, 4*w+1) {
		for i := range 4 {
			s := start
			x, y := in.Either(i, n*bs), out.Either(i/2, n*bs)
			copy(x, src)
			m.run(b.k, &s, y, x)
			b.same(fmt.Sprintf("%s of %d blocks at a page's edge", m.name, n), y, want[:n*bs], s, states[n])
			s = start
			m.run(b.k, &s, x, x)
			b.same(fmt.Sprintf("%s of %d blocks in place at a page's edge", m.name, n), x, want[:n*bs], s, states[n])
		}
	}
}

// long runs a mode over more than a kernel may be given at once.
func (b *blockTest) long(m *blockMode) {
	src := ruled(2*callBytes+(b.width(m)+1)*bs, 19, 23, 4)
	start := b.starts()[0]
	want, states := m.walk(b.o, start, src)
	m.run(b.k, &start, src, src)
	b.same(m.name+" of a long message", src, want, start, states[len(states)-1])
}

// counters has the counter carry out of 32, 64 and 128 bits at each place within
// two groups, and out of 8, 16 and 56, the longest carry that kernels see; and within
// what is less than a group, a half, a quarter, an eighth, for which a tier may have
// code of its own.
func (b *blockTest) counters() {
	start, w := newPass(b.k), b.k.Width()
	for i := range blockModes {
		m := &blockModes[i]
		switch m.name {
		case "CTR", "CTR32", "GCMEncrypt", "GCMDecrypt":
		default:
			continue
		}
		for _, n := range []int{2*b.width(m) + 3, w - 1, w/2 - 1, w/4 - 1, w/8 - 1} {
			src, got := make([]byte, max(0, n)*bs), make([]byte, max(0, n)*bs)
			for _, at := range []int{15, 14, 12, 9, 8, 0} {
				for before := range sparse(min(n, 300)) {
					s := start
					copy(s.iv[:], ruled(16, 41, 0, 6))
					for j := at; j < 16; j++ {
						s.iv[j] = 0xff
					}
					low := binary.BigEndian.Uint16(s.iv[14:])
					binary.BigEndian.PutUint16(s.iv[14:], low-uint16(before))
					want, states := m.walk(b.o, s, src)
					m.run(b.k, &s, got, src)
					b.same(fmt.Sprintf("%s of %d blocks with a carry into byte %d behind %d of them", m.name, n, at-1, before+1), got, want, s, states[n])
				}
			}
		}
	}
}

// lanes runs CBC-MAC over lanes in several numbers, lengths and distances.
func (b *blockTest) lanes() {
	w := b.k.Width()
	src, macs := NewFence(b, (2*w+3)*6*bs), NewFence(b, (2*w+3)*bs)
	for lanes := range sparse(2*w + 4) {
		for _, blocks := range []int{0, 1, 2, 5} {
			for i, gap := range []int{0, bs, 7} {
				stride := blocks*bs + gap
				b.lanesOf(src.Either(lanes, max(0, lanes-1)*stride+blocks*bs), macs.Either(i, lanes*bs), stride, blocks)
			}
		}
	}
}

// longLanes runs CBC-MAC over more than a kernel may be given at once.
func (b *blockTest) longLanes() {
	const blocks = callBytes/bs + 3
	for _, lanes := range []int{1, b.k.Width() + 1} {
		stride := (blocks + 1) * bs
		b.lanesOf(make([]byte, (lanes-1)*stride+blocks*bs), make([]byte, lanes*bs), stride, blocks)
	}
}

func (b *blockTest) lanesOf(src, macs []byte, stride, blocks int) {
	lanes := len(macs) / bs
	copy(src, ruled(len(src), 7, 3, lanes))
	copy(macs, ruled(len(macs), 43, 3, blocks))
	var want []byte
	for j := range lanes {
		mac := block(macs[j*bs:])
		for k := range blocks {
			mac = b.o.enc(mac.xor(block(src[j*stride+k*bs:])))
		}
		want = append(want, mac[:]...)
	}
	b.k.MACLanes(macs, src, stride, lanes, blocks)
	if !bytes.Equal(macs, want) {
		b.Errorf("MACLanes: wrong with %d lanes of %d blocks, %d bytes apart", lanes, blocks, stride)
	}
}

// together has goroutines share the key.
func (b *blockTest) together() {
	var wg sync.WaitGroup
	for i := range blockModes {
		m := &blockModes[i]
		src := ruled((3*b.width(m)+1)*bs, 17, 9, 8)
		start := b.starts()[0]
		want, states := m.walk(b.o, start, src)
		for range 2 {
			wg.Go(func() {
				got := make([]byte, len(src))
				for range 4 {
					s := start
					m.run(b.k, &s, got, src)
					b.same(m.name+" in several goroutines", got, want, s, states[len(states)-1])
				}
			})
		}
	}
	wg.Wait()
}

// allocations checks that no mode allocates and that its state may lie on the
// stack.
func (b *blockTest) allocations() {
	k, start := b.k, b.starts()[0]
	for _, n := range []int{1, 2*k.Width() + 1, 4*k.Width() + 1} {
		buf := make([]byte, n*bs)
		for name, f := range map[string]func(){
			"EncryptBlocks": func() { k.EncryptBlocks(buf, buf) },
			"DecryptBlocks": func() { k.DecryptBlocks(buf, buf) },
			"one block":     func() { var x [bs]byte; k.EncryptBlocks(x[:], x[:]) },
			"CTR":           func() { iv := start.iv; k.CTR(&iv, buf, buf) },
			"CTR32":         func() { iv := start.iv; k.CTR32(&iv, buf, buf) },
			"CBCDecrypt":    func() { iv := start.iv; k.CBCDecrypt(&iv, buf, buf) },
			"CFBDecrypt":    func() { iv := start.iv; k.CFBDecrypt(&iv, buf, buf) },
			"XTSEncrypt":    func() { iv := start.iv; k.XTSEncrypt(&iv, false, buf, buf) },
			"XTSDecrypt":    func() { iv := start.iv; k.XTSDecrypt(&iv, true, buf, buf) },
			"CBCEncrypt":    func() { iv := start.iv; k.CBCEncrypt(&iv, buf, buf) },
			"CFBEncrypt":    func() { iv := start.iv; k.CFBEncrypt(&iv, buf, buf) },
			"OFB":           func() { iv := start.iv; k.OFB(&iv, buf, buf) },
			"GCMEncrypt":    func() { s := bulk.GCMState{Hash: start.hash}; k.GCMEncrypt(&s, buf, buf) },
			"GCMDecrypt":    func() { s := bulk.GCMState{Hash: start.hash}; k.GCMDecrypt(&s, buf, buf) },
			"OCBEncrypt":    func() { s := start.ocb; k.OCBEncrypt(&s, buf, buf) },
			"OCBDecrypt":    func() { s := start.ocb; k.OCBDecrypt(&s, buf, buf) },
			"OCBAuth":       func() { s := start.ocb; k.OCBAuth(&s, buf) },
			"MACLanes":      func() { var macs [4 * bs]byte; k.MACLanes(macs[:], buf, 0, 4, n) },
		} {
			if a := testing.AllocsPerRun(10, f); a != 0 {
				b.Errorf("%s of %d blocks: %v allocations", name, n, a)
			}
		}
	}
}
