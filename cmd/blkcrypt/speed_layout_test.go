package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"blkcrypt/internal/slope"
)

// sampleRows are made of known figures: a row by itself, one that is not steady,
// one that scatters, a batch.
func sampleRows() []row {
	a := newRow(subject{cipher: "aes", bits: 256, mode: "ctr", tier: "vaes-avx512"}, "enc", 1)
	a.perByte(slope.Result{Ns: 0.0625, Cycles: 0.225, MHz: 3600, Noise: 0.001, Steady: true})
	b := newRow(subject{cipher: "aes", bits: 256, mode: "ccm", tier: "vaes-avx512"}, "enc", 1)
	b.perByte(slope.Result{Ns: 1.25, Cycles: 4.5, MHz: 3600, Noise: 0.002, Drift: 81, Steady: false})
	c := newRow(subject{cipher: "aes", bits: 256, mode: "ccm", tier: "vaes-avx512"}, "dec", 32)
	c.perByte(slope.Result{Ns: 0.1, Cycles: 0.36, MHz: 3600, Noise: 0.058, Steady: true})
	d := newRow(subject{cipher: "sm4", bits: 128, mode: "ocb", tier: "generic"}, "auth", 1)
	d.perByte(slope.Result{Ns: 10, Cycles: 20, MHz: 2000, Noise: 0, Steady: true})
	return []row{a, b, c, d}
}

// sizeRows are of whole calls.
func sizeRows() []row {
	a := newRow(subject{cipher: "aes", bits: 128, mode: "xts", tier: "generic"}, "enc", 1)
	a.perCall(slope.Result{Ns: 100, Cycles: 300, MHz: 3000, Steady: true}, 16, 16)
	b := newRow(subject{cipher: "aes", bits: 128, mode: "gcm", tier: "generic"}, "dec", 1)
	b.perCall(slope.Result{Ns: 50, Cycles: 150, MHz: 3000, Steady: true}, 0, 0)
	c := newRow(subject{cipher: "aes", bits: 128, mode: "lrw", tier: "generic"}, "enc", 1)
	size := 15
	c.Bytes, c.none = &size, "whole blocks only"
	d := newRow(subject{cipher: "aes", bits: 128, mode: "ccm", tier: "generic"}, "enc", 8)
	d.perCall(slope.Result{Ns: 1600, Cycles: 4800, MHz: 3000, Steady: true}, 100, 800)
	return []row{a, b, c, d}
}

var sampleMachine = &machine{
	cpu:   "Some <CPU> (amd64)",
	hwf:   []string{"intel-aesni", "intel-avx"},
	off:   []string{"intel-avx2"},
	tiers: [][]string{{"AES", "aesni-avx", "generic"}, {"SM4", "generic"}},
}

func show4(l layout, rows []row) {
	l.begin(sampleMachine)
	for i := range rows {
		l.add(&rows[i])
	}
	l.end()
}

// wantText compares texts and shows the first line that differs.
func wantText(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("line %d of\n%s\nwant\n%s", i+1, got, want)
		}
	}
}

const sampleHead = `CPU:      Some <CPU> (amd64)
Features: intel-aesni intel-avx
Disabled: intel-avx2
AES:      aesni-avx (selected), generic
SM4:      generic (selected)
`

