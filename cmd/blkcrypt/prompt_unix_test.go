//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

var fast = []string{"enc", "--scrypt-logn", "10"}

// A01, A13: a passphrase typed is the one in a file with a line end. It is
// never shown, and echo is off when the prompt appears.
func TestA01A13Prompt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	write(t, dir, "p", "sésame\n")
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "f")...))
	s.wait("passphrase for f: ")
	s.wantEcho(false)
	s.typed("sésame\r")
	s.wait("passphrase for f, again: ")
	s.wantEcho(false)
	s.typed("sésame\r")
	s.end(0)
	if strings.Contains(s.text(), "same") {
		t.Errorf("the passphrase is shown: %q", s.text())
	}
	if code, out, errs := run(t, as(t, dir, "blkcrypt", "dec", "--passphrase-file", "p", "-o", "-", "f.blk")); code != 0 || out != "text" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	// A14: the same word in decomposed letters, asked for once.
	s = onScreen(t, as(t, dir, "blkcrypt", "dec", "-o", "again", "f.blk"))
	s.wait("passphrase for f.blk: ")
	s.wantEcho(false)
	s.typed("se\u0301same\n")
	s.end(0)
	wantFile(t, filepath.Join(dir, "again"), "text")
}

// A08: data on standard input, the question on the terminal.
func TestA08DataOnStdin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := as(t, dir, "blkcrypt", append(fast, "-o", "o")...)
	c.Stdin = bytes.NewReader(pattern(100000))
	s := onScreen(t, c)
	s.wait("passphrase for standard input: ")
	s.wantEcho(false)
	s.typed("pw\n")
	s.wait("again: ")
	s.typed("pw\n")
	s.end(0)
	// Both ways, and with standard output in use as well.
	c = as(t, dir, "blkcrypt", "dec")
	in, err := os.Open(filepath.Join(dir, "o"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	c.Stdin, c.Stdout = in, &out
	s = onScreen(t, c)
	s.wait("passphrase for standard input: ")
	s.typed("pw\n")
	s.end(0)
	if out.String() != string(pattern(100000)) {
		t.Error("other data came back")
	}
}

// A09: without a terminal there is an error at once, which lists the ways.
func TestA09NoTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	c := as(t, dir, "blkcrypt", "enc", "-o", "o", "f")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	code, _, errs := run(t, c)
	for _, way := range []string{"--passphrase-file", "--passphrase-fd", "BLKCRYPT_PASSPHRASE", "--key-file"} {
		if !strings.Contains(errs, way) {
			t.Errorf("%q does not name %s", errs, way)
		}
	}
	wantLines(t, errs, 1)
	if code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	wantOnly(t, dir, "f")
}

// A10: whatever ends the process at the prompt, the terminal is as it was.
func TestA10Signals(t *testing.T) {
	t.Parallel()
	hear(syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	for _, test := range []struct {
		name   string
		second bool
		typed  string
		signal syscall.Signal
		code   int
	}{
		{"key interrupt", false, "abc\x03", 0, 130},
		{"key quit", false, "\x1c", 0, 131},
		{"interrupt", false, "", syscall.SIGINT, 130},
		{"terminate", false, "abc", syscall.SIGTERM, 143},
		{"hangup", false, "", syscall.SIGHUP, 129},
		{"second prompt", true, "\x03", 0, 130},
		{"second prompt, terminate", true, "", syscall.SIGTERM, 143},
		{"end of file", false, "\x04", 0, exitUsage},
		{"empty", false, "\n", 0, exitUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "f", "text")
			s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "f")...))
			s.wait("passphrase for f: ")
			if test.second {
				s.typed("pw\n")
				s.wait("again: ")
			}
			s.wantEcho(false)
			s.typed(test.typed)
			if test.signal != 0 {
				s.cmd.Process.Signal(test.signal)
			}
			s.end(test.code)
			wantOnly(t, dir, "f")
		})
	}
}

// A10: stopped at the prompt and continued.
func TestA10Stop(t *testing.T) {
	t.Parallel()
	hear(syscall.SIGTSTP, syscall.SIGTTOU)
	dir := t.TempDir()
	write(t, dir, "f", "text")
	s := onScreen(t, as(t, dir, "jobshell", append([]string{"blkcrypt"}, append(fast, "f")...)...))
	for range 2 {
		s.wait("passphrase for f: ")
		s.wantEcho(false)
		s.typed("\x1a")
		s.wait("jobshell: stopped")
		s.wantEcho(true)
		s.typed("\n") // jobshell continues it
	}
	s.wait("passphrase for f: ")
	s.wantEcho(false)
	s.typed("pw\n")
	s.wait("again: ")
	s.wantEcho(false)
	s.typed("pw\n")
	s.wait("jobshell: exit 0")
	s.end(0)
	wantOnly(t, dir, "f", "f.blk")
}

// A process that no shell could continue is not stopped, and asks again.
func TestA10StopOrphan(t *testing.T) {
	t.Parallel()
	hear(syscall.SIGTSTP, syscall.SIGTTOU)
	dir := t.TempDir()
	write(t, dir, "f", "text")
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "f")...))
	s.wait("passphrase for f: ")
	s.typed("\x1a")
	s.wait("passphrase for f: ")
	s.wantEcho(false)
	s.typed("pw\n")
	s.wait("again: ")
	s.typed("pw\n")
	s.end(0)
}

