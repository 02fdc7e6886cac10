//go:build !unix

package cryptotest

import "testing"

// guarded returns ordinary memory where there is no way to fence it in.
func guarded(t testing.TB, size int) []byte { return make([]byte, size) }
