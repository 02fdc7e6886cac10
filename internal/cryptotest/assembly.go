package cryptotest

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/ghash"
)

// routine is a function in generated assembly. Names that end in <> are known in
// one file only, and have its path before them.
type routine struct {
	requires []string // as the generator found them
	body     string
	calls    []string
}

var (
	routineText = regexp.MustCompile(`(?m)^TEXT ·(\w+(?:<>)?)\(SB\)`)
	requireLine = regexp.MustCompile(`(?m)^// Requires: (.+)$`)
	callLine    = regexp.MustCompile(`(?m)^\s+(?:CALL|JMP)\s+·(\w+(?:<>)?)\(SB\)`)
	// evex are the operands that only AVX-512's encoding has.
	evex = regexp.MustCompile(`\b(?:[XY](?:1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b`)
)

// requirement maps an instruction set, as the generator names it, to the feature
// that a tier must need.
var requirement = map[string]string{
	"AES": "intel-aesni", "SSSE3": "intel-ssse3", "SSE4.1": "intel-sse4.1", "PCLMULQDQ": "intel-pclmul",
	"AVX": "intel-avx", "AVX2": "intel-avx2", "BMI2": "intel-bmi2", "GFNI": "intel-gfni",
	"VAES": "intel-vaes-vpclmul", "VPCLMULQDQ": "intel-vaes-vpclmul",
	"AVX512F": "intel-avx512", "AVX512BW": "intel-avx512", "AVX512DQ": "intel-avx512", "AVX512VL": "intel-avx512",
}

// AssemblySuite checks, in the assembly of the folder dir, that no tier of c
// would be chosen on a processor that lacks an instruction of its kernels. That
// holds for tiers that this machine can't run as well. In particular a tier
// without AVX-512 must not use registers that the assembler, without a word,
// encodes for it.
func AssemblySuite(t *testing.T, c *bulk.Cipher, dir string) {
	routines := readAssembly(t, dir)
	for _, tier := range c.Tiers {
		if tier.Need == 0 {
			continue
		}
		found := 0
		v := reflect.ValueOf(tier).Elem()
		for i := range v.NumField() {
			if v.Field(i).Kind() != reflect.Func || v.Field(i).IsNil() {
				continue
			}
			name := runtime.FuncForPC(v.Field(i).Pointer()).Name()
			name = name[strings.LastIndexByte(name, '.')+1:]
			isGCM := v.Type().Field(i).Name == "GCM"
			runs := func(machine cpu.Features) bool {
				return machine.Has(tier.Need) && (!isGCM || ghash.Has(machine, tier.GCMHash))
			}
			for _, r := range reach(routines, name) {
				found++
				checkRoutine(t, tier.Name, runs, r, routines[r])
			}
		}
		if found == 0 {
			t.Errorf("%s: no kernel in assembly", tier.Name)
		}
	}
}

// readAssembly reads the routines in a folder. What stands before a routine's
// first line belongs to its comment.
func readAssembly(t *testing.T, dir string) map[string]routine {
	paths, err := filepath.Glob(filepath.Join(dir, "*_amd64.s"))
	if err != nil {
		t.Fatal(err)
	}
	routines := map[string]routine{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		at := routineText.FindAllStringSubmatchIndex(text, -1)
		last := 0
		for i, m := range at {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			r := routine{body: text[m[0]:end]}
			if all := requireLine.FindAllStringSubmatch(text[last:m[0]], -1); all != nil {
				r.requires = strings.Split(all[len(all)-1][1], ", ")
			}
			for _, m := range callLine.FindAllStringSubmatch(r.body, -1) {
				r.calls = append(r.calls, qualified(p, m[1]))
			}
			routines[qualified(p, text[m[2]:m[3]])] = r
			last = m[0]
		}
	}
	return routines
}

func qualified(path, name string) string {
	if strings.HasSuffix(name, "<>") {
		return path + ":" + name
	}
	return name
}

// reach returns the routine of that name and those that it calls, none if it is
// not in assembly.
func reach(routines map[string]routine, name string) []string {
	var all []string
	for next := []string{name}; len(next) > 0; next = next[1:] {
		r, ok := routines[next[0]]
		if !ok || slices.Contains(all, next[0]) {
			continue
		}
		all = append(all, next[0])
		next = append(next, r.calls...)
	}
	return all
}

// checkRoutine checks a routine of a tier. runs says whether a machine with these
// features would run it.
func checkRoutine(t *testing.T, tier string, runs func(machine cpu.Features) bool, name string, r routine) {
	t.Helper()
	without := func(feature string) cpu.Features {
		machine, err := cpu.Without(^cpu.Features(0), feature)
		if err != nil {
			t.Fatal(err)
		}
		return machine
	}
	for _, set := range r.requires {
		feature, ok := requirement[set]
		switch {
		case ok && !runs(without(feature)):
		case strings.HasPrefix(set, "SSE") && !ok: // part of amd64, but for the above
		default:
			t.Errorf("%s would be chosen on a machine without %s, its routine %s uses %s", tier, feature, name, set)
		}
	}
	// The comment of the next routine is part of the body.
	code := regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(r.body, "")
	if operand := evex.FindString(code); operand != "" && runs(without("intel-avx512")) {
		t.Errorf("%s would be chosen on a machine without intel-avx512, its routine %s uses %s", tier, name, operand)
	}
}
