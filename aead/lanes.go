package aead

import (
	"crypto/subtle"
	"sync"

	"blkcrypt/internal/bulk"
)

// CCM and EAX encrypt in counter mode and authenticate by a CBC-MAC, in which
// each block waits for the one before. A single message therefore runs at the
// latency of the cipher. Messages of a batch are put one in each lane, and all
// their MACs advance together, a block a step, at the throughput of the cipher.
// One message is a batch of one.

const (
	minLanes = 8   // also where the portable code gains nothing from more
	maxLanes = 128 // bounds the state; no tier is as wide

	laneSize = 4 * blockSize // state of a lane in the buffer of newLanes

	// A tile is the part of a batch that is MACed and encrypted before the next:
	// it lies in the second-level cache between the two steps, and for a single
	// message in the first-level cache.
	tileSize      = 256 << 10
	maxTileBlocks = 512
)

// lanes is n messages of one size at work side by side, message j in lane j.
type lanes struct {
	key                  *bulk.Key
	dst, src             []byte
	dstStride, srcStride int
	size, n              int
	tile                 int             // blocks of each lane in a tile
	last                 [blockSize]byte // XORed onto the zero-padded last block to MAC

	// One block a lane each.
	macs  []byte // CBC-MAC chains
	ctrs  []byte // next counter blocks
	masks []byte // what is XORed onto the MACs to make the tags
	stage []byte // scratch

	slots []byte // nil where text is MACed where it lies
}

// newLanes returns n lanes whose state lies in buf. It returns a value since
// what is stored through a pointer would move the caller's buf to the heap.
func newLanes(key *bulk.Key, buf []byte, n int) lanes {
	m := n * blockSize
	return lanes{key: key, n: n, macs: buf[:m], ctrs: buf[m : 2*m], masks: buf[2*m : 3*m], stage: buf[3*m : 4*m]}
}

func lane(blocks []byte, j int) []byte { return blocks[j*blockSize:][:blockSize] }

// split cuts size bytes, at least one, into whole blocks and a last block of 1
// to 16 bytes.
func split(size int) (full, rest int) {
	full = (size - 1) / blockSize
	return full, size - full*blockSize
}

func (l *lanes) setMACs(to *[blockSize]byte) {
	for j := range l.n {
		copy(lane(l.macs, j), to[:])
	}
}

// wholeGroups rounds a number of blocks down to what the key's kernels work
// without a rest, unless it is too small for that.
func wholeGroups(key *bulk.Key, blocks int) int {
	if w := key.Width(); blocks > w {
		blocks -= blocks % w
	}
	return blocks
}

// absorb advances the MACs by whole blocks of src.
func (l *lanes) absorb(src []byte, stride, blocks int) {
	l.key.MACLanes(l.macs, src, stride, l.n, blocks)
}

// absorbLast advances the MACs by the last block, n bytes at off of src, padded
// with zeros and XORed with l.last.
func (l *lanes) absorbLast(src []byte, stride, off, n int) {
	for j := range l.n {
		s := lane(l.stage, j)
		copy(s, l.last[:])
		subtle.XORBytes(s, s[:n], src[j*stride+off:])
	}
	l.key.MACLanes(l.macs, l.stage, blockSize, l.n, 1)
}

// The steps of run.
const (
	macSrc = 1 << iota
	crypt
	macDst
)

// run takes the messages through the steps: crypt, one of the others, or both,
// tile by tile.
func (l *lanes) run(steps int) {
	if l.size == 0 {
		return
	}
	whole := l.size / blockSize
	for i := 0; ; i += l.tile {
		n := min(l.tile, whole-i)
		last := i+n == whole
		dst, src := l.dst[i*blockSize:], l.src[i*blockSize:]
		text, stride := dst, l.dstStride
		if steps&macSrc != 0 {
			text, stride = src, l.srcStride
		}
		// In place, crypt overwrites src. With slots, it fills them.
		early := steps&macSrc != 0 && l.slots == nil
		if early {
			l.mac(text, stride, n, last)
		}
		if steps&crypt != 0 {
			l.crypt(dst, src, n, last, text, stride)
		}
		if steps != crypt && !early {
			l.mac(text, stride, n, last)
		}
		if last {
			return
		}
	}
}

// mac advances the MACs by a tile of n whole blocks and, in the last tile, by
// what else there is of the messages.
func (l *lanes) mac(text []byte, stride, n int, last bool) {
	rest := 0
	if last {
		_, rest = split(l.size)
		if rest == blockSize {
			n--
		}
	}
	if l.slots != nil {
		l.absorb(l.slots, l.slotStride(), n)
	} else {
		l.absorb(text, stride, n)
	}
	if last {
		l.absorbLast(text, stride, n*blockSize, rest)
	}
}

