package cryptotest

import "testing"

// Fence is memory between two pages whose touch is fatal: it shows a read or
// write beyond either end of a buffer. (On systems other than Unix it is
// ordinary memory.)
type Fence struct{ mem []byte }

// NewFence returns memory for buffers of up to size bytes, until the test ends.
func NewFence(t testing.TB, size int) *Fence { return &Fence{guarded(t, size)} }

// Start returns the first n bytes: what lies before them can't be touched.
func (f *Fence) Start(n int) []byte { return f.mem[:n:n] }

// End returns the last n bytes: what lies behind them can't be touched.
func (f *Fence) End(n int) []byte { return f.mem[len(f.mem)-n:] }

// Either returns Start if i is even and End if it is odd.
func (f *Fence) Either(i, n int) []byte {
	if i%2 == 0 {
		return f.Start(n)
	}
	return f.End(n)
}
