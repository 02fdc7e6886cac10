package main

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/aes"
	"blkcrypt/ciphers/camellia"
	"blkcrypt/ciphers/sm4"
	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

var speedCiphers = []*bulk.Cipher{aes.Cipher, camellia.Cipher, sm4.Cipher}

// choice is a cipher and key size in a mode, without a tier.
type choice struct {
	cipher *bulk.Cipher
	bits   int
	mode   string
}

// choices returns all there are in these modes.
func choices(among []string) (all []choice) {
	for _, c := range speedCiphers {
		for _, size := range c.KeySizes {
			for _, mode := range among {
				all = append(all, choice{c, 8 * size, mode})
			}
		}
	}
	return all
}

// strongest reports whether no larger key goes with the cipher.
func (c choice) strongest() bool { return c.bits == 8*slices.Max(c.cipher.KeySizes) }

// name is what the cipher with this key size is called in other commands.
func (c choice) name() string {
	if len(c.cipher.KeySizes) == 1 {
		return c.cipher.Name
	}
	return c.cipher.Name + "-" + strconv.Itoa(c.bits)
}

// names are what -c may call c: the cipher, with its key size, with the mode.
func (c choice) names() []string {
	n := []string{c.cipher.Name, c.name(), c.name() + "-" + c.mode, c.cipher.Name + strconv.Itoa(c.bits)}
	if c.strongest() {
		n = append(n, c.cipher.Name+"-"+c.mode)
	}
	return n
}

// splitList takes the items of a flag that may be repeated and have several in
// one, separated by commas.
func splitList(values []string) (items []string) {
	for _, v := range values {
		for _, item := range strings.Split(v, ",") {
			items = append(items, strings.ToLower(strings.TrimSpace(item)))
		}
	}
	return items
}

// choose keeps those that a pattern matches by one of their names. A pattern that
// matches nothing is an error.
func choose(all []choice, flag string, patterns []string, names func(choice) []string) ([]choice, error) {
	if len(patterns) == 0 {
		return all, nil
	}
	keep := make([]bool, len(all))
	for _, p := range patterns {
		if p == "" {
			return nil, usagef("%s: a name is missing", flag)
		}
		found := false
		for i, c := range all {
			for _, name := range names(c) {
				ok, err := path.Match(p, name)
				if err != nil {
					return nil, usagef("%s: %q is not a pattern", flag, p)
				}
				if ok {
					keep[i], found = true, true
				}
			}
		}
		if !found {
			return nil, usagef("%s: nothing to measure is called %q; %s", flag, p, nearOr(p, distinct(all, names), "names are"))
		}
	}
	var kept []choice
	for i, c := range all {
		if keep[i] {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// distinct lists the names that are used in a hint: those of suites are many.
func distinct(all []choice, names func(choice) []string) (list []string) {
	for _, c := range all {
		for _, n := range names(c)[:min(2, len(names(c)))] {
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list
}

func modeName(c choice) []string { return []string{c.mode} }

// hardware is the processor features that a measurement may use.
type hardware struct {
	allowed cpu.Features
	off     []string // names of those taken away
}

func parseHardware(values []string) (hardware, error) {
	h := hardware{allowed: cpu.Detect()}
	for _, name := range splitList(values) {
		f, err := cpu.Without(h.allowed, name)
		if err != nil {
			return h, usagef("--disable-hwf: %s", strings.TrimPrefix(err.Error(), "cpu: "))
		}
		h.allowed = f
		h.off = append(h.off, name)
	}
	return h, nil
}

// tiers lists those that can run, best first.
func (h hardware) tiers(c *bulk.Cipher) (list []*bulk.Kernels) {
	for _, t := range c.Tiers {
		if h.allowed.Has(t.Need) {
			list = append(list, t)
		}
	}
	return list
}

// without takes from h what the tiers better than t need and t does not, so that
// t is measured as on a processor for which it is the best: GHASH has tiers, too.
// The last tier stands for a processor with nothing.
func (h hardware) without(c *bulk.Cipher, t *bulk.Kernels) hardware {
	if t.Need == 0 {
		return hardware{0, []string{"all"}}
	}
	off := slices.Clone(h.off)
	allowed := h.allowed
	for _, better := range c.Tiers[:slices.Index(c.Tiers, t)] {
		for _, name := range better.Need.Names() {
			f, err := cpu.Without(allowed, name)
			if err == nil && f != allowed && f.Has(t.Need) {
				allowed, off = f, append(off, name)
			}
		}
	}
	return hardware{allowed, off}
}

// subjects returns c on the tier that is selected, or, best first, on all of
// them.
func (h hardware) subjects(c choice, all bool) (list []subject) {
	for _, t := range h.tiers(c.cipher) {
		on := h
		if all {
			on = h.without(c.cipher, t)
		}
		list = append(list, subject{c.cipher.Name, c.bits, c.mode, t.Name, strings.Join(on.off, " ")})
		if !all {
			break
		}
	}
	return list
}

// options makes a key of s use its tier and no feature that is off.
func (s subject) options() []ciphers.Option {
	return []ciphers.Option{ciphers.Without(strings.Fields(s.off)...), ciphers.WithTier(s.tier)}
}
