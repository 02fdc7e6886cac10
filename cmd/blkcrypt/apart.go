package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

// A header can be kept apart from its payload: without it, the payload can't be
// told from random bytes, and whoever has it not can't try passphrases.

func apartFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "header", Usage: usage} }

func headerFlag() cli.Flag { return apartFlag("read the header from `HEADER`, where it is kept apart") }

// checkApart returns the file that --header names, "" for none. It goes with one
// file only.
func checkApart(c *cli.Context) (string, error) {
	name := c.String("header")
	switch {
	case !c.IsSet("header"):
		return "", nil
	case name == "" || name == "-":
		return "", usagef("--header: name a file")
	case c.NArg() > 1 || c.Bool("recursive"):
		return "", usagef("--header is for one file only")
	}
	return name, nil
}

// readApart reads the header that --header names, nil where there is none. It is
// proven when the file is.
func (t *tool) readApart(c *cli.Context) ([]byte, error) {
	name, err := checkApart(c)
	if name == "" || err != nil {
		return nil, err
	}
	in, err := t.openInput(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t.warnInterrupted(in)
	// ReadInfo takes no byte more than the header.
	var header bytes.Buffer
	if _, err := format.ReadInfo(io.TeeReader(in.f, &header)); err != nil {
		return nil, failed(name, err)
	}
	return header.Bytes(), nil
}

// useHeader has the input read with a header kept apart, where there is one.
func (in *input) useHeader(header []byte) error {
	if in.header = header; header == nil || !in.whole() {
		return nil
	}
	var magic [8]byte
	if n, _ := in.f.ReadAt(magic[:], 0); n == len(magic) && bytes.Equal(magic[:], header[:n]) {
		return &failure{code: exitUsage, file: show(in.name), err: errors.New("has a header of its own"),
			hint: "leave --header out, or write the one that was kept over it"}
	}
	return nil
}

// headerReader reads the input's header, wherever it is, without taking anything
// away.
func (in *input) headerReader() io.Reader {
	if in.header != nil {
		return bytes.NewReader(in.header)
	}
	return in.ahead()
}

// options are those that the format needs to read the input.
func (in *input) options(jobs int) []format.ReadOption {
	o := []format.ReadOption{format.WithWorkers(jobs)}
	if in.header != nil {
		o = append(o, format.WithHeader(bytes.NewReader(in.header)))
	}
	return o
}

// planApart checks that the header can be written where --header says, nil where
// it does not. It never replaces a file: an older payload may need it.
func (t *tool) planApart(c *cli.Context) (*output, error) {
	name, err := checkApart(c)
	if name == "" || err != nil {
		return nil, err
	}
	apart, err := t.planOutput(name, nil, outputOptions{keep: true})
	var f *failure
	if errors.As(err, &f) && f.code == exitRefused {
		f.hint = "--header names another"
	}
	if err == nil && apart.straight() {
		err = usagef("--header: %s is not a file", show(name))
	}
	return apart, err
}

// encryptApart encrypts with the header kept apart. The header is on disk before
// the payload gets its name, and is taken back where the payload does not.
func encryptApart(out, apart *output, in *input, k *format.Keyring, o format.Options) error {
	if sameTarget(out.name, apart.name) {
		return usagef("--header and the output are the same file")
	}
	if err := apart.create(); err != nil {
		return err
	}
	apart.held, out.with = true, apart
	o.Header = apart.f
	if err := encrypt(out, in, k, o); err != nil {
		return err
	}
	return apart.commit()
}

// sameTarget reports whether two files that need not be there have the same name
// in the same folder, also where case makes no difference.
func sameTarget(a, b string) bool {
	if !strings.EqualFold(filepath.Base(a), filepath.Base(b)) {
		return false
	}
	x, errX := os.Stat(filepath.Dir(a))
	y, errY := os.Stat(filepath.Dir(b))
	return errX == nil && errY == nil && os.SameFile(x, y)
}
