//go:build amd64 && !race && !purego

package camellia

import (
	"testing"

	"blkcrypt/internal/cryptotest"
)

// The kernels wipe what waits in their frames: the slots, and what is beside them.
func TestKernelsLeaveNoResidue(t *testing.T) { cryptotest.KernelsLeaveNoResidue(t, Cipher) }
