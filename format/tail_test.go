package format

import (
	"bytes"
	"testing"
)

const testPiece = testChunk + tagSize

// wantTail opens a file in all three ways and wants the same failure of each,
// and from the stream exactly the plaintext before it.
func wantTail(t *testing.T, k *Keyring, file []byte, kind Kind, released int) {
	t.Helper()
	got, err := decrypt(k, file)
	e := wantKind(t, err, kind)
	if len(got) != released || !bytes.Equal(got, pattern(released)) {
		t.Errorf("%v: %d bytes came out, want %d", e, len(got), released)
	}
	var out sliceAt
	_, err = DecryptFile(&out, bytes.NewReader(file), int64(len(file)), k)
	if f := wantKind(t, err, kind); *f != *e {
		t.Errorf("as a file: %+v, as a stream %+v", f, e)
	}
}

// TestC03C04Cut cuts a small file at every byte, and a file of many chunks at
// its chunks' edges.
func TestC03C04Cut(t *testing.T) {
	k := testRing(t)
	for _, n := range []int{0, 1, 15, 16, 17, 40} {
		file := encrypt(t, k, small, pattern(n))
		for cut := range file {
			_, err := decrypt(k, file[:cut])
			switch {
			case cut == 0:
				wantKind(t, err, NotBlkcrypt)
			case cut < headerUnit+tagSize:
				if e := wantKind(t, err, Truncated); e.Offset != int64(cut) {
					t.Errorf("cut at %d: %+v", cut, e)
				}
			default:
				// A short last chunk can't tell a cut from damage.
				wantKind(t, err, Damaged)
			}
		}
	}
	for _, n := range []int{3*testChunk - 1, 3 * testChunk, 3*testChunk + 1, 7 * testChunk} {
		file := encrypt(t, k, small, pattern(n))
		for i := 0; headerUnit+i*testPiece < len(file); i++ {
			edge := headerUnit + i*testPiece
			wantTail(t, k, file[:edge], Truncated, max(i-1, 0)*testChunk)
			for _, beyond := range []int{1, 15, 16} {
				if edge+beyond < len(file) && (i > 0 || beyond < 16) {
					wantTail(t, k, file[:edge+beyond], Truncated, i*testChunk)
				}
			}
			if edge+17 < len(file) {
				wantTail(t, k, file[:edge+17], Damaged, i*testChunk)
			}
		}
	}
}

func TestC02Appended(t *testing.T) {
	k := testRing(t)
	for _, n := range []int{testChunk, 2 * testChunk, 5 * testChunk} {
		file := encrypt(t, k, small, pattern(n))
		for _, more := range []int{1, 15, 16, 17, testPiece - 1, testPiece, testPiece + 1, 3 * testPiece} {
			longer := append(bytes.Clone(file), make([]byte, more)...)
			wantTail(t, k, longer, Trailing, n-testChunk)
			_, err := decrypt(k, longer)
			if e := wantKind(t, err, Trailing); e.Offset != int64(len(file)) {
				t.Errorf("%d bytes appended: %+v", more, e)
			}
		}
	}
	// Behind a short chunk the end can't be told from damage.
	file := append(encrypt(t, k, small, pattern(testChunk+5)), 0)
	wantTail(t, k, file, Damaged, testChunk)
}

func TestC05Joined(t *testing.T) {
	k := testRing(t)
	full := encrypt(t, k, small, pattern(2*testChunk))
	short := encrypt(t, k, small, pattern(2*testChunk+100))
	wantTail(t, k, append(bytes.Clone(full), full...), Trailing, testChunk)
	wantTail(t, k, append(bytes.Clone(short), full...), Damaged, 2*testChunk)
}

func TestC06Moved(t *testing.T) {
	k := testRing(t)
	const n = 6
	file := encrypt(t, k, small, pattern(n*testChunk))
	other := encrypt(t, k, small, pattern(n*testChunk))
	chunk := func(f []byte, i int) []byte { return f[headerUnit+i*testPiece:][:testPiece] }
	build := func(chunks ...[]byte) []byte {
		return append(bytes.Clone(file[:headerUnit]), bytes.Join(chunks, nil)...)
	}
	var c [n][]byte
	for i := range c {
		c[i] = chunk(file, i)
	}
	for _, x := range []struct {
		name     string
		file     []byte
		kind     Kind
		released int
	}{
		{"two swapped", build(c[0], c[2], c[1], c[3], c[4], c[5]), Damaged, 1},
		{"last swapped", build(c[0], c[1], c[2], c[3], c[5], c[4]), Damaged, 4},
		{"one doubled", build(c[0], c[1], c[1], c[2], c[3], c[4], c[5]), Damaged, 2},
		{"last doubled", build(c[0], c[1], c[2], c[3], c[4], c[5], c[5]), Trailing, 5},
		{"first dropped", build(c[1], c[2], c[3], c[4], c[5]), Damaged, 0},
		{"one dropped", build(c[0], c[1], c[3], c[4], c[5]), Damaged, 2},
		{"last dropped", build(c[0], c[1], c[2], c[3], c[4]), Truncated, 4},
		{"one of another file", build(c[0], c[1], chunk(other, 2), c[3], c[4], c[5]), Damaged, 2},
		{"last of another file", build(c[0], c[1], c[2], c[3], c[4], chunk(other, 5)), Damaged, 5},
		{"other payload", build(other[headerUnit:]), Damaged, 0},
	} {
		t.Run(x.name, func(t *testing.T) { wantTail(t, k, x.file, x.kind, x.released*testChunk) })
	}
}

