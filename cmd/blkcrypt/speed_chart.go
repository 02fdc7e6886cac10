package main

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// bars are rows that have a speed, and the largest of these.
type bars struct {
	rows []row
	most float64
}

func barsOf(rows []row) (b bars) {
	for _, r := range rows {
		if r.MiBPerS.known() && r.MiBPerS > 0 {
			b.rows = append(b.rows, r)
			b.most = max(b.most, float64(r.MiBPerS))
		}
	}
	return b
}

// label names a row within its table. The tier is part of it where rows are on
// several.
func (b *bars) label(r *row, tiers bool) string {
	if tiers {
		return r.label() + " " + r.Tier
	}
	return r.label()
}

// chart draws bars as wide as the terminal.
type chart struct {
	w     io.Writer
	width int // columns
	tiers bool
	rows  []row
	m     *machine
}

// columnsOf returns the width of a terminal, and 80 for what is none.
func columnsOf(fd uintptr) int {
	if width, _, err := term.GetSize(int(fd)); err == nil && width > 0 {
		return width
	}
	return 80
}

func (c *chart) begin(m *machine) { c.m = m }

func (c *chart) add(r *row) {
	if r.none == "" {
		c.rows = append(c.rows, *r)
	}
}

func (c *chart) end() {
	c.m.print(c.w)
	b := barsOf(c.rows)
	labels := 0
	for i := range b.rows {
		labels = max(labels, len(b.label(&b.rows[i], c.tiers)))
	}
	// Two columns before the label, one on each side of the bar, the figure, and
	// one that is left free, where some terminals begin a new line.
	const figures = len("12345 MiB/s")
	room := max(c.width-labels-figures-5, 8)
	inside := ""
	for i := range b.rows {
		r := &b.rows[i]
		if name := r.algorithm(); name != inside {
			inside = name
			fmt.Fprintf(c.w, "\n%s\n", name)
		}
		fmt.Fprintf(c.w, "  %*s %s %s\n", labels, b.label(r, c.tiers), bar(float64(r.MiBPerS)/b.most, room), united(r.MiBPerS, "MiB/s"))
	}
}

// bar draws a part of a width, to an eighth of a column.
func bar(part float64, width int) string {
	eighths := int(part*float64(8*width) + 0.5)
	s := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 || eighths == 0 {
		s += string([]rune("▏▏▎▍▌▋▊▉")[rest])
	}
	return s
}
