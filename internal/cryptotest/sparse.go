package cryptotest

import (
	"iter"
	"testing"
)

// Thin tells that the suites do a few checks of each kind only: in short mode,
// and under the race detector, which slows the slow modes down tenfold and more
// and finds nothing in most checks.
func Thin() bool { return raceEnabled || testing.Short() }

// sparse yields 0 to n-1; if [Thin], a few of them only, the last included.
func sparse(n int) iter.Seq[int] {
	step := 1
	if Thin() {
		step = 23
	}
	return func(yield func(int) bool) {
		for i := 0; i < n; i += step {
			if !yield(i) {
				return
			}
			if i < n-1 && i+step >= n {
				yield(n - 1)
			}
		}
	}
}
