package sm4

import (
	"testing"
	"unsafe"
)

// The S-box fills whole cache lines of a page of its own.
func TestTableLayout(t *testing.T) {
	if n := unsafe.Sizeof(page{}); n != 4096 {
		t.Errorf("the table's object has %d bytes, want 4096", n)
	}
	if n := unsafe.Offsetof(page{}.sbox); n != 0 {
		t.Errorf("the table starts at byte %d of its object", n)
	}
	if n := unsafe.Sizeof(*sbox); n != 256 || n%64 != 0 {
		t.Errorf("the table has %d bytes", n)
	}
	if a := uintptr(unsafe.Pointer(sbox)); a%64 != 0 || a%4096 != 0 {
		t.Errorf("the table lies at %#x, want a multiple of 64 and of 4096", a)
	}
	// Not only this once: it is how the allocator treats the size.
	for range 8 {
		if s := newSbox(); uintptr(unsafe.Pointer(s))%4096 != 0 || *s != *sbox {
			t.Errorf("another table lies at %p", s)
		}
	}
}

// x generates the field's multiplicative group: without that some inverses would
// be missing.
func TestPrimitiveRoot(t *testing.T) {
	order, p := 1, double(1)
	for ; p != 1 && order <= 255; p = double(p) {
		order++
	}
	if order != 255 {
		t.Errorf("x has order %d", order)
	}
}

func TestSboxIsPermutation(t *testing.T) {
	var seen [256]bool
	for _, v := range sbox {
		if seen[v] {
			t.Fatalf("%#02x comes twice", v)
		}
		seen[v] = true
	}
}

// touch reads all that a look-up can.
func TestTouchReachesEveryLine(t *testing.T) {
	for i := 0; i < 256; i += 32 {
		var s [256]byte
		s[i] = 1
		if touch(&s) != 1 {
			t.Errorf("the line at byte %d is not read", i)
		}
	}
}

func BenchmarkNewSbox(b *testing.B) {
	for b.Loop() {
		newSbox()
	}
}