func TestTable(t *testing.T) {
	var b bytes.Buffer
	show4(newTable(&b, &speedOptions{}), sampleRows())
	wantText(t, b.String(), sampleHead+`
Cipher:
 AES256         |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz
        CTR enc |     0.062 ns/B     15259 MiB/s     0.225 c/B      3600
        CCM enc |      1.25 ns/B     762.9 MiB/s      4.50 c/B   3600±81
    CCM dec x32 |     0.100 ns/B      9537 MiB/s     0.360 c/B      3600  ±6%
                =
 SM4            |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz
       OCB auth |     10.00 ns/B     95.37 MiB/s     20.00 c/B      2000
                =
`)
	b.Reset()
	show4(newTable(&b, &speedOptions{sizes: []int{0}}), sizeRows())
	wantText(t, b.String(), sampleHead+`
Cipher:
 AES128               |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz  nanosecs/call
           XTS enc 16 |      6.25 ns/B     152.6 MiB/s     18.75 c/B      3000       100.0 ns
            GCM dec 0 |              -               -             -      3000       50.00 ns
           LRW enc 15 |              -               -             -         -                 whole blocks only
       CCM enc x8 100 |      2.00 ns/B     476.8 MiB/s      6.00 c/B      3000        1600 ns
                      =
`)
	b.Reset()
	show4(newTable(&b, &speedOptions{mhz: 2000}), sampleRows()[3:])
	wantText(t, b.String(), sampleHead+`
Cipher:
 SM4            |  nanosecs/byte   mebibytes/sec   cycles/byte
       OCB auth |     10.00 ns/B     95.37 MiB/s     20.00 c/B
                =
`)
}

func TestTierTable(t *testing.T) {
	rows := sampleRows()
	a, b := rows[2], rows[2]
	a.Tier, b.Tier, b.Lanes, b.CyclesPerByte, b.Noise = "fast", "slow", 8, 20, 0
	c := rows[3] // the first column missing
	c.Cipher, c.KeyBits, c.Tier = "aes", 256, "slow"
	d := rows[3]
	var buf bytes.Buffer
	tiers := &tierTable{w: &buf, tiers: map[string][]string{"aes": {"fast", "slow"}, "sm4": {"generic"}}}
	show4(tiers, []row{a, b, c, d})
	wantText(t, buf.String(), sampleHead+`
Cipher, cycles/byte on each tier:
 AES256               |          fast          slow
        CCM dec batch |        ~0.360         20.00
             OCB auth |             -         20.00
                      =
 SM4                  |       generic
             OCB auth |         20.00
                      =
`)
}

