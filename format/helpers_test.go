package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"testing"
)

// testLogN is the cheapest scrypt that the format allows.
const testLogN = 10

const testChunk = 1 << minChunkLog

// small are options for files of many chunks.
var small = Options{ChunkLog: minChunkLog, LogN: testLogN}

func keyFile(t testing.TB, seed byte) *Secret {
	t.Helper()
	sum := sha256.Sum256([]byte{seed})
	s, err := ParseKeyFile(sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func passphrase(t testing.TB, text string) *Secret {
	t.Helper()
	s, err := NewPassphrase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// testRing holds one key file: no scrypt.
func testRing(t testing.TB) *Keyring { return NewKeyring(keyFile(t, 1)) }

// pattern returns n bytes that repeat with no power of two.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i/251)
	}
	return b
}

func encrypt(t testing.TB, k *Keyring, o Options, plain []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, k, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// decrypt returns the plaintext that came out, also where an error follows.
func decrypt(k *Keyring, file []byte, options ...ReadOption) ([]byte, error) {
	r, err := NewReader(bytes.NewReader(file), k, options...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func headerSize(file []byte) int { return int(binary.BigEndian.Uint16(file[14:])) }

func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

func wantKind(t testing.TB, err error, want Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != want {
		t.Fatalf("error %q, want kind %v", err, want)
	}
	return e
}

// fixChecksum makes a changed header pass as one that was written so.
func fixChecksum(header []byte) {
	n := headerSize(header)
	sum := sha256.Sum256(header[:n-trailerSize])
	copy(header[n-trailerSize:], sum[:checksumSize])
}

// sliceAt is a file in memory.
type sliceAt struct {
	mu sync.Mutex
	b  []byte
}

func (s *sliceAt) WriteAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := int(off) + len(p); n > len(s.b) {
		s.b = append(s.b, make([]byte, n-len(s.b))...)
	}
	return copy(s.b[off:], p), nil
}
