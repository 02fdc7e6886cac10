package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notApplicable are the cases of other tools' users that can't occur here.
var notApplicable = map[string]string{
	"C20": "there is no ASCII armour",
}

// Every case is named by a test somewhere in the module, or stands in the list
// above.
func TestCasesAreNamed(t *testing.T) {
	cases, err := os.ReadFile("../../../shared/cases/cases.md")
	if err != nil {
		t.Log("the list of cases is not here; nothing to compare")
		return
	}
	id := regexp.MustCompile(`[A-E][0-9]{2}`)
	ids := regexp.MustCompile(`(?:\bTest|\b)((?:[A-E][0-9]{2})+)(?:[^0-9a-f]|$)`) // TestA01A13Prompt, "# B06:"; no hexadecimal digits
	named := map[string]bool{}
	err = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") || filepath.Base(path) == "cases_test.go" && filepath.Base(filepath.Dir(path)) == "blkcrypt" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range ids.FindAllStringSubmatch(string(text), -1) {
			for _, c := range id.FindAllString(m[1], -1) {
				named[c] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^([A-E][0-9]{2}) \|`).FindAllStringSubmatch(string(cases), -1) {
		if c := m[1]; !named[c] && notApplicable[c] == "" {
			t.Errorf("no test names case %s", c)
		}
	}
}