func TestTcrypt(t *testing.T) {
	rows := sizeRows()[:1]
	rows = append(rows, rows[0], rows[0], rows[0])
	rows[1].KeyBits, rows[2].Op, rows[3].Mode, rows[3].Steady, rows[3].drift = 256, "dec", "lrw", false, 50
	var b bytes.Buffer
	show4(&tcrypt{w: &b}, rows)
	wantText(t, b.String(), sampleHead+`
testing speed of xts(aes) (xts-aes-generic) encryption
test 0 (256 bit key, 16 byte blocks): 1 operation in 300 cycles (16 bytes)
test 1 (512 bit key, 16 byte blocks): 1 operation in 300 cycles (16 bytes)

testing speed of xts(aes) (xts-aes-generic) decryption
test 0 (256 bit key, 16 byte blocks): 1 operation in 300 cycles (16 bytes)

testing speed of lrw(aes) (lrw-aes-generic) encryption
test 0 (256 bit key, 16 byte blocks): 1 operation in 300 cycles (16 bytes)  at 3000±50 MHz
`)
	jobs := tcryptJobs(choices(tcryptModes), everything(), &speedOptions{})
	if len(jobs) != 7*5*2*5 {
		t.Errorf("%d jobs", len(jobs))
	}
	if j := jobs[0]; j.mode != "ecb" || j.bits != 128 || j.size != 16 || j.op != "enc" {
		t.Errorf("begins with %+v", j)
	}
	if j := jobs[14]; j.mode != "ecb" || j.bits != 256 || j.size != 8192 || j.op != "enc" {
		t.Errorf("15th is %+v", j)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	show4(&jsonLayout{w: &b}, append(sampleRows(), sizeRows()...))
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%s\n%v", b.String(), err)
	}
	for _, key := range []string{"version", "cpu", "go", "hwf", "mhz", "results"} {
		if doc[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	if doc["cpu"] != "Some <CPU> (amd64)" || doc["mhz"] != 3000.0 {
		t.Errorf("CPU %v, MHz %v", doc["cpu"], doc["mhz"])
	}
	results := doc["results"].([]any)
	if len(results) != 7 { // one has nothing to say
		t.Fatalf("%d results", len(results))
	}
	first := results[2].(map[string]any)
	for key, want := range map[string]any{"cipher": "aes", "key_bits": 256.0, "mode": "ccm", "op": "dec", "lanes": 32.0, "tier": "vaes-avx512",
		"ns_per_byte": 0.1, "mib_per_s": 9536.7, "cycles_per_byte": 0.36, "mhz": 3600.0, "noise": 0.058, "steady": true, "bytes": nil} {
		if first[key] != want {
			t.Errorf("%s is %v, want %v", key, first[key], want)
		}
	}
	if none := results[5].(map[string]any); none["bytes"] != 0.0 || none["ns_per_byte"] != nil || none["ns_per_call"] != 50.0 {
		t.Errorf("of no bytes: %v", none)
	}

	// What was written reads the same.
	again := new(report)
	if err := json.Unmarshal(b.Bytes(), again); err != nil {
		t.Fatal(err)
	}
	var c bytes.Buffer
	l := &jsonLayout{w: &c, doc: *again}
	l.end()
	wantText(t, c.String(), b.String())

	// A document without rows is one, too.
	b.Reset()
	show4(&jsonLayout{w: &b}, nil)
	if err := json.Unmarshal(b.Bytes(), again); err != nil || len(again.Results) != 0 || again.MHz.known() {
		t.Errorf("%s\n%v", b.String(), err)
	}
}

func TestReadReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"text": "hello", "other": `{"a": 1}`, "list": `[]`, "empty": `{"version":"1","results":[]}`, "types": `{"version":"1","results":[{"lanes":"many"}]}`} {
		if _, err := readReport(write(t, dir, name, text)); err == nil || !strings.Contains(err.Error(), "is not a document of speed --json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	show4(&csvLayout{csv.NewWriter(&b)}, append(sampleRows(), sizeRows()...))
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(records) != 8 {
		t.Fatalf("%d lines: %v", len(records), err)
	}
	if got := strings.Join(records[3], " "); got != "aes 256 ccm dec 32 vaes-avx512 0.1 9536.7 0.36 3600 0.058 true   " {
		t.Errorf("%q", got)
	}
	if got := strings.Join(records[6], " "); got != "aes 128 gcm dec 1 generic    3000 0 true  0 50" {
		t.Errorf("%q", got)
	}
}

func TestCompare(t *testing.T) {
	old := &report{Version: "v1", CPU: "Old", Go: "go1", Results: append(sampleRows(), sizeRows()[:2]...)}
	rows := append(sampleRows(), sizeRows()[:2]...)
	rows[0].CyclesPerByte *= 0.9 // beyond the noise
	rows[0].Tier = "another"     // the only one, so still the same row
	rows[1].CyclesPerByte *= 1.02
	rows[2].CyclesPerByte *= 1.1 // it scatters by six percent
	rows[2].Lanes = 16
	rows[3].CyclesPerByte *= 1.2
	rows[4].Op = "dec" // not there
	var b bytes.Buffer
	show4(newComparison(&b, old, &speedOptions{}), rows)
	_, table, _ := strings.Cut(b.String(), "\n")
	_, table, _ = strings.Cut(table, "\n")
	wantText(t, table, ` AES256               |            old            new   new/old
              CTR enc |      0.225 c/B      0.203 c/B     0.900  faster
              CCM enc |       4.50 c/B       4.59 c/B     1.020
          CCM dec x16 |      0.360 c/B      0.396 c/B     1.100
                      =
 SM4                  |            old            new   new/old
             OCB auth |      20.00 c/B      24.00 c/B     1.200  slower
                      =
 AES128               |            old            new   new/old
           XTS dec 16 |              -      18.75 c/B         -  not in old
            GCM dec 0 |       50.00 ns       50.00 ns     1.000
                      =
1 of 5 faster, 1 slower, the others within the noise; 1 of old not measured
`)
	// With several tiers, each has its own.
	if c := newComparison(io.Discard, old, &speedOptions{tiers: true}); c.old.find(&rows[0], c.tiers) != nil {
		t.Error("compared with another tier")
	}
	if !old.has(job{subject{"sm4", 128, "ocb", "new", ""}, "auth", false, -1}) || old.has(job{subject{"sm4", 128, "ocb", "new", ""}, "enc", false, -1}) {
		t.Error("finds the wrong rows to measure")
	}
}

// TestBeyond: a different clock excuses a little; figures a lot apart are always
// told.
func TestBeyond(t *testing.T) {
	a, b := sampleRows()[0], sampleRows()[0]
	for _, c := range []struct {
		ratio, noise, mhz float64
		want              bool
	}{
		{1, 0, 3600, false}, {1.02, 0.001, 3600, false}, {0.98, 0.001, 3600, false}, {1.04, 0.001, 3600, true}, {0.96, 0.001, 3600, true},
		{1.1, 0.05, 3600, false}, {1.2, 0.05, 3600, true}, {1.05, 0.001, 3400, false}, {1.1, 0.001, 3400, true}, {1.2, 0.001, 800, true},
	} {
		b.Noise, b.MHz = figure(c.noise), figure(c.mhz)
		if beyond(c.ratio, &a, &b) != c.want || beyond(1/c.ratio, &b, &a) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestChart(t *testing.T) {
	for _, width := range []int{10, 40, 80, 200} {
		var b bytes.Buffer
		show4(&chart{w: &b, width: width}, append(sampleRows(), sizeRows()...))
		_, drawn, _ := strings.Cut(b.String(), "\n\n")
		longest := 0
		for _, line := range strings.Split(drawn, "\n") {
			longest = max(longest, utf8.RuneCountInString(line))
		}
		if width >= 40 && (longest >= width || longest < width-5) {
			t.Errorf("%d columns of %d", longest, width)
		}
		if !strings.Contains(drawn, "SM4\n") || strings.Count(drawn, "MiB/s") != 6 || strings.Contains(drawn, "LRW") {
			t.Errorf("%d columns: %s", width, drawn)
		}
	}
	for part, want := range map[float64]string{0: "▏", 0.001: "▏", 0.5: "█████", 1: "██████████", 0.9: "█████████", 0.55: "█████▌", 0.125: "█▎"} {
		if got := bar(part, 10); got != want {
			t.Errorf("%g of 10: %s, want %s", part, got, want)
		}
	}
}

// TestSVG: the picture is XML, and nothing in it reaches beyond its edges.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	rows := append(sampleRows(), sizeRows()...)
	if err := writeSVG(&b, sampleMachine, rows, true); err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Rects  []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
			Fill   string  `xml:"fill,attr"`
		} `xml:"rect"`
		Texts []struct {
			Y    float64 `xml:"y,attr"`
			Text string  `xml:",chardata"`
		} `xml:"text"`
	}
	if err := xml.Unmarshal(b.Bytes(), &svg); err != nil {
		t.Fatal(err)
	}
	if len(svg.Rects) != 6 || len(svg.Texts) != 1+3+2*6 || svg.Texts[0].Text != "MiB/s, Some <CPU> (amd64)" {
		t.Errorf("%+v", svg)
	}
	most := 0.0
	for _, r := range svg.Rects {
		most = max(most, r.Width)
		if r.X+r.Width > svg.Width || r.Y+r.Height > svg.Height || !(r.Width >= 1) || r.Fill == "" {
			t.Errorf("%+v in %g x %g", r, svg.Width, svg.Height)
		}
	}
	if svg.Rects[0].Width != most || math.Abs(svg.Rects[2].Width/most-0.625) > 0.01 {
		t.Errorf("widths are not in proportion: %+v", svg.Rects)
	}
	if err := writeSVG(failingWriter{}, sampleMachine, rows, false); err == nil {
		t.Error("no error of a writer that fails")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }
