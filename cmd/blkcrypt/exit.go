package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"syscall"

	"blkcrypt/format"
)

// The exit codes are a promise to scripts.
const (
	exitDone    = 0
	exitFailure = 1   // reading, writing, or anything not named below
	exitUsage   = 2   // wrong arguments, no usable passphrase given
	exitKey     = 3   // wrong passphrase or key
	exitDamaged = 4   // damaged, tampered with or truncated
	exitForeign = 5   // not a blkcrypt file, or one this version does not support
	exitRefused = 6   // refused: output exists, is the input or a terminal; cost too high; last key slot
	exitSignal  = 128 // plus the signal's number
	exitPipe    = exitSignal + int(syscall.SIGPIPE)
)

// formatExits says for each kind of error of the format which code it gets and
// what the user can do about it.
var formatExits = map[format.Kind]struct {
	code int
	hint string
}{
	format.NotBlkcrypt:    {exitForeign, ""},
	format.Unsupported:    {exitForeign, ""},
	format.UnknownKeyKind: {exitForeign, ""},
	format.WrongKey:       {exitKey, ""},
	format.NoKey:          {exitKey, ""},
	format.TextDamaged:    {exitDamaged, ""},
	format.Malformed:      {exitDamaged, ""},
	format.Checksum:       {exitDamaged, ""},
	format.Tampered:       {exitDamaged, ""},
	format.Truncated:      {exitDamaged, ""},
	format.Trailing:       {exitDamaged, ""},
	format.Damaged:        {exitDamaged, ""},
	format.Cost:           {exitRefused, ""},
	format.TooLarge:       {exitFailure, ""},
}

// failure is an error as the user reads it: "file: reason; hint".
type failure struct {
	code int
	file string // as shown, "" for none
	err  error
	hint string // names a flag, "" for none
}

func (f *failure) Error() string {
	s := reason(f.err)
	if f.file != "" {
		s = f.file + ": " + s
	}
	if f.hint != "" {
		s += "; " + f.hint
	}
	return s
}

func (f *failure) Unwrap() error { return f.err }

func usagef(text string, a ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(text, a...)}
}

func refusef(file, hint, text string, a ...any) error {
	return &failure{code: exitRefused, file: show(file), hint: hint, err: fmt.Errorf(text, a...)}
}

// failed makes a failure of an error about a file, unless it is one already.
func failed(file string, err error) error {
	var known *failure
	if err == nil || errors.As(err, &known) {
		return err
	}
	f := &failure{code: exitFailure, file: show(file), err: err}
	var bad *format.Error
	if errors.As(err, &bad) {
		f.code, f.hint = formatExits[bad.Kind].code, formatExits[bad.Kind].hint
		switch {
		case f.code == exitKey:
			f.hint = keyHint(bad)
		case bad.Kind == format.Cost:
			f.hint = fmt.Sprintf("allow it with --scrypt-max-logn %d", bits.Len64(bad.Work-1))
		}
	}
	return f
}

// keyHint names the flags for the kinds of key that a file has slots for.
func keyHint(e *format.Error) string {
	switch {
	case e.Passphrase && e.KeyFile:
		return "give another by --passphrase-file or --key-file"
	case e.KeyFile:
		return "give its key by --key-file"
	}
	return "give its passphrase at the prompt or by " + passphraseWays
}

// reason is the text of err without the names of files, of system calls and of
// the package it comes from: the user knows the file by another name or sees
// it already.
func reason(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return reason(path.Err)
	case errors.As(err, &link):
		return reason(link.Err)
	case errors.As(err, &call):
		return reason(call.Err)
	}
	return strings.TrimPrefix(err.Error(), "format: ")
}

// show makes a name fit for one line of a terminal.
func show(name string) string {
	if name == "" {
		return `""`
	}
	for _, r := range name {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strconv.Quote(name)
		}
	}
	return name
}

// report tells the user of err and returns the exit code.
func (t *tool) report(err error) int {
	var told reported
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &told):
		return int(told)
	}
	// The reader of a pipe that has had enough needs no telling.
	var path *fs.PathError
	if errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == t.stdout.Name() {
		return exitPipe
	}
	t.say(err.Error())
	var f *failure
	if errors.As(err, &f) {
		return f.code
	}
	return exitFailure
}

// classOf names what kind of error err is, for --json.
func classOf(code int, err error) string {
	var bad *format.Error
	if errors.As(err, &bad) {
		return bad.Kind.String()
	}
	switch code {
	case exitUsage:
		return "usage"
	case exitRefused:
		return "refused"
	}
	return "failure"
}

// warn tells the user something about a file that may not have been meant.
func (t *tool) warn(name, text string) {
	if !t.quiet {
		t.say(show(name) + ": warning: " + text)
	}
}

// say writes one line to standard error.
func (t *tool) say(line string) {
	line = strings.ReplaceAll(line, "\n", " ")
	fmt.Fprintf(t.stderr, "%sblkcrypt: %s\n", t.meter.clear(), line)
}
