package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"blkcrypt/format"
)

// input is a file to read, open.
type input struct {
	name string // as given; "standard input"
	f    *os.File
	info fs.FileInfo
	std  bool
	head bytes.Buffer // read ahead of a stream
	m    *meter       // counts what is read, nil for none

	header []byte // kept apart, nil where the input begins with it

	// What is known when it has been converted, where describe asks for it.
	describe bool
	suite    string
	plain    int64 // bytes of plaintext
}

// openInput opens the named file, or standard input where name is "-".
func (t *tool) openInput(name string) (*input, error) {
	in := &input{name: name}
	if name == "-" {
		in.name, in.f, in.std = "standard input", t.stdin, true
	} else {
		f, err := openFile(name, os.O_RDONLY, 0)
		if err != nil {
			return nil, failed(name, err)
		}
		in.f = f
	}
	var err error
	if in.info, err = in.f.Stat(); err == nil && in.info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		in.Close()
		return nil, failed(in.name, err)
	}
	return in, nil
}

func (in *input) Close() {
	if !in.std {
		in.f.Close()
	}
}

// whole reports whether the input is a file of known size that is read from its
// beginning. Size zero may be a file of /proc, which is longer than it says.
func (in *input) whole() bool {
	return !in.std && in.info.Mode().IsRegular() && in.info.Size() > 0
}

// ahead reads from the beginning of the input without taking anything away.
// It may be called once.
func (in *input) ahead() io.Reader {
	if in.whole() {
		return io.NewSectionReader(in.f, 0, in.info.Size())
	}
	return io.TeeReader(in.f, &in.head)
}

// stream reads the input once.
func (in *input) stream() io.Reader {
	widen(in.f)
	if in.head.Len() == 0 {
		return in.m.countReader(in.f)
	}
	return in.m.countReader(io.MultiReader(&in.head, in.f))
}

// at reads a whole input at any offset.
func (in *input) at() io.ReaderAt { return in.m.countReaderAt(in.f) }

// foreign reports whether the input is no blkcrypt file, as far as its header
// tells.
func (in *input) foreign() bool {
	_, err := format.ReadInfo(in.ahead())
	var bad *format.Error
	return err != nil && (!errors.As(err, &bad) || bad.Kind == format.NotBlkcrypt)
}

// unchanged returns an error where a file is not as it was when it was opened:
// what was read may be parts from different times.
func (in *input) unchanged() error {
	if !in.info.Mode().IsRegular() || in.info.Size() == 0 {
		return nil
	}
	now, err := in.f.Stat()
	if err == nil && (now.Size() != in.info.Size() || !now.ModTime().Equal(in.info.ModTime())) {
		err = errors.New("changed while it was read")
	}
	if err != nil {
		return failed(in.name, err)
	}
	return nil
}

func isCharDevice(info fs.FileInfo) bool { return info.Mode()&fs.ModeCharDevice != 0 }

// sameFile reports whether writing b would change a. Terminals and devices such
// as /dev/null are read and written side by side, and not all systems tell one pipe
// from another.
func sameFile(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && !isCharDevice(a) && (tellsPipes || a.Mode()&fs.ModeNamedPipe == 0)
}
