//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// tellSignals ask how far the work is; SIGINFO comes from ^T.
var tellSignals = []os.Signal{unix.SIGUSR1, unix.SIGINFO}
