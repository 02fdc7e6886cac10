//go:build unix

package main

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// openTerminal opens the controlling terminal. The descriptor stays in blocking
// mode, which os.OpenFile would change.
func openTerminal() (*terminal, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "/dev/tty")
	return &terminal{in: f, out: f}, nil
}

// echoOff makes fd a terminal that reads lines without showing them. What was
// typed or pasted ahead stays.
func echoOff(fd int) error {
	s, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	s.Lflag &^= unix.ECHO
	s.Lflag |= unix.ICANON | unix.ISIG
	s.Iflag |= unix.ICRNL
	return unix.IoctlSetTermios(fd, setTermios, s)
}

// readLine reads a line, or what there is of one where it fills the buffer. It
// does what term.ReadPassword does, but leaves no copies behind, and an end of
// file is an error: on a terminal that is gone, ReadPassword reads for ever.
func (t *terminal) readLine() ([]byte, error) {
	line := make([]byte, 0, terminalLine+1)
	for len(line) < cap(line) {
		// Never more than one line: the terminal hands them out one by one.
		n, err := t.in.Read(line[len(line):cap(line)])
		line = line[:len(line)+n]
		if text, ok := bytes.CutSuffix(line, []byte("\n")); ok {
			return text, nil
		}
		if err != nil {
			return line, err
		}
	}
	return line, nil
}
