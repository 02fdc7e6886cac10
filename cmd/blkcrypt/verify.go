package main

import (
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "prove files without writing their contents",
		UsageText: "blkcrypt verify [flags] [FILE...]",
		Description: "Reads each file to its end and proves every piece of it, as dec does. Nothing is written.\n" +
			"Without FILE, or with -, standard input is read.",
		Flags:  append(append(openFlags(), headerFlag()), quietFlags()...),
		Action: t.verify,
	}
}

func (t *tool) verify(c *cli.Context) error {
	names, err := operands(c, math.MaxInt)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	maxWork, err := workLimit(c)
	if err != nil {
		return err
	}
	src, err := sources(c)
	if err != nil {
		return err
	}
	t.quiet = c.Bool("quiet")
	header, err := t.readApart(c)
	if err != nil {
		return err
	}
	var inputs []*input
	defer func() {
		for _, in := range inputs {
			in.Close()
		}
	}()
	code, stdin := exitDone, false
	for _, name := range names {
		in, err := t.openInput(name)
		if err == nil {
			t.warnInterrupted(in)
			if err = in.useHeader(header); err == nil {
				err = probeHeader(in, src.asks())
			}
			if err != nil {
				in.Close()
			}
		}
		if err != nil {
			code = worse(code, t.report(err))
			continue
		}
		inputs = append(inputs, in)
		stdin = stdin || in.std
		if in.whole() {
			in.Close() // there may be more files than can be open at once
		}
	}
	if len(inputs) == 0 {
		return reported(code)
	}
	if err := t.checkSecretFiles(src, stdin, &output{}); err != nil {
		return err
	}
	secrets, err := t.readSecrets(src, show(inputs[0].name), false)
	if err != nil {
		return err
	}
	ring := format.NewKeyring(secrets...)
	ring.MaxWork = maxWork
	defer ring.Wipe()
	var infos []fs.FileInfo
	for _, in := range inputs {
		infos = append(infos, in.info)
	}
	t.startMeter(sizeOf(infos), t.quiet || c.Bool("no-progress"))
	defer t.meter.finish()
	for _, in := range inputs {
		if err := t.proveAgain(in, ring); err != nil {
			code = worse(code, t.report(failed(in.name, err)))
		}
	}
	if code != exitDone {
		return reported(code)
	}
	return nil
}

// proveAgain opens a file that was closed when its header had been looked at,
// and proves it.
func (t *tool) proveAgain(in *input, ring *format.Keyring) error {
	if in.whole() {
		again, err := t.openInput(in.name)
		if err != nil {
			return err
		}
		defer again.Close()
		again.header = in.header
		in = again
	}
	in.m = &t.meter
	return prove(in, ring)
}

// prove opens every piece of the input.
func prove(in *input, ring *format.Keyring) error {
	if in.whole() {
		_, err := format.DecryptFile(discard{}, in.at(), in.info.Size(), ring, in.options(0)...)
		if err != nil {
			return err
		}
		return in.unchanged()
	}
	r, err := format.NewReader(in.stream(), ring, in.options(0)...)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// discard is io.Discard for writes at offsets.
type discard struct{}

func (discard) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

// warnInterrupted tells the user of a change of keys that was cut off. The copy
// of the header lies beside the file, not beside a link to it.
func (t *tool) warnInterrupted(in *input) {
	if in.std {
		return
	}
	cut := interrupted(in.name)
	if _, err := os.Readlink(in.name); err == nil && !cut {
		target, err := filepath.EvalSymlinks(in.name)
		cut = err == nil && interrupted(target)
	}
	if cut {
		t.warn(in.name, "a change of its keys was interrupted; "+recoverHint)
	}
}
