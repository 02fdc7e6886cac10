//go:build unix

package main

import (
	"io"
	"os"
	"testing"

	"github.com/creack/pty"
)

// E02: progress is for a terminal, and for jobs that take long; it leaves nothing
// on the line. A pipe that stays open makes a job of any length.
func TestE02Progress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	start := func(flags ...string) (*screen, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := as(t, dir, "blkcrypt", append(append(fast[:3:3], "--passphrase-file", "p", "-f", "-o", "o"), flags...)...)
		c.Stdin = r
		s := onScreen(t, c)
		r.Close()
		if err := pty.Setsize(s.ptmx, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(pattern(50000)); err != nil {
			t.Fatal(err)
		}
		return s, w
	}
	s, w := start()
	s.wait("48.83 KiB")
	w.Close()
	s.end(0)

	for _, flag := range []string{"-q", "--no-progress"} {
		shown, first := start()
		quiet, second := start(flag)
		shown.wait("48.83 KiB") // as long as it takes one that shows progress
		second.Close()
		quiet.end(0)
		first.Close()
		shown.end(0)
		if text := quiet.text(); text != "" {
			t.Errorf("with %s: %q", flag, text)
		}
	}

	// Not a terminal.
	c := as(t, dir, "blkcrypt", append(fast[:3:3], "--passphrase-file", "p", "-f", "-o", "o")...)
	c.Stdin = io.LimitReader(zeros{}, 1<<20)
	if code, out, errs := run(t, c); code != 0 || out != "" || errs != "" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
