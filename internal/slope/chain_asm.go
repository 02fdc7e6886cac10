//go:build (amd64 || arm64) && !purego

package slope

// chain executes that many additions, rounded up to a multiple of 256, each of
// which needs the sum of the one before.
//
//go:noescape
func chain(cycles int)
