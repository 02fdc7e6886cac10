package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// tellSignals ask how far the work is.
var tellSignals = []os.Signal{unix.SIGUSR1}
