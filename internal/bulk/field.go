package bulk

import (
	"encoding/binary"
	"unsafe"
)

// Double multiplies a block, read as a big-endian polynomial over GF(2), by x
// modulo x^128 + x^7 + x^2 + x + 1 (RFC 7253, section 2; SP 800-38B, section
// 6.1), without a branch on its value.
func Double(b [BlockSize]byte) [BlockSize]byte {
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	carry := -(hi >> 63) & 0x87
	binary.BigEndian.PutUint64(b[:8], hi<<1|lo>>63)
	binary.BigEndian.PutUint64(b[8:], lo<<1^carry)
	return b
}

// xor16 sets dst to a XOR b; they may be the same.
func xor16(dst, a, b *[BlockSize]byte) {
	for i := 0; i < BlockSize; i += 8 {
		binary.NativeEndian.PutUint64(dst[i:], binary.NativeEndian.Uint64(a[i:])^binary.NativeEndian.Uint64(b[i:]))
	}
}

// InexactOverlap reports whether x and y share memory at differing offsets,
// which no mode allows (the rule of crypto/cipher).
func InexactOverlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 || &x[0] == &y[0] {
		return false
	}
	return AnyOverlap(x, y)
}

// AnyOverlap reports whether x and y share memory.
func AnyOverlap(x, y []byte) bool {
	return len(x) > 0 && len(y) > 0 &&
		uintptr(unsafe.Pointer(&x[0])) <= uintptr(unsafe.Pointer(&y[len(y)-1])) &&
		uintptr(unsafe.Pointer(&y[0])) <= uintptr(unsafe.Pointer(&x[len(x)-1]))
}
