package main

import (
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/ghash"
	"blkcrypt/internal/slope"
)

// hasty takes no time for a measurement, and none for the clock. Tests that
// measure don't run at the same time: how the garbage collector is set is known to
// one of them only.
func hasty() *slope.Meter { return slope.New(time.Microsecond, 1000) }

func everything() hardware { return hardware{allowed: cpu.Detect()} }

// TestKnownAnswers: all there is gives the known answers on all tiers that this
// machine can run.
func TestKnownAnswers(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range choices(speedModes) {
		for _, s := range everything().subjects(c, true) {
			m, err := newMessages(s)
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			if err := m.check(s); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
			n++
		}
	}
	for _, bits := range []int{128, 192, 256} {
		s := subject{"aes", bits, "gcm", peerTier, ""}
		if m, err := newMessages(s); err != nil || m.check(s) != nil {
			t.Errorf("%+v", s)
		}
	}
	t.Logf("%d known answers", n)
}

// faulty is an AEAD that is wrong at times.
type faulty struct {
	cipher.AEAD
	seals, sealAt, opens, openAt int
}

func (f *faulty) Seal(dst, nonce, text, ad []byte) []byte {
	out := f.AEAD.Seal(dst, nonce, text, ad)
	if f.seals++; f.seals == f.sealAt {
		out[len(out)/2] ^= 1
	}
	return out
}

func (f *faulty) Open(dst, nonce, text, ad []byte) ([]byte, error) {
	out, err := f.AEAD.Open(dst, nonce, text, ad)
	if f.opens++; f.opens == f.openAt {
		out[len(out)/2] ^= 1
	}
	return out, err
}

// TestWrongAnswer: a wrong answer, in whatever operation, is an error.
func TestWrongAnswer(t *testing.T) {
	s := subject{"aes", 256, "gcm", peerTier, ""}
	right, err := newMessages(s)
	if err != nil {
		t.Fatal(err)
	}
	const lanes = 3
	// One message, one of associated data, a batch; then what that is held against.
	for at, want := range map[int]string{1: "encrypting", 2: "encrypting", 3: "batch", 2 + lanes: "batch", 2 + 2*lanes: "batch", 3 + 2*lanes: ""} {
		m := newAEADMessages(&faulty{AEAD: right.aead, sealAt: at}, 1, lanes)
		if err := m.check(s); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("seal %d wrong: %v", at, err)
		}
	}
	for at, want := range map[int]string{1: "decrypting", 2: "batch", 1 + lanes: "batch", 2 + lanes: ""} {
		m := newAEADMessages(&faulty{AEAD: right.aead, openAt: at}, 1, lanes)
		if err := m.check(s); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("open %d wrong: %v", at, err)
		}
	}
	for _, other := range []subject{{"aes", 128, "gcm", peerTier, ""}, {"aes", 256, "ocb", peerTier, ""}, {"aes", 256, "cmac", peerTier, ""}, {"des", 56, "gcm", peerTier, ""}} {
		if right.check(other) == nil {
			t.Errorf("AES-256-GCM passes for %+v", other)
		}
	}
	// What does not authenticate while it is timed is no figure.
	m := newAEADMessages(right.aead, 1, 1)
	b := bench{meter: hasty(), known: map[subject]*messages{s: m}}
	if _, err := b.measure(job{s, "dec", false, -1}); err != nil {
		t.Error(err)
	}
	m.err = errors.New("not authentic")
	if _, err := b.measure(job{s, "dec", false, -1}); err == nil {
		t.Error("a failure to open gives a figure")
	}
	if r, err := b.measure(job{s, "enc", true, -1}); r != nil || err != nil {
		t.Errorf("a batch of one: %v, %v", r, err)
	}
}

