package main

import (
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"blkcrypt/format"
)

// terminal is the device the user sits at, whatever the standard streams are.
type terminal struct {
	in, out *os.File
	guard   *guard
}

func (t *terminal) Close() {
	t.in.Close()
	if t.out != t.in {
		t.out.Close()
	}
}

// askPassphrase asks for the passphrase for what, twice where it is a new one.
func (t *tool) askPassphrase(what string, isNew bool) (*format.Secret, error) {
	tty, err := openTerminal()
	if err != nil {
		return nil, &failure{code: exitUsage, err: errors.New("no passphrase given and no terminal to ask for one"),
			hint: "give " + passphraseWays + " or --key-file"}
	}
	defer tty.Close()
	tty.guard = &t.guard
	first, err := tty.passphrase("passphrase for " + what + ": ")
	if err != nil || !isNew {
		return first, err
	}
	second, err := tty.passphrase("passphrase for " + what + ", again: ")
	if err != nil {
		first.Wipe()
		return nil, err
	}
	defer second.Wipe()
	if !first.Equal(second) {
		first.Wipe()
		return nil, usagef("the two passphrases differ")
	}
	return first, nil
}

func (t *terminal) passphrase(prompt string) (*format.Secret, error) {
	line, err := t.ask(prompt)
	defer clear(line)
	switch {
	case errors.Is(err, io.EOF):
		return nil, usagef("no passphrase was typed")
	case err != nil:
		return nil, failed("the terminal", err)
	case len(line) >= terminalLine:
		return nil, &failure{code: exitUsage, err: errors.New("the terminal cuts lines as long as this"),
			hint: "give the passphrase by --passphrase-file"}
	}
	s, err := format.NewPassphrase(line)
	if err != nil {
		return nil, &failure{code: exitUsage, err: err}
	}
	return s, nil
}

// ask shows prompt and reads a line that is not shown. Echo is off before the
// prompt appears and back on whatever ends the process or stops it.
func (t *terminal) ask(prompt string) ([]byte, error) {
	fd := int(t.in.Fd())
	saved, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // held while the terminal changes hands
	asking := true
	leave := func() {
		mu.Lock()
		defer mu.Unlock()
		if asking {
			term.Restore(fd, saved)
			io.WriteString(t.out, "\n")
		}
	}
	enter := func() error {
		mu.Lock()
		defer mu.Unlock()
		if !asking {
			return nil
		}
		if err := echoOff(fd); err != nil {
			return err
		}
		_, err := io.WriteString(t.out, prompt)
		return err
	}
	u, err := t.guard.do(func() error { return nil }, leave)
	if err != nil {
		return nil, err
	}
	cancel := onStop(leave, func() { enter() })
	defer func() {
		cancel()
		t.guard.done(u, func() error {
			leave()
			mu.Lock()
			asking = false
			mu.Unlock()
			return nil
		})
	}()
	if err := enter(); err != nil {
		return nil, err
	}
	return t.readLine()
}
