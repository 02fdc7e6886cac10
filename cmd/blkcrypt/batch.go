package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blkcrypt/format"
)

// batch is a run of enc or dec over files.
type batch struct {
	t    *tool
	conv *conversion
	*settings
	ring *format.Keyring

	made []*folder // or to be made, the outer ones before those in them

	mu   sync.Mutex
	code int // the worst of the files so far
	end  bool
}

// worst orders exit codes: that of several files is the last of this list that
// one of them has. A script should hear of what may be lost first.
var worst = []int{exitDone, exitUsage, exitRefused, exitForeign, exitKey, exitFailure, exitDamaged, exitPipe}

func worse(a, b int) int {
	for i := len(worst) - 1; i > 0; i-- {
		if worst[i] == a || worst[i] == b {
			return worst[i]
		}
	}
	return max(a, b)
}

// reported is an exit code whose reasons the user has been told.
type reported int

func (r reported) Error() string { return fmt.Sprintf("exit code %d", int(r)) }

// failed tells the user of a file that failed. It returns false where nothing
// more should be done.
func (b *batch) failed(name, target string, err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	code := b.t.report(err)
	b.code = worse(b.code, code)
	b.end = b.end || b.failFast || code == exitPipe
	b.record(&record{Input: inputName(name), Output: target, Error: classOf(code, err), Message: err.Error()})
	return !b.end
}

func (b *batch) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.end
}

// tell tells the user what is done where that is asked for.
func (b *batch) tell(name, text string) {
	if b.verbose {
		b.t.say(show(name) + ": " + text)
	}
}

// record is a file in the output of --json.
type record struct {
	Input   string  `json:"input"`
	Output  string  `json:"output,omitempty"`
	Suite   string  `json:"suite,omitempty"`
	Bytes   int64   `json:"bytes"`           // of plaintext
	Seconds float64 `json:"seconds"`         // of work, without the wait for the disk
	Error   string  `json:"error,omitempty"` // its class
	Message string  `json:"message,omitempty"`
}

// record writes r. The caller holds the lock.
func (b *batch) record(r *record) {
	if !b.json {
		return
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	if err == nil {
		_, err = b.t.stdout.Write(line.Bytes())
	}
	if err != nil && !b.end {
		b.code, b.end = worse(b.code, b.t.report(failed("standard output", err))), true
	}
}

// checkSecretFiles makes sure that no secret is overwritten or removed and that
// standard input carries one thing only.
func (b *batch) checkSecretFiles(src *secretSources, jobs []*task) error {
	for i, j := range jobs {
		if i > 0 && j.out.old == nil {
			continue
		}
		if err := b.t.checkSecretFiles(src, j.name == "-", j.out); err != nil {
			return err
		}
	}
	if !b.remove {
		return nil
	}
	for _, name := range append([]string{src.file}, src.keyFiles...) {
		info, err := os.Stat(name)
		for _, j := range jobs {
			if err == nil && os.SameFile(info, j.info) {
				return refusef(j.name, "", "opens the output; --rm would remove it")
			}
		}
	}
	return nil
}

// probe looks at the inputs before the user is asked for a passphrase, and
// leaves those that may be worth it. The only input of a run is opened for good:
// a FIFO could not be opened twice.
func (b *batch) probe(jobs []*task, asks bool) (left []*task) {
	for _, j := range jobs {
		if len(jobs) > 1 && (!asks || !j.info.Mode().IsRegular()) {
			left = append(left, j)
			continue
		}
		in, err := b.open(j, asks)
		if err != nil {
			if !b.failed(j.name, j.out.name, err) {
				return nil
			}
			continue
		}
		if len(jobs) > 1 {
			in.Close()
			j.in = nil
		}
		left = append(left, j)
	}
	return left
}

func (b *batch) result() error {
	if b.code == exitDone {
		return nil
	}
	return reported(b.code)
}

const (
	// Small files are worked on side by side and wait for the disk together, in
	// groups of consecutive ones. A large one is a group by itself, and so is a
	// stream, which may be large: each takes all the memory that there is for
	// buffers.
	groupFiles = 64
	groupBytes = 1 << 20
)

// weight is how many bytes a task counts for in a group.
func (j *task) weight() int64 {
	if !j.info.Mode().IsRegular() {
		return groupBytes + 1
	}
	return j.info.Size()
}

func (b *batch) run(tasks []*task) {
	for len(tasks) > 0 && !b.ended() {
		n, size := 1, tasks[0].weight()
		for n < min(groupFiles, len(tasks)) && !b.failFast {
			if size += tasks[n].weight(); size > groupBytes {
				break
			}
			n++
		}
		b.runGroup(tasks[:n])
		tasks = tasks[n:]
	}
	// Folders for outputs that failed are taken back: what is not empty stays.
	for _, f := range slices.Backward(b.made) {
		if f.made {
			os.Remove(f.path)
		}
	}
}

func (b *batch) runGroup(group []*task) {
	b.each(group, func(j *task) {
		start := time.Now()
		j.err = b.convertOne(j)
		j.seconds = time.Since(start).Seconds()
	})
	b.each(group, func(j *task) {
		if j.err != nil {
			return
		}
		if j.err = j.out.settle(); j.err != nil {
			j.out.discard()
		}
	})
	synced := make(map[string]error)
	for _, j := range group {
		if j.err == nil && j.out.tmp != "" {
			dir := filepath.Dir(j.out.name)
			err, done := synced[dir]
			if !done {
				err = failed(dir, syncFolder(dir))
				synced[dir] = err
			}
			j.err = err
		}
		if j.err == nil && b.remove {
			j.err = failed(j.name, removeInput(j))
		}
		b.report(j)
	}
}

// each calls f for all of a group, a few at a time.
func (b *batch) each(group []*task, f func(*task)) {
	var next atomic.Int64
	var all sync.WaitGroup
	workers := b.jobs
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(len(group), workers) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(group) {
					return
				}
				f(group[i])
			}
		})
	}
	all.Wait()
}

