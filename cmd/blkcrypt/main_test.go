package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is blkcrypt, too, under that name, and the small programs
// the tests need.
func TestMain(m *testing.M) {
	commands := map[string]func(){"blkcrypt": main}
	for name, f := range systemCommands {
		commands[name] = f
	}
	testscript.Main(m, commands)
}

// Each section of a script is titled by the case it is about.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "put": put, "fill": fill, "flip": flip, "cut": cut, "size": size, "mode": mode, "only": only, "same": same,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
	})
}

// code N PROGRAM ARGUMENTS runs the program and checks that its exit code is N
// and that it says why in one line.
func code(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != atoi(ts, args[0]) {
		ts.Fatalf("%v, want exit code %s", err, args[0])
	}
	if line := ts.ReadFile("stderr"); strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "blkcrypt: ") {
		ts.Fatalf("want one line on standard error")
	}
}

// put FILE TEXT writes TEXT, with Go's escapes in it.
func put(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// fill FILE SIZE writes a text of that many bytes.
func fill(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pattern(atoi(ts, args[1])), 0o644))
}

func pattern(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d\n", i)
	}
	return b[:n]
}

// flip FILE OFFSET changes a bit.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	b[atoi(ts, args[1])] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

// cut FILE SIZE drops all after SIZE bytes, from the end where it is negative.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	n := int64(atoi(ts, args[1]))
	if n < 0 {
		n += info.Size()
	}
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// size FILE SIZE checks the size.
func size(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if info.Size() != int64(atoi(ts, args[1])) {
		ts.Fatalf("%s has %d bytes, want %s", args[0], info.Size(), args[1])
	}
}

// mode FILE PERM checks the permissions, which Windows takes from the folder.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if runtime.GOOS == "windows" {
		return
	}
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// only DIR NAMES checks that the folder has these files and no other: no part
// of an output and no temporary file is left.
func only(ts *testscript.TestScript, _ bool, args []string) {
	got, err := names(ts.MkAbs(args[0]))
	ts.Check(err)
	want := args[1:]
	slices.Sort(want)
	if !slices.Equal(got, want) {
		ts.Fatalf("%s holds %v, want %v", args[0], got, want)
	}
}

// [!] same A B compares two files without printing them.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if (ts.ReadFile(args[0]) == ts.ReadFile(args[1])) == neg {
		ts.Fatalf("comparison of %s and %s failed", args[0], args[1])
	}
}

func atoi(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(s)
	ts.Check(err)
	return n
}

func names(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ".tmp" { // the script engine's
			names = append(names, e.Name())
		}
	}
	return names, err
}

// as returns the command that runs this binary under a name, in dir, with
// nothing in the environment but what a program needs.
func as(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{name}, args...), Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
}

// run runs c and returns its exit code and what it printed.
func run(t *testing.T, c *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &out
	}
	c.Stderr = &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// write makes a file and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantOnly checks that dir holds these files and no other.
func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	got, err := names(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
}

func wantFile(t *testing.T, path, content string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != content {
		t.Errorf("%s has %d bytes, which are not the %d expected", path, len(b), len(content))
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
