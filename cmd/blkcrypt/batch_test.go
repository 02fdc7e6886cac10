package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The exit code of several files is the worst, in whatever order they come.
func TestWorse(t *testing.T) {
	t.Parallel()
	for i, a := range worst {
		for _, b := range worst[i:] {
			if got := worse(a, b); got != b {
				t.Errorf("worse(%d, %d) = %d, want %d", a, b, got, b)
			}
			if got := worse(b, a); got != b {
				t.Errorf("worse(%d, %d) = %d, want %d", b, a, got, b)
			}
		}
	}
	for code := exitDone; code <= exitRefused; code++ {
		if worse(code, exitDone) != code {
			t.Errorf("exit code %d has no place in the order", code)
		}
	}
}

// --rm keeps a file to which something was added after it was read.
func TestRemoveChanged(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	read := func() *task {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return &task{name: name, info: info, in: &input{info: info}}
	}
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := read()
	if err := os.WriteFile(name, []byte("longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := removeInput(j); err == nil || !strings.Contains(err.Error(), "changed after it was read") {
		t.Errorf("a changed file: %v", err)
	}
	if err := removeInput(read()); err != nil {
		t.Error(err)
	}
}

// E05: the prompt names the files.
func TestWhat(t *testing.T) {
	t.Parallel()
	a, b, c := &task{name: "a"}, &task{name: "b\n"}, &task{name: "-"}
	for _, test := range []struct {
		tasks []*task
		want  string
	}{
		{[]*task{a}, "a"},
		{[]*task{c}, "standard input"},
		{[]*task{a, b}, `a and "b\n"`},
		{[]*task{a, b, c}, "a and 2 more files"},
	} {
		if got := what(test.tasks); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A stream is no small file, and has no size that progress could go by, whatever
// the system says of it.
func TestStreamsAlone(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("contents"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	w.WriteString("waits")
	pipe, err := r.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if n := (&task{info: file}).weight(); n != 8 {
		t.Errorf("a file of 8 bytes counts for %d", n)
	}
	if n := (&task{info: pipe}).weight(); n <= groupBytes {
		t.Errorf("a pipe counts for %d bytes", n)
	}
	if n := sizeOf([]fs.FileInfo{file, file}); n != 16 {
		t.Errorf("two files have %d bytes", n)
	}
	if n := sizeOf([]fs.FileInfo{file, pipe}); n != 0 {
		t.Errorf("a file and a pipe have %d bytes", n)
	}
}