// report tells what became of a file.
func (b *batch) report(j *task) {
	if j.err != nil {
		b.failed(j.name, j.out.name, j.err)
		return
	}
	in := inputName(j.name)
	b.tell(in, fmt.Sprintf("%s, %d bytes, %s, %.3f s", show(j.out.name), j.plain, j.suite, j.seconds))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.record(&record{Input: in, Output: j.out.name, Suite: j.suite, Bytes: j.plain, Seconds: j.seconds})
}

// convertOne writes the output of a task, which is not on disk nor under its
// name then.
func (b *batch) convertOne(j *task) (err error) {
	in, err := b.open(j, false)
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() {
		if err != nil {
			j.out.discard()
		}
	}()
	if err := j.out.create(); err != nil {
		return err
	}
	if !j.out.atOffset() {
		widen(j.out.f)
	}
	in.m = &b.t.meter
	if err := b.conv.run(j.out, in, b.ring); err != nil {
		return failed(culprit(err, in, j.out), err)
	}
	j.suite, j.plain = in.suite, in.plain
	if b.preserve {
		j.out.times = in.info.ModTime()
	}
	return j.out.seal()
}

// open opens the input of a task, which must be the file that was planned for.
// The first time it is probed.
func (b *batch) open(j *task, asks bool) (*input, error) {
	if j.in == nil {
		in, err := b.t.openInput(j.name)
		if err != nil {
			return nil, err
		}
		if !os.SameFile(in.info, j.info) {
			in.Close()
			return nil, failed(j.name, errors.New("was replaced by another file meanwhile"))
		}
		in.describe = b.json || b.verbose
		j.in = in
	}
	if j.probed {
		return j.in, nil
	}
	j.probed = true
	if err := b.conv.probe(j.in, asks); err != nil {
		j.in.Close()
		return nil, err
	}
	return j.in, nil
}

// removeInput removes a file whose output is on disk, unless the name stands
// for another file by now or the file was written to while the disk was waited
// for.
func removeInput(j *task) error {
	info, err := os.Lstat(j.name)
	if err == nil && !os.SameFile(info, j.info) {
		err = errors.New("was replaced by another file meanwhile; not removed")
	}
	if read := j.in.info; err == nil && (info.Size() != read.Size() || !info.ModTime().Equal(read.ModTime())) {
		err = errors.New("changed after it was read; not removed")
	}
	if err == nil {
		err = os.Remove(j.name)
	}
	return err
}
