package format

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/cryptotest"
)

var writeGolden = flag.Bool("write-golden", false, "write testdata/golden anew, for a new version of the format")

// Files of version 1 that must open for ever. Those of suites have a slot for the
// passphrase and one for the key, chunks of 4096 bytes and no plaintext or one of
// a chunk and a byte.
const (
	goldenDir     = "testdata/golden"
	goldenKey     = "key"
	goldenPass    = "passphrase"
	goldenUnknown = "unknown-records.blk" // a slot, an optional record and padding before and behind
	goldenGrown   = "grown.blk"           // eight slots, the header longer than a writer makes it
	goldenHeader  = "detached.header"     // of goldenPayload
	goldenPayload = "detached.payload"
)

var goldenLengths = []int{0, testChunk + 1}

func goldenName(s Suite, n int) string { return fmt.Sprintf("%v-%d.blk", s, n) }

func golden(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(goldenDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func goldenRings(t *testing.T) map[string]*Keyring {
	pass, err := ParsePassphrase(golden(t, goldenPass))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKeyFile(golden(t, goldenKey))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Keyring{"passphrase": NewKeyring(pass), "key file": NewKeyring(key)}
}

// wantGolden reads a file in all ways. Where header is not nil it is kept apart.
func wantGolden(t *testing.T, k *Keyring, header, file, plain []byte) {
	t.Helper()
	from := func() ReadOption {
		if header == nil {
			return WithHeader(nil)
		}
		return WithHeader(bytes.NewReader(header))
	}
	if got, err := decrypt(k, file, from()); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("as a stream: %v", err)
	}
	var out sliceAt
	if _, err := DecryptFile(&out, bytes.NewReader(file), int64(len(file)), k, from()); err != nil || !bytes.Equal(out.b, plain) {
		t.Errorf("as a file: %v", err)
	}
	r, err := NewReaderAt(bytes.NewReader(file), int64(len(file)), k, from())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("as ranges: %v", err)
	}
}

func TestGolden(t *testing.T) {
	if *writeGolden {
		makeGolden(t)
	}
	rings := goldenRings(t)
	for _, s := range Suites() {
		for _, n := range goldenLengths {
			file := golden(t, goldenName(s, n))
			for name, k := range rings {
				t.Run(fmt.Sprintf("%v/%d/%s", s, n, name), func(t *testing.T) {
					wantGolden(t, k, nil, file, pattern(n))
					wantSameWriter(t, k, s, file, pattern(n))
				})
			}
		}
	}
	t.Run("others", func(t *testing.T) {
		k := rings["key file"]
		wantGolden(t, k, nil, golden(t, goldenUnknown), pattern(100))
		grown := golden(t, goldenGrown)
		for name, k := range rings {
			t.Run(name, func(t *testing.T) { wantGolden(t, k, nil, grown, pattern(100)) })
		}
		if n := headerSize(grown); n != headerUnit+growUnit {
			t.Errorf("grown header of %d bytes", n)
		}
		header := golden(t, goldenHeader)
		wantGolden(t, k, header, golden(t, goldenPayload), pattern(testChunk))
		wantGolden(t, k, nil, append(header, golden(t, goldenPayload)...), pattern(testChunk))
	})
}

