//go:build amd64 && !race && !purego

package aes

import (
	"testing"

	"blkcrypt/internal/cryptotest"
)

// The kernels wipe what waits in their frames.
func TestKernelsLeaveNoResidue(t *testing.T) { cryptotest.KernelsLeaveNoResidue(t, Cipher) }
