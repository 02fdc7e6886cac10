package format

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestSuites(t *testing.T) {
	all := Suites()
	if len(all) != 28 {
		t.Errorf("%d suites", len(all))
	}
	names := make(map[string]bool)
	for _, s := range all {
		names[s.String()] = true
		for _, spelt := range []string{s.String(), strings.ToUpper(s.String())} {
			if got, err := ParseSuite(spelt); err != nil || got != s {
				t.Errorf("%s: %v, %v", spelt, got, err)
			}
		}
	}
	if len(names) != 28 || !names["aes-256-gcm"] || !names["camellia-192-eax"] || !names["sm4-ocb"] {
		t.Errorf("names %v", names)
	}
	for short, full := range map[string]string{"aes-gcm": "aes-256-gcm", "Camellia-CCM": "camellia-256-ccm"} {
		if s, err := ParseSuite(short); err != nil || s.String() != full {
			t.Errorf("%s: %v, %v", short, s, err)
		}
	}
	if DefaultSuite().String() != "aes-256-gcm" {
		t.Errorf("default %v", DefaultSuite())
	}
	if s := (Suite{}); s.valid() || slices.Contains(all, s) {
		t.Error("the zero value is a suite")
	}
}

func TestSuiteErrors(t *testing.T) {
	for name, near := range map[string]string{
		"aes256-gcm": "aes-256-gcm", "aes-256-gmc": "aes-256-gcm", "camelia-256-ocb": "camellia-256-ocb",
		"sm4-gcb": "sm4-gcm", "aes-512-gcm": "aes-192-gcm", "des": "", "": "", "rot13-lots-of-text": "", "sm4": "",
	} {
		_, err := ParseSuite(name)
		var e *SuiteError
		if !errors.As(err, &e) || e.Name != name || len(e.Near) > 3 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if near != "" && !slices.Contains(e.Near, near) || near == "" && len(e.Near) > 0 && name != "sm4" {
			t.Errorf("%s: %v, want %s", name, err, near)
		}
		if near != "" && !strings.Contains(err.Error(), "did you mean "+e.Near[0]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
