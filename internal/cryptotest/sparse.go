package cryptotest

import "iter"

// sparse yields 0 to n-1; if [Race], a few of them only, the last included.
func sparse(n int) iter.Seq[int] {
	step := 1
	if Race {
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
