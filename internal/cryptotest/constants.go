package cryptotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Constants returns the constants of a package's source that are plain numbers.
// The generator of assembly has numbers for where things lie in Go's types; tests
// hold those against the types with this, for it is in another module.
func Constants(t testing.TB, dir string) map[string]int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Names) != len(v.Values) {
				return true
			}
			for i, name := range v.Names {
				if lit, ok := v.Values[i].(*ast.BasicLit); ok && lit.Kind == token.INT {
					n, err := strconv.ParseInt(lit.Value, 0, 64)
					if err != nil {
						t.Fatal(err)
					}
					all[name.Name] = int(n)
				}
			}
			return true
		})
	}
	return all
}
