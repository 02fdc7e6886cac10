//go:build (amd64 || arm64) && !race

// The race detector takes more address space than these tests leave; the headers
// they break come from the crash tests, which know the calls of two processors.

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { systemCommands["limited"] = limited }

// limited MIB ARGUMENTS is blkcrypt with so much address space beyond what the
// runtime has taken at its start.
func limited() {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		fail(err)
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		fail(err)
	}
	more, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		fail(err)
	}
	limit := pages*uint64(os.Getpagesize()) + more<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		fail(err)
	}
	os.Args = append([]string{"blkcrypt"}, os.Args[2:]...)
	main()
}

// hostile writes a copy of a file with a byte of its header changed and the
// checksum made to fit.
func hostile(t *testing.T, dir, name string, file []byte, at int, b ...byte) {
	t.Helper()
	bad := append([]byte(nil), file...)
	copy(bad[at:], b)
	n := headerOf(file) // the size that the field had
	sum := sha256.Sum256(bad[:n-40])
	copy(bad[n-40:], sum[:8])
	write(t, dir, name, string(bad))
}

// TestC10C11Hostile: headers that name large sizes and costs are refused at once,
// in little memory.
func TestC10C11Hostile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	write(t, dir, "f", string(pattern(10000)))
	if code, _, errs := run(t, as(t, dir, "blkcrypt", append(fast, "--passphrase-file", "p", "f")...)); code != 0 {
		t.Fatal(errs)
	}
	file, err := os.ReadFile(filepath.Join(dir, "f.blk"))
	if err != nil {
		t.Fatal(err)
	}
	const slot = 48
	type header struct {
		what string
		at   int
		b    []byte
		code int
		text string
	}
	headers := []header{
		{"H", 14, []byte{0, 0}, exitDamaged, "header of 0 bytes"},
		{"H", 14, []byte{0, 186}, exitDamaged, "header of 186 bytes"},
		{"H", 14, []byte{0x80, 1}, exitDamaged, "header of 32769 bytes"},
		{"H", 14, []byte{0xff, 0xff}, exitDamaged, "header of 65535 bytes"},
		{"H", 14, []byte{0x7f, 0xff}, exitDamaged, "truncated"},
		{"record length", slot + 1, []byte{0xff, 0xff}, exitDamaged, "longer than the header"},
		{"logN", slot + 3, []byte{21}, exitRefused, "2048 MiB of memory; 2^20 is allowed; allow it with --scrypt-max-logn 21\n"},
		{"logN", slot + 3, []byte{22}, exitRefused, "4096 MiB of memory; 2^21 is allowed; allow it with --scrypt-max-logn 22\n"},
	}
	for _, log := range []byte{0, 1, 11, 24, 31, 62, 63, 64, 255} {
		headers = append(headers, header{"chunk size", 13, []byte{log}, exitDamaged, fmt.Sprintf("2^%d", log)})
	}
	for _, logN := range []byte{0, 1, 9, 23, 25, 31, 63, 255} {
		headers = append(headers, header{"logN", slot + 3, []byte{logN}, exitDamaged, fmt.Sprintf("2^%d", logN)})
	}
	for _, v := range []byte{0, 2, 255} {
		headers = append(headers, header{"r", slot + 4, []byte{v}, exitDamaged, fmt.Sprintf("r = %d", v)},
			header{"p", slot + 5, []byte{v}, exitDamaged, fmt.Sprintf("p = %d", v)})
	}
	for i, h := range headers {
		if testing.Short() && i%4 != 0 {
			continue
		}
		name := fmt.Sprint("bad", i)
		hostile(t, dir, name, file, h.at, h.b...)
		code, out, errs := run(t, as(t, dir, "limited", "80", "dec", "--passphrase-file", "p", "-o", "o", name))
		if code != h.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, h.text) || exists(filepath.Join(dir, "o")) {
			t.Errorf("%s %v: exit code %d, %q", h.what, h.b, code, errs)
		}
	}
}

// TestC12Memory: what enc makes by itself opens in 512 MiB; where there is not
// enough memory for a passphrase, that is said in one line.
func TestC12Memory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "p", "pw")
	write(t, dir, "f", "text")
	for _, x := range []struct {
		mib  string
		args []string
		code int
	}{
		{"100", []string{"enc", "--passphrase-file", "p", "-o", "none", "f"}, exitFailure},
		{"512", []string{"enc", "--passphrase-file", "p", "f"}, exitDone},
		{"100", []string{"dec", "--passphrase-file", "p", "-o", "none", "f.blk"}, exitFailure},
		{"512", []string{"dec", "--passphrase-file", "p", "-o", "o", "f.blk"}, exitDone},
	} {
		code, _, errs := run(t, as(t, dir, "limited", append([]string{x.mib}, x.args...)...))
		if code != x.code || (code != exitDone) != (strings.Count(errs, "\n") == 1 && strings.Contains(errs, "scrypt needs 128 MiB of memory")) {
			t.Errorf("%v in %s MiB: exit code %d, %q", x.args, x.mib, code, errs)
		}
	}
	wantFile(t, filepath.Join(dir, "o"), "text")
	wantOnly(t, dir, "f", "f.blk", "o", "p")
}
