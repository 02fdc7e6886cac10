//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"syscall"
	"testing"
)

// TestSpeedInterrupted: ^C ends it at once and leaves the rows so far.
func TestSpeedInterrupted(t *testing.T) {
	t.Parallel()
	c := as(t, t.TempDir(), "blkcrypt", "speed", "-a", "--time", "20ms")
	var errs bytes.Buffer
	c.Stderr = &errs
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	var rows strings.Builder
	for !strings.Contains(rows.String(), "CBC enc") {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("%s%v", rows.String(), err)
		}
		rows.WriteString(line)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitSignal+int(syscall.SIGINT) || !strings.Contains(errs.String(), "ended by a signal") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	rows.Write(rest)
	text := rows.String()
	if !strings.HasSuffix(text, " =\n") || strings.Contains(text, "SM4 ") && strings.Contains(text, "OCB auth") {
		t.Errorf("it went on or left half a table:\n%s", text)
	}
}
