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
	// it lies in the second-level cache between the two steps. It is at most so
	// many blocks a lane to keep calls into assembly, which can't be preempted,
	// under about a million cycles for the slowest cipher.
	tileSize      = 256 << 10
	maxTileBlocks = 2048
)

// lanes is n messages of one size at work side by side, message j in lane j.
type lanes struct {
	key                  *bulk.Key
	dst, src             []byte
	dstStride, srcStride int
	size, n              int
	last                 [blockSize]byte // XORed onto the zero-padded last block to MAC

	// One block a lane each.
	macs  []byte // CBC-MAC chains
	ctrs  []byte // next counter blocks
	masks []byte // what is XORed onto the MACs to make the tags
	stage []byte // scratch
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

// tileBlocks returns how many blocks of each lane make a tile.
func (l *lanes) tileBlocks() int {
	return wholeGroups(l.key, min(maxTileBlocks, tileSize/blockSize/l.n))
}

// wholeGroups rounds a number of blocks down to what the key's kernels work
// without a rest.
func wholeGroups(key *bulk.Key, blocks int) int {
	w := key.Width()
	return max(blocks-blocks%w, w)
}

// absorb advances the MACs by whole blocks of src.
func (l *lanes) absorb(src []byte, stride, blocks int) {
	t := l.tileBlocks()
	for i := 0; i < blocks; i += t {
		l.key.MACLanes(l.macs, src[i*blockSize:], stride, l.n, min(t, blocks-i))
	}
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

// The steps of run, done in this order to each tile.
const (
	macSrc = 1 << iota
	crypt
	macDst
)

// run takes the messages through the steps.
func (l *lanes) run(steps int) {
	if l.size == 0 {
		return
	}
	full, rest := split(l.size)
	t := l.tileBlocks()
	for i := 0; i < full; i += t {
		l.tile(steps, i*blockSize, min(t, full-i))
	}
	off := full * blockSize
	if steps&macSrc != 0 {
		l.absorbLast(l.src, l.srcStride, off, rest)
	}
	if steps&crypt != 0 {
		l.key.EncryptBlocks(l.ctrs, l.ctrs)
		for j := range l.n {
			dst, src := l.dst[j*l.dstStride+off:][:rest], l.src[j*l.srcStride+off:][:rest]
			subtle.XORBytes(dst, src, lane(l.ctrs, j))
		}
	}
	if steps&macDst != 0 {
		l.absorbLast(l.dst, l.dstStride, off, rest)
	}
}

// tile takes whole blocks at off of each message through the steps.
func (l *lanes) tile(steps, off, blocks int) {
	if steps&macSrc != 0 {
		l.key.MACLanes(l.macs, l.src[off:], l.srcStride, l.n, blocks)
	}
	if steps&crypt != 0 {
		n := blocks * blockSize
		for j := range l.n {
			ctr := (*[blockSize]byte)(lane(l.ctrs, j))
			l.key.CTR(ctr, l.dst[j*l.dstStride+off:][:n], l.src[j*l.srcStride+off:][:n])
		}
	}
	if steps&macDst != 0 {
		l.key.MACLanes(l.macs, l.dst[off:], l.dstStride, l.n, blocks)
	}
}

// workspaces holds the state of batches, which is too large for a stack that
// may be small.
var workspaces = sync.Pool{New: func() any { return new([maxLanes * laneSize]byte) }}

// runLanes seals or opens a batch. Opening, it returns the index of the first
// message that is not authentic, or -1.
func (a *AEAD) runLanes(b *Batch, seal bool) int {
	var header [blockSize]byte
	if a.mode == eax {
		header = a.headerEAX(b.AD)
	}
	if b.Count == 1 {
		var buf [laneSize]byte
		return a.runGroup(b, 0, 1, buf[:], &header, seal)
	}
	buf := workspaces.Get().(*[maxLanes * laneSize]byte)
	defer workspaces.Put(buf)
	// Groups of one size: a few chunks left over would cost as much time as a
	// whole group.
	groups := (b.Count + a.Lanes() - 1) / a.Lanes()
	for g := range groups {
		first, end := g*b.Count/groups, (g+1)*b.Count/groups
		if bad := a.runGroup(b, first, end-first, buf[:], &header, seal); bad >= 0 {
			return bad
		}
	}
	return -1
}

// runGroup seals or opens n messages of b side by side.
func (a *AEAD) runGroup(b *Batch, first, n int, buf []byte, header *[blockSize]byte, seal bool) int {
	l := newLanes(a.key, buf, n)
	l.size = b.Size
	l.dst, l.dstStride = b.Dst[first*b.DstStride:], b.DstStride
	l.src, l.srcStride = b.Src[first*b.SrcStride:], b.SrcStride
	defer clear(buf[:n*laneSize])

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
