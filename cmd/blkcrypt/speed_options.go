package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// speedOptions is the command line of speed.
type speedOptions struct {
	choices  []choice
	hardware hardware
	only     *report // measure nothing but what this has rows for

	tiers, peer bool
	sizes       []int // of --bytes
	tcrypt, kdf bool
	file        int // bytes, 0 for none
	time        time.Duration
	mhz         float64 // 0 to measure

	json, csv, chart bool
	compare, svg     string // names of files
	force            bool
}

func parseSpeed(c *cli.Context) (*speedOptions, error) {
	if c.Args().Present() {
		return nil, usagef("speed: takes no operand; -c %s measures that cipher", show(c.Args().First()))
	}
	o := &speedOptions{
		tiers: c.Bool("tiers"), peer: c.Bool("peer"),
		tcrypt: c.Bool("tcrypt"), kdf: c.Bool("kdf"),
		json: c.Bool("json"), csv: c.Bool("csv"), chart: c.Bool("chart"),
		compare: c.String("compare"), svg: c.String("svg"), force: c.Bool("force"),
	}
	for _, err := range []error{
		oneOf(c, "bytes", "tcrypt", "file", "kdf"),
		oneOf(c, "json", "csv", "compare", "chart"),
		apart(c, "file", "tiers", "disable-hwf", "bytes", "mode"),
		apart(c, "kdf", "tiers", "disable-hwf", "cipher", "mode", "all"),
		apart(c, "kdf", "chart", "svg"),
		apart(c, "tcrypt", "tiers"),
		o.parseNumbers(c),
	} {
		if err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"compare", "svg"} {
		if c.IsSet(name) && c.String(name) == "" {
			return nil, usagef("--%s: the name is empty", name)
		}
	}
	if o.force && o.svg == "" {
		return nil, usagef("-f does nothing without --svg")
	}
	var err error
	if o.hardware, err = parseHardware(c.StringSlice("disable-hwf")); err != nil {
		return nil, err
	}
	if !o.kdf {
		err = o.choose(c)
	}
	return o, err
}

func oneOf(c *cli.Context, names ...string) error {
	var given []string
	for _, n := range names {
		if c.IsSet(n) {
			given = append(given, "--"+n)
		}
	}
	if len(given) > 1 {
		return usagef("%s do not go together", strings.Join(given, " and "))
	}
	return nil
}

// apart refuses a flag along with any of the others.
func apart(c *cli.Context, flag string, others ...string) error {
	for _, other := range others {
		if err := oneOf(c, flag, other); err != nil {
			return err
		}
	}
	return nil
}

const (
	defaultTime = 80 * time.Millisecond

	mostBytes = 1 << 20 // of --bytes: a batch holds up to 128 of them twice
	mostFile  = 1 << 30
)

func (o *speedOptions) parseNumbers(c *cli.Context) error {
	if c.IsSet("bytes") {
		for _, item := range splitList([]string{c.String("bytes")}) {
			n, err := parseSize("--bytes", item)
			if err != nil {
				return err
			}
			if n > mostBytes {
				return usagef("--bytes: %d is more than %d", n, mostBytes)
			}
			o.sizes = append(o.sizes, int(n))
		}
	}
	if c.IsSet("file") {
		n, err := parseSize("--file", c.String("file"))
		if err != nil {
			return err
		}
		if n < 1 || n > mostFile {
			return usagef("--file: %s is not from 1 byte to 1GiB, which is held in memory three times", show(c.String("file")))
		}
		o.file = int(n)
	}
	o.time = defaultTime
	if c.IsSet("time") {
		d, err := time.ParseDuration(c.String("time"))
		if err != nil || d < time.Microsecond || d > time.Minute {
			return usagef("--time: %q is not a duration from 1us to 1m, such as 200ms", c.String("time"))
		}
		o.time = d
	}
	if c.IsSet("cpu-mhz") {
		mhz, err := strconv.ParseFloat(c.String("cpu-mhz"), 64)
		if err != nil || !(mhz >= 1 && mhz <= 1e5) {
			return usagef("--cpu-mhz: %q is not a number of megahertz from 1 to 100000", c.String("cpu-mhz"))
		}
		o.mhz = mhz
	}
	return nil
}

// choose decides what is measured. Where nothing is chosen the answer is short.
func (o *speedOptions) choose(c *cli.Context) error {
	among := speedModes
	switch {
	case o.tcrypt:
		among = tcryptModes
	case o.file > 0:
		among = fileModes()
	}
	all := choices(among)
	if !c.Bool("all") && !c.IsSet("cipher") && !c.IsSet("mode") && !o.tcrypt && o.file == 0 {
		if o.compare != "" {
			old, err := readReport(o.compare)
			if err != nil {
				return err
			}
			o.only = old
		} else {
			all = slices.DeleteFunc(all, func(c choice) bool { return !isAEAD(c.mode) || !c.strongest() })
		}
	}
	all, err := choose(all, "-c", splitList(c.StringSlice("cipher")), choice.names)
	if err != nil {
		return err
	}
	o.choices, err = choose(all, "-m", splitList(c.StringSlice("mode")), modeName)
	return err
}
