package format

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecondReader lets testdata/reader.py, which was written from the format's
// description alone, read what this package writes, whole and broken.
func TestSecondReader(t *testing.T) {
	if testing.Short() {
		t.Log("short: no other program is started, which an emulated process can't do")
		return
	}
	python, err := "", error(nil)
	for _, python = range []string{"python3", "/usr/bin/python3"} {
		if err = exec.Command(python, "-c", "from cryptography.hazmat.primitives.ciphers.aead import AESOCB3").Run(); err == nil {
			break
		}
	}
	if err != nil {
		t.Logf("no python3 with the package cryptography to run the second reader with: %v", err)
		return
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	line, err := GenerateKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKeyFile(line)
	if err != nil {
		t.Fatal(err)
	}
	const word = "cafe\u0301 \u212b\r\n" // not in normal form
	pass, err := ParsePassphrase([]byte(word))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"testdata/reader.py", "--digest",
		"--passphrase-file", write("pass", []byte(word)), "--key-file", write("key", line),
		"--passphrase-file", filepath.Join(goldenDir, goldenPass), "--key-file", filepath.Join(goldenDir, goldenKey)}
	var want []string
	add := func(file []byte, answer string) {
		args = append(args, write(fmt.Sprint("f", len(want)), file))
		want = append(want, answer)
	}
	good := func(file []byte, plain []byte) {
		add(file, fmt.Sprintf("ok %d %x", len(plain), sha256.Sum256(plain)))
	}
	bad := func(file []byte, kind Kind) {
		_, err := decrypt(NewKeyring(pass, key), file)
		wantKind(t, err, kind)
		add(file, "error "+kind.String())
	}

	rings := []*Keyring{NewKeyring(pass), NewKeyring(key), NewKeyring(keyFile(t, 7), pass), NewKeyring(passphrase(t, "other"), key)}
	for _, s := range Suites() {
		if s.Cipher() != "aes" || s.Mode() == "eax" {
			continue
		}
		for i, n := range gridLengths(testChunk) {
			plain := pattern(n)
			o := small
			o.Suite = s
			good(encrypt(t, rings[i%len(rings)], o, plain), plain)
		}
		for _, n := range goldenLengths {
			good(golden(t, goldenName(s, n)), pattern(n))
		}
	}
	for _, name := range []string{goldenUnknown, goldenGrown} {
		good(golden(t, name), pattern(100))
	}
	good(append(golden(t, goldenHeader), golden(t, goldenPayload)...), pattern(testChunk))
	plain := pattern(3*testChunk + 20)
	file := encrypt(t, rings[0], small, plain)
	for at, kind := range map[int]Kind{1: NotBlkcrypt, 8: Unsupported, 14: Malformed, 20: Checksum, 600: Damaged,
		headerUnit - 1: Tampered, len(file) - 1: Damaged} {
		b := bytes.Clone(file)
		b[at] ^= 0x80
		bad(b, kind)
	}
	for cut, kind := range map[int]Kind{10: Truncated, 100: Truncated, headerUnit: Truncated, headerUnit + 5: Truncated,
		headerUnit + testPiece: Truncated, headerUnit + testPiece + 16: Truncated, headerUnit + testPiece + 17: Damaged} {
		bad(file[:cut], kind)
	}
	whole := encrypt(t, rings[1], small, plain[:2*testChunk])
	bad(append(bytes.Clone(whole), 0), Trailing)
	bad(append(bytes.Clone(whole), whole...), Trailing)
	bad(encrypt(t, NewKeyring(keyFile(t, 7)), small, plain), WrongKey)
	dear := bytes.Clone(file)
	setLogN(dear, 22)
	bad(dear, Cost)

	out, err := exec.Command(python, args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d answers for %d files", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("file %d: the second reader says %q, want %q", i, got[i], want[i])
		}
	}
}
