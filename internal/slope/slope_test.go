package slope

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// machine is a synthetic processor with a clock to read. Work on it is given in
// cycles.
type machine struct {
	t      float64                 // nanoseconds
	mhz    func(t float64) float64 // the clock at that time
	away   func(t float64) float64 // for how long something else runs then
	chains int
}

func (m *machine) work(cycles float64) {
	m.t += cycles * 1000 / m.mhz(m.t)
	if m.away != nil {
		m.t += m.away(m.t)
	}
}

func (m *machine) now() int64 {
	m.work(70)
	return int64(m.t)
}

func (m *machine) meter(budget time.Duration) *Meter {
	return &Meter{budget: budget, now: m.now, chain: func(cycles int) {
		m.chains++
		m.work(float64(cycles))
	}}
}

// points are calls that take 150 cycles and a number of cycles for each byte.
func (m *machine) points(perByte float64) (p []Point) {
	for n := 1024; n <= 8192; n += 1024 {
		p = append(p, Point{n, func() { m.work(150 + perByte*float64(n)) }})
	}
	return p
}

func at(mhz float64) func(float64) float64 { return func(float64) float64 { return mhz } }

// want checks a figure to a part of it.
func want(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*want) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

func TestSlope(t *testing.T) {
	for _, mhz := range []float64{800, 2900, 5700} {
		for _, perByte := range []float64{0.16, 2.5, 40, 5000} {
			m := machine{mhz: at(mhz)}
			r := m.meter(50 * time.Millisecond).PerByte(m.points(perByte))
			want(t, "cycles", r.Cycles, perByte, 1e-3)
			want(t, "ns", r.Ns, perByte*1000/mhz, 1e-3)
			want(t, "MHz", r.MHz, mhz, 1e-3)
			if !r.Steady || r.Noise > 1e-3 {
				t.Errorf("%g MHz, %g cycles: %+v", mhz, perByte, r)
			}
		}
	}
}

func TestCall(t *testing.T) {
	for _, cycles := range []float64{3, 20, 3000, 1e7} {
		m := machine{mhz: at(3000)}
		r := m.meter(50 * time.Millisecond).PerCall(func() { m.work(cycles) })
		// A window also has the time that reading the clock takes.
		if math.Abs(r.Cycles-cycles) > 0.01+0.01*cycles || math.Abs(r.Ns-cycles/3) > 0.01+0.01*cycles {
			t.Errorf("%g cycles: %+v", cycles, r)
		}
	}
}

func TestLong(t *testing.T) {
	for _, c := range []struct {
		ms    float64
		calls int
	}{{1, 11}, {30, 8}, {200, 3}, {1000, 2}, {5000, 1}} {
		m := machine{mhz: at(3000)}
		calls := 0
		r := m.meter(50 * time.Millisecond).Long(func() {
			m.work(3e6 * c.ms)
			if calls++; calls%3 == 1 && c.calls > 1 {
				m.t += 10e6 // interrupted
			}
		})
		want(t, "ns", r.Ns, 1e6*c.ms, 1e-3)
		if calls != c.calls || !r.Steady {
			t.Errorf("%g ms: %d calls, %+v", c.ms, calls, r)
		}
	}
}