// TestD11Sizes: no size crashes, in any cipher and mode.
func TestD11Sizes(t *testing.T) {
	b := bench{meter: hasty()}
	all := choices(speedModes)
	if testing.Short() {
		all = slices.DeleteFunc(all, func(c choice) bool { return !c.strongest() })
	}
	for _, j := range tableJobs(all, everything(), &speedOptions{sizes: []int{0, 1, 15, 16, 17, 96, 65536}}) {
		m, err := b.messages(j.subject)
		if err != nil {
			t.Fatal(err)
		}
		if j.size > 96 { // once is enough
			m.call(j, j.size)()
			if m.err != nil {
				t.Errorf("%+v: %v", j, m.err)
			}
			continue
		}
		r, err := b.measure(j)
		if err != nil {
			t.Fatal(err)
		}
		whole := slices.Contains([]string{"ecb", "cbc", "lrw"}, j.mode)
		possible := !(whole && j.size%16 != 0 || j.mode == "xts" && j.size < 16)
		switch {
		case r == nil:
			if !j.batch || m.lanes > 1 {
				t.Errorf("%+v: no row", j)
			}
		case (r.none == "") != possible:
			t.Errorf("%+v: %q", j, r.none)
		case *r.Bytes != j.size:
			t.Errorf("%+v: %d bytes", j, *r.Bytes)
		case possible && (r.NsPerByte.known() != (j.size > 0) || !r.NsPerCall.known()):
			t.Errorf("%+v: %+v", j, r)
		}
	}
}

// TestSlopes measures each operation of a cipher and looks at the rows, not at
// the figures.
func TestSlopes(t *testing.T) {
	b := bench{meter: hasty()}
	cs := slices.DeleteFunc(choices(speedModes), func(c choice) bool { return c.name() != "sm4" && c.name() != "aes-192" })
	jobs := tableJobs(cs, everything(), &speedOptions{peer: true})
	var labels []string
	for _, j := range jobs {
		r, err := b.measure(j)
		if err != nil {
			t.Fatal(err)
		}
		if r == nil {
			continue
		}
		if r.Bytes != nil || r.NsPerCall != nil || r.KeyBits != j.bits || r.Tier == "" || r.MHz != 1000 {
			t.Errorf("%+v", r)
		}
		label := r.label()
		if r.Lanes > 1 {
			label = strings.TrimSuffix(label, fmt.Sprint(r.Lanes)) + "N"
		}
		labels = append(labels, r.algorithm()+" "+label)
	}
	var want []string
	for _, name := range []string{"AES192", "SM4"} {
		for _, mode := range []string{"ECB", "CBC", "CFB", "OFB", "CTR", "XTS", "LRW"} {
			want = append(want, name+" "+mode+" enc", name+" "+mode+" dec")
		}
		for _, mode := range []string{"CCM", "EAX", "GCM", "OCB"} {
			want = append(want, name+" "+mode+" enc", name+" "+mode+" dec", name+" "+mode+" auth")
			if mode == "CCM" || mode == "EAX" {
				want = append(want, name+" "+mode+" enc xN", name+" "+mode+" dec xN")
			}
		}
		if name == "AES192" {
			want = append(want, "AES192 Go GCM enc", "AES192 Go GCM dec", "AES192 Go GCM auth")
		}
	}
	if !slices.Equal(labels, want) {
		t.Errorf("rows %q,\nwant %q", labels, want)
	}
}

