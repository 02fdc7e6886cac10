package bulk_test

import (
	"testing"

	"blkcrypt/internal/bulk"
)

func TestDouble(t *testing.T) {
	b := block(random(1, 16))
	for range 300 { // through every bit, with many carries
		if got, want := bulk.Double(b), double(b); got != want {
			t.Fatalf("double of %x is %x, want %x", b, got, want)
		}
		b = bulk.Double(b)
	}
	if got, want := bulk.Double(block{0x80}), (block{15: 0x87}); got != want {
		t.Errorf("double of x^127 is %x", got)
	}
}

// RFC 7253, section 4.1.
func TestOCBTable(t *testing.T) {
	for _, s := range subjects(t) {
		table := bulk.NewOCBTable(s.key)
		l := s.o.enc(block{})
		if table.Star != l {
			t.Errorf("%s: L_* is %x, want %x", s.name, table.Star, l)
		}
		if l = double(l); table.Dollar != l {
			t.Errorf("%s: L_$ is %x, want %x", s.name, table.Dollar, l)
		}
		for i := range table.L {
			if l = double(l); table.L[i] != l {
				t.Fatalf("%s: L_%d is %x, want %x", s.name, i, table.L[i], l)
			}
		}
	}
}

// Offset_{i+j} = Offset_i XOR Gray[j] for i a multiple of 16 and j below 16: so from
// 0 on for a thousand groups, and at indices as far out as the table reaches.
func TestOCBGray(t *testing.T) {
	for _, s := range subjects(t)[2:4] {
		table := bulk.NewOCBTable(s.key)
		group := func(base *block, i uint64) {
			t.Helper()
			z := *base
			for j := range uint64(16) {
				if j > 0 {
					z = xor(z, table.L[ntz(i+j)])
				}
				if want := xor(*base, table.Gray[j]); z != want {
					t.Fatalf("%s: Offset_{%d+%d} is %x, by the table %x", s.name, i, j, z, want)
				}
			}
			// Offset_{i+16}, the next base.
			*base = xor(z, table.L[ntz(i+16)])
		}
		var base block
		for i := uint64(0); i < 16*1000; i += 16 {
			group(&base, i)
		}
		for n := 5; n < 48; n++ {
			for _, i := range []uint64{1<<n - 16, 1 << n, 1<<n + 16} {
				base = block(random(i, 16))
				group(&base, i)
			}
		}
		if table.Gray[16] != (block{}) {
			t.Errorf("%s: the table's padding is %x", s.name, table.Gray[16])
		}
	}
}

func TestOCBTableWipe(t *testing.T) {
	table := bulk.NewOCBTable(subjects(t)[0].key)
	if *table == (bulk.OCBTable{}) {
		t.Fatal("the table is zero before it is wiped")
	}
	if table.Wipe(); *table != (bulk.OCBTable{}) {
		t.Error("Wipe leaves something")
	}
}
