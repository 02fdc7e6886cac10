package main

import (
	"encoding/csv"

	"golang.org/x/term"
)

// prepare finds all that can be wrong with files before anything is measured.
func (s *speedRun) prepare() error {
	o := s.o
	s.old = o.only
	if o.compare != "" && s.old == nil {
		old, err := readReport(o.compare)
		if err != nil {
			return err
		}
		s.old = old
	}
	if o.svg != "" {
		out, err := s.t.planOutput(o.svg, nil, outputOptions{force: o.force})
		if err != nil {
			return err
		}
		if out.std {
			return usagef("--svg: standard output has the rows; name a file")
		}
		out.mode = 0o666 &^ s.t.umask // there is nothing secret in it
		s.picture = out
	}
	switch {
	case o.json:
		s.layout, s.silent = &jsonLayout{w: s.out}, true
	case o.csv:
		s.layout = &csvLayout{csv.NewWriter(s.out)}
	case s.old != nil:
		s.layout = newComparison(s.out, s.old, o)
	case o.chart:
		s.layout, s.silent = &chart{w: s.out, width: columnsOf(s.t.stdout.Fd()), tiers: o.tiers}, true
	case o.kdf:
		s.layout = &kdfTable{w: s.out}
	case o.tcrypt:
		s.layout = &tcrypt{w: s.out}
	case o.tiers:
		s.layout = newTierTable(s.out, o)
	default:
		s.layout = newTable(s.out, o)
	}
	s.silent = s.silent && term.IsTerminal(int(s.t.stderr.Fd()))
	return nil
}

// draw makes the picture.
func (s *speedRun) draw() error {
	if s.picture == nil {
		return nil
	}
	if err := s.picture.create(); err != nil {
		return err
	}
	defer s.picture.discard()
	if err := writeSVG(s.picture.f, s.o.machine(), s.rows, s.o.tiers); err != nil {
		return failed(s.picture.name, err)
	}
	return s.picture.commit()
}
