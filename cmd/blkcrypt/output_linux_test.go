package main

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe is made wider, or left as it is where the system does not allow that;
// what is not a pipe is left alone.
func TestWiden(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	size := func() int {
		n, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := size()
	widen(w)
	after := size()
	if after != widePipe && after != before {
		t.Errorf("from %d to %d bytes", before, after)
	}
	if _, err := unix.FcntlInt(r.Fd(), unix.F_SETPIPE_SZ, 2*widePipe); err == nil {
		widen(r)
		if n := size(); n != 2*widePipe {
			t.Errorf("a wider pipe has %d bytes now", n)
		}
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	widen(f)
}