// TestInterrupted: other threads get the processor half of the time, in slices of
// 3 ms, each call varies a little, and interrupts come at random.
func TestInterrupted(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := machine{mhz: at(3000)}
		resume := 0.0
		m.away = func(t float64) float64 {
			away := 20 * rng.ExpFloat64()
			if rng.IntN(300) == 0 { // one window in five
				away += 20e3 * rng.ExpFloat64()
			}
			if t-resume > 3e6 {
				away += 3e6 * (0.5 + rng.Float64())
				resume = t + away
			}
			return away
		}
		r := m.meter(80 * time.Millisecond).PerByte(m.points(0.3))
		want(t, "cycles", r.Cycles, 0.3, 0.01)
		want(t, "MHz", r.MHz, 3000, 0.01)
		if !r.Steady {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}

// TestSlowNeighbour: for a third of the time something else makes the work, but
// not the clock, slower.
func TestSlowNeighbour(t *testing.T) {
	m := machine{mhz: at(3000)}
	var p []Point
	for n := 1024; n <= 8192; n += 1024 {
		p = append(p, Point{n, func() {
			cycles := 150 + 0.3*float64(n)
			if math.Mod(m.t, 60e6) < 20e6 {
				cycles *= 1.7
			}
			m.work(cycles)
		}})
	}
	r := m.meter(80 * time.Millisecond).PerByte(p)
	want(t, "cycles", r.Cycles, 0.3, 0.01)
	if r.Noise > 0.2 {
		t.Errorf("noise of %g", r.Noise)
	}
}

// TestDrift: the clock goes up and down slowly. Cycles are cycles all the same.
func TestDrift(t *testing.T) {
	m := machine{mhz: func(t float64) float64 { return 3000 + 300*math.Sin(t*2*math.Pi/3e9) }}
	for range 10 {
		r := m.meter(50 * time.Millisecond).PerByte(m.points(0.3))
		want(t, "cycles", r.Cycles, 0.3, 0.005)
		if !r.Steady {
			t.Errorf("%+v", r)
		}
	}
}

// TestUnsteady: where the clock jumps all the time there is a figure, but it is
// marked; where it stops jumping there is a right one.
func TestUnsteady(t *testing.T) {
	jump := func(t float64) float64 {
		rng := rand.New(rand.NewPCG(uint64(t/1e6), 3))
		return 2000 + 1000*rng.Float64()
	}
	m := machine{mhz: jump}
	r := m.meter(50 * time.Millisecond).PerByte(m.points(0.3))
	if r.Steady || r.Drift < 100 {
		t.Errorf("with a clock that jumps: %+v", r)
	}
	if !(r.Cycles > 0.15 && r.Cycles < 0.6) {
		t.Errorf("with a clock that jumps: %g cycles", r.Cycles)
	}

	m = machine{mhz: func(t float64) float64 {
		if t < 50e6 {
			return jump(t)
		}
		return 2500
	}}
	r = m.meter(50 * time.Millisecond).PerByte(m.points(0.3))
	want(t, "cycles", r.Cycles, 0.3, 0.005)
	if !r.Steady {
		t.Errorf("with a clock that stops jumping: %+v", r)
	}
}

// TestScatter: figures that differ from one repetition to the next say so.
func TestScatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := machine{mhz: at(3000)}
	factor, until := 1.0, 0.0
	p := []Point{{1024, nil}, {2048, nil}}
	for i := range p {
		p[i].Call = func() {
			if m.t > until {
				factor, until = 1+rng.Float64(), m.t+5e6
			}
			m.work(factor * float64(p[i].Bytes))
		}
	}
	if r := m.meter(50 * time.Millisecond).PerByte(p); r.Noise < 0.1 {
		t.Errorf("noise of %g", r.Noise)
	}
}

func TestGivenClock(t *testing.T) {
	m := machine{mhz: at(3000)}
	meter := m.meter(50 * time.Millisecond)
	meter.fixed = 2000
	r := meter.PerByte(m.points(3))
	want(t, "ns", r.Ns, 1, 1e-3)
	want(t, "cycles", r.Cycles, 2, 1e-3)
	if r.MHz != 2000 || m.chains != 0 {
		t.Errorf("the clock was measured %d times: %+v", m.chains, r)
	}
}

func TestBudget(t *testing.T) {
	for _, perByte := range []float64{0.16, 2.5, 40} {
		m := machine{mhz: at(3000)}
		budget := 50 * time.Millisecond
		m.meter(budget).PerByte(m.points(perByte))
		if m.t < 0.5*float64(budget) || m.t > 2*float64(budget) {
			t.Errorf("%g cycles a byte: %v for %v", perByte, time.Duration(m.t), budget)
		}
	}
}

// TestMeter runs the real thing. How fast it is is nobody's promise.
func TestMeter(t *testing.T) {
	defer Hush()()
	m := New(time.Millisecond, 0)
	calls := 0
	buf := make([]byte, 4096)
	r := m.PerByte([]Point{{1024, func() { clear(buf[:1024]); calls++ }}, {4096, func() { clear(buf); calls++ }}})
	t.Logf("%+v", r)
	if calls < 4 || !(r.MHz > 0) || math.IsNaN(r.Ns) || math.IsInf(r.Ns, 0) {
		t.Errorf("%+v after %d calls", r, calls)
	}
	for _, cycles := range []int{0, 1, chainUnit, chainUnit + 1} {
		chain(cycles) // comes to an end
	}
}
