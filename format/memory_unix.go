//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package format

import (
	"math"
	"runtime"
	"syscall"
)

// allocatable returns an error where the system does not give n bytes of memory.
// Go itself would end the program.
func allocatable(n int64) error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if n > math.MaxInt || m.HeapIdle >= uint64(n) {
		return nil // scrypt refuses it, or it is here already
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return syscall.Munmap(b)
}
