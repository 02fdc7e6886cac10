package format

import (
	"errors"
	"fmt"
	"math/bits"
)

// Kind is the class of an [Error]: what a user can do about it.
type Kind int

const (
	// NotBlkcrypt: the data don't begin as a blkcrypt file does.
	NotBlkcrypt Kind = iota + 1
	// TextDamaged: a blkcrypt file that was sent or stored as if it were text.
	TextDamaged
	// Unsupported: a version, suite, hash or critical record not known here.
	Unsupported
	// Malformed: a header that no correct writer makes.
	Malformed
	// Checksum: the header was damaged by accident.
	Checksum
	// WrongKey: no key slot fits the keys given.
	WrongKey
	// NoKey: the file has no slot of the kind of the keys given.
	NoKey
	// UnknownKeyKind: all key slots are of kinds not known here.
	UnknownKeyKind
	// Tampered: a key fits, but the header is not as its maker left it.
	Tampered
	// Truncated: the end of the file is missing.
	Truncated
	// Trailing: data follow the last chunk.
	Trailing
	// Damaged: a chunk is not authentic.
	Damaged
	// Cost: the header asks for more scrypt work than is allowed.
	Cost
	// TooLarge: more than 2^60 bytes of plaintext.
	TooLarge
)

var kindNames = [...]string{
	NotBlkcrypt: "not-blkcrypt", TextDamaged: "text-damaged", Unsupported: "unsupported",
	Malformed: "malformed", Checksum: "checksum", WrongKey: "wrong-key", NoKey: "no-key",
	UnknownKeyKind: "unknown-key-kind", Tampered: "tampered", Truncated: "truncated",
	Trailing: "trailing", Damaged: "damaged", Cost: "cost", TooLarge: "too-large",
}

// String returns a fixed name for k, for logs and JSON.
func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", int(k))
}

// Error says why a file can't be read or written. Errors of an underlying reader
// or writer are never an Error: they come wrapped. Its text is one line
// without the package's name, made to follow "file: ".
type Error struct {
	Kind Kind

	// Chunk and Offset tell where: the number of the chunk, counted from 0, and
	// for Damaged the offset of its first byte in the file, for Trailing that of
	// the first byte too many, for Truncated that of the end found. With a
	// header kept apart, offsets count from the start of the payload.
	Chunk  uint64
	Offset int64

	// Of Cost: the work asked for and the work allowed, each a sum of 2^logN,
	// and the bytes of memory that the largest single run takes.
	Work, Limit, Memory uint64

	// Of NoKey and WrongKey: the kinds of key that the file has slots for.
	Passphrase, KeyFile bool

	detail string
}

func (e *Error) Error() string {
	s := e.text()
	if e.detail != "" {
		s += ": " + e.detail
	}
	return s
}

func (e *Error) text() string {
	switch e.Kind {
	case NotBlkcrypt:
		return "not a blkcrypt file"
	case TextDamaged:
		return "the file was changed as if it were text"
	case Unsupported:
		return "not supported by this version"
	case Malformed:
		return "malformed header"
	case Checksum:
		return "the header is damaged (its checksum is wrong)"
	case WrongKey:
		return "wrong " + e.wanted()
	case NoKey:
		return "the file opens with a " + e.wanted() + ", which was not given"
	case UnknownKeyKind:
		return "the file was made for a kind of key this version does not know"
	case Tampered:
		return "the header was tampered with"
	case Truncated:
		return fmt.Sprintf("truncated: the end is missing after byte %d", e.Offset)
	case Trailing:
		return fmt.Sprintf("trailing data after the end, at offset %d", e.Offset)
	case Damaged:
		return fmt.Sprintf("chunk %d at offset %d is damaged or was tampered with", e.Chunk, e.Offset)
	case Cost:
		return fmt.Sprintf("its passphrase asks for scrypt work of 2^%d and %d MiB of memory; 2^%d is allowed",
			bits.Len64(e.Work-1), e.Memory>>20, bits.Len64(e.Limit)-1)
	case TooLarge:
		return "more than 2^60 bytes of plaintext"
	}
	return e.Kind.String()
}

func (e *Error) wanted() string {
	switch {
	case e.Passphrase && e.KeyFile:
		return "passphrase or key file"
	case e.KeyFile:
		return "key file"
	}
	return "passphrase"
}

func fail(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, detail: fmt.Sprintf(format, args...)}
}

// errClosed is what a closed Reader, Writer, ReaderAt or Editor answers.
var errClosed = errors.New("format: used after it was closed")
