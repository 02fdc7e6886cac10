//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// A pipeline is commands of which each reads what the one before writes. The
// first reads from a file, where one is named, and the last writes to nowhere.
type pipeline struct {
	from  string
	parts [][]string
}

func command(name string, args ...string) pipeline {
	return pipeline{parts: [][]string{append([]string{name}, args...)}}
}

func (p pipeline) to(name string, args ...string) pipeline {
	return pipeline{p.from, append(slices.Clone(p.parts), append([]string{name}, args...))}
}

// start starts all parts, the last of which writes to out.
func (p pipeline) start(out io.Writer) (parts []*exec.Cmd, failure *bytes.Buffer, err error) {
	failure = new(bytes.Buffer)
	var in *os.File
	if p.from != "" {
		if in, err = os.Open(p.from); err != nil {
			return nil, nil, err
		}
	}
	for i, args := range p.parts {
		c := exec.Command(args[0], args[1:]...)
		if in != nil {
			c.Stdin = in
		}
		var next, w *os.File
		if i < len(p.parts)-1 {
			if next, w, err = os.Pipe(); err != nil {
				return parts, failure, err
			}
			c.Stdout = w
		} else {
			c.Stdout = out
			c.Stderr = failure
		}
		err = c.Start()
		for _, f := range []*os.File{in, w} {
			if f != nil {
				f.Close()
			}
		}
		if err != nil {
			return parts, failure, err
		}
		parts, in = append(parts, c), next
	}
	return parts, failure, nil
}

// finish runs the pipeline and returns the peak of memory of its last part.
func (p pipeline) finish(out io.Writer) (peak int64, err error) {
	parts, failure, err := p.start(out)
	for i, c := range parts {
		if e := c.Wait(); e != nil && err == nil {
			err = fmt.Errorf("%v: %w: %s", p.parts[i], e, failure)
		}
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = int64(u.Maxrss)
		}
	}
	return peak, err
}

func (p pipeline) run() error {
	_, err := p.finish(nil)
	return err
}

func (p pipeline) output() (string, error) {
	var out bytes.Buffer
	_, err := p.finish(&out)
	return out.String(), err
}

// A job is something to time; before it, files that it makes are removed.
type job struct {
	name    string
	makes   []string
	p       pipeline
	after   []pipeline // timed, too
	seconds []float64
}

func (j *job) median() float64 {
	s := slices.Sorted(slices.Values(j.seconds))
	return s[len(s)/2]
}

// measure runs all jobs in turn, runs times.
func (b *bench) measure(jobs []*job) error {
	for range b.runs {
		for _, j := range jobs {
			for _, name := range j.makes {
				if err := os.RemoveAll(name); err != nil {
					return err
				}
			}
			start := time.Now()
			for _, p := range append([]pipeline{j.p}, j.after...) {
				if err := p.run(); err != nil {
					return err
				}
			}
			j.seconds = append(j.seconds, time.Since(start).Seconds())
		}
	}
	return nil
}
