//go:build amd64 || arm64

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blkcrypt/format"
)

// crashCase is a change of keys that must not lose a file wherever it is cut off.
type crashCase struct {
	name  string
	slots int      // key slots that the file has before
	args  []string // of blkcrypt
	// before prepares the folder further; the new header is what the change makes.
	before func(t *testing.T, c *crash)
}

// The file f opens with a.key before, and with b.key, too, after the change.
var crashCases = []crashCase{
	{"in place", 1, []string{"key", "add", "-k", "a.key", "--new-key-file", "b.key", "f"}, nil},
	{"growing", 4, []string{"key", "add", "-k", "a.key", "--new-key-file", "b.key", "f"}, nil},
	{"recover", 1, []string{"key", "recover", "-k", "b.key", "f"}, func(t *testing.T, c *crash) {
		// Cut off when half of the header was written.
		c.write(t, "f"+format.HeaderCopy(""), c.after[:headerOf(c.after)])
		torn := append(append([]byte(nil), c.after[:300]...), c.old[300:]...)
		c.write(t, "f", torn)
	}},
	{"recover, copy not complete", 1, []string{"key", "recover", "-k", "a.key", "f"}, func(t *testing.T, c *crash) {
		c.write(t, "f"+format.HeaderCopy(""), c.after[:100])
	}},
}

// crash is a folder in which a change is cut off.
type crash struct {
	crashCase
	dir        string
	ka, kb     *format.Secret
	keys       map[string][]byte
	plain      []byte
	old, after []byte // the file before the change, and as "key add" makes it
}

func headerOf(file []byte) int { return int(file[14])<<8 | int(file[15]) }

func newCrash(t *testing.T, x crashCase) *crash {
	c := &crash{crashCase: x, keys: make(map[string][]byte), plain: pattern(3*4096 + 100)}
	newKey := func(name string) *format.Secret {
		line, err := format.GenerateKeyFile()
		if err != nil {
			t.Fatal(err)
		}
		s, err := format.ParseKeyFile(line)
		if err != nil {
			t.Fatal(err)
		}
		c.keys[name] = line
		return s
	}
	c.ka, c.kb = newKey("a.key"), newKey("b.key")
	secrets := []*format.Secret{c.ka}
	for i := 1; i < x.slots; i++ {
		secrets = append(secrets, newKey(fmt.Sprint(i)))
	}
	var file bytes.Buffer
	w, err := format.NewWriter(&file, format.NewKeyring(secrets...), format.Options{ChunkLog: 12})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(c.plain)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c.old = file.Bytes()
	e, err := format.NewEditor(bytes.NewReader(c.old), format.NewKeyring(c.ka))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Add(c.kb, 0); err != nil {
		t.Fatal(err)
	}
	header, _, err := e.Header()
	if err != nil {
		t.Fatal(err)
	}
	c.after = append(header, c.old[headerOf(c.old):]...)
	return c
}

func (c *crash) write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// prepare makes a folder as it is before the change.
func (c *crash) prepare(t *testing.T) {
	t.Helper()
	c.dir = t.TempDir()
	for name, b := range c.keys {
		c.write(t, name, b)
	}
	c.write(t, "f", c.old)
	if c.before != nil {
		c.before(t, c)
	}
}

// run makes the change, cut off at a stop, and returns what it did to the disk.
func (c *crash) run(t *testing.T, stop int) (code int, ops []diskOp) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	code, _, errs := run(t, as(t, c.dir, "traced", append([]string{log, strconv.Itoa(stop)}, c.args...)...))
	if code == 100 {
		t.Skip("no tracing here: ", errs)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	for {
		var op diskOp
		if err := d.Decode(&op); errors.Is(err, io.EOF) {
			return code, ops
		} else if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
}

// opens reports whether s opens the file whole, and that its contents are right.
func (c *crash) opens(t *testing.T, s *format.Secret) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := format.NewReader(bytes.NewReader(b), format.NewKeyring(s))
	if err != nil {
		return false
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, c.plain) {
		t.Errorf("its key opens the file, but: %v", err)
	}
	return true
}

// check finishes a change that was cut off, and wants the file as it was before or
// as it is after.
func (c *crash) check(t *testing.T) (changed bool) {
	t.Helper()
	path := filepath.Join(c.dir, "f")
	did, err := format.RecoverHeader(path, format.NewKeyring(c.ka))
	if err != nil {
		t.Errorf("recovery: %v", err)
	}
	if interrupted(path) {
		t.Error("the copy is left")
	}
	if !c.opens(t, c.ka) {
		t.Errorf("lost: the old key does not open the file any more (%v)", did)
	}
	changed = c.opens(t, c.kb)
	if !changed {
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, c.old) {
			t.Errorf("neither the old file nor the new: %v", err)
		}
	}
	return changed
}

// TestKilled kills each change before and after each system call that changes
// the disk.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, x := range crashCases {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, x)
			if grows := headerOf(c.after) > headerOf(c.old); grows != (x.name == "growing") {
				t.Fatalf("grows: %v", grows)
			}
			c.prepare(t)
			code, ops := c.run(t, -1)
			if code != 0 || len(ops) < 2 {
				t.Fatalf("not cut off: exit code %d, %d operations", code, len(ops))
			}
			if changed := c.check(t); changed == strings.Contains(x.name, "not complete") {
				t.Fatalf("not cut off: changed %v", changed)
			}
			var stops []int
			for stop := range 2 * len(ops) {
				if !testing.Short() || stop == 0 || stop == len(ops) || stop == 2*len(ops)-1 {
					stops = append(stops, stop)
				}
			}
			var before, after int
			for _, stop := range stops {
				c.prepare(t)
				if code, _ := c.run(t, stop); code != 128+9 {
					t.Fatalf("at stop %d of %d: exit code %d instead of killed", stop, 2*len(ops), code)
				}
				if !strings.HasPrefix(x.name, "recover") && !c.opens(t, c.ka) {
					t.Errorf("at stop %d: the file does not open before recovery", stop)
				}
				if c.check(t) {
					after++
				} else {
					before++
				}
				if t.Failed() {
					t.Fatalf("at stop %d of %d, operations %s", stop, 2*len(ops), calls(ops))
				}
			}
			t.Logf("%d operations (%s): old %d times, new %d times", len(ops), calls(ops), before, after)
			if x.before == nil && (before == 0 || after == 0) {
				t.Error("never cut off before, or never after the change")
			}
		})
	}
}

func calls(ops []diskOp) string {
	var list []string
	for _, op := range ops {
		list = append(list, op.Call+" "+filepath.Base(op.Path))
	}
	return strings.Join(list, ", ")
}
