package main

import (
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// guard holds what must be undone before the process ends by a signal: files
// that are not finished, folders made for them, a terminal without echo.
//
// What has to be undone is changed and noted in one step, under the lock, which
// any number of such steps share; a signal takes the lock for itself and keeps
// it, so nothing appears behind its back.
type guard struct {
	mu sync.RWMutex

	notes sync.Mutex // guards what follows
	undo  map[*undo]struct{}
	count int // of notes so far
}

type undo struct {
	f func()
	n int // a folder was made before the files in it
}

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
	g.count++
	u := &undo{back, g.count}
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
		g.forget(u)
	}
	return err
}

// forget is for what is done within the step of another.
func (g *guard) forget(u *undo) {
	g.notes.Lock()
	defer g.notes.Unlock()
	delete(g.undo, u)
}

// finish waits for ever where a signal is being served.
func (g *guard) finish() { g.mu.Lock() }

// watch serves signals from here on. SIGINT and SIGHUP stay ignored where the
// caller had them ignored (background jobs, nohup); of others Go can't tell.
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
		for _, u := range slices.SortedFunc(maps.Keys(g.undo), func(a, b *undo) int { return b.n - a.n }) {
			u.f()
		}
		fmt.Fprintf(stderr, "blkcrypt: ended by a signal (%v)\n", s)
		n, _ := s.(syscall.Signal)
		os.Exit(exitSignal + int(n))
	}()
}