func TestC07TwoFinalChunks(t *testing.T) {
	k := testRing(t)
	header, p := rawPayload(t, k)
	one := sealChunk(t, p, 0, pattern(testChunk), true)
	two := sealChunk(t, p, 1, pattern(testChunk), true)
	file := append(append(bytes.Clone(header), one...), two...)
	wantTail(t, k, file, Trailing, 0)
	_, err := decrypt(k, file)
	if e := wantKind(t, err, Trailing); e.Offset != int64(headerUnit+testPiece) {
		t.Errorf("%+v", e)
	}
}

// TestC16NothingUnproven damages each chunk in turn, at its first byte, its last
// and in its tag.
func TestC16NothingUnproven(t *testing.T) {
	k := testRing(t)
	const n = 18 // more than one batch
	for _, suite := range []string{"aes-256-gcm", "sm4-ccm"} {
		s, err := ParseSuite(suite)
		if err != nil {
			t.Fatal(err)
		}
		o := small
		o.Suite = s
		file := encrypt(t, k, o, pattern(n*testChunk-100))
		for i := range n {
			for _, at := range []int{0, testChunk - 200, testPiece - 101} {
				bad := bytes.Clone(file)
				bad[headerUnit+i*testPiece+at] ^= 0x40
				wantTail(t, k, bad, Damaged, i*testChunk)
				_, err := decrypt(k, bad)
				if e := wantKind(t, err, Damaged); e.Chunk != uint64(i) || e.Offset != int64(headerUnit+i*testPiece) {
					t.Errorf("chunk %d: %+v", i, e)
				}
			}
		}
	}
}

// Every byte of a small file matters.
func TestEveryPayloadByte(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, pattern(100))
	for i := headerUnit; i < len(file); i++ {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << (i % 8)
		wantTail(t, k, bad, Damaged, 0)
	}
}

// After an error the plaintext buffers and keys are cleared.
func TestWipedAfterError(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, pattern(300*testChunk))
	file[len(file)-1] ^= 1
	r, err := NewReader(bytes.NewReader(file), k)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*job
	buf := make([]byte, 50000)
	for err == nil {
		_, err = r.Read(buf)
		if r.cur != nil {
			jobs = append(jobs, r.cur)
		}
		jobs = append(append(jobs, r.line.busy...), r.line.free...)
	}
	wantKind(t, err, Damaged)
	for _, j := range jobs {
		if !zero(j.plainBuf) {
			t.Fatal("plaintext is left in a buffer")
		}
	}
	if !zero(r.line.p.prk) || r.line.p.cur != nil {
		t.Error("a key is left")
	}

	w, err := NewWriter(&limitWriter{n: 1 << 20, err: bytes.ErrTooLarge}, k, small)
	if err != nil {
		t.Fatal(err)
	}
	jobs = []*job{w.cur}
	for err == nil {
		_, err = w.Write(pattern(100000))
		if w.cur != nil {
			jobs = append(append(append(jobs, w.cur), w.line.busy...), w.line.free...)
		}
	}
	for _, j := range jobs {
		if !zero(j.plainBuf) {
			t.Fatal("plaintext is left in a writer's buffer")
		}
	}
	if !zero(w.line.p.prk) || w.line.p.cur != nil {
		t.Error("a writer's key is left")
	}
}

func zero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// What a second try opens is not given out, nor left behind.
func TestSecondTryWiped(t *testing.T) {
	k := testRing(t)
	_, p := rawPayload(t, k)
	last := sealChunk(t, p, 0, pattern(testChunk), true)
	notLast := sealChunk(t, p, 0, pattern(testChunk), false)
	for _, sealed := range [][]byte{append(last, make([]byte, 20)...), notLast} {
		r := run{sealed: sealed, plain: make([]byte, 0, 2*testChunk), last: true}
		if err := p.open(&r); kindOf(err) != Trailing && kindOf(err) != Truncated {
			t.Fatal(err)
		}
		if len(r.plain) > 0 || !zero(r.plain[:cap(r.plain)]) {
			t.Error("plaintext is left")
		}
	}
}