// crypt encrypts or decrypts a tile of n whole blocks and, in the last tile,
// what else there is of the messages. It copies the whole blocks of text, which
// is dst or src, to the slots if there are any.
func (l *lanes) crypt(dst, src []byte, n int, last bool, text []byte, stride int) {
	n *= blockSize
	for j := range l.n {
		ctr := (*[blockSize]byte)(lane(l.ctrs, j))
		l.key.CTR(ctr, dst[j*l.dstStride:][:n], src[j*l.srcStride:][:n])
		if l.slots != nil {
			copy(l.slots[j*l.slotStride():], text[j*stride:][:n])
		}
	}
	if part := l.size % blockSize; last && part > 0 {
		l.key.EncryptBlocks(l.ctrs, l.ctrs)
		for j := range l.n {
			subtle.XORBytes(dst[j*l.dstStride+n:], src[j*l.srcStride+n:][:part], lane(l.ctrs, j))
		}
	}
}

// Lanes whose chunks lie at multiples of 4 KiB, or of a power of two not far below,
// meet in the same few sets of a first-level cache: there are 64 sets of 64-byte
// lines in 8 ways or more. MACs then take more than twice as long. Such text is
// copied to slots, which lie apart, while it is in that cache for the encryption.

// needSlots reports whether n lanes at that stride take more of a cache's ways
// than there are.
func needSlots(n, stride int) bool {
	apart := stride & -stride // the largest power of two that divides it
	return n*min(apart, 4096) > 32<<10
}

const slotPad = 64

func (l *lanes) slotStride() int { return l.tile*blockSize + slotPad }

// workspace is the memory for the lanes of a batch. A stack would have to grow
// for it.
type workspace struct {
	state [maxLanes * laneSize]byte
	slots [tileSize + maxLanes*slotPad]byte
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// runLanes seals or opens a batch. Opening, it returns the index of the first
// message that is not authentic, or -1.
func (a *AEAD) runLanes(b *Batch, seal bool) int {
	var header [blockSize]byte
	defer func() { header = [blockSize]byte{} }()
	if a.mode == eax {
		header = a.headerEAX(b.AD)
	}
	if b.Count == 1 {
		var buf [laneSize]byte
		return a.runGroup(b, 0, 1, buf[:], nil, &header, seal)
	}
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	// CCM MACs plaintext, EAX ciphertext.
	stride := b.DstStride
	if seal == (a.mode == ccm) {
		stride = b.SrcStride
	}
	// Groups of one size: a few chunks left over would cost as much time as a
	// whole group.
	groups := (b.Count + a.Lanes() - 1) / a.Lanes()
	for first := 0; first < b.Count; groups-- {
		n := (b.Count - first + groups - 1) / groups
		var slots []byte
		if b.Size > 0 && needSlots(n, stride) && &b.Dst[0] != &b.Src[0] {
			slots = w.slots[:]
		}
		if bad := a.runGroup(b, first, n, w.state[:], slots, &header, seal); bad >= 0 {
			return bad
		}
		first += n
	}
	return -1
}

// wipe clears the lanes' memory.
func (l *lanes) wipe() {
	l.last = [blockSize]byte{}
	clear(l.macs)
	clear(l.ctrs)
	clear(l.masks)
	clear(l.stage)
	clear(l.slots)
}

// runGroup seals or opens n messages of b side by side.
func (a *AEAD) runGroup(b *Batch, first, n int, buf, slots []byte, header *[blockSize]byte, seal bool) int {
	l := newLanes(a.key, buf, n)
	l.size = b.Size
	l.dst, l.dstStride = b.Dst[first*b.DstStride:], b.DstStride
	l.src, l.srcStride = b.Src[first*b.SrcStride:], b.SrcStride
	l.tile = b.Size / blockSize
	if most := min(maxTileBlocks, tileSize/blockSize/n); l.tile > most {
		l.tile = wholeGroups(a.key, most)
	}
	if slots != nil {
		l.slots = slots[:n*l.slotStride()]
	}
	defer l.wipe()

	nonces := b.Nonces[first*a.nonceSize:]
	macPlain := a.mode == ccm
	if macPlain {
		a.startCCM(&l, nonces, b.AD)
	} else {
		a.startEAX(&l, nonces, header)
	}
	switch {
	case n == 1 && !seal && !macPlain:
		// Nothing is decrypted before it has proved authentic.
		l.run(macSrc)
		if l.firstBad(a.tagSize) == 0 {
			return first
		}
		l.run(crypt)
		return -1
	case seal == macPlain:
		l.run(macSrc | crypt)
	default:
		l.run(crypt | macDst)
	}
	if seal {
		l.tags()
		for j := range n {
			copy(l.dst[j*l.dstStride+l.size:][:a.tagSize], lane(l.macs, j))
		}
		return -1
	}
	if bad := l.firstBad(a.tagSize); bad >= 0 {
		return first + bad
	}
	return -1
}

// tags turns the MACs into tags.
func (l *lanes) tags() { subtle.XORBytes(l.macs, l.macs, l.masks) }

// firstBad turns the MACs into tags and returns the first lane whose tag is not
// the one behind its message in src, or -1.
func (l *lanes) firstBad(tagSize int) int {
	l.tags()
	for j := range l.n {
		tag := l.src[j*l.srcStride+l.size:][:tagSize]
		if subtle.ConstantTimeCompare(lane(l.macs, j)[:tagSize], tag) != 1 {
			return j
		}
	}
	return -1
}
