package format

import (
	"runtime/debug"
	"slices"
	"sync"
)

const (
	// idleJobs is how much memory may be held by jobs that are of no use for a
	// while.
	idleJobs = 4 << 20
	// fullBudget has the tags, too, which are less than a 64th of the chunks.
	fullBudget = bufferBudget + bufferBudget/64
)

// A store keeps the jobs that are not in use, wiped, so that the files of a batch
// share their buffers. The next file may cut the same budget in another way: then
// what is kept makes room first.
type store struct {
	mu   sync.Mutex
	free []*job // what was used last is at the end
}

// take returns a job for reserve, to one who will hold so many of them at once.
// Where none has fit buffers, the memory of all goes back to the system if it is
// much.
func (s *store) take(plain, sealed, held int) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := 0
	for i, j := range slices.Backward(s.free) {
		if j.fits(plain, sealed, held) {
			s.free = slices.Delete(s.free, i, i+1)
			return j
		}
		idle += j.size()
	}
	n := len(s.free)
	switch {
	case n == 0:
		return new(job)
	case idle > idleJobs:
		s.free = nil
		debug.FreeOSMemory() // others wait, or they would take memory before it is free
		return new(job)
	}
	j := s.free[n-1]
	s.free = s.free[:n-1]
	return j
}

// put keeps a job. What one file never holds at once is not kept: there were
// several at a time.
func (s *store) put(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := j.size()
	for _, k := range s.free {
		kept += k.size()
	}
	if kept <= fullBudget {
		s.free = append(s.free, j)
	}
}

func (j *job) size() int { return len(j.plainBuf) + len(j.sealedBuf) }

// fits reports whether the job is large enough, and not so large that all of that
// size would be beyond the budget.
func (j *job) fits(plain, sealed, held int) bool {
	return len(j.plainBuf) >= plain && len(j.sealedBuf) >= sealed && j.size() <= fullBudget/held
}
