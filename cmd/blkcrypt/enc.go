package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"blkcrypt/format"
)

// suffix is what enc adds to a file's name and dec takes off.
const suffix = ".blk"

func (t *tool) encCommand() *cli.Command {
	return &cli.Command{
		Name:      "enc",
		Usage:     "encrypt files",
		UsageText: "blkcrypt enc [flags] [FILE...]",
		Description: "FILE becomes FILE" + suffix + "; without FILE, or with -, standard input goes to standard output.\n" +
			"Without a flag that gives a passphrase or key the terminal is asked for a passphrase;\n" +
			passphraseVariable + " in the environment gives one where no flag gives a secret. Each flag's secret opens the file.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "suite", Aliases: []string{"c"}, Usage: "encrypt with `SUITE`: cipher, key size and mode, as sm4-ocb",
				DefaultText: format.DefaultSuite().String()},
			&cli.StringFlag{Name: "chunk-size", Usage: "authenticate pieces of `SIZE`, a power of two from 4KiB to 8MiB", DefaultText: "64KiB"},
			&cli.StringFlag{Name: "scrypt-logn", Usage: "make a passphrase cost 2^`N` units of scrypt (10 to 22)", DefaultText: "17"},
			apartFlag("write the header to a new file `HEADER`, apart from the payload"),
		}, convertFlags()...),
		Action: t.enc,
	}
}

func (t *tool) enc(c *cli.Context) error {
	o, err := encOptions(c)
	if err != nil {
		return err
	}
	src, err := sources(c)
	if err != nil {
		return err
	}
	apart, err := t.planApart(c)
	if err != nil {
		return err
	}
	switch {
	case o.LogN > 0 && !src.hasPassphrase():
		return usagef("--scrypt-logn does nothing for a key file")
	case o.LogN > 20 && !c.Bool("quiet"):
		t.say(fmt.Sprintf("warning: dec will need --scrypt-max-logn %d", o.LogN))
	}
	return t.convert(c, &conversion{
		binary:     true,
		isNew:      true,
		outputName: func(in string) (string, error) { return in + suffix, nil },
		probe:      t.warnTwice,
		run: func(out *output, in *input, k *format.Keyring) error {
			if apart != nil {
				return encryptApart(out, apart, in, k, o)
			}
			return encrypt(out, in, k, o)
		},
	}, src, 0)
}

func encOptions(c *cli.Context) (o format.Options, err error) {
	o.Suite = format.DefaultSuite()
	if c.IsSet("suite") {
		if o.Suite, err = parseSuite(c.String("suite")); err != nil {
			return o, err
		}
	}
	if c.IsSet("chunk-size") {
		if o.ChunkLog, err = parseChunkSize(c.String("chunk-size")); err != nil {
			return o, err
		}
	}
	if c.IsSet("scrypt-logn") {
		if o.LogN, err = parseRange("--scrypt-logn", c.String("scrypt-logn"), 10, 22); err != nil {
			return o, err
		}
	}
	o.Workers, err = jobsOf(c)
	return o, err
}

func parseSuite(name string) (format.Suite, error) {
	s, err := format.ParseSuite(name)
	var unknown *format.SuiteError
	if errors.As(err, &unknown) && len(unknown.Near) == 0 {
		return s, usagef("-c: %v; suites are named as aes-256-gcm, camellia-128-ocb, sm4-ccm", err)
	}
	if err != nil {
		return s, usagef("-c: %v", err)
	}
	return s, nil
}

func encrypt(out *output, in *input, k *format.Keyring, o format.Options) error {
	in.suite, in.plain = o.Suite.String(), in.info.Size()
	if in.whole() && out.atOffset() {
		if _, err := format.EncryptFile(out.f, in.at(), in.info.Size(), k, o); err != nil {
			return err
		}
		return in.unchanged()
	}
	w, err := format.NewWriter(out.f, k, o)
	if err != nil {
		return err
	}
	defer w.Abort()
	if in.plain, err = io.Copy(w, in.stream()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return in.unchanged()
}

// warnTwice tells the user of an input that is a blkcrypt file already.
func (t *tool) warnTwice(in *input, _ bool) error {
	if isCharDevice(in.info) && term.IsTerminal(int(in.f.Fd())) || in.foreign() {
		return nil
	}
	t.warn(in.name, "is a blkcrypt file already and gets encrypted once more")
	return nil
}
