package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) keyCommand() *cli.Command {
	return &cli.Command{
		Name:  "key",
		Usage: "make keys and change those of files",
		// The library's own says "command options".
		UsageText: "blkcrypt key COMMAND [flags] [FILE]",
		Subcommands: append([]*cli.Command{{
			Name:        "new",
			Usage:       "make a key file",
			UsageText:   "blkcrypt key new [-o FILE]",
			Description: "Writes a new random key as one line, for --key-file. FILE is readable by its owner alone\nand never replaces an existing file.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", DefaultText: "standard output"},
			},
			Action: t.keyNew,
		}}, t.slotCommands()...),
	}
}

func (t *tool) keyNew(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("key new: takes no operand; -o %s writes to that file", show(c.Args().First()))
	}
	name := "-"
	if c.IsSet("output") {
		name = c.String("output")
	}
	if name == "" {
		return usagef("-o: the name is empty")
	}
	out, err := t.planOutput(name, nil, outputOptions{keep: true})
	if err != nil {
		return err
	}
	if out.exposed() {
		t.say(fmt.Sprintf("%s: warning: others may read this file, which holds a secret key now", out.name))
	}
	if err := out.create(); err != nil {
		return err
	}
	defer out.discard()
	line, err := format.GenerateKeyFile()
	if err != nil {
		return err
	}
	defer clear(line)
	if _, err := out.f.Write(line); err != nil {
		return failed(out.name, err)
	}
	return out.commit()
}
