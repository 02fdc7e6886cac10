package main

import (
	"errors"
	"io/fs"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

// conversion is one direction, enc or dec, with its settings.
type conversion struct {
	binary bool // the output is ciphertext
	isNew  bool // a passphrase typed is a new one

	// outputName makes the output's name from the input's.
	outputName func(in string) (string, error)
	// probe looks at the input before secrets are read; asks tells that the
	// user will be asked for a passphrase.
	probe func(in *input, asks bool) error
	// run reads the input to its end and writes the output.
	run func(out *output, in *input, k *format.Keyring) error
}

func convertFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `OUT`, - for standard output"},
		&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace an existing output file", DisableDefaultText: true},
	}, secretFlags()...)
}

// convert does what enc and dec have in common: everything that can be wrong
// with the names is found before a secret is asked for, and the output gets its
// name when all of it is proven.
func (t *tool) convert(c *cli.Context, conv *conversion, src *secretSources, maxWork uint64) error {
	names, err := operands(c, 1)
	if err != nil {
		return err
	}
	name := "-"
	if len(names) == 1 {
		name = names[0]
	}
	outName, explicit := c.String("output"), c.IsSet("output")
	switch {
	case explicit && outName == "":
		return usagef("-o: the name is empty")
	case !explicit && name == "-":
		outName = "-"
	case !explicit:
		if outName, err = conv.outputName(name); err != nil {
			return err
		}
	}
	in, err := t.openInput(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := t.planOutput(outName, in, outputOptions{force: c.Bool("force"), explicit: explicit, binary: conv.binary})
	if err != nil {
		return err
	}
	if err := t.checkSecretFiles(src, in.std, out); err != nil {
		return err
	}
	if err := conv.probe(in, src.asks()); err != nil {
		return err
	}
	secrets, err := t.readSecrets(src, show(in.name), conv.isNew)
	if err != nil {
		return err
	}
	ring := format.NewKeyring(secrets...)
	ring.MaxWork = maxWork
	defer ring.Wipe()
	return t.convertOne(conv, in, out, ring)
}

func (t *tool) convertOne(conv *conversion, in *input, out *output, ring *format.Keyring) error {
	if err := out.create(); err != nil {
		return err
	}
	defer out.discard()
	if err := conv.run(out, in, ring); err != nil {
		var known *failure
		if errors.As(err, &known) {
			return err
		}
		return failed(culprit(err, in, out), err)
	}
	return out.commit()
}

// culprit names the file that err is about.
func culprit(err error, in *input, out *output) string {
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == out.f.Name() {
		return out.name
	}
	return in.name
}
