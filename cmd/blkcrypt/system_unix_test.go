//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// Each of these sets something up and becomes the program in its arguments.
var systemCommands = map[string]func(){
	"jobshell": jobshell,
	"nohup": func() {
		signal.Ignore(syscall.SIGHUP)
		become()
	},
	"umask0": func() {
		unix.Umask(0)
		become()
	},
	"smallfiles": func() {
		limit := unix.Rlimit{Cur: 100000, Max: 100000}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			fail(err)
		}
		become()
	},
}

func become() {
	exe, err := os.Executable()
	if err == nil {
		err = syscall.Exec(exe, os.Args[1:], os.Environ())
	}
	fail(err)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "test:", err)
	os.Exit(100)
}

// hear makes sure that the programs of a test get signals that whoever runs the
// tests had ignored: what is caught here is at its default in them.
func hear(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
