package slope

// Clock returns the processor's clock in MHz, as it is at the moment or as it was
// given to New.
func (m *Meter) Clock() float64 {
	if m.fixed > 0 {
		return m.fixed
	}
	points := make([]Point, 4)
	for i := range points {
		cycles := chainUnit * 64 * (i + 1)
		points[i] = Point{cycles, func() { m.chain(cycles) }}
	}
	slope := slopeOf(points)
	least := make([]float64, len(points))
	ns := make([]float64, 3)
	for i := range ns {
		m.sweep(points, 1, 4, least)
		ns[i] = slope(least)
	}
	return 1000 / median(ns)
}

// chainUnit is what the number of cycles given to chain should be a multiple of.
const chainUnit = 256
