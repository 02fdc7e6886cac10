//go:build unix

package main

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

var endSignals = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGXCPU}

// ignoreSignals lets a write to a pipe that nobody reads and one beyond the
// limit of a file's size fail with an error like any other write.
func ignoreSignals() { signal.Ignore(unix.SIGPIPE, unix.SIGXFSZ) }

// onStop calls leave before the process is stopped by the terminal (^Z) and
// enter when it goes on, until cancel is called.
func onStop(leave, enter func()) (cancel func()) {
	if signal.Ignored(unix.SIGTSTP) {
		return func() {}
	}
	stop, cont, end := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stop, unix.SIGTSTP)
	signal.Notify(cont, unix.SIGCONT)
	go func() {
		for {
			select {
			case <-end:
				return
			case <-cont: // it was stopped by something else
			case <-stop:
				leave()
				stopSelf(cont)
			}
			enter()
		}
	}()
	return func() {
		signal.Stop(stop)
		signal.Stop(cont)
		close(end)
	}
}

// stopSelf stops the process as SIGTSTP would, had os/signal a way back to its
// default action: SIGTTOU, which is left alone, stops by the same rules. By
// those the kernel does not stop a process that no shell could continue; then
// no SIGCONT comes.
func stopSelf(cont <-chan os.Signal) {
	unix.Kill(unix.Getpid(), unix.SIGTTOU)
	select {
	case <-cont:
	case <-time.After(200 * time.Millisecond):
	}
}