// TestTiers: what stands for a tier is a machine that selects it, and GHASH falls
// back with it.
func TestTiers(t *testing.T) {
	machines := []hardware{everything()}
	for _, name := range cpu.Known() {
		h, err := parseHardware([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, h)
	}
	for _, h := range machines {
		for _, c := range speedCiphers {
			for _, tier := range h.tiers(c) {
				on := h.without(c, tier)
				if got := on.tiers(c)[0]; got.Need != tier.Need {
					t.Errorf("%s without %v: %s is selected for %s", c.Name, on.off, got.Name, tier.Name)
				}
				if all, err := parseHardware(on.off); err != nil || all.allowed != on.allowed {
					t.Errorf("without %v: %v, %v", on.off, all.allowed.Names(), err)
				}
			}
			last := c.Tiers[len(c.Tiers)-1]
			if g := ghash.Tiers(h.without(c, last).allowed); len(g) != 1 {
				t.Errorf("%s on %s with %v of GHASH", c.Name, last.Name, g)
			}
		}
	}
	if _, err := parseHardware([]string{"intel-avx512,nonsense"}); err == nil || !strings.Contains(err.Error(), "intel-gfni") {
		t.Errorf("an unknown feature: %v", err)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		ciphers, modes string
		count          int
		first, last    string
	}{
		{"", "", 77, "aes-128 ecb", "sm4 ocb"},
		{"aes", "", 33, "aes-128 ecb", "aes-256 ocb"},
		{"aes-256", "", 11, "aes-256 ecb", "aes-256 ocb"},
		{"AES256", "", 11, "aes-256 ecb", "aes-256 ocb"},
		{"aes-256-gcm", "", 1, "aes-256 gcm", "aes-256 gcm"},
		{"aes-gcm", "", 1, "aes-256 gcm", "aes-256 gcm"},
		{"sm4-ocb, aes-128-xts", "", 2, "aes-128 xts", "sm4 ocb"},
		{"camellia*", "", 33, "camellia-128 ecb", "camellia-256 ocb"},
		{"*-gcm", "", 7, "aes-128 gcm", "sm4 gcm"},
		{"aes-*-c[bt]?", "", 6, "aes-128 cbc", "aes-256 ctr"},
		{"", "c*", 28, "aes-128 cbc", "sm4 ccm"},
		{"sm4", "gcm,ocb", 2, "sm4 gcm", "sm4 ocb"},
	} {
		list, err := choose(choices(speedModes), "-c", patterns(c.ciphers), choice.names)
		if err == nil {
			list, err = choose(list, "-m", patterns(c.modes), modeName)
		}
		if err != nil {
			t.Errorf("%q, %q: %v", c.ciphers, c.modes, err)
			continue
		}
		first, last := list[0], list[len(list)-1]
		if len(list) != c.count || first.name()+" "+first.mode != c.first || last.name()+" "+last.mode != c.last {
			t.Errorf("%q, %q: %d from %v to %v", c.ciphers, c.modes, len(list), first, last)
		}
	}
	for pattern, hint := range map[string]string{"ase-256": "did you mean aes-256", "rot13": "camellia-192, camellia-256, sm4", "": "missing", "[": "not a pattern", "aes,,sm4": "missing"} {
		_, err := choose(choices(speedModes), "-c", splitList([]string{pattern}), choice.names)
		if err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func patterns(s string) []string {
	if s == "" {
		return nil
	}
	return splitList([]string{s})
}

// TestSpeedEnd: whenever a signal comes, JSON is a document of the rows so far,
// and it is written once.
func TestSpeedEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := &speedRun{o: &speedOptions{}, out: &textWriter{f: w}}
	s.layout = &jsonLayout{w: s.out}
	s.layout.begin(&machine{cpu: "some"})
	s.layout.add(&sampleRows()[0])
	s.mu.Lock() // a row is being written
	s.finish()
	s.mu.Unlock()
	s.finish()
	s.finish()
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc report
	if err := json.Unmarshal(text, &doc); err != nil || len(doc.Results) != 1 {
		t.Errorf("%s\n%v", text, err)
	}
}

// TestSpeedEnvironment: no environment variable changes what is found or chosen.
func TestSpeedEnvironment(t *testing.T) {
	t.Parallel()
	var heads []string
	for _, env := range []string{"A=b", "GODEBUG=cpu.all=off", "GODEBUG=cpu.aes=off,cpu.avx512f=off"} {
		c := as(t, t.TempDir(), "blkcrypt", "speed", "-c", "aes-128-gcm,sm4-gcm", "--time", "1us")
		c.Env = append(c.Env, env)
		code, out, errs := run(t, c)
		head, _, ok := strings.Cut(out, "\n\n")
		if code != 0 || !ok {
			t.Fatalf("%s: exit code %d, %s%s", env, code, out, errs)
		}
		heads = append(heads, head)
	}
	for _, h := range heads[1:] {
		wantText(t, h, heads[0])
	}
}

// BenchmarkPeer is what the row of --peer should agree with.
func BenchmarkPeer(b *testing.B) {
	m, err := newMessages(subject{"aes", 128, "gcm", peerTier, ""})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1024, 8192} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			call := m.call(job{op: "enc"}, n)
			b.SetBytes(int64(n))
			for b.Loop() {
				call()
			}
		})
	}
}
