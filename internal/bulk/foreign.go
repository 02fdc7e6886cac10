package bulk

import (
	"crypto/cipher"
	"errors"
	"sync"

	"blkcrypt/internal/cpu"
)

// foreignKernels stands for a cipher that comes without kernels: all of its
// modes are derived.
var foreignKernels = &Kernels{Name: "foreign", Width: 1}

// Of returns the key behind b where b is one of this module's ciphers, and
// wraps any other 16-byte block cipher so that every mode works with it. The error
// is for callers to put their package's name before.
func Of(b cipher.Block) (*Key, error) {
	if own, ok := b.(interface{ BulkKey() *Key }); ok {
		return own.BulkKey(), nil
	}
	if b == nil || b.BlockSize() != BlockSize {
		return nil, errors.New("the block cipher must have 16-byte blocks")
	}
	return &Key{features: cpu.Detect(), kern: foreignKernels, block: b}, nil
}

var stages = sync.Pool{New: func() any { return new([middleStage]byte) }}

// foreign applies one block function to each block. It gives the function heap
// memory of its own, never a caller's pointer: nothing is known of what a
// foreign cipher does with it.
func (k *Key) foreign(f func(dst, src []byte), dst, src []byte) {
	buf := stages.Get().(*[middleStage]byte)
	used := buf[:min(len(src), middleStage)]
	defer func() { // should f panic, too
		clear(used)
		stages.Put(buf)
	}()
	for len(src) > 0 {
		n := copy(buf[:], src)
		for b := buf[:n]; len(b) > 0; b = b[BlockSize:] {
			f(b[:BlockSize], b[:BlockSize])
		}
		copy(dst, buf[:n])
		dst, src = dst[n:], src[n:]
	}
}
