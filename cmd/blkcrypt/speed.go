package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"blkcrypt/internal/slope"
)

func (t *tool) speedCommand() *cli.Command {
	flag := func(name, usage string) cli.Flag {
		return &cli.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true}
	}
	return &cli.Command{
		Name:      "speed",
		Usage:     "measure how fast ciphers and modes are on this machine",
		UsageText: "blkcrypt speed [flags]",
		Description: "Without flags, the authenticated modes with keys of 256 bits (SM4: 128). LIST has names or\n" +
			"patterns such as aes-256, camellia, sm4-ocb or '*-gcm', separated by commas.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "measure all ciphers, key sizes and modes", DisableDefaultText: true},
			&cli.StringSliceFlag{Name: "cipher", Aliases: []string{"c"}, Usage: "measure the ciphers or suites of `LIST`"},
			&cli.StringSliceFlag{Name: "mode", Aliases: []string{"m"}, Usage: "measure the modes of `LIST`: " + strings.Join(speedModes, ", ")},
			&cli.StringSliceFlag{Name: "disable-hwf", Usage: "do not use the processor features of `LIST`, named as above the tables, or all"},
			flag("tiers", "measure each cipher on every tier that this machine can run, side by side"),
			&cli.StringFlag{Name: "bytes", Usage: "time messages of each size of `LIST` in bytes, set-up included"},
			flag("tcrypt", "time messages of 16 to 8192 bytes in the layout of Linux's tcrypt"),
			&cli.StringFlag{Name: "file", Usage: "time the encryption and decryption of a file of `SIZE`, in memory"},
			flag("kdf", "time scrypt for each cost from 2^14 to 2^20"),
			&cli.StringFlag{Name: "time", Usage: "measure each row for about `DURATION`", DefaultText: "80ms"},
			&cli.StringFlag{Name: "cpu-mhz", Usage: "take the clock to be `MHZ` instead of measuring it"},
			flag("json", "print one JSON document"),
			flag("csv", "print comma-separated values"),
			&cli.StringFlag{Name: "compare", Usage: "compare with `FILE`, which --json has made"},
			flag("chart", "draw bars in the terminal"),
			&cli.StringFlag{Name: "svg", Usage: "draw a picture into `FILE`, too"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing picture", DisableDefaultText: true},
			&cli.BoolFlag{Name: "peer", Hidden: true},
		},
		Action: t.speed,
	}
}

func (t *tool) speed(c *cli.Context) error {
	o, err := parseSpeed(c)
	if err != nil {
		return err
	}
	s := &speedRun{
		t:     t,
		o:     o,
		out:   &textWriter{f: t.stdout},
		bench: bench{meter: slope.New(o.time, o.mhz)},
	}
	if err := s.prepare(); err != nil {
		return err
	}
	return s.run()
}

// layout shows rows. Calls come one at a time.
type layout interface {
	begin(m *machine)
	add(r *row)
	// end finishes what begin has begun, after the last row or, where a signal
	// ends the process, after the last so far.
	end()
}

// speedRun is one run of the subcommand.
type speedRun struct {
	t       *tool
	o       *speedOptions
	bench   bench
	out     *textWriter
	picture *output // of --svg
	layout  layout
	old     *report // of --compare
	silent  bool    // nothing is shown before the end
	shown   int     // rows

	mu   sync.Mutex
	rows []row
	over bool
}

// source yields rows until there are no more, and is told to stop by false.
type source func(yield func(*row) bool) error

// run measures row after row.
func (s *speedRun) run() error {
	measure, total := s.source()
	undo, err := s.t.guard.do(func() error { return nil }, s.finish)
	if err != nil {
		return err
	}
	s.layout.begin(s.o.machine())
	s.progress(total)
	err = measure(func(r *row) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.over {
			return false
		}
		if r.none == "" {
			s.rows = append(s.rows, *r)
		}
		s.layout.add(r)
		s.shown++
		s.progress(total)
		return s.out.err == nil
	})
	s.t.guard.done(undo, func() error {
		s.finish()
		return nil
	})
	if err != nil {
		return &failure{code: exitFailure, err: err}
	}
	if s.out.err != nil {
		return failed("standard output", s.out.err)
	}
	return s.draw()
}

// finish ends the layout, once. A signal waits for a row that is being written,
// but not for ever: nobody may be reading.
func (s *speedRun) finish() {
	for wait := 0; !s.mu.TryLock(); wait++ {
		if wait == 100 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		s.clearProgress()
		s.layout.end()
	}
}

// source returns what makes the rows, and how many there may be.
func (s *speedRun) source() (source, int) {
	switch {
	case s.o.kdf:
		return s.kdfRows, maxKDF - minKDF + 1
	case s.o.file > 0:
		return s.fileRows, 2 * len(s.o.choices)
	}
	var jobs []job
	if s.o.tcrypt {
		jobs = tcryptJobs(s.o.choices, s.o.hardware, s.o)
	} else {
		jobs = tableJobs(s.o.choices, s.o.hardware, s.o)
	}
	if s.o.only != nil {
		jobs = slices.DeleteFunc(jobs, func(j job) bool { return !s.o.only.has(j) })
	}
	return func(yield func(*row) bool) error {
		for _, j := range jobs {
			r, err := s.bench.measure(j)
			if err != nil {
				return err
			}
			if r != nil && !yield(r) {
				return nil
			}
		}
		return nil
	}, len(jobs)
}

// progress tells a terminal how far it is where nothing else does.
func (s *speedRun) progress(total int) {
	if s.silent {
		fmt.Fprintf(s.t.stderr, "\r%d of %d ", s.shown, total)
	}
}

func (s *speedRun) clearProgress() {
	if s.silent {
		fmt.Fprintf(s.t.stderr, "\r%*s\r", len("10000 of 10000 "), "")
	}
}
