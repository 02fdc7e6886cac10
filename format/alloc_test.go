//go:build !race

package format

import (
	"bytes"
	"io"
	"testing"
)

// endless is a file of zeros.
type endless struct{ size int64 }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	return io.NewSectionReader(blank{}, 0, e.size).ReadAt(p, off)
}

type blank struct{}

func (blank) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// TestNoAllocations: a file eight times as long takes no more allocations than
// what happens beside it: nothing is allocated for a chunk or a batch.
func TestNoAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("an emulator takes minutes for that much")
	}
	k := testRing(t)
	o := small // 256 chunks a batch
	o.Workers = 2
	allocations := func(size int64, f func(size int64) error) float64 {
		return testing.AllocsPerRun(3, func() {
			if err := f(size); err != nil {
				t.Fatal(err)
			}
		})
	}
	files := make(map[int64][]byte)
	for _, size := range []int64{2 << 20, 16 << 20} {
		files[size] = encrypt(t, k, o, make([]byte, size))
	}
	for name, f := range map[string]func(size int64) error{
		"EncryptFile": func(size int64) error {
			_, err := EncryptFile(new(discardAt), endless{size}, size, k, o)
			return err
		},
		"Writer": func(size int64) error {
			w, err := NewWriter(io.Discard, k, o)
			if err == nil {
				_, err = w.ReadFrom(io.NewSectionReader(blank{}, 0, size))
			}
			if err != nil {
				return err
			}
			return w.Close()
		},
		"DecryptFile": func(size int64) error {
			_, err := DecryptFile(new(discardAt), bytes.NewReader(files[size]), int64(len(files[size])), k, WithWorkers(2))
			return err
		},
		"Reader": func(size int64) error {
			r, err := NewReader(bytes.NewReader(files[size]), k, WithWorkers(2))
			if err == nil {
				_, err = r.WriteTo(io.Discard)
			}
			return err
		},
	} {
		short, long := allocations(2<<20, f), allocations(16<<20, f)
		t.Logf("%s: %.0f allocations for 2 MiB, %.0f for 16 MiB", name, short, long)
		// There are 14 batches more.
		if long > short+7 {
			t.Errorf("%s: %.0f allocations for 2 MiB, %.0f for 16 MiB", name, short, long)
		}
	}
}
