//go:build !windows

package slope

import "time"

// stopwatch returns a function that tells the nanoseconds since now.
func stopwatch() func() int64 {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) }
}
