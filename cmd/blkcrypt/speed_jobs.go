package main

import (
	"fmt"

	"blkcrypt/aead"
	"blkcrypt/internal/slope"
)

// job is one row to measure.
type job struct {
	subject
	op    string
	batch bool // as many chunks as the mode works side by side
	size  int  // of the message whose call is timed; -1 for the cost of a byte
}

// tableJobs lists what the tables show: for each choice all operations, on all of
// its tiers before the next, and of each size if there are any.
func tableJobs(cs []choice, h hardware, o *speedOptions) (jobs []job) {
	sizes := o.sizes
	if len(sizes) == 0 {
		sizes = []int{-1}
	}
	add := func(subjects []subject, op string, batch bool) {
		for _, size := range sizes {
			for _, s := range subjects {
				jobs = append(jobs, job{s, op, batch, size})
			}
		}
	}
	for i, c := range cs {
		subjects := h.subjects(c, o.tiers)
		add(subjects, "enc", false)
		add(subjects, "dec", false)
		if isAEAD(c.mode) {
			add(subjects, "auth", false)
			add(subjects, "enc", true)
			add(subjects, "dec", true)
		}
		last := i+1 == len(cs) || cs[i+1].cipher != c.cipher || cs[i+1].bits != c.bits
		if o.peer && last && c.cipher.Name == "aes" {
			peer := []subject{{c.cipher.Name, c.bits, "gcm", peerTier, ""}}
			for _, op := range []string{"enc", "dec", "auth"} {
				add(peer, op, false)
			}
		}
	}
	return jobs
}

// bench makes calls to time.
type bench struct {
	known map[subject]*messages // those that have given a known answer
	meter *slope.Meter
}

// messages returns the messages of s, once they have proved right.
func (b *bench) messages(s subject) (*messages, error) {
	if m := b.known[s]; m != nil {
		return m, nil
	}
	m, err := newMessages(s)
	if err == nil {
		err = m.check(s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s with %d-bit keys in %s mode on tier %s: %w", s.cipher, s.bits, s.mode, s.tier, err)
	}
	if b.known == nil {
		b.known = make(map[subject]*messages)
	}
	b.known[s] = m
	return m, nil
}

// measure does a job. It returns no row where there is no such job: a batch of
// one.
func (b *bench) measure(j job) (*row, error) {
	m, err := b.messages(j.subject)
	if err != nil {
		return nil, err
	}
	lanes := 1
	if j.batch {
		if lanes = m.lanes; lanes == 1 {
			return nil, nil
		}
	}
	r := newRow(j.subject, j.op, lanes)
	end := slope.Hush()
	defer end()
	switch {
	case j.size >= 0 && !m.takes(j.size):
		r.Bytes = &j.size
		if r.none = "whole blocks only"; m.least > 0 {
			r.none = fmt.Sprintf("%d bytes or more", m.least)
		}
	case j.size >= 0:
		r.perCall(b.meter.PerCall(m.call(j, j.size)), j.size, j.size*lanes)
	default:
		var points []slope.Point
		for _, n := range m.sizes(j.batch) {
			points = append(points, slope.Point{Bytes: n * lanes, Call: m.call(j, n)})
		}
		r.perByte(b.meter.PerByte(points))
	}
	if m.err != nil {
		return nil, fmt.Errorf("%s: a wrong answer while it was timed: %w", r.label(), m.err)
	}
	return &r, nil
}

// sizes returns the sizes to fit a line to. They fill the registers, so that
// what is left over at the end of a message costs none of them more than the
// others, and fit the caches that a message or a batch is worked in.
func (m *messages) sizes(batch bool) (sizes []int) {
	step, count := 1024, 8
	switch {
	case batch && m.lanes > 8:
		step, count = 4096, 4
	case batch:
		count = 4
	}
	unit := m.width * 16
	step = (step + unit - 1) / unit * unit
	for i := range count {
		sizes = append(sizes, (i+1)*step)
	}
	return sizes
}

// call returns a function that does the job's operation once, on n bytes.
func (m *messages) call(j job, n int) func() {
	if j.batch {
		return m.batchCall(j.op, n)
	}
	// In place, but for what would be overwritten: a ciphertext that is opened.
	buf := aligned(n+m.overhead(), 0)
	copy(buf, bytesOf(n, 0))
	switch {
	case j.op == "enc":
		return func() { m.enc(buf[:n+m.overhead()], buf[:n]) }
	case j.op == "auth":
		var tag [16]byte
		return func() { m.auth(tag[:], buf[:n]) }
	case m.aead == nil:
		return func() { m.dec(buf, buf) }
	}
	m.enc(buf, buf[:n])
	// Half a page on, so that no load waits for a store that looks like its own.
	dst := aligned(n, 2048)
	return func() { m.dec(dst, buf) }
}

func (m *messages) batchCall(op string, n int) func() {
	b := m.batch(n)
	if op == "enc" {
		return func() { aead.SealBatch(m.aead, &b) }
	}
	aead.SealBatch(m.aead, &b)
	o := m.open(b)
	return func() { m.openBatch(&o) }
}
