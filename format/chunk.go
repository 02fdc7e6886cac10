package format

import (
	"encoding/binary"
	"sync"

	"blkcrypt/aead"
)

const (
	epochLog     = 40 // plaintext bytes under one payload key, log2
	maxPlaintext = 1 << 60
)

// A payload is a file's payload: the framing of chunks, in the one place that
// knows it. Streams, whole files and ranges all go through seal and open, which
// any number of goroutines may call.
type payload struct {
	suite    Suite
	chunkLog int
	bound    [boundSize]byte
	base     int64  // file offset of chunk 0
	jobs     *store // the keyring's

	mu  sync.Mutex
	prk []byte // Extract(file salt, file key)
	cur *epochKey
}

// An epochKey is the payload key of one epoch. It is shared, and wiped when the
// payload has gone on to another and its last user is done.
type epochKey struct {
	*suiteKey
	epoch uint64
	mask  [nonceSize]byte
	users int
}

// newPayload takes prk over and wipes it in the end.
func (k *Keyring) newPayload(h *header, prk []byte, base int64) *payload {
	return &payload{suite: h.suite, chunkLog: h.chunkLog, bound: [boundSize]byte(h.bound()), base: base, jobs: &k.jobs, prk: prk}
}

func (p *payload) chunk() int { return 1 << p.chunkLog }
func (p *payload) piece() int { return p.chunk() + tagSize }

// wipe forgets the keys. Nothing may be in use.
func (p *payload) wipe() {
	wipe(p.prk)
	if p.cur != nil {
		p.cur.wipe()
		p.cur = nil
	}
}

// acquire returns the key of chunk i's epoch, for releaseKey.
func (p *payload) acquire(i uint64) (*epochKey, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	epoch := i >> (epochLog - p.chunkLog)
	if p.cur == nil || p.cur.epoch != epoch {
		k, err := p.derive(epoch)
		if err != nil {
			return nil, err
		}
		if old := p.cur; old != nil && old.users == 0 {
			old.wipe()
		}
		p.cur = k
	}
	p.cur.users++
	return p.cur, nil
}

func (p *payload) releaseKey(k *epochKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.users--
	if k.users == 0 && k != p.cur {
		k.wipe()
	}
}

func (p *payload) derive(epoch uint64) (*epochKey, error) {
	context := binary.BigEndian.AppendUint64(p.bound[:boundSize:boundSize], epoch)
	b := expand(p.prk, labelPayload, context, p.suite.KeySize()+nonceSize)
	defer wipe(b)
	key, mask := b[:p.suite.KeySize()], b[p.suite.KeySize():]
	k, err := newSuiteKey(p.suite, key)
	if err != nil {
		return nil, err
	}
	return &epochKey{suiteKey: k, epoch: epoch, mask: [nonceSize]byte(mask)}, nil
}

// nonce writes chunk i's nonce to dst: the mask XOR the 11-byte number of the
// chunk and a byte that is 1 for the last (STREAM; Hoang, Reyhanitabar, Rogaway,
// Vizár 2015). The number's first 3 bytes are always zero.
func (k *epochKey) nonce(dst []byte, i uint64, last bool) {
	copy(dst, k.mask[:])
	at := dst[3:11]
	binary.BigEndian.PutUint64(at, binary.BigEndian.Uint64(at)^i)
	if last {
		dst[11] ^= 1
	}
}

// A run is consecutive chunks that lie one after another in memory: whole ones,
// and in a run that is the file's last, perhaps a shorter one at the end.
type run struct {
	plain, sealed []byte // seal sets the length of sealed, open of plain
	index         uint64 // of the run's first chunk
	last          bool   // the run ends where the payload ends

	// What a call needs, kept so that it allocates nothing.
	nonces []byte
	batch  aead.Batch
}

// tail is what follows the full pieces of a run.
const noTail = -1

// each calls do for groups of equal chunks under one key: full ones, cut where
// the epoch changes, then one of tail plaintext bytes unless it is noTail. It
// stops at the first error.
func (p *payload) each(r *run, full, tail int, do func(k *epochKey, first int, b *aead.Batch) error) error {
	total := full
	if tail != noTail {
		total++
	}
	for first := 0; first < total; {
		i := r.index + uint64(first)
		size, count := p.chunk(), full-first
		if first == full {
			size, count = tail, 1
		} else if left := uint64(1)<<(epochLog-p.chunkLog) - i&(1<<(epochLog-p.chunkLog)-1); uint64(count) > left {
			count = int(left)
		}
		k, err := p.acquire(i)
		if err != nil {
			return err
		}
		r.batch = aead.Batch{Size: size, Count: count, Nonces: r.number(k, first, count, total)}
		err = do(k, first, &r.batch)
		p.releaseKey(k)
		if err != nil {
			return err
		}
		first += count
	}
	return nil
}

