package main

import "testing"

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
