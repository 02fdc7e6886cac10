package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// The manual names every command and flag of the program, and no others.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../man/blkcrypt.1")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	described := map[string]bool{}
	// A flag is written "Fl o , -output Ar out" or "Fl -rm"; in examples as on the
	// command line.
	for _, line := range regexp.MustCompile(`(?m)^\.(?:It|Op|Nm|Cm)?.*\bFl .*$`).FindAllString(text, -1) {
		for _, m := range regexp.MustCompile(`(?:Fl|,) (-?[a-z][-a-z0-9]*)`).FindAllStringSubmatch(line, -1) {
			described["-"+m[1]] = true
		}
	}
	known := map[string]bool{"--": true, "-h": true, "--help": true, "--version": true}
	everyCommand((&tool{}).app().Commands, "", func(path string, c *cli.Command) {
		last := path[strings.LastIndexByte(path, ' ')+1:]
		if !regexp.MustCompile(`(?m)^\.(It )?Cm .*\b` + last + `\b`).MatchString(text) {
			t.Errorf("the manual does not name the command %q", path)
		}
		for _, f := range c.Flags {
			if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
				continue
			}
			for _, n := range f.Names() {
				flag := "-" + n
				if len(n) > 1 {
					flag = "--" + n
				}
				known[flag] = true
				if !described[flag] {
					t.Errorf("the manual does not describe %s of %s", flag, path)
				}
			}
		}
	})
	for flag := range described {
		if !known[flag] {
			t.Errorf("the manual describes %s, which there is not", flag)
		}
	}
}
