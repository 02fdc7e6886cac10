package format

import (
	"testing"
	"unsafe"
)

func TestNewBuffer(t *testing.T) {
	for _, n := range []int{0, 1, hugePage - 1, hugePage, 3*hugePage + 5} {
		b := newBuffer(n)
		if len(b) != n || cap(b) != n {
			t.Errorf("%d bytes with room for %d, want %d", len(b), cap(b), n)
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if n >= hugePage && at%hugePage != 0 {
			t.Errorf("%d bytes do not begin where a large page does", n)
		}
		for i := 0; i < n; i += 4096 {
			if b[i]++; b[i] != 1 {
				t.Fatalf("byte %d of %d was not zero", i, n)
			}
		}
	}
}
