package slope

import (
	"math"
	"slices"
)

// slopeOf returns a function that fits a line to the points' sizes and their
// times by least squares, and returns its slope.
func slopeOf(points []Point) func(ns []float64) float64 {
	var mean float64
	for _, p := range points {
		mean += float64(p.Bytes) / float64(len(points))
	}
	return func(ns []float64) float64 {
		var xy, xx float64
		for i, p := range points {
			x := float64(p.Bytes) - mean
			xy += x * ns[i]
			xx += x * x
		}
		return xy / xx
	}
}

// A sample is the figures of several repetitions.
type sample struct {
	ns, cycles, mhz, drift []float64
}

// add adds a repetition with the clocks before and after it.
func (s *sample) add(ns, before, after float64) {
	mhz := (before + after) / 2
	s.ns = append(s.ns, ns)
	s.cycles = append(s.cycles, ns*mhz/1000)
	s.mhz = append(s.mhz, mhz)
	s.drift = append(s.drift, math.Abs(after-before))
}

func (s *sample) join(t sample) {
	s.ns = append(s.ns, t.ns...)
	s.cycles = append(s.cycles, t.cycles...)
	s.mhz = append(s.mhz, t.mhz...)
	s.drift = append(s.drift, t.drift...)
}

func (s *sample) result() Result {
	r := Result{Ns: median(s.ns), Cycles: median(s.cycles), MHz: median(s.mhz), Drift: median(s.drift)}
	r.Noise = deviation(s.cycles, r.Cycles) / math.Abs(r.Cycles)
	return r
}

// deviation returns the median distance from center, scaled so that it is the
// standard deviation where that is normally distributed.
func deviation(v []float64, center float64) float64 {
	off := make([]float64, len(v))
	for i, x := range v {
		off[i] = math.Abs(x - center)
	}
	return 1.4826 * median(off)
}

// median returns 0 for an empty v.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
