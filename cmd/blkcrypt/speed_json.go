package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strconv"
)

// jsonLayout is one document, of all rows.
type jsonLayout struct {
	w   io.Writer
	doc report
}

func (j *jsonLayout) begin(m *machine) {
	j.doc = report{Version: buildVersion(), CPU: m.cpu, Go: runtime.Version(), HWF: append([]string{}, m.hwf...), Results: []row{}}
}

func (j *jsonLayout) add(r *row) {
	if r.none == "" {
		j.doc.Results = append(j.doc.Results, *r)
	}
}

func (j *jsonLayout) end() {
	j.doc.MHz = medianMHz(j.doc.Results)
	// A row a line: what changes from one run to another is easy to see.
	head := j.doc
	head.Results = nil
	text, err := json.Marshal(head)
	if err != nil {
		return // not reached: nothing in it can fail
	}
	text = append(text[:len(text)-len("null}")], "[\n"...)
	for i, r := range j.doc.Results {
		line, err := json.Marshal(r)
		if err != nil {
			return
		}
		if i > 0 {
			text = append(text, ",\n"...)
		}
		text = append(text, line...)
	}
	j.w.Write(append(text, "\n]}\n"...))
}

// readReport reads what jsonLayout has written.
func readReport(name string) (*report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, failed(name, err)
	}
	r := new(report)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, failed(name, errors.New("is not a document of speed --json: "+err.Error()))
	}
	if r.Version == "" || len(r.Results) == 0 {
		return nil, failed(name, errors.New("is not a document of speed --json, or one without results"))
	}
	return r, nil
}

// csvLayout is a line a row under the names that JSON has.
type csvLayout struct{ w *csv.Writer }

func (c *csvLayout) begin(*machine) {
	c.line("cipher", "key_bits", "mode", "op", "lanes", "tier", "ns_per_byte", "mib_per_s", "cycles_per_byte",
		"mhz", "noise", "steady", "what", "bytes", "ns_per_call")
}

func (c *csvLayout) add(r *row) {
	if r.none != "" {
		return
	}
	number := func(f *figure) string {
		if f == nil || !f.known() {
			return ""
		}
		return strconv.FormatFloat(rounded(float64(*f)), 'f', -1, 64)
	}
	size := ""
	if r.Bytes != nil {
		size = strconv.Itoa(*r.Bytes)
	}
	c.line(r.Cipher, strconv.Itoa(r.KeyBits), r.Mode, r.Op, strconv.Itoa(r.Lanes), r.Tier,
		number(&r.NsPerByte), number(&r.MiBPerS), number(&r.CyclesPerByte), number(&r.MHz), number(&r.Noise),
		strconv.FormatBool(r.Steady), r.What, size, number(r.NsPerCall))
}

func (c *csvLayout) line(fields ...string) {
	c.w.Write(fields) // an error stays with the writer below
	c.w.Flush()
}

func (c *csvLayout) end() {}
