package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	textLine   = regexp.MustCompile(`^TEXT ·(\w+)(<>)?\(SB\)`)
	callOfCore = regexp.MustCompile(`^\tCALL\s+·(\w+)<>\(SB\)`)
	toVector   = regexp.MustCompile(`[ \t]([XYZ])(\d+)$`)
	zeroing    = regexp.MustCompile(`^\tVPXORQ?\s+([XYZ]\d+), ([XYZ]\d+), ([XYZ]\d+)$`)
)

// A vectors is a set of vector registers by their numbers.
type vectors map[string]bool

// written adds what the routine of that name and those that it calls write.
func (v vectors) written(routines map[string][]string, name string) {
	for _, line := range routines[name] {
		if m := toVector.FindStringSubmatch(line); m != nil {
			v[m[2]] = true
		}
		if m := callOfCore.FindStringSubmatch(line); m != nil && m[1] != "wipe" {
			v.written(routines, m[1])
		}
	}
}

// cleared are the registers that the end of a routine sets to zero: behind its last
// label, jump and call of a core, but for that of wipe.
func cleared(routines map[string][]string, body []string) vectors {
	v := vectors{}
	for _, line := range body {
		core := callOfCore.FindStringSubmatch(line)
		zero := zeroing.FindStringSubmatch(line)
		switch {
		case core != nil && core[1] == "wipe":
			v = cleared(routines, routines["wipe"])
		case core != nil, strings.HasPrefix(line, "\tJ"), strings.HasSuffix(line, ":"):
			v = vectors{}
		case zero != nil && zero[1] == zero[2] && zero[2] == zero[3]:
			v[zero[3][1:]] = true
		default:
			if m := toVector.FindStringSubmatch(line); m != nil {
				delete(v, m[2])
			}
		}
	}
	return v
}

// eachFile calls f with the lines of each routine of each file of assembly, and the
// names of those that Go calls.
func eachFile(t *testing.T, f func(file string, routines map[string][]string, called []string)) {
	paths, err := filepath.Glob("../../*/*/*_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		routines, called, name := map[string][]string{}, []string{}, ""
		for _, line := range strings.Split(string(text), "\n") {
			if m := textLine.FindStringSubmatch(line); m != nil {
				if name = m[1]; m[2] == "" {
					called = append(called, name)
				}
			} else if line != "" && !strings.HasPrefix(line, "//") {
				routines[name] = append(routines[name], strings.TrimRight(line, " \t"))
			}
		}
		f(filepath.Base(p), routines, called)
	}
}

// Go calls no function that leaves anything in a vector register.
func TestVectorsAreWiped(t *testing.T) {
	checked := 0
	eachFile(t, func(file string, routines map[string][]string, called []string) {
		for _, name := range called {
			used := vectors{}
			used.written(routines, name)
			for i, line := range routines[name] {
				if line != "\tRET" {
					continue
				}
				clean := cleared(routines, routines[name][:i])
				for r := range used {
					checked++
					if !clean[r] {
						t.Errorf("%s: %s returns with vector register %s as it was", file, name, r)
					}
				}
			}
		}
	})
	if checked < 1000 {
		t.Errorf("%d registers checked", checked)
	}
}

// addsKey is what adds round keys to a general register.
var addsKey = regexp.MustCompile(`\tXORQ +\d*\(AX\), (\w+)\n`)

// Nor does one that has tweaks made leave any in the registers for that, nor one that
// whitens counters with round keys, which say what those are.
func TestGeneralRegistersAreWiped(t *testing.T) {
	checked := 0
	eachFile(t, func(file string, routines map[string][]string, called []string) {
		for _, name := range called {
			text := strings.Join(routines[name], "\n")
			secret := map[string]bool{}
			if strings.Contains(text, "·tweaks") {
				for _, r := range tweakScratch {
					secret[r.Asm()] = true
				}
			}
			for _, m := range addsKey.FindAllStringSubmatch(text, -1) {
				secret[m[1]] = true
			}
			i := strings.LastIndex(text, "group") // the end of the loop
			for r := range secret {
				checked++
				if !regexp.MustCompile(`XORQ +` + r + `, ` + r).MatchString(text[max(i, 0):]) {
					t.Errorf("%s: %s returns with %s as it was", file, name, r)
				}
			}
		}
	})
	if checked < 34 {
		t.Errorf("%d registers checked", checked)
	}
}
