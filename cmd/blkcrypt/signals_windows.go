package main

import (
	"os"
	"syscall"
)

var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// tellSignals are not known here.
var tellSignals []os.Signal

func ignoreSignals() {}

// onStop has nothing to do: consoles do not stop processes.
func onStop(_, _ func()) (cancel func()) { return func() {} }
