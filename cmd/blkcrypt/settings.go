package main

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

func convertFlags() []cli.Flag {
	flag := func(usage, name string, aliases ...string) cli.Flag {
		return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage, DisableDefaultText: true}
	}
	return append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `OUT`, - for standard output"},
		&cli.StringFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "work on `N` pieces or files at once", DefaultText: "the processors"},
		&cli.StringFlag{Name: "output-dir", Usage: "write into folder `DIR`, which is made if it is missing"},
		flag("replace existing output files", "force", "f"),
		flag("take folders with all files below them; symbolic links are left out", "recursive", "r"),
		flag("remove each input when its output is on disk", "rm"),
		flag("give outputs the times of their inputs", "preserve"),
		flag("stop at the first file that fails", "fail-fast"),
		flag("describe each file in a line of JSON on standard output", "json"),
		flag("say what is done", "verbose"),
	}, append(quietFlags(), secretFlags()...)...)
}

func quietFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "say nothing but errors", DisableDefaultText: true},
		&cli.BoolFlag{Name: "no-progress", Usage: "show no progress on the terminal", DisableDefaultText: true},
	}
}

// settings are the flags that enc and dec have in common.
type settings struct {
	output    string // "" for none given
	outputDir string // "" for none given
	jobs      int    // 0 for as many as there are processors

	force, recursive, remove, preserve, failFast, json, quiet, verbose, noProgress bool
}

func settingsOf(c *cli.Context) (*settings, error) {
	s := &settings{
		output: c.String("output"), outputDir: c.String("output-dir"),
		force: c.Bool("force"), recursive: c.Bool("recursive"), remove: c.Bool("rm"), preserve: c.Bool("preserve"),
		failFast: c.Bool("fail-fast"), json: c.Bool("json"), quiet: c.Bool("quiet"), verbose: c.Bool("verbose"),
		noProgress: c.Bool("no-progress"),
	}
	var err error
	if s.jobs, err = jobsOf(c); err != nil {
		return nil, err
	}
	switch {
	case c.IsSet("output") && s.output == "":
		return nil, usagef("-o: the name is empty")
	case c.IsSet("output-dir") && s.outputDir == "":
		return nil, usagef("--output-dir: the name is empty")
	case s.output != "" && s.outputDir != "":
		return nil, usagef("-o and --output-dir exclude each other")
	case s.output != "" && s.recursive:
		return nil, usagef("-o names one file; --output-dir names a folder for -r")
	case s.quiet && s.verbose:
		return nil, usagef("-q and --verbose exclude each other")
	}
	if s.outputDir != "" {
		s.outputDir = filepath.Clean(s.outputDir) // of "new/" the folder above is not "new"
	}
	return s, nil
}

// jobsOf returns what -j says, 0 for as many as there are processors.
func jobsOf(c *cli.Context) (int, error) {
	if !c.IsSet("jobs") {
		return 0, nil
	}
	return parseRange("-j", c.String("jobs"), 1, 1024)
}

// checkNames refuses operands that the flags do not go with.
func (s *settings) checkNames(names []string) error {
	for _, name := range names {
		if name != "-" {
			continue
		}
		switch {
		case len(names) > 1:
			return usagef("standard input (-) goes with no other file")
		case s.recursive:
			return usagef("-r needs the name of a folder")
		case s.outputDir != "":
			return usagef("--output-dir needs the name of a file; -o names the output")
		case s.remove:
			return usagef("--rm needs the name of a file")
		case s.preserve:
			return usagef("--preserve needs the name of a file")
		}
	}
	if s.output != "" && len(names) > 1 {
		return usagef("-o names one file; --output-dir names a folder for several")
	}
	return nil
}

// checkStraight refuses what needs an output that is a file of its own.
func (s *settings) checkStraight(out *output) error {
	why := ""
	switch {
	case !out.straight():
		return nil
	case s.remove:
		why = "--rm needs an output that is a file"
	case s.preserve:
		why = "--preserve needs an output that is a file"
	case s.json && out.std:
		why = "--json and the output can't both be on standard output"
	default:
		return nil
	}
	return &failure{code: exitUsage, file: out.name, err: errors.New(why), hint: "-o names one"}
}
