package main

import (
	"os"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

// terminalLine is beyond any passphrase: consoles drop nothing.
const terminalLine = 1 << 20

// openTerminal opens the console.
func openTerminal() (*terminal, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		in.Close()
		return nil, err
	}
	return &terminal{in: in, out: out}, nil
}

// echoOff makes fd a console that does not show what is typed.
func echoOff(fd int) error {
	var mode uint32
	if err := windows.GetConsoleMode(windows.Handle(fd), &mode); err != nil {
		return err
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode&^windows.ENABLE_ECHO_INPUT)
}

func (t *terminal) readLine() ([]byte, error) { return term.ReadPassword(int(t.in.Fd())) }
