//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience is how long a test waits for what must come. It only bounds a
// failing test.
const patience = 30 * time.Second

// screen is a terminal with a program running on it.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	ptmx *os.File
	tty  *os.File
	done chan struct{} // closed when nothing more will be shown

	mu    sync.Mutex
	shown []byte
	grown chan struct{} // closed and replaced when shown grows
	seen  int           // how much of it was waited for
}

// onScreen starts c with a new controlling terminal. Standard streams that are
// not set are the terminal.
func onScreen(t *testing.T, c *exec.Cmd) *screen {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	s := &screen{t: t, cmd: c, ptmx: ptmx, tty: tty, done: make(chan struct{}), grown: make(chan struct{})}
	t.Cleanup(func() { ptmx.Close(); tty.Close() })
	if c.Stdin == nil {
		c.Stdin = tty
	}
	if c.Stdout == nil {
		c.Stdout = tty
	}
	if c.Stderr == nil {
		c.Stderr = tty
	}
	c.ExtraFiles = append(c.ExtraFiles, tty)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2 + len(c.ExtraFiles)}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := ptmx.Read(buf)
			s.mu.Lock()
			s.shown = append(s.shown, buf[:n]...)
			close(s.grown)
			s.grown = make(chan struct{})
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// wait waits for text to be shown after what was waited for before.
func (s *screen) wait(text string) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		s.mu.Lock()
		i := bytes.Index(s.shown[s.seen:], []byte(text))
		if i >= 0 {
			s.seen += i + len(text)
			s.mu.Unlock()
			return
		}
		grown := s.grown
		s.mu.Unlock()
		select {
		case <-grown:
		case <-limit:
			s.t.Fatalf("%q was not shown, but %q", text, s.text())
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.shown)
}

func (s *screen) typed(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.ptmx, text); err != nil {
		s.t.Fatal(err)
	}
}

// wantEcho checks whether the terminal shows what is typed.
func (s *screen) wantEcho(want bool) {
	s.t.Helper()
	m, err := unix.IoctlGetTermios(int(s.tty.Fd()), getTermios)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := m.Lflag&unix.ECHO != 0; got != want {
		s.t.Errorf("the terminal echoes: %v, want %v", got, want)
	}
	if m.Lflag&unix.ICANON == 0 || m.Lflag&unix.ISIG == 0 {
		s.t.Error("the terminal reads no lines or serves no signals")
	}
}

// end waits for the program and checks its exit code.
func (s *screen) end(code int) {
	s.t.Helper()
	stop := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	s.cmd.Wait()
	stop.Stop()
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit code %d (%v), want %d; shown: %q", got, s.cmd.ProcessState, code, s.text())
	}
	s.wantEcho(true)
}

// wantLines checks how many lines begin with the program's name.
func wantLines(t *testing.T, text string, want int) {
	t.Helper()
	if got := strings.Count("\n"+text, "\nblkcrypt: "); got != want {
		t.Errorf("%d lines of messages, want %d: %q", got, want, text)
	}
}
