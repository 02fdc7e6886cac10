package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
)

// decimal writes a figure the way libgcrypt's bench-slope does.
func decimal(f figure) string {
	switch {
	case !f.known():
		return "-"
	case f < 1:
		return fmt.Sprintf("%.3f", float64(f))
	case f < 100:
		return fmt.Sprintf("%.2f", float64(f))
	case f < 1000:
		return fmt.Sprintf("%.1f", float64(f))
	}
	return fmt.Sprintf("%.0f", float64(f))
}

func united(f figure, unit string) string {
	if !f.known() {
		return "-"
	}
	return decimal(f) + " " + unit
}

// clock is the clock in MHz. Where it did not stand still it says by how much it
// moved.
func (r *row) clock() string {
	if !r.MHz.known() {
		return "-"
	}
	s := fmt.Sprintf("%.0f", float64(r.MHz))
	if !r.Steady {
		s += fmt.Sprintf("±%.0f", float64(r.drift))
	}
	return s
}

// noisy is the scatter of a row whose figures are worth no more than that.
const noisy = 0.03

func (r *row) remark() string {
	switch {
	case r.none != "":
		return "  " + r.none
	case r.Noise > noisy:
		return fmt.Sprintf("  ±%.0f%%", 100*float64(r.Noise))
	}
	return ""
}

// table is bench-slope's layout: a table a cipher and key size, a line a row.
type table struct {
	w      io.Writer
	title  string
	width  int  // of the first column
	calls  bool // there is a column for the cost of a call
	fixed  bool // the clock was given
	inside string
}

func newTable(w io.Writer, o *speedOptions) *table {
	t := &table{w: w, title: "Cipher", width: 14, calls: len(o.sizes) > 0, fixed: o.mhz > 0}
	if t.calls {
		t.width = 20
	}
	if o.file > 0 {
		t.title = fmt.Sprintf("File of %d bytes, %d at once", o.file, runtime.GOMAXPROCS(0))
	}
	return t
}

func (t *table) begin(m *machine) {
	m.print(t.w)
	fmt.Fprintf(t.w, "\n%s:\n", t.title)
}

func (t *table) add(r *row) {
	if name := r.algorithm(); name != t.inside {
		t.end()
		t.inside = name
		t.columns(name, true, "nanosecs/byte", "mebibytes/sec", "cycles/byte", "auto Mhz", "nanosecs/call", "")
	}
	call := ""
	if t.calls && r.NsPerCall != nil {
		call = decimal(*r.NsPerCall) + " ns"
	}
	t.columns(r.label(), false, united(r.NsPerByte, "ns/B"), united(r.MiBPerS, "MiB/s"), united(r.CyclesPerByte, "c/B"), r.clock(), call, r.remark())
}

func (t *table) columns(first string, left bool, ns, speed, cycles, clock, call, remark string) {
	var b strings.Builder
	if left {
		fmt.Fprintf(&b, " %-*s | ", t.width, first)
	} else {
		fmt.Fprintf(&b, " %*s | ", t.width, first)
	}
	fmt.Fprintf(&b, "%14s %15s %13s", ns, speed, cycles)
	if !t.fixed {
		fmt.Fprintf(&b, " %9s", clock)
	}
	if t.calls {
		fmt.Fprintf(&b, " %14s", call)
	}
	fmt.Fprintln(t.w, strings.TrimRight(b.String()+remark, " "))
}

func (t *table) end() {
	if t.inside != "" {
		fmt.Fprintf(t.w, " %-*s =\n", t.width, "")
		t.inside = ""
	}
}

// tierTable shows the cycles a byte takes on each tier in columns. (In nanoseconds
// where --bytes has a message of none: there, of a call.)
type tierTable struct {
	w       io.Writer
	tiers   map[string][]string // of each cipher, best first
	inside  string              // the table
	line    string              // the row begun
	filled  int                 // columns of it
	columns []string
}

func newTierTable(w io.Writer, o *speedOptions) *tierTable {
	t := &tierTable{w: w, tiers: make(map[string][]string)}
	for _, c := range speedCiphers {
		for _, k := range o.hardware.tiers(c) {
			t.tiers[c.Name] = append(t.tiers[c.Name], k.Name)
		}
	}
	return t
}

func (t *tierTable) begin(m *machine) {
	m.print(t.w)
	fmt.Fprintf(t.w, "\nCipher, cycles/byte on each tier:\n")
}

// cell is the width of a column.
const cell = 13

func (t *tierTable) add(r *row) {
	if name := r.algorithm(); name != t.inside {
		t.end()
		t.inside, t.columns = name, t.tiers[r.Cipher]
		if r.Tier == peerTier {
			t.columns = []string{peerTier}
		}
		fmt.Fprintf(t.w, " %-20s |", name)
		for _, tier := range t.columns {
			fmt.Fprintf(t.w, " %*s", cell, tier)
		}
		fmt.Fprintln(t.w)
	}
	// Each tier has its own number of lanes.
	plain := *r
	label := plain.label()
	if r.Lanes > 1 {
		plain.Lanes = 1
		label = plain.label() + " batch"
	}
	column := indexOf(t.columns, r.Tier)
	if label != t.line || column < t.filled {
		t.endLine()
		t.line = label
		fmt.Fprintf(t.w, " %20s |", label)
	}
	for ; t.filled < column; t.filled++ {
		fmt.Fprintf(t.w, " %*s", cell, "-")
	}
	text := decimal(r.CyclesPerByte)
	if r.none == "" && (!r.Steady || r.Noise > noisy) {
		text = "~" + text
	}
	fmt.Fprintf(t.w, " %*s", cell, text)
	if t.filled++; t.filled == len(t.columns) {
		t.endLine()
	}
}

func (t *tierTable) endLine() {
	if t.line != "" {
		fmt.Fprintln(t.w)
	}
	t.line, t.filled = "", 0
}

func (t *tierTable) end() {
	t.endLine()
	if t.inside != "" {
		fmt.Fprintf(t.w, " %-20s =\n", "")
		t.inside = ""
	}
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return 0
}
