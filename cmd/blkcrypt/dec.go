package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"blkcrypt/format"
)

func (t *tool) decCommand() *cli.Command {
	return &cli.Command{
		Name:      "dec",
		Usage:     "decrypt files",
		UsageText: "blkcrypt dec [flags] [FILE...]",
		Description: "FILE" + suffix + " becomes FILE; without FILE, or with -, standard input goes to standard output.\n" +
			"The output gets its name when the last piece is proven; a pipe carries whole proven pieces\n" +
			"and may still be incomplete unless the exit code is 0.\n" +
			"Without a flag that gives a passphrase or key the terminal is asked for a passphrase;\n" +
			passphraseVariable + " in the environment gives one where no flag gives a secret.",
		Flags:  append(convertFlags(), append(rangeFlags(), workFlag(), headerFlag())...),
		Action: t.dec,
	}
}

func workFlag() cli.Flag {
	return &cli.StringFlag{Name: "scrypt-max-logn", Usage: "let a file's passphrases cost up to 2^`N` units of scrypt together (10 to 26)",
		DefaultText: "21, one at most 20"}
}

// workLimit returns what --scrypt-max-logn allows, 0 for the default.
func workLimit(c *cli.Context) (uint64, error) {
	if !c.IsSet("scrypt-max-logn") {
		return 0, nil
	}
	n, err := parseRange("--scrypt-max-logn", c.String("scrypt-max-logn"), 10, 26)
	return 1 << n, err
}

func (t *tool) dec(c *cli.Context) error {
	maxWork, err := workLimit(c)
	if err != nil {
		return err
	}
	src, err := sources(c)
	if err != nil {
		return err
	}
	part, err := rangeOf(c)
	if err != nil {
		return err
	}
	jobs, err := jobsOf(c)
	if err != nil {
		return err
	}
	header, err := t.readApart(c)
	if err != nil {
		return err
	}
	conv := &conversion{outputName: decryptedName}
	conv.run = func(out *output, in *input, k *format.Keyring) error { return decrypt(out, in, k, jobs) }
	conv.probe = func(in *input, asks bool) error {
		t.warnInterrupted(in)
		if err := in.useHeader(header); err != nil {
			return err
		}
		return probeHeader(in, asks)
	}
	if part != nil {
		if err := part.checkNames(c); err != nil {
			return err
		}
		conv.part = true
		conv.outputName = func(string) (string, error) { return "-", nil }
		conv.run = func(out *output, in *input, k *format.Keyring) error { return part.decrypt(out.f, in, k) }
	}
	return t.convert(c, conv, src, maxWork)
}

// probeHeader spares the user the question for a passphrase where the header
// shows that none will do.
func probeHeader(in *input, asks bool) error {
	if in.std && term.IsTerminal(int(in.f.Fd())) {
		return refusef(in.name, "FILE names a file", "ciphertext does not come from a terminal")
	}
	if !asks {
		return nil
	}
	return failed(in.name, wantsPassphrase(in.headerReader()))
}

// decryptedName takes the suffix off.
func decryptedName(in string) (string, error) {
	out, ok := strings.CutSuffix(in, suffix)
	if !ok || filepath.Base(in) == suffix {
		return "", &failure{code: exitUsage, file: show(in), err: errors.New("the name does not end in " + suffix), hint: "-o names the output"}
	}
	return out, nil
}

func decrypt(out *output, in *input, k *format.Keyring, jobs int) error {
	if in.whole() && out.atOffset() {
		if err := in.readSuite(); err != nil {
			return err
		}
		n, err := format.DecryptFile(out.f, in.at(), in.info.Size(), k, in.options(jobs)...)
		in.plain = n
		return err
	}
	r, err := format.NewReader(in.stream(), k, in.options(jobs)...)
	if err != nil {
		return err
	}
	defer r.Close()
	in.suite = r.Info().Suite
	in.plain, err = io.Copy(out.f, r)
	return err
}

// readSuite notes the suite of a file where that is asked for.
func (in *input) readSuite() error {
	if !in.describe {
		return nil
	}
	info, err := format.ReadInfo(in.headerReader())
	if err == nil {
		in.suite = info.Suite
	}
	return err
}
