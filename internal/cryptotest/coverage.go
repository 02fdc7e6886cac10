package cryptotest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Count is how many vectors ran, by cell and source. Ask [Count.Covers] at the
// end.
type Count map[string]map[string]int

// Add counts one vector.
func (c Count) Add(v *Vector) {
	if c[v.Cell()] == nil {
		c[v.Cell()] = map[string]int{}
	}
	c[v.Cell()][v.Source]++
}

var (
	coverageLine   = regexp.MustCompile(`(?m)^- ([a-z0-9]+ [a-z]{3}): (.*\d)$`)
	coverageSource = regexp.MustCompile(`^(.+) (\d+)$`)
)

// Covers fails the test where fewer vectors ran than COVERAGE.md, in the folder
// of vectors, lists for a cell of these ciphers and modes and a source whose
// folder is there, or none of those computed by other implementations. It logs
// the numbers.
func (c Count) Covers(t testing.TB, ciphers, modes []string) {
	t.Helper()
	dir := folder(t)
	if dir == "" || Thin() {
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "COVERAGE.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, m := range coverageLine.FindAllStringSubmatch(string(text), -1) {
		cell := m[1]
		cipher, mode, _ := strings.Cut(cell, " ")
		if !slices.Contains(ciphers, splitCipher(cipher)) || !slices.Contains(modes, mode) {
			continue
		}
		for _, s := range strings.Split(m[2], ", ") {
			part := coverageSource.FindStringSubmatch(s)
			source := part[1]
			folder := regexp.MustCompile(`^[a-z]+`).FindString(source)
			if _, err := os.Stat(filepath.Join(dir, folder)); err != nil {
				continue
			}
			want, _ := strconv.Atoi(part[2])
			if got := c[cell][source]; got < want {
				t.Errorf("%s: %d vectors of %s ran, there are %d", cell, got, source, want)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Errorf("COVERAGE.md lists nothing for %v in %v", ciphers, modes)
	}
	for _, cell := range slices.Sorted(maps.Keys(c)) {
		total, parts := 0, []string(nil)
		for _, source := range slices.Sorted(maps.Keys(c[cell])) {
			total += c[cell][source]
			parts = append(parts, source+" "+strconv.Itoa(c[cell][source]))
		}
		t.Logf("%s: %d vectors (%s)", cell, total, strings.Join(parts, ", "))
		if c[cell]["generated"] == 0 {
			t.Errorf("%s: none of the computed vectors ran", cell)
		}
	}
}
