//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA

	// terminalLine is the number of bytes of a line at which the terminal may
	// have dropped some (the smallest MAX_CANON of these systems, 255, belongs
	// to some of them only; 1024 is what their terminals buffer).
	terminalLine = 1023
)
