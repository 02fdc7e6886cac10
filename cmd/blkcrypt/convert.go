package main

import (
	"errors"
	"io/fs"
	"math"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

// conversion is one direction, enc or dec, with its settings.
type conversion struct {
	binary bool // the output is ciphertext
	isNew  bool // a passphrase typed is a new one
	part   bool // not all of the input may be read

	// outputName makes the output's name from the input's.
	outputName func(in string) (string, error)
	// probe looks at the input before secrets are read; asks tells that the
	// user will be asked for a passphrase.
	probe func(in *input, asks bool) error
	// run reads the input to its end and writes the output.
	run func(out *output, in *input, k *format.Keyring) error
}

// convert does what enc and dec have in common: everything that can be wrong
// with the names is found before a secret is asked for, and each output gets
// its name when all of it is proven.
func (t *tool) convert(c *cli.Context, conv *conversion, src *secretSources, maxWork uint64) error {
	s, err := settingsOf(c)
	if err != nil {
		return err
	}
	names, err := operands(c, math.MaxInt)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if err := s.checkNames(names); err != nil {
		return err
	}
	t.quiet = s.quiet
	b := &batch{t: t, conv: conv, settings: s}
	jobs, err := b.plan(b.find(names))
	if err != nil {
		return err
	}
	if err := b.checkSecretFiles(src, jobs); err != nil {
		return err
	}
	if jobs = b.probe(jobs, src.asks()); b.end || len(jobs) == 0 {
		return b.result()
	}
	secrets, err := t.readSecrets(src, what(jobs), conv.isNew)
	if err != nil {
		return err
	}
	b.ring = format.NewKeyring(secrets...)
	b.ring.MaxWork = maxWork
	defer b.ring.Wipe()
	var infos []fs.FileInfo
	for _, j := range jobs {
		if !conv.part {
			infos = append(infos, j.info)
		}
	}
	t.startMeter(sizeOf(infos), s.quiet || s.noProgress)
	b.run(jobs)
	t.meter.finish()
	return b.result()
}

// culprit names the file that err is about.
func culprit(err error, in *input, out *output) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		for _, o := range []*output{out, out.with} {
			if o != nil && path.Path == o.f.Name() {
				return o.name
			}
		}
	}
	return in.name
}
