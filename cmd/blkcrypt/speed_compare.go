package main

import (
	"fmt"
	"io"
	"math"
)

// rowKey says which rows of two runs are the same. The number of lanes is not in
// it, nor, where a run has one tier only, is that: a new tier is just what one
// wants to compare.
type rowKey struct {
	cipher   string
	bits     int
	mode, op string
	batch    bool
	what     string
	size     int // -1 for the cost of a byte
	tier     string
}

func (r *row) key() rowKey {
	k := rowKey{r.Cipher, r.KeyBits, r.Mode, r.Op, r.Lanes > 1, r.What, -1, r.Tier}
	if r.Bytes != nil {
		k.size = *r.Bytes
	}
	return k
}

// anyTier is k for rows of which there is one, whatever the tier. The standard
// library is no tier.
func (k rowKey) anyTier() rowKey {
	if k.tier != peerTier {
		k.tier = ""
	}
	return k
}

// has reports whether the report has a row that j would make.
func (d *report) has(j job) bool {
	k := rowKey{j.cipher, j.bits, j.mode, j.op, j.batch, "", j.size, j.tier}.anyTier()
	for _, r := range d.Results {
		if r.key().anyTier() == k {
			return true
		}
	}
	return false
}

// find returns the row of d to compare r with, nil for none: that of the same
// tier or the only one.
func (d *report) find(r *row, tiers bool) *row {
	var found *row
	for i := range d.Results {
		old := &d.Results[i]
		if old.key() == r.key() {
			return old
		}
		if old.key().anyTier() == r.key().anyTier() && !tiers {
			if found != nil {
				return nil
			}
			found = old
		}
	}
	return found
}

// cost is what two rows are compared by: cycles, which do not change with the
// clock, where both have them.
func cost(r, other *row) (a, b float64, unit string) {
	switch {
	case r.CyclesPerByte > 0 && other.CyclesPerByte > 0:
		return float64(r.CyclesPerByte), float64(other.CyclesPerByte), "c/B"
	case r.NsPerByte > 0 && other.NsPerByte > 0:
		return float64(r.NsPerByte), float64(other.NsPerByte), "ns/B"
	case r.NsPerCall != nil && other.NsPerCall != nil:
		return float64(*r.NsPerCall), float64(*other.NsPerCall), "ns"
	}
	return math.NaN(), math.NaN(), ""
}

// beyond reports whether a ratio is more than chance. Runs differ by more than
// their repetitions do: by where memory lies, and by the clock, since what waits
// for memory takes more cycles when that is higher.
func beyond(ratio float64, r, other *row) bool {
	noise, clock := 0.0, 0.0
	for _, x := range []*row{r, other} {
		if x.Noise.known() {
			noise = math.Hypot(noise, float64(x.Noise))
		}
	}
	if r.MHz > 0 && other.MHz > 0 {
		clock = math.Abs(math.Log(float64(r.MHz / other.MHz)))
	}
	return math.Abs(math.Log(ratio)) > max(0.03, 3*noise)+min(clock, 0.1)
}

// comparison shows each row beside that of another run.
type comparison struct {
	w      io.Writer
	old    *report
	tiers  bool
	inside string
	marks  map[string]int
	seen   map[*row]bool
}

func newComparison(w io.Writer, old *report, o *speedOptions) *comparison {
	return &comparison{w: w, old: old, tiers: o.tiers, marks: make(map[string]int), seen: make(map[*row]bool)}
}

func (c *comparison) begin(m *machine) {
	fmt.Fprintf(c.w, "old: %s, blkcrypt %s, %s\nnew: %s, blkcrypt %s\n", c.old.CPU, c.old.Version, c.old.Go, m.cpu, buildVersion())
}

func (c *comparison) add(r *row) {
	if r.none != "" {
		return
	}
	if name := r.algorithm(); name != c.inside {
		c.footer()
		c.inside = name
		fmt.Fprintf(c.w, " %-20s | %14s %14s %9s\n", name, "old", "new", "new/old")
	}
	old := c.old.find(r, c.tiers)
	if old == nil {
		a, _, unit := cost(r, r)
		fmt.Fprintf(c.w, " %20s | %14s %14s %9s  not in old\n", c.label(r), "-", united(figure(a), unit), "-")
		return
	}
	c.seen[old] = true
	a, b, unit := cost(r, old)
	ratio := a / b
	mark := ""
	if beyond(ratio, r, old) {
		mark = "slower"
		if ratio < 1 {
			mark = "faster"
		}
		c.marks[mark]++
		mark = "  " + mark
	}
	fmt.Fprintf(c.w, " %20s | %14s %14s %9.3f%s\n", c.label(r), united(figure(b), unit), united(figure(a), unit), ratio, mark)
}

func (c *comparison) label(r *row) string {
	if c.tiers {
		return r.label() + " " + r.Tier
	}
	return r.label()
}

func (c *comparison) footer() {
	if c.inside != "" {
		fmt.Fprintf(c.w, " %-20s =\n", "")
	}
}

func (c *comparison) end() {
	c.footer()
	fmt.Fprintf(c.w, "%d of %d faster, %d slower, the others within the noise", c.marks["faster"], len(c.seen), c.marks["slower"])
	if n := len(c.old.Results) - len(c.seen); n > 0 {
		fmt.Fprintf(c.w, "; %d of old not measured", n)
	}
	fmt.Fprintln(c.w)
}
