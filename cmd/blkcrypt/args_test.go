package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"blkcrypt/format"
)

// arrange passes on one form, whatever the order and spelling.
func TestArrange(t *testing.T) {
	t.Parallel()
	app := new(tool).app()
	for line, want := range map[string]string{
		"enc f":                        "enc -- f",
		"enc f -f":                     "enc --force=true -- f",
		"enc -ff f -f":                 "enc --force=true -- f",
		"enc -fo out f":                "enc --force=true --output=out -- f",
		"enc -foout f":                 "enc --force=true --output=out -- f",
		"enc -fo=out f":                "enc --force=true --output=out -- f",
		"enc --output out f":           "enc --output=out -- f",
		"enc --output=a=b f":           "enc --output=a=b -- f",
		"enc --output= f":              "enc --output= -- f",
		"enc -o - f":                   "enc --output=- -- f",
		"enc --output=-f f":            "enc --output=-f -- f",
		"enc -k a,b -k c f":            "enc --key-file=a,b --key-file=c -- f",
		"enc - -f":                     "enc --force=true -- -",
		"enc -- -f --output x":         "enc -- -f --output x",
		"enc -f -- --":                 "enc --force=true -- --",
		"enc help":                     "enc -- help",
		"enc f --help --bogus":         "enc --help",
		"enc -o --help f":              "",
		"enc -h":                       "enc --help",
		"help":                         "--help",
		"help enc":                     "enc --help",
		"help key new":                 "key new --help",
		"key --help":                   "key --help",
		"key new -o k":                 "key new --output=k --",
		"--version":                    "--version",
		"--help":                       "--help",
		"-h":                           "--help",
		"":                             "",
		"key":                          "",
		"key new -f":                   "",
		"bogus":                        "",
		"--force enc":                  "",
		"enc --forc":                   "",
		"enc -force":                   "",
		"enc -output=x":                "",
		"enc -é":                       "",
		"enc --":                       "enc --",
		"enc -o a -o b":                "",
		"enc --f":                      "",
		"enc --passphrase-fd 3 -c x f": "enc --passphrase-fd=3 --suite=x -- f",
	} {
		got, err := arrange(app, strings.Fields(line))
		if want == "" {
			var f *failure
			if !errors.As(err, &f) || f.code != exitUsage || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q, %v; want a usage error in one line", line, got, err)
			}
			continue
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestParseNumbers(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{
		"0": 0, "7": 7, "010": 10, "65536": 65536, "64K": 65536, "64k": 65536, "64KiB": 65536, "64kib": 65536,
		"1M": 1 << 20, "8MiB": 8 << 20, "2G": 2 << 30, "12B": 12, "00": 0,
	} {
		if got, err := parseSize("--x", s); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "K", "KiB", "-1", "+1", "0x10", "1e3", "1.5K", "64KB", "64 K", "1KK", "9223372036854775807", "99999999999999999999", "9999999999G", "١"} {
		if n, err := parseSize("--x", s); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", s, n)
		}
	}
	for s, want := range map[string]int{"4096": 12, "4KiB": 12, "64K": 16, "8MiB": 23, "8388608": 23} {
		if got, err := parseChunkSize(s); err != nil || got != want {
			t.Errorf("parseChunkSize(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"0", "1", "2K", "4095", "4097", "16M", "1G", ""} {
		if n, err := parseChunkSize(s); err == nil {
			t.Errorf("parseChunkSize(%q) = %d, want an error", s, n)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"enc", "enc", 0}, {"ecn", "enc", 1}, {"en", "enc", 1}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
	known := []string{"--force", "--output", "--passphrase-fd", "--passphrase-file"}
	for name, want := range map[string]string{
		"--forse":      "did you mean --force?",
		"--pass":       "did you mean --passphrase-fd or --passphrase-file?",
		"--outptu":     "did you mean --output?",
		"--zzzzzzzzzz": "the flags are --force, --output, --passphrase-fd, --passphrase-file",
	} {
		if got := nearOr(name, known, "the flags are"); got != want {
			t.Errorf("nearOr(%q) = %q, want %q", name, got, want)
		}
	}
}

// E01: every kind of error has an exit code, and the codes differ by what a
// script does about them.
func TestE01Exits(t *testing.T) {
	t.Parallel()
	for k := format.NotBlkcrypt; !strings.HasPrefix(k.String(), "kind("); k++ {
		err := failed("f", &format.Error{Kind: k})
		var f *failure
		if !errors.As(err, &f) || !slices.Contains([]int{1, 3, 4, 5, 6}, f.code) {
			t.Errorf("%v: no exit code: %v", k, err)
		}
	}
	if len(formatExits) != int(format.TooLarge) {
		t.Errorf("%d kinds in the table, want %d", len(formatExits), format.TooLarge)
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a b.txt": "a b.txt", "é": "é", "": `""`, "a\nb": `"a\nb"`, "\x1b[2J": `"\x1b[2J"`, "a\xffb": `"a\xffb"`,
		"a\u202eb": `"a\u202eb"`,
	} {
		if got := show(name); got != want {
			t.Errorf("show(%q) = %s, want %s", name, got, want)
		}
	}
}
