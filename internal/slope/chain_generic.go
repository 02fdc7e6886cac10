//go:build !(amd64 || arm64) || purego

package slope

// chain takes about that many cycles, rounded up to a multiple of 256, where an
// addition and an exclusive or of two registers take one each.
//
//go:noinline
func chain(cycles int) { sink(chained(uint(cycles), uint(cycles)>>1, cycles)) }

// sink uses what a chain has computed, so that it is computed.
//
//go:noinline
func sink(uint) {}

// chained alternates two operations that the compiler can't join into one.
func chained(a, b uint, cycles int) uint {
	x := a
	for ; cycles > 0; cycles -= chainUnit {
		for range chainUnit / 32 {
			x = ((((x + a) ^ b) + a) ^ b + a) ^ b
			x = ((((x + a) ^ b) + a) ^ b + a) ^ b
			x = ((((x + a) ^ b) + a) ^ b + a) ^ b
			x = ((((x + a) ^ b) + a) ^ b + a) ^ b
			x = ((((x + a) ^ b) + a) ^ b + a) ^ b
			x = (x + a) ^ b
		}
	}
	return x
}
