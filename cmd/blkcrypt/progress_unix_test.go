//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"
	"time"

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

// A signal has a line printed on how far the work is, and the work goes on.
func TestTellOnSignal(t *testing.T) {
	t.Parallel()
	hear(tellSignals...)
	for _, s := range tellSignals {
		dir := t.TempDir()
		c := as(t, dir, "blkcrypt")
		errs, told, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c.Stderr = told
		feed, _ := stall(t, dir, c)
		told.Close()
		c.Process.Signal(s)
		line, err := bufio.NewReader(errs).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "blkcrypt: ") || !strings.Contains(line, " read, ") || !strings.HasSuffix(line, "/s\n") {
			t.Errorf("%v: %q, %v", s, line, err)
		}
		feed.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v", s, err)
		}
		errs.Close()
		wantOnly(t, dir, "fifo", "o", "p")
	}
}

func TestMeterLine(t *testing.T) {
	t.Parallel()
	begun := time.Unix(1000, 0)
	for _, x := range []struct {
		read, total int64
		begun       time.Time
		want        string
	}{
		{0, 0, time.Unix(0, 0), "nothing read yet"},
		{0, 0, begun, "0 B read, 0 B/s"},
		{0, 1 << 30, begun, "0 B of 1.00 GiB (0%) read, 0 B/s"},
		{999, 0, begun, "999 B read, 100 B/s"},
		{5 << 30, 0, begun, "5.00 GiB read, 512.00 MiB/s"},
		{5 << 30, 20 << 30, begun, "5.00 GiB of 20.00 GiB (25%) read, 512.00 MiB/s, 30s left"},
		{1 << 20, 1 << 20, begun, "1.00 MiB of 1.00 MiB (100%) read, 102.40 KiB/s"},
		{5 << 30, 1 << 20, begun, "5.00 GiB read, 512.00 MiB/s"},
		{1, 1 << 62, begun, "1 B of 4.00 EiB (0%) read, 0 B/s"},
		{1 << 40, 1 << 62, begun, "1.00 TiB of 4.00 EiB (0%) read, 102.40 GiB/s, 11650h50m30s left"},
	} {
		var m meter
		m.read.Store(x.read)
		m.total.Store(x.total)
		m.begun.Store(x.begun.UnixNano())
		if got := m.line(begun.Add(10 * time.Second)); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
