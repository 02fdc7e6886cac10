package aes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// NIST's CAVP response files for ECB: GFSbox, KeySbox, VarKey, VarTxt and the
// multi-block MMT, with each key size.
func TestCAVP(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "vectors", "pyca", "AES", "ECB")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Logf("%s is absent: its vectors were not tried", dir)
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.rsp"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, name := range files {
		n := cavpFile(t, name)
		if n == 0 {
			t.Errorf("%s: no vector", name)
		}
		total += n
	}
	if total == 0 {
		t.Fatalf("no vector in %s", dir)
	}
	t.Logf("%d vectors in %d files", total, len(files))
}

// cavpFile tries a file's vectors, which end with their second text line, and
// counts them.
func cavpFile(t *testing.T, name string) (n int) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	v := map[string]string{}
	for line := range strings.Lines(string(data)) {
		field, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		if field == "COUNT" {
			clear(v)
		}
		v[field] = value
		if v["KEY"] == "" || v["PLAINTEXT"] == "" || v["CIPHERTEXT"] == "" {
			continue
		}
		check(t, newKey(t, unhex(v["KEY"])), unhex(v["PLAINTEXT"]), unhex(v["CIPHERTEXT"]))
		clear(v)
		n++
	}
	return n
}
