//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

var systemCommands = map[string]func(){"jobshell": jobshell}

func ignoreTTOU() { signal.Ignore(syscall.SIGTTOU) }

// hear makes sure that the programs of a test get signals that whoever runs the
// tests had ignored: what is caught here is at its default in them.
func hear(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
