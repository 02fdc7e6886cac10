package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/ghash"
)

// machine is what the rows were measured on.
type machine struct {
	cpu   string
	hwf   []string   // in use
	off   []string   // as given by --disable-hwf
	tiers [][]string // for each cipher its name and its tiers, the first selected
}

func (o *speedOptions) machine() *machine {
	h := o.hardware
	m := &machine{cpu: cpu.Brand(), hwf: h.allowed.Names(), off: h.off}
	if m.cpu == "" {
		m.cpu = "unknown"
	}
	m.cpu += " (" + runtime.GOARCH + ")"
	if o.kdf {
		return m
	}
	gcm := false
	for _, c := range speedCiphers {
		if !slices.ContainsFunc(o.choices, func(x choice) bool { return x.cipher == c }) {
			continue
		}
		list := []string{strings.ToUpper(c.Name)}
		for _, t := range h.tiers(c) {
			list = append(list, t.Name)
		}
		m.tiers = append(m.tiers, list)
	}
	for _, c := range o.choices {
		gcm = gcm || c.mode == "gcm"
	}
	if gcm {
		m.tiers = append(m.tiers, append([]string{"GHASH"}, ghash.Tiers(h.allowed)...))
	}
	return m
}

// print writes what was measured on, above the tables.
func (m *machine) print(w io.Writer) {
	line := func(name, text string) {
		if text == "" {
			text = "none"
		}
		fmt.Fprintf(w, "%-10s%s\n", name+":", text)
	}
	line("CPU", m.cpu)
	line("Features", strings.Join(m.hwf, " "))
	if len(m.off) > 0 {
		line("Disabled", strings.Join(m.off, " "))
	}
	for _, t := range m.tiers {
		line(t[0], strings.Join(append([]string{t[1] + " (selected)"}, t[2:]...), ", "))
	}
}
