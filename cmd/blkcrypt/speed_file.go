package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/crypto/scrypt"

	"blkcrypt/format"
)

// memory is a file in memory.
type memory []byte

func (m memory) WriteAt(b []byte, off int64) (int, error) {
	n := copy(m[min(off, int64(len(m))):], b)
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// fileModes returns the modes that files may have.
func fileModes() []string {
	return slices.DeleteFunc(slices.Clone(speedModes), func(m string) bool { return !isAEAD(m) })
}

// fileRows times the encryption and the decryption of a file for each suite, with
// a key file and on all processors, as enc and dec do it.
func (s *speedRun) fileRows(yield func(*row) bool) error {
	size := s.o.file
	text := memory(bytesOf(size, 0))
	line, err := format.GenerateKeyFile()
	if err != nil {
		return err
	}
	secret, err := format.ParseKeyFile(line)
	if err != nil {
		return err
	}
	ring := format.NewKeyring(secret)
	defer ring.Wipe()
	const overhead = 1<<16 + 1<<10 // of the header, and for each 64 KiB 16 bytes
	sealed := make(memory, size+size/4096+overhead)
	for _, c := range s.o.choices {
		suite, err := format.ParseSuite(c.name() + "-" + c.mode)
		if err != nil {
			return err
		}
		sub := s.o.hardware.subjects(c, false)[0]
		if _, err := s.bench.messages(sub); err != nil {
			return err
		}
		var n int64
		var failure error
		enc := func() {
			var err error
			n, err = format.EncryptFile(sealed, bytes.NewReader(text), int64(size), ring, format.Options{Suite: suite})
			failure = first(failure, err)
		}
		opened := make(memory, size)
		dec := func() {
			_, err := format.DecryptFile(opened, bytes.NewReader(sealed[:n]), n, ring)
			failure = first(failure, err)
		}
		for _, op := range []struct {
			name string
			call func()
		}{{"enc", enc}, {"dec", dec}} {
			r := newRow(sub, op.name, 1)
			r.What = "file"
			r.perCall(s.bench.meter.Long(op.call), size, size)
			if failure == nil && op.name == "dec" && !bytes.Equal(opened, text) {
				failure = errors.New("a wrong answer in decrypting")
			}
			if failure != nil {
				return fmt.Errorf("%v: %w", suite, failure)
			}
			if !yield(&r) {
				return nil
			}
		}
	}
	return nil
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

const minKDF, maxKDF = 14, 20

// kdfRows times scrypt as a passphrase goes through it (blkcrypt(5)): r = 8, p = 1
// and 32 bytes.
func (s *speedRun) kdfRows(yield func(*row) bool) error {
	for logN := minKDF; logN <= maxKDF; logN++ {
		var failure error
		result := s.bench.meter.Long(func() {
			_, err := scrypt.Key(bytesOf(20, 0), bytesOf(34, 1), 1<<logN, 8, 1, 32)
			failure = first(failure, err)
		})
		if failure != nil {
			return failure
		}
		r := newRow(subject{cipher: "scrypt", mode: fmt.Sprintf("2^%d", logN)}, "kdf", 1)
		r.What = "kdf"
		r.perCall(result, 128*8<<logN, 0)
		if !yield(&r) {
			return nil
		}
	}
	return nil
}

// kdfTable is a line a cost.
type kdfTable struct{ w io.Writer }

func (t *kdfTable) begin(m *machine) {
	m.print(t.w)
	fmt.Fprintf(t.w, "\nKDF:\n %-14s | %14s %15s %13s %9s\n", "SCRYPT r=8 p=1", "milliseconds", "memory", "megacycles", "auto Mhz")
}

func (t *kdfTable) add(r *row) {
	fmt.Fprintf(t.w, " %14s | %14s %15s %13s %9s%s\n", r.Mode, united(*r.NsPerCall/1e6, "ms"),
		fmt.Sprintf("%d MiB", *r.Bytes>>20), decimal(figure(r.cyclesPerCall()/1e6)), r.clock(), r.remark())
}

func (t *kdfTable) end() { fmt.Fprintf(t.w, " %-14s =\n", "") }