// wantSameWriter makes the file again with the random values that are in it: a
// writer of today makes the very same.
func wantSameWriter(t *testing.T, k *Keyring, s Suite, file, plain []byte) {
	t.Helper()
	layout := []byte{version, s.cipher, s.keySize, s.mode, hashSHA256, minChunkLog, headerUnit >> 8, headerUnit & 0xff}
	if !bytes.Equal(file[8:16], layout) {
		t.Errorf("header fields %v, want %v", file[8:16], layout)
	}
	h, err := readHeader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	prk, fileKey, _, err := k.open(h)
	if err != nil {
		t.Fatal(err)
	}
	secret := k.secrets[0]
	for _, r := range h.slots() {
		if r.kind() != secret.kind {
			continue
		}
		var logN uint8
		var salt [saltSize]byte
		if secret.IsPassphrase() {
			logN, salt = r.logN(), r.scryptSalt()
		}
		root, err := k.root(secret, logN, salt)
		if err != nil {
			t.Fatal(err)
		}
		l := lock(s, h.fileSalt(), root, slotContext(h, r.context()))
		again, err := l.seal(append(bytes.Clone(r.context()), l.check...), fileKey)
		if err != nil || !bytes.Equal(again, r) {
			t.Errorf("slot of type %d: %x, want %x, %v", r.kind(), again, r, err)
		}
	}
	h2, err := h.assemble(withoutPadding(h.records), headerUnit, headerUnit, prk)
	if err != nil || !bytes.Equal(h2.raw, h.raw) {
		t.Errorf("another header: %v", err)
	}
	j := run{plain: plain, sealed: make([]byte, 0, len(file)), last: true}
	if err := k.newPayload(h, prk, int64(len(h.raw))).seal(&j); err != nil || !bytes.Equal(j.sealed, file[len(h.raw):]) {
		t.Errorf("another payload: %v", err)
	}
}

func makeGolden(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(goldenDir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	line, err := GenerateKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	write(goldenKey, line)
	write(goldenPass, []byte("cafe\u0301 \u212b, the golden one \n")) // not in normal form, a blank at its end
	rings := goldenRings(t)
	pass, key := rings["passphrase"].secrets[0], rings["key file"].secrets[0]
	k := NewKeyring(pass, key)
	for _, s := range Suites() {
		for _, n := range goldenLengths {
			write(goldenName(s, n), encrypt(t, k, Options{Suite: s, ChunkLog: minChunkLog, LogN: testLogN}, pattern(n)))
		}
	}

	h, prk, err := k.create(DefaultSuite(), minChunkLog, testLogN)
	if err != nil {
		t.Fatal(err)
	}
	records := append([]record{rec(0, 0, 0), rec(9, pattern(5)...)}, h.slots()...)
	records = append(records, rec(77, pattern(3)...), rec(0))
	if h, err = h.assemble(records, headerUnit, headerUnit, prk); err != nil {
		t.Fatal(err)
	}
	write(goldenUnknown, append(bytes.Clone(h.raw), sealChunk(t, k.newPayload(h, prk, headerUnit), 0, pattern(100), true)...))

	file := encrypt(t, rings["key file"], small, pattern(100))
	e := editor(t, rings["key file"], file)
	for i := range 6 {
		if err := e.Add(keyFile(t, byte(i)), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Add(pass, testLogN); err != nil {
		t.Fatal(err)
	}
	header, moved, err := e.Header()
	if err != nil || !moved {
		t.Fatal(moved, err)
	}
	write(goldenGrown, append(header, file[headerUnit:]...))

	var apart bytes.Buffer
	o := small
	o.Header = &apart
	write(goldenPayload, encrypt(t, k, o, pattern(testChunk)))
	write(goldenHeader, apart.Bytes())
}

// TestGoldenComplete: no file is there that no test reads, and the fixed first
// bytes are what blkcrypt(5) says.
func TestGoldenComplete(t *testing.T) {
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{goldenKey, goldenPass, goldenUnknown, goldenGrown, goldenHeader, goldenPayload}
	for _, s := range Suites() {
		for _, n := range goldenLengths {
			want = append(want, goldenName(s, n))
		}
	}
	slices.Sort(want)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		if filepath.Ext(e.Name()) != ".blk" {
			continue
		}
		b := golden(t, e.Name())
		if string(b[:9]) != "\x89BLK\r\n\x1a\n\x01" || int(binary.BigEndian.Uint16(b[14:])) > len(b) {
			t.Errorf("%s begins with %x", e.Name(), b[:16])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("files %v\nwant %v", got, want)
	}
}
