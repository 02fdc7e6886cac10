package format

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
)

// A Suite is a cipher, a key size and an authenticated mode, named
// "aes-256-gcm" or, where the cipher has one key size only, "sm4-ocb". Suites
// can be compared with ==. The zero value is not a suite.
type Suite struct{ cipher, keySize, mode byte }

// The numbers of ciphers and modes in a header.
var (
	cipherNames = [...]string{1: "aes", 2: "camellia", 3: "sm4"}
	modeNames   = [...]string{1: "gcm", 2: "ocb", 3: "eax", 4: "ccm"}
)

const (
	nonceSize = 12
	tagSize   = 16
)

// DefaultSuite returns aes-256-gcm.
func DefaultSuite() Suite { return Suite{1, 32, 1} }

// Suites returns all 28 suites, by cipher, key size and mode.
func Suites() []Suite {
	var list []Suite
	for c := 1; c < len(cipherNames); c++ {
		for _, k := range []byte{16, 24, 32} {
			for m := 1; m < len(modeNames); m++ {
				if s := (Suite{byte(c), k, byte(m)}); s.valid() {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

func (s Suite) valid() bool {
	if s.cipher == 0 || int(s.cipher) >= len(cipherNames) || s.mode == 0 || int(s.mode) >= len(modeNames) {
		return false
	}
	return s.keySize == 16 || cipherNames[s.cipher] != "sm4" && (s.keySize == 24 || s.keySize == 32)
}

// String returns the suite's name.
func (s Suite) String() string {
	switch {
	case !s.valid():
		return fmt.Sprintf("suite(%d,%d,%d)", s.cipher, s.keySize, s.mode)
	case s.Cipher() == "sm4":
		return s.Cipher() + "-" + s.Mode()
	}
	return s.Cipher() + "-" + strconv.Itoa(8*s.KeySize()) + "-" + s.Mode()
}

// Cipher returns the name of the block cipher: "aes", "camellia" or "sm4".
func (s Suite) Cipher() string { return cipherNames[s.cipher] }

// KeySize returns the cipher's key size in bytes.
func (s Suite) KeySize() int { return int(s.keySize) }

// Mode returns the name of the mode: "gcm", "ocb", "eax" or "ccm".
func (s Suite) Mode() string { return modeNames[s.mode] }

// SuiteError is the error of [ParseSuite].
type SuiteError struct {
	Name string
	Near []string // names that look like it, the nearest first; may be empty
}

func (e *SuiteError) Error() string {
	s := fmt.Sprintf("unknown suite %q", e.Name)
	if len(e.Near) > 0 {
		s += "; did you mean " + strings.Join(e.Near, " or ") + "?"
	}
	return s
}

// ParseSuite returns the suite called name, in any case. Without a key size it
// is the one of 256 bits: "aes-gcm" is aes-256-gcm. The error is a
// [*SuiteError].
func ParseSuite(name string) (Suite, error) {
	low := strings.ToLower(name)
	type near struct {
		name     string
		distance int
	}
	var list []near
	for _, s := range Suites() {
		full := s.String()
		short := s.Cipher() + "-" + s.Mode()
		if low == full || low == short && s.KeySize() == 32 {
			return s, nil
		}
		if d := editDistance(low, full); d <= 3 {
			list = append(list, near{full, d})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	e := &SuiteError{Name: name}
	for _, n := range list[:min(len(list), 3)] {
		e.Near = append(e.Near, n.name)
	}
	return Suite{}, e
}

// editDistance counts the insertions, deletions and substitutions of a byte
// that turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// A suiteKey is an expanded key of a suite.
type suiteKey struct {
	*aead.AEAD
	block *ciphers.Block
}

func newSuiteKey(s Suite, key []byte) (*suiteKey, error) {
	b, err := ciphers.New(s.Cipher(), key)
	if err != nil {
		return nil, err
	}
	a, err := aead.New(s.Mode(), b)
	if err != nil {
		b.Wipe()
		return nil, err
	}
	return &suiteKey{a, b}, nil
}

func (k *suiteKey) wipe() {
	k.AEAD.Wipe()
	k.block.Wipe()
}
