package format

import (
	"fmt"
	"io"
	"runtime"
)

const (
	// bufferBudget bounds all chunk buffers of one reader, writer or file
	// together, of which there are at least three.
	bufferBudget = 48 << 20
	// batchBytes is what one batch takes: large enough to make calls and
	// hand-overs cheap, small enough to stay in a core's caches.
	batchBytes = 1 << 20
	// firstBatch is the first batch of a stream whose length is not known.
	firstBatch = 64 << 10
)

// plan returns how many chunks go into a batch and how many batches there are
// memory for, at most jobs.
func plan(chunk, lanes, jobs int) (perBatch, batches int) {
	most := bufferBudget / (2 * chunk) // chunks in all buffers
	n := max(batchBytes/chunk, 1)
	if n > lanes {
		n -= n % lanes
	} else {
		n = lanes
	}
	n = min(n, most/min(jobs, 3))
	return n, min(jobs, most/n)
}

// fill reads until buf is full, which gives a nil error, or r ends, which gives
// io.EOF, or fails.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for idle := 0; n < len(buf) && err == nil; idle++ {
		var m int
		m, err = r.Read(buf[n:])
		if m < 0 || m > len(buf)-n {
			return n, fmt.Errorf("reader returned a count of %d for %d bytes", m, len(buf)-n)
		}
		n += m
		if m > 0 {
			idle = 0
		} else if idle == 100 {
			err = io.ErrNoProgress
		}
	}
	if n == len(buf) {
		err = nil
	}
	return n, err
}

// A job is a run with its buffers, worked on by one goroutine at a time.
type job struct {
	run
	chunks              int // of a full batch
	plainBuf, sealedBuf []byte
	dirty               int // bytes of plainBuf that may hold plaintext
	err                 error
	do                  func()        // works the run in a pipeline
	done                chan struct{} // has room for the one signal that the work is done
}

// job returns a job with room for so many bytes, for release, to one who holds so
// many at once.
func (p *payload) job(plain, sealed, held int) *job {
	j := p.jobs.take(plain, sealed, held)
	j.reserve(plain, sealed)
	return j
}

// release takes a job back whose work is done.
func (p *payload) release(j *job) {
	j.wipe()
	j.do = nil
	p.jobs.put(j)
}

// reserve makes the buffers at least so large. Their content is lost.
func (j *job) reserve(plain, sealed int) {
	if len(j.plainBuf) < plain || len(j.sealedBuf) < sealed {
		j.wipe()
		const line = 64 // of the caches
		start := (plain + line - 1) &^ (line - 1)
		b := newBuffer(start + sealed)
		j.plainBuf, j.sealedBuf = b[:plain:plain], b[start:]
	}
	j.dirty = max(j.dirty, plain)
	j.plain, j.sealed = j.plainBuf[:0:plain], j.sealedBuf[:0:sealed]
}

// wipe overwrites the plaintext.
func (j *job) wipe() {
	wipe(j.plainBuf[:j.dirty])
	j.dirty = 0
}

// A pipeline works on the batches of a stream side by side and hands them back
// in order. Only its owner's goroutine calls it; each batch is given a goroutine
// that ends with its work, so that an owner that is dropped leaves none behind.
type pipeline struct {
	p    *payload
	work func(*run) error
	busy []*job // the oldest first
	free []*job

	perBatch, most int // chunks in the next batch, and in all but the first
	jobs           int // batches at once; 1 works without goroutines
	index          uint64
}

// newPipeline works on up to workers batches (0: as many as Go uses cores)
// while the owner holds one.
func newPipeline(p *payload, work func(*run) error, workers int) (*pipeline, error) {
	lanes, err := p.lanes()
	if err != nil {
		return nil, err
	}
	l := &pipeline{p: p, work: work, jobs: 1}
	jobs := workersOf(workers)
	if jobs > 1 {
		jobs++
	}
	l.most, l.jobs = plan(p.chunk(), lanes, jobs)
	l.perBatch = min(l.most, max(firstBatch/p.chunk(), 1))
	return l, nil
}

func workersOf(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// lanes returns how many chunks the suite works side by side.
func (p *payload) lanes() (int, error) {
	k, err := p.acquire(0)
	if err != nil {
		return 0, err
	}
	defer p.releaseKey(k)
	return max(k.Lanes(), 1), nil
}

// room reports whether another batch can be begun.
func (l *pipeline) room() bool { return len(l.busy) < l.jobs }

// next returns an empty job for the next batch, which room must have allowed. On
// either side it has room for a byte more: that byte shows whether data follow.
func (l *pipeline) next() *job {
	plain, sealed := l.perBatch*l.p.chunk()+1, l.perBatch*l.p.piece()+1
	var j *job
	if n := len(l.free); n > 0 {
		j, l.free = l.free[n-1], l.free[:n-1]
		j.reserve(plain, sealed)
	} else {
		j = l.p.job(plain, sealed, l.jobs)
		j.done = make(chan struct{}, 1)
		j.do = func() {
			j.err = l.work(&j.run)
			j.done <- struct{}{}
		}
	}
	j.chunks = l.perBatch
	return j
}

// start hands over a job that is filled. The last one, where nothing else is
// being worked, is as fast without another goroutine.
func (l *pipeline) start(j *job, last bool) {
	j.index, j.last, j.err = l.index, last, nil
	l.index += uint64(j.chunks)
	l.perBatch = l.most
	l.busy = append(l.busy, j)
	if l.jobs == 1 || last && len(l.busy) == 1 {
		j.do()
		return
	}
	go j.do()
}

// ready reports whether the oldest job is done.
func (l *pipeline) ready() bool {
	return len(l.busy) > 0 && len(l.busy[0].done) > 0
}

// oldest waits for the oldest job and takes it out, nil when there is none.
func (l *pipeline) oldest() *job {
	if len(l.busy) == 0 {
		return nil
	}
	j := l.busy[0]
	l.busy = append(l.busy[:0], l.busy[1:]...)
	<-j.done
	return j
}

// recycle takes a job back.
func (l *pipeline) recycle(j *job) { l.free = append(l.free, j) }

// wipe waits for all work and overwrites plaintext and keys.
func (l *pipeline) wipe() {
	for j := l.oldest(); j != nil; j = l.oldest() {
		l.recycle(j)
	}
	for _, j := range l.free {
		l.p.release(j)
	}
	l.free = nil
	l.p.wipe()
}
