package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"blkcrypt/ciphers"
	"blkcrypt/format"
)

func (t *tool) ciphersCommand() *cli.Command {
	return &cli.Command{
		Name:      "ciphers",
		Usage:     "list the suites that enc knows",
		UsageText: "blkcrypt ciphers [--json]",
		Description: "Each suite is a cipher, a key size and a mode. The tier is the implementation of the cipher that this\n" +
			"machine runs; results are the same on each.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print a line of JSON for each suite", DisableDefaultText: true}},
		Action: t.ciphers,
	}
}

// suiteLine is a suite in the output of ciphers --json.
type suiteLine struct {
	Suite   string `json:"suite"`
	Cipher  string `json:"cipher"`
	KeyBits int    `json:"key_bits"`
	Mode    string `json:"mode"`
	Tier    string `json:"tier"`
	Default bool   `json:"default"`
}

func (t *tool) ciphers(c *cli.Context) error {
	if _, err := operands(c, 0); err != nil {
		return err
	}
	tiers := make(map[string]string)
	for _, info := range ciphers.List() {
		tiers[info.Name] = info.Tiers[0]
	}
	table := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	if !c.Bool("json") {
		fmt.Fprintln(table, "suite\tkey bits\ttier\t")
	}
	lines := json.NewEncoder(c.App.Writer)
	for _, s := range format.Suites() {
		l := suiteLine{s.String(), s.Cipher(), 8 * s.KeySize(), s.Mode(), tiers[s.Cipher()], s == format.DefaultSuite()}
		if c.Bool("json") {
			if err := lines.Encode(l); err != nil {
				return failed("standard output", err)
			}
			continue
		}
		note := ""
		if l.Default {
			note = "default"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", l.Suite, l.KeyBits, l.Tier, note)
	}
	return failed("standard output", table.Flush())
}
