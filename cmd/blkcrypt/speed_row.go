package main

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"blkcrypt/internal/slope"
)

// figure is a measured number, NaN where there is none.
type figure float64

func (f figure) known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// MarshalJSON writes as many digits as mean something, or null.
func (f figure) MarshalJSON() ([]byte, error) {
	if !f.known() {
		return []byte("null"), nil
	}
	return []byte(strconv.FormatFloat(rounded(float64(f)), 'f', -1, 64)), nil
}

func (f *figure) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = figure(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

// rounded returns v with five digits.
func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 4, 64), 64)
	return r
}

// row is one result. The fields from Bytes on are there where they say more than
// the cost of a byte.
type row struct {
	Cipher        string `json:"cipher"`
	KeyBits       int    `json:"key_bits"`
	Mode          string `json:"mode"`
	Op            string `json:"op"`    // enc, dec or auth
	Lanes         int    `json:"lanes"` // chunks in a batch, 1 for a message by itself
	Tier          string `json:"tier"`
	NsPerByte     figure `json:"ns_per_byte"`
	MiBPerS       figure `json:"mib_per_s"`
	CyclesPerByte figure `json:"cycles_per_byte"`
	MHz           figure `json:"mhz"`
	Noise         figure `json:"noise"`  // standard deviation of repetitions, as a part
	Steady        bool   `json:"steady"` // the clock stood still enough

	What      string  `json:"what,omitempty"`  // "file" or "kdf", for what is no cipher alone
	Bytes     *int    `json:"bytes,omitempty"` // of the message whose call was timed
	NsPerCall *figure `json:"ns_per_call,omitempty"`

	drift figure
	none  string // why there is nothing to measure, "" where there is
}

// newRow returns a row for s without figures.
func newRow(s subject, op string, lanes int) row {
	nan := figure(math.NaN())
	return row{Cipher: s.cipher, KeyBits: s.bits, Mode: s.mode, Op: op, Lanes: lanes, Tier: s.tier,
		NsPerByte: nan, MiBPerS: nan, CyclesPerByte: nan, MHz: nan, Noise: nan}
}

// perByte fills in the cost of a byte.
func (r *row) perByte(m slope.Result) {
	r.NsPerByte, r.CyclesPerByte = figure(m.Ns), figure(m.Cycles)
	r.MiBPerS = figure(1e9 / m.Ns / (1 << 20))
	r.common(m)
}

// perCall fills in the cost of a call on so many bytes in all.
func (r *row) perCall(m slope.Result, size, all int) {
	ns := figure(m.Ns)
	r.Bytes, r.NsPerCall = &size, &ns
	if all > 0 {
		m.Ns /= float64(all)
		m.Cycles /= float64(all)
		r.perByte(m)
	}
	r.common(m)
}

func (r *row) common(m slope.Result) {
	r.MHz, r.drift, r.Noise, r.Steady = figure(m.MHz), figure(m.Drift), figure(m.Noise), m.Steady
}

// cyclesPerCall is for rows of calls.
func (r *row) cyclesPerCall() float64 { return float64(*r.NsPerCall) * float64(r.MHz) / 1000 }

// algorithm is the cipher as libgcrypt calls it.
func (r *row) algorithm() string {
	name := strings.ToUpper(r.Cipher)
	if r.Cipher != "sm4" && r.KeyBits > 0 {
		name += strconv.Itoa(r.KeyBits)
	}
	if r.Tier == peerTier {
		name += " Go"
	}
	return name
}

// label names the row within its table.
func (r *row) label() string {
	s := strings.ToUpper(r.Mode) + " " + r.Op
	if r.Lanes > 1 {
		s += " x" + strconv.Itoa(r.Lanes)
	}
	if r.Bytes != nil && r.What == "" {
		s += " " + strconv.Itoa(*r.Bytes)
	}
	return s
}

// report is a whole run as a document.
type report struct {
	Version string   `json:"version"`
	CPU     string   `json:"cpu"`
	Go      string   `json:"go"`
	HWF     []string `json:"hwf"` // features in use
	MHz     figure   `json:"mhz"`
	Results []row    `json:"results"`
}

// medianMHz returns the median of the rows' clocks.
func medianMHz(rows []row) figure {
	var v []float64
	for _, r := range rows {
		if r.MHz.known() {
			v = append(v, float64(r.MHz))
		}
	}
	if len(v) == 0 {
		return figure(math.NaN())
	}
	slices.Sort(v)
	return figure(v[len(v)/2])
}
