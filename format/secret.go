package format

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPassphrase is the greatest length of a passphrase in bytes, as given.
const MaxPassphrase = 4096

// keyFilePrefix begins a key file in its text form.
const keyFilePrefix = "blkcrypt-key-1:"

const (
	keyFileCheck = 4                                    // bytes of SHA-256 after the key
	keyFileText  = (fileKeySize + keyFileCheck) * 4 / 3 // base64 characters, without padding
)

// A Secret is a passphrase or the key of a key file.
type Secret struct {
	kind recordType // recordScrypt or recordKeyFile
	data []byte
}

// SecretError says why a passphrase or key file is refused. It never quotes it.
type SecretError struct{ text string }

func (e *SecretError) Error() string { return e.text }

func refuse(format string, args ...any) error {
	return &SecretError{fmt.Sprintf(format, args...)}
}

// NewPassphrase takes a passphrase as typed: all bytes count. It is brought into
// Unicode's normal form C where it is valid UTF-8 and left alone otherwise, so
// that the same word typed on two systems is the same passphrase. Refused are,
// by a [*SecretError]: an empty one, more than [MaxPassphrase] bytes, a
// byte-order mark at its start, a NUL byte, a line feed. b is not kept.
func NewPassphrase(b []byte) (*Secret, error) {
	switch {
	case len(b) == 0:
		return nil, refuse("the passphrase is empty")
	case len(b) > MaxPassphrase:
		return nil, refuse("the passphrase has %d bytes, more than %d", len(b), MaxPassphrase)
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return nil, refuse("the passphrase begins with a UTF-8 byte-order mark: save it without one")
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return nil, refuse("the passphrase begins with a UTF-16 byte-order mark: save it as UTF-8 without one")
	case bytes.IndexByte(b, 0) >= 0:
		return nil, refuse("the passphrase has a NUL byte in it")
	case bytes.IndexByte(b, '\n') >= 0:
		return nil, refuse("the passphrase has more than one line")
	}
	s := &Secret{kind: recordScrypt}
	if utf8.Valid(b) {
		// NFC makes a text at most three times as long (Unicode Standard Annex
		// #15), so that Append does not leave a copy behind by growing.
		s.data = norm.NFC.Append(make([]byte, 0, 3*len(b)), b...)
	} else {
		s.data = bytes.Clone(b)
	}
	return s, nil
}

// ParsePassphrase takes the contents of a file or descriptor: one line end, LF
// or CR LF, is dropped from its end, then the rules of [NewPassphrase] hold.
func ParsePassphrase(b []byte) (*Secret, error) { return NewPassphrase(dropLineEnd(b)) }

func dropLineEnd(b []byte) []byte {
	if t, ok := bytes.CutSuffix(b, []byte("\n")); ok {
		return bytes.TrimSuffix(t, []byte("\r"))
	}
	return b
}

// GenerateKeyFile draws a key and returns the line that a key file holds, line
// feed included: 64 bytes. The caller wipes it. The error is nil: where the system
// has no random bytes, the program ends.
func GenerateKeyFile() ([]byte, error) {
	var key [fileKeySize + keyFileCheck]byte
	defer wipe(key[:])
	rand.Read(key[:fileKeySize])
	sum := sha256.Sum256(key[:fileKeySize])
	copy(key[fileKeySize:], sum[:])
	line := make([]byte, 0, len(keyFilePrefix)+keyFileText+1)
	line = append(line, keyFilePrefix...)
	line = base64.RawURLEncoding.AppendEncode(line, key[:])
	return append(line, '\n'), nil
}

// ParseKeyFile takes the contents of a key file: the line that
// [GenerateKeyFile] makes, with or without one line end, or exactly 32 bytes
// that are not all printable ASCII or white space (those would be a phrase, and
// no passphrase may go unstretched). The error is a [*SecretError]. b is not kept.
func ParseKeyFile(b []byte) (*Secret, error) {
	if rest, ok := bytes.CutPrefix(b, []byte(keyFilePrefix)); ok {
		return parseKeyLine(dropLineEnd(rest))
	}
	switch {
	case bytes.HasPrefix(b, []byte("blkcrypt-key-")):
		return nil, refuse("a key file of a form this version does not know")
	case len(b) != fileKeySize:
		return nil, refuse("not a key file: it has %d bytes, and neither the line that key new writes nor 32 raw bytes", len(b))
	case isText(b):
		return nil, refuse("not a key file: its 32 bytes are text; give a phrase as a passphrase")
	}
	return &Secret{kind: recordKeyFile, data: bytes.Clone(b)}, nil
}

func parseKeyLine(text []byte) (*Secret, error) {
	if len(text) != keyFileText {
		return nil, refuse("the key file is not complete: %d characters after %q instead of %d", len(text), keyFilePrefix, keyFileText)
	}
	var key [fileKeySize + keyFileCheck]byte
	defer wipe(key[:])
	// The decoder skips line ends, so that the length shows whether there was one.
	n, err := base64.RawURLEncoding.Decode(key[:], text)
	if err != nil || n != len(key) {
		return nil, refuse("the key file is damaged: a character that is not base64url")
	}
	sum := sha256.Sum256(key[:fileKeySize])
	if subtle.ConstantTimeCompare(sum[:keyFileCheck], key[fileKeySize:]) != 1 {
		return nil, refuse("the key file is damaged: its check characters are wrong")
	}
	return &Secret{kind: recordKeyFile, data: bytes.Clone(key[:fileKeySize])}, nil
}

func isText(b []byte) bool {
	for _, c := range b {
		if (c < 0x20 || c > 0x7e) && (c < '\t' || c > '\r') {
			return false
		}
	}
	return true
}

// IsPassphrase reports whether s is a passphrase, not a key file.
func (s *Secret) IsPassphrase() bool { return s.kind == recordScrypt }

// Equal reports whether s and t are the same secret, in a time that depends on
// their kinds and lengths only.
func (s *Secret) Equal(t *Secret) bool {
	return s.kind == t.kind && subtle.ConstantTimeCompare(s.data, t.data) == 1
}

// Wipe overwrites the secret, which must not be used afterwards.
func (s *Secret) Wipe() { wipe(s.data[:cap(s.data)]) }
