package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// guard holds what must be undone before the process ends by a signal: files
// that are not finished, a terminal without echo.
//
// What has to be undone is changed and noted in one step, under the lock, which
// any number of such steps share; a signal takes the lock for itself and keeps
// it, so nothing appears behind its back.
type guard struct {
	mu sync.RWMutex

	notes sync.Mutex // guards undo
	undo  map[*undo]struct{}
}

type undo struct{ f func() }

// do runs f, which makes something, and notes how to undo it unless f fails.
// It returns the handle for done.
func (g *guard) do(f func() error, back func()) (*undo, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if err := f(); err != nil {
		return nil, err
	}
	g.notes.Lock()
	defer g.notes.Unlock()
	if g.undo == nil {
		g.undo = make(map[*undo]struct{})
	}
	u := &undo{back}
	g.undo[u] = struct{}{}
	return u, nil
}

// done runs f, after which there is nothing to undo. Where f fails there still
// is.
func (g *guard) done(u *undo, f func() error) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	err := f()
	if err == nil {
		g.notes.Lock()
		delete(g.undo, u)
		g.notes.Unlock()
	}
	return err
}

// finish waits for ever where a signal is being served.
func (g *guard) finish() { g.mu.Lock() }

// watch serves signals from here on. One that the caller had ignored (nohup,
// background jobs) stays ignored.
func (g *guard) watch(stderr *os.File) {
	c := make(chan os.Signal, 1)
	for _, s := range endSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	ignoreSignals()
	go func() {
		s := <-c
		g.mu.Lock()
		for u := range g.undo {
			u.f()
		}
		fmt.Fprintf(stderr, "blkcrypt: ended by a signal (%v)\n", s)
		n, _ := s.(syscall.Signal)
		os.Exit(exitSignal + int(n))
	}()
}
