package format

import "testing"

// What files leave in a store and what the next one takes is within the budget
// together, however each of them cuts it.
func TestStoreBudget(t *testing.T) {
	shared := make([]byte, 32<<20)
	var s store
	for _, x := range []struct{ chunk, lanes, workers int }{
		{4 << 10, 1, 64}, {8 << 20, 1, 16}, {4 << 10, 1, 64}, {64 << 10, 80, 2}, {64 << 10, 1, 4},
		{64 << 10, 80, 64}, {2 << 20, 1, 12}, {4 << 10, 32, 64}, {64 << 10, 1, 2}, {8 << 20, 80, 1}, {1 << 20, 32, 3},
	} {
		n, held := plan(x.chunk, x.lanes, x.workers)
		plain, sealed := n*x.chunk, n*(x.chunk+tagSize)
		total := 0
		var jobs []*job
		for range held {
			j := s.take(plain, sealed, held)
			if len(j.plainBuf) < plain || len(j.sealedBuf) < sealed {
				j.plainBuf, j.sealedBuf = shared[:plain], shared[:sealed]
			}
			jobs = append(jobs, j)
			total += j.size()
		}
		for _, j := range s.free {
			total += j.size()
		}
		if total > fullBudget+idleJobs {
			t.Errorf("%+v: %d bytes, want at most %d", x, total, fullBudget+idleJobs)
		}
		for _, j := range jobs {
			s.put(j)
		}
	}
	if j := s.take(100, 100, 1); j.size() == 0 {
		t.Error("a small file after a large one does not use what is there")
	}
}