// number returns the nonces of count chunks of the run from its first-th on.
func (r *run) number(k *epochKey, first, count, total int) []byte {
	if cap(r.nonces) < count*nonceSize {
		r.nonces = make([]byte, count*nonceSize)
	}
	n := r.nonces[:count*nonceSize]
	for j := range count {
		k.nonce(n[j*nonceSize:][:nonceSize], r.index+uint64(first+j), r.last && first+j == total-1)
	}
	return n
}

// within refuses a run that goes beyond the greatest plaintext.
func (p *payload) within(r *run, n int) error {
	if end := r.index<<p.chunkLog + uint64(n); end > maxPlaintext || end == maxPlaintext && !r.last {
		return &Error{Kind: TooLarge}
	}
	return nil
}

// seal seals r.plain into r.sealed.
func (p *payload) seal(r *run) error {
	if err := p.within(r, len(r.plain)); err != nil {
		return err
	}
	full, tail := len(r.plain)/p.chunk(), len(r.plain)%p.chunk()
	r.sealed = r.sealed[:len(r.plain)+full*tagSize]
	if tail == 0 && len(r.plain) > 0 {
		tail = noTail // the last chunk is empty only when there is no other
	} else {
		r.sealed = r.sealed[:len(r.sealed)+tagSize]
	}
	return p.each(r, full, tail, func(k *epochKey, first int, b *aead.Batch) error {
		b.Src, b.SrcStride = r.plain[first*p.chunk():], p.chunk()
		b.Dst, b.DstStride = r.sealed[first*p.piece():], p.piece()
		k.SealBatch(b)
		return nil
	})
}

// open opens r.sealed into r.plain, which holds the proven bytes afterwards: on
// an [Error], those of the chunks before the one it is about.
func (p *payload) open(r *run) error {
	full, tail := len(r.sealed)/p.piece(), len(r.sealed)%p.piece()
	total := full
	short := r.last && (full == 0 && tail < tagSize || tail > 0 && tail < tagSize ||
		tail == tagSize && r.index+uint64(full) > 0)
	if short || tail == 0 {
		tail = noTail
	} else {
		tail -= tagSize
		total++
	}
	size := full * p.chunk()
	if tail != noTail {
		size += tail
	}
	if err := p.within(r, size); err != nil {
		r.plain = r.plain[:0]
		return err
	}
	plain := r.plain[:size]
	// What is cut off made the last full chunk one that is not last.
	last := r.last
	r.last = last && !short
	err := p.each(r, full, tail, func(k *epochKey, first int, b *aead.Batch) error {
		b.Src, b.SrcStride = r.sealed[first*p.piece():], p.piece()
		b.Dst, b.DstStride = plain[first*p.chunk():], p.chunk()
		bad := k.OpenBatch(b)
		if bad < 0 {
			return nil
		}
		bad += first
		size = bad * p.chunk()
		return p.diagnose(k, r, plain[size:], bad, total)
	})
	r.last = last
	r.plain = plain[:size]
	if err == nil && short {
		err = &Error{Kind: Truncated, Chunk: r.index + uint64(full), Offset: p.offset(r.index) + int64(len(r.sealed))}
	}
	return err
}

// offset returns where chunk i begins in the file.
func (p *payload) offset(i uint64) int64 {
	return p.base + int64(i)*int64(p.piece())
}

// diagnose says why the bad-th chunk of a run does not open. It tries a full one
// with the other value of the last flag; scratch is wiped of what that gives.
func (p *payload) diagnose(k *epochKey, r *run, scratch []byte, bad, total int) error {
	i := r.index + uint64(bad)
	isLast := r.last && bad == total-1
	e := &Error{Kind: Damaged, Chunk: i, Offset: p.offset(i)}
	piece := r.sealed[bad*p.piece():]
	if len(piece) < p.piece() {
		e.detail = "the file may be cut short"
		return e
	}
	nonce := make([]byte, nonceSize)
	k.nonce(nonce, i, !isLast)
	scratch = scratch[:p.chunk()]
	other := k.OpenBatch(&aead.Batch{
		Dst: scratch, DstStride: p.chunk(), Src: piece[:p.piece()], SrcStride: p.piece(),
		Size: p.chunk(), Count: 1, Nonces: nonce,
	})
	wipe(scratch)
	if other < 0 {
		e.Kind, e.Offset = Trailing, p.offset(i+1)
		if isLast {
			e.Kind = Truncated
		}
	}
	return e
}
