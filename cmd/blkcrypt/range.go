package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func rangeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "offset", Usage: "begin at byte `N` of the contents, or with -N that far from their end; the output is standard output unless -o names one", DefaultText: "0"},
		&cli.StringFlag{Name: "length", Usage: "stop after `N` bytes", DefaultText: "all"},
	}
}

// span is a range of a file's contents.
type span struct {
	offset  int64
	fromEnd bool  // offset counts back from the end
	length  int64 // −1 for all that is left
}

// rangeOf reads --offset and --length, nil where neither is given.
func rangeOf(c *cli.Context) (s *span, err error) {
	if !c.IsSet("offset") && !c.IsSet("length") {
		return nil, nil
	}
	s = &span{length: -1}
	if c.IsSet("offset") {
		digits := c.String("offset")
		digits, s.fromEnd = strings.CutPrefix(digits, "-")
		if s.offset, err = parseCount("--offset", digits); err != nil {
			return nil, err
		}
	}
	if c.IsSet("length") {
		s.length, err = parseCount("--length", c.String("length"))
	}
	return s, err
}

// clip returns where in contents of size bytes the range begins and how long it
// is. Behind the end there is nothing.
func (s *span) clip(size int64) (offset, length int64) {
	offset = min(s.offset, size)
	if s.fromEnd {
		offset = size - offset
	}
	length = size - offset
	if s.length >= 0 {
		length = min(length, s.length)
	}
	return offset, length
}

// checkNames refuses what does not go with a range: more than one output, and
// the removal of the rest.
func (s *span) checkNames(c *cli.Context) error {
	for _, name := range []string{"output-dir", "recursive"} {
		if c.IsSet(name) {
			return usagef("--%s does not go with --offset and --length; -o names the output", name)
		}
	}
	if c.IsSet("rm") {
		return usagef("--rm does not go with --offset and --length; the output would not hold all of the input")
	}
	if c.NArg() > 1 {
		return usagef("--offset and --length go with one file only")
	}
	return nil
}

// decrypt writes the range of in to w. A file is read only where the range lies,
// after its last piece is proven; a stream is read to its end, so that it is
// proven to have one.
func (s *span) decrypt(w io.Writer, in *input, k *format.Keyring) error {
	if in.whole() {
		r, err := format.NewReaderAt(in.at(), in.info.Size(), k, in.options(0)...)
		if err != nil {
			return err
		}
		defer r.Close()
		in.suite = r.Info().Suite
		offset, length := s.clip(r.Size())
		buf := make([]byte, min(max(length, 1), 1<<20))
		defer clear(buf)
		in.plain, err = io.CopyBuffer(justWriter{w}, io.NewSectionReader(r, offset, length), buf)
		return err
	}
	if s.fromEnd {
		return usagef("--offset: the end of %s is not known; count from the start", in.name)
	}
	r, err := format.NewReader(in.stream(), k, in.options(0)...)
	if err != nil {
		return err
	}
	defer r.Close()
	in.suite = r.Info().Suite
	_, err = io.CopyN(io.Discard, r, s.offset)
	if err == nil && s.length >= 0 {
		in.plain, err = io.CopyN(w, r, s.length)
	} else if err == nil {
		in.plain, err = io.Copy(w, r)
	}
	if err == nil || err == io.EOF {
		_, err = io.Copy(io.Discard, r)
	}
	return err
}

// justWriter hides what else a writer can do, so that the buffer is used.
type justWriter struct{ io.Writer }
