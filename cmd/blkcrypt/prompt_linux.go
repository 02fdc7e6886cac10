package main

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS

	// terminalLine is the number of bytes of a line at which the terminal may
	// have dropped some (N_TTY_BUF_SIZE less the line end).
	terminalLine = 4095
)
