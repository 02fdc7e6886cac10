//go:build !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package ghash

// Also where there are 64-bit words but no product of 128 bits, as in
// WebAssembly.
type (
	factor  = factor32
	product = product32
)