// jobshell runs a program as the foreground job of its terminal, as a shell
// does, and continues it after a line of input when it was stopped.
func jobshell() {
	exe, _ := os.Executable()
	p, err := os.StartProcess(exe, os.Args[1:], &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0},
	})
	if err != nil {
		fmt.Println("jobshell:", err)
		os.Exit(1)
	}
	foreground := func(group int) {
		// From the background this would stop us, too.
		unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group)
	}
	signal.Ignore(syscall.SIGTTOU)
	for {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil); err == syscall.EINTR {
			continue
		} else if err != nil {
			fmt.Println("jobshell:", err)
			os.Exit(1)
		}
		foreground(os.Getpid())
		if !status.Stopped() {
			fmt.Println("jobshell: exit", status.ExitStatus())
			return
		}
		fmt.Println("jobshell: stopped")
		os.Stdin.Read(make([]byte, 64))
		foreground(p.Pid)
		syscall.Kill(-p.Pid, syscall.SIGCONT)
	}
}

// A11: two passphrases that differ change nothing.
func TestA11Differ(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	write(t, dir, "o", "keep")
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "-f", "-o", "o", "f")...))
	s.wait("passphrase for f: ")
	s.typed("a\n")
	s.wait("again: ")
	s.typed("b\n")
	s.wait("the two passphrases differ")
	s.end(exitUsage)
	wantOnly(t, dir, "f", "o")
	wantFile(t, filepath.Join(dir, "o"), "keep")
}

// B18: what is wrong with the names is said before a passphrase is asked for.
func TestB18BeforePrompt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	write(t, dir, "f.blk", "not that")
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"enc", "d"}, exitFailure},
		{[]string{"enc", "-o", "d", "f"}, exitFailure},
		{[]string{"enc", "-o", "no/o", "f"}, exitFailure},
		{[]string{"enc", "-o", "f/o", "f"}, exitFailure},
		{[]string{"enc", "-o", "o/", "f"}, exitFailure},
		{[]string{"enc", strings.Repeat("x", 252)}, exitFailure},
		{[]string{"enc", "f"}, exitRefused},
		{[]string{"dec", "-o", "o", "f"}, exitForeign},
		{[]string{"enc", "-f", "-o", "f", "f"}, exitRefused},
	} {
		write(t, dir, strings.Repeat("x", 252), "")
		s := onScreen(t, as(t, dir, "blkcrypt", test.args...))
		s.wait("blkcrypt: ")
		s.end(test.code)
		if strings.Contains(s.text(), "passphrase for") {
			t.Errorf("%v: asked first: %q", test.args, s.text())
		}
	}
}

// B16: ciphertext is not shown unless that is asked for.
func TestB16Terminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	write(t, dir, "p", "pw")
	c := as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p")...)
	c.Stdin = strings.NewReader("text")
	s := onScreen(t, c)
	s.wait("ciphertext is not for a terminal; ")
	s.end(exitRefused)
	wantLines(t, s.text(), 1)
	s = onScreen(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", "-o", "/dev/tty", "f")...))
	s.wait("ciphertext is not for a terminal")
	s.end(exitRefused)
	s = onScreen(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", "-o", "-", "f")...))
	s.wait("\x89BLK")
	s.end(0)
	// Plaintext is.
	run(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", "f")...))
	s = onScreen(t, as(t, dir, "blkcrypt", "dec", "--passphrase-file", "p", "-o", "-", "f.blk"))
	s.wait("text")
	s.end(0)
	s = onScreen(t, as(t, dir, "blkcrypt", "dec", "--passphrase-file", "p"))
	s.wait("ciphertext does not come from a terminal")
	s.end(exitRefused)
}

// E05: the prompt names the file, in a form fit for a terminal; a passphrase
// pasted twice with its line ends works.
func TestE05Paste(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a\x1b[31mb", "text")
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "a\x1b[31mb")...))
	s.wait(`passphrase for "a\x1b[31mb": `)
	s.typed("pasted word\npasted word\n")
	s.end(0)
	write(t, dir, "p", "pasted word")
	if code, out, errs := run(t, as(t, dir, "blkcrypt", "dec", "--passphrase-file", "p", "-o", "-", "a\x1b[31mb.blk")); code != 0 || out != "text" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// E04, E05: several files, one question; those that a passphrase can't open are
// told first.
func TestE05SeveralFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d.blk"} {
		write(t, dir, name, "text "+name)
	}
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "a", "b", "c")...))
	s.wait("passphrase for a and 2 more files: ")
	s.typed("pw\n")
	s.wait("again: ")
	s.typed("pw\n")
	s.end(0)
	s = onScreen(t, as(t, dir, "blkcrypt", "dec", "-f", "d.blk", "a.blk", "c.blk"))
	s.wait("blkcrypt: d.blk: not a blkcrypt file")
	s.wait("passphrase for a.blk and c.blk: ")
	s.typed("pw\n")
	s.end(exitForeign)
	wantFile(t, filepath.Join(dir, "c"), "text c")
	wantOnly(t, dir, "a", "a.blk", "b", "b.blk", "c", "c.blk", "d.blk")
}

// A line so long that the terminal has cut it is no passphrase.
func TestPromptTooLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	s := onScreen(t, as(t, dir, "blkcrypt", append(fast, "f")...))
	s.wait("passphrase for f: ")
	s.typed(strings.Repeat("x", terminalLine+500) + "\n")
	s.wait("the terminal cuts lines as long as this; give the passphrase by --passphrase-file")
	s.end(exitUsage)
	wantOnly(t, dir, "f")
}

// A passphrase is not read from where it would be shown.
func TestSecretFromTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "text")
	for _, flags := range [][]string{{"--passphrase-file", "-"}, {"--passphrase-file", "/dev/tty"}, {"--passphrase-fd", "0"}, {"-k", "-"}} {
		s := onScreen(t, as(t, dir, "blkcrypt", append(append([]string{"enc"}, flags...), "f")...))
		s.wait("is a terminal and would show the secret; leave the flag out to be asked")
		s.end(exitUsage)
	}
	wantOnly(t, dir, "f")
}
