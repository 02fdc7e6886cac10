//go:build !linux

package format

// newBuffer allocates n bytes.
func newBuffer(n int) []byte { return make([]byte, n) }
