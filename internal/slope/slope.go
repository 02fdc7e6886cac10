// Package slope measures what a function costs for each byte it works on, in
// nanoseconds and in cycles of the processor.
//
// The idea is that of bench-slope, which Jussi Kivilinna wrote for libgcrypt: the
// function is timed at several sizes, and a line is fitted to size and time by
// least squares. Its slope is the cost of a byte; what a call costs however small
// it is goes into the other coefficient and drops out. The clock, too, is a slope:
// that of a chain of operations of one cycle each, which wait for one another.
//
// It is made to give the same figure twice on a machine that has other work to
// do. A window, in which calls are timed together, is far shorter than the time
// for which a thread is given a processor, so that most are not interrupted. Of
// the windows of one size in a repetition the shortest counts, of the repetitions
// the median. The clock is measured before and after each repetition, which is
// done again unless both are the same.
package slope

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Point is a call to time and how many bytes it works on.
type Point struct {
	Bytes int
	Call  func()
}

// Result is what one measurement found: medians of its repetitions.
type Result struct {
	Ns     float64 // nanoseconds a byte, or a call
	Cycles float64 // the same in cycles
	MHz    float64 // the clock
	Noise  float64 // the standard deviation of the repetitions, as a part of Cycles
	Drift  float64 // that of the clock before and after each, in MHz
	Steady bool    // the clock stood still for enough of them
}

// Meter measures. Its zero value is not one; see [New].
type Meter struct {
	budget time.Duration
	fixed  float64 // MHz, 0 to measure

	now   func() int64     // nanoseconds on a clock that never goes back
	chain func(cycles int) // takes that many cycles
}

const (
	window      = 40 * time.Microsecond // of the largest size, where one call is shorter
	windows     = 1000                  // there should be time for, or they are shorter
	repetitions = 11
	fewest      = 5 // repetitions, however long they take
	patience    = 3 // budgets, after which what there is must do
	mostSweeps  = 32
	mostCalls   = 1 << 16
	sameClock   = 0.01 // part by which clocks may differ
	noisy       = 0.02 // scatter for which more repetitions are worth the time
)

// New returns a meter that spends about budget on a measurement, up to three
// times as long where repetitions don't agree. It takes the clock to be mhz, or measures it if
// that is 0.
func New(budget time.Duration, mhz float64) *Meter {
	return &Meter{
		budget: budget,
		fixed:  mhz,
		now:    stopwatch(),
		chain:  chain,
	}
}

// Hush binds the caller's goroutine to its thread and keeps the garbage collector
// from running, until the function it returns is called. Where there is much
// garbage it is collected first.
func Hush() (end func()) {
	var mem runtime.MemStats
	if runtime.ReadMemStats(&mem); mem.HeapAlloc > 64<<20 {
		runtime.GC()
	}
	runtime.LockOSThread()
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		runtime.UnlockOSThread()
	}
}

// PerByte measures the cost of a byte. It needs calls of two sizes or more, in
// ascending order.
func (m *Meter) PerByte(points []Point) Result { return m.measure(points, slopeOf(points)) }

// PerCall measures the cost of a call.
func (m *Meter) PerCall(call func()) Result {
	return m.measure([]Point{{Call: call}}, func(ns []float64) float64 { return ns[0] })
}

// Long measures a call that takes milliseconds or more, which can't be kept from
// being interrupted. The least of its times is the nearest to the truth.
func (m *Meter) Long(call func()) Result {
	p := Point{Call: call}
	var s sample
	before := m.Clock()
	for spent := int64(0); ; {
		runtime.GC()
		took := m.time(p, 1)
		after := m.Clock()
		s.add(float64(took), before, after)
		before = after
		spent += took
		n, budget := len(s.ns), int64(m.budget)
		if n == repetitions || n >= 3 && spent >= 5*budget || spent >= 25*budget {
			break
		}
	}
	r := s.result()
	r.Steady = r.Drift <= sameClock*r.MHz
	r.Ns, r.Cycles = slices.Min(s.ns), slices.Min(s.cycles)
	return r
}

// measure makes repetitions. The figure of each is made of the least time that
// one call of each point took.
func (m *Meter) measure(points []Point, figure func(ns []float64) float64) Result {
	calls := m.calls(points[len(points)-1])
	sweeps := m.sweeps(points, calls)
	least := make([]float64, len(points))
	var good, bad sample
	start := m.now()
	before := m.Clock()
	for n := 1; ; n++ {
		m.sweep(points, calls, sweeps, least)
		after := m.Clock()
		if math.Abs(after-before) <= sameClock*after {
			good.add(figure(least), before, after)
		} else {
			bad.add(figure(least), before, after)
		}
		before = after
		if len(good.ns) >= repetitions && good.result().Noise <= noisy {
			break
		}
		if n >= fewest && m.now()-start >= patience*int64(m.budget) {
			break
		}
	}
	// A few agree by chance.
	if 2*len(good.ns) >= len(bad.ns) {
		r := good.result()
		r.Steady = true
		return r
	}
	good.join(bad)
	return good.result()
}

// sweeps returns how many sweeps a repetition has time for.
func (m *Meter) sweeps(points []Point, calls int) int {
	least := make([]float64, len(points))
	start := m.now()
	m.sweep(points, calls, 1, least)
	took := max(m.now()-start, 1)
	return int(min(max(int64(m.budget)/repetitions/took, 2), mostSweeps))
}

// calls returns how many calls of p fill a window. All sizes are timed with that
// number, so that reading the time costs each of them the same, and drops out,
// too.
func (m *Meter) calls(p Point) int {
	enough := int64(min(window, m.budget/windows)) / 2
	for n := 1; ; n *= 2 {
		if t := m.time(p, n); t >= enough || n >= mostCalls {
			return n
		}
	}
}

// sweep times all points in turn, several times, and sets least to the shortest
// time of one call of each.
func (m *Meter) sweep(points []Point, calls, sweeps int, least []float64) {
	for i := range least {
		least[i] = math.Inf(1)
	}
	for range sweeps {
		for i, p := range points {
			least[i] = min(least[i], float64(m.time(p, calls))/float64(calls))
		}
	}
}

func (m *Meter) time(p Point, calls int) int64 {
	start := m.now()
	for range calls {
		p.Call()
	}
	return m.now() - start
}
