//go:build amd64 || arm64

package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// disk is what may be found after loss of power: what was synced, and any part of
// what was not. Nothing is taken for granted but what POSIX says: that syncing a
// file makes its contents durable, syncing a folder the names in it, and that a
// rename happens or does not.
type disk struct {
	files []*inode
	names map[string]int // that are durable, to files
	moves []move         // of names that are not durable yet
	seen  map[string]int // names as the running system sees them
}

type inode struct {
	durable []byte
	pending []diskOp // writes that are not durable yet
}

// move gives the file a name, or takes the name from, or both.
type move struct {
	file     int
	to, from string
}

func newDisk(t *testing.T, dir string) *disk {
	d := &disk{names: make(map[string]int)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		d.names[filepath.Join(dir, e.Name())] = len(d.files)
		d.files = append(d.files, &inode{durable: b})
	}
	d.seen = maps.Clone(d.names)
	return d
}

// do lets the running system do an operation.
func (d *disk) do(t *testing.T, op diskOp) {
	id, known := d.seen[op.Path]
	switch op.Call {
	case "create":
		if known {
			t.Fatalf("opened %s, which is there, for writing", op.Path)
		}
		d.seen[op.Path] = len(d.files)
		d.moves = append(d.moves, move{file: len(d.files), to: op.Path})
		d.files = append(d.files, new(inode))
	case "write":
		d.files[id].pending = append(d.files[id].pending, op)
	case "sync":
		if !known { // the folder
			d.names, d.moves = maps.Clone(d.seen), nil
			return
		}
		f := d.files[id]
		for _, w := range f.pending {
			f.durable = written(f.durable, w.Off, w.Data)
		}
		f.pending = nil
	case "remove":
		delete(d.seen, op.Path)
		d.moves = append(d.moves, move{from: op.Path})
	case "rename":
		delete(d.seen, op.Path)
		d.seen[op.To] = id
		d.moves = append(d.moves, move{file: id, to: op.To, from: op.Path})
	}
}

func written(b []byte, off int64, data []byte) []byte {
	b = bytes.Clone(b)
	if end := int(off) + len(data); end > len(b) {
		b = append(b, make([]byte, end-len(b))...)
	}
	copy(b[off:], data)
	return b
}

// each calls f with every state that loss of power may leave: each write that is
// not durable is on disk, is not, or is to its first or its second half; each move
// of a name is or is not.
func (d *disk) each(f func(files map[string][]byte)) {
	type pending struct {
		file int
		op   diskOp
	}
	var writes []pending
	for i, n := range d.files {
		for _, op := range n.pending {
			writes = append(writes, pending{i, op})
		}
	}
	states := 1 << len(d.moves) << (2 * len(writes))
	for state := range states {
		names := maps.Clone(d.names)
		for i, m := range d.moves {
			if state>>i&1 == 0 {
				continue
			}
			if m.from != "" {
				delete(names, m.from)
			}
			if m.to != "" {
				names[m.to] = m.file
			}
		}
		content := make([][]byte, len(d.files))
		for i, n := range d.files {
			content[i] = n.durable
		}
		for i, w := range writes {
			off, data := w.op.Off, w.op.Data
			half := len(data) / 2
			switch state >> len(d.moves) >> (2 * i) & 3 {
			case 0:
				continue
			case 1:
				data = data[:half]
			case 2:
				off, data = off+int64(half), data[half:]
			}
			content[w.file] = written(content[w.file], off, data)
		}
		files := make(map[string][]byte)
		for name, id := range names {
			files[name] = content[id]
		}
		f(files)
	}
}

// TestPowerLost lets the power fail after each operation of each change. What was
// not synced by then is lost in part or whole.
func TestPowerLost(t *testing.T) {
	t.Parallel()
	for _, x := range crashCases {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := newCrash(t, x)
			c.prepare(t)
			d := newDisk(t, c.dir)
			code, ops := c.run(t, -1)
			if code != 0 {
				t.Fatalf("exit code %d", code)
			}
			// As the tests see it, the file is in another folder each time.
			traced := c.dir
			var states, changed int
			for i := range len(ops) + 1 {
				if i > 0 {
					d.do(t, ops[i-1])
				}
				d.each(func(files map[string][]byte) {
					if t.Failed() {
						return
					}
					c.dir = t.TempDir()
					for name, b := range files {
						c.write(t, filepath.Base(name), b)
					}
					states++
					if c.check(t) {
						changed++
					}
					if t.Failed() {
						t.Errorf("after %d of the operations %s", i, calls(ops))
					}
				})
			}
			for name, id := range d.seen {
				if b, err := os.ReadFile(name); err != nil || len(d.files[id].pending) > 0 || !bytes.Equal(b, d.files[id].durable) {
					t.Errorf("in the end %s is not on disk: %v", filepath.Base(name), err)
				}
			}
			if len(d.moves) > 0 {
				t.Errorf("in the end %d names in %s are not on disk", len(d.moves), traced)
			}
			t.Logf("%d states, of which %d are new files", states, changed)
		})
	}
}
