// Package cryptotest holds the test suites that every cipher, mode and tier
// passes through, loaders of published test vectors, and slow implementations
// of the modes to compare with.
package cryptotest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Vector is one test vector of a mode.
type Vector struct {
	ID     string // its name in the file, or the file and the line
	Source string // where it comes from, as COVERAGE.md calls it
	Cipher string // "aes", "camellia" or "sm4"
	Mode   string // "ecb", "cbc", "cfb", "ofb", "ctr", "xts", "lrw", "gcm", "ocb", "eax" or "ccm"

	// Key is two keys in XTS, and a cipher's and a tweak's of 16 bytes in LRW.
	// Nonce holds whatever the mode takes: a nonce, an initial vector, a tweak.
	Key, Nonce, AD, Plain []byte

	// Text is the ciphertext without the tag. It is nil where only its SHA-256 is
	// given, in TextHash, or only the tag.
	Text, TextHash, Tag []byte

	TagSize int

	// Valid tells that decryption succeeds; in CBC, that the plaintext ends in
	// PKCS #7's padding. Where it does not, Plain means nothing.
	Valid bool

	// GB tells that XTS multiplies tweaks as GB/T 17964-2021 does, not as IEEE
	// 1619 does.
	GB bool

	// Times tells how often Plain is encrypted in turn; 0 means once.
	Times int

	// Iterated tells that Tag is what the procedure at the end of RFC 7253's
	// appendix A yields, with tags of TagSize.
	Iterated bool
}

// KeySize returns the size in bytes of one key of the cipher.
func (v *Vector) KeySize() int {
	switch v.Mode {
	case "xts":
		return len(v.Key) / 2
	case "lrw":
		return len(v.Key) - 16
	}
	return len(v.Key)
}

// Cell names the cipher with its key size, as COVERAGE.md does, and the mode:
// "aes128 gcm".
func (v *Vector) Cell() string {
	if v.Cipher == "sm4" {
		return "sm4 " + v.Mode
	}
	return v.Cipher + strconv.Itoa(8*v.KeySize()) + " " + v.Mode
}

// Check compares a ciphertext and a tag with what the vector gives of them.
func (v *Vector) Check(text, tag []byte) error {
	if v.Text != nil && !bytes.Equal(text, v.Text) {
		return fmt.Errorf("%s %s: ciphertext is\n%x, want\n%x", v.Cell(), v.ID, text, v.Text)
	}
	if sum := sha256.Sum256(text); v.TextHash != nil && !bytes.Equal(sum[:], v.TextHash) {
		return fmt.Errorf("%s %s: the ciphertext's SHA-256 is %x, want %x", v.Cell(), v.ID, sum, v.TextHash)
	}
	if !bytes.Equal(tag, v.Tag) {
		return fmt.Errorf("%s %s: tag is %x, want %x", v.Cell(), v.ID, tag, v.Tag)
	}
	return nil
}

// folder returns the path of the folder of vectors beside the module, "" if it
// is not there.
func folder(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("cryptotest: no go.mod above the working directory")
		}
		dir = parent
	}
	dir = filepath.Join(dir, "..", "shared", "vectors")
	if _, err := os.Stat(dir); err != nil {
		t.Log("the folder ../shared/vectors is absent: its vectors are not run")
		return ""
	}
	return dir
}

// Load returns the published vectors of these modes, of all ciphers and
// sources, from the folder ../shared/vectors beside the module. Where that is
// absent it logs so and returns none. If [Thin], it returns a few.
func Load(t testing.TB, modes ...string) []*Vector {
	t.Helper()
	dir := folder(t)
	if dir == "" {
		return nil
	}
	l := loader{t: t, root: dir, modes: modes}
	l.each("linux/*.json", l.collection)
	l.each("rfc/*.json", l.collection)
	l.each("generated/*.json", l.collection)
	l.each("libgcrypt/*.json", l.collection)
	l.each("mbedtls/*.data", l.mbedtls)
	l.each("openssl/*.txt", l.openssl)
	l.each("pyca/*/*.txt", l.pyca)
	l.each("pyca/*/*/*.rsp", l.pyca)
	l.each("pyca/*/*/*.txt", l.pyca)
	l.each("pyca/*/*/*/*.rsp", l.pyca)
	l.wycheproof(filepath.Join(dir, "wycheproof"))
	return l.vectors()
}

// Wycheproof returns the vectors of these modes from a folder of Wycheproof's
// files (testvectors_v1).
func Wycheproof(t testing.TB, dir string, modes ...string) []*Vector {
	t.Helper()
	l := loader{t: t, root: dir, modes: modes}
	l.wycheproof(dir)
	if len(l.all) == 0 {
		t.Fatalf("%s: none of Wycheproof's files for %v", dir, modes)
	}
	return l.vectors()
}

// loader collects vectors. What it can't make sense of ends the test.
type loader struct {
	t     testing.TB
	root  string
	modes []string // those asked for
	all   []*Vector
}

func (l *loader) wants(mode string) bool { return slices.Contains(l.modes, mode) }

// add takes a vector if it is of a mode asked for; Text must not be nil if it
// is known.
func (l *loader) add(v *Vector) {
	if v.Tag != nil {
		v.TagSize = len(v.Tag)
	}
	if l.wants(v.Mode) {
		l.all = append(l.all, v)
	}
}

// vectors returns what was collected, a few of them if Thin.
func (l *loader) vectors() []*Vector {
	var some []*Vector
	for i := range sparse(len(l.all)) {
		some = append(some, l.all[i])
	}
	return some
}

// each has read take the contents of each file that matches.
func (l *loader) each(pattern string, read func(name string, data []byte)) {
	l.t.Helper()
	paths, err := filepath.Glob(filepath.Join(l.root, filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		l.t.Fatalf("%s/%s: no such files (%v)", l.root, pattern, err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			l.t.Fatal(err)
		}
		name, err := filepath.Rel(l.root, p)
		if err != nil {
			l.t.Fatal(err)
		}
		read(filepath.ToSlash(name), data)
	}
}

// hex decodes s, to an empty slice that is not nil if s is empty.
func (l *loader) hex(id, s string) []byte {
	b := make([]byte, len(s)/2)
	if _, err := hex.Decode(b, []byte(s)); err != nil {
		l.t.Fatalf("%s: %v in %q", id, err, s)
	}
	return b
}

// splitCipher takes a name such as "camellia128" apart. The key's size is known
// from the key.
func splitCipher(name string) string {
	for _, c := range []string{"aes", "camellia", "sm4"} {
		if len(name) >= len(c) && name[:len(c)] == c {
			return c
		}
	}
	return name
}
