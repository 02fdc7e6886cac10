package format

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestC24Info(t *testing.T) {
	k, file := twoSlots(t)
	i, err := ReadInfo(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if i.Authenticated || i.Suite != "aes-256-gcm" || i.Cipher != "aes" || i.KeyBits != 256 || i.Mode != "gcm" ||
		i.ChunkSize != testChunk || i.HeaderSize != headerUnit || i.Hash != "sha-256" || len(i.FileSalt) != 64 || len(i.Slots) != 2 ||
		i.Slots[0] != (SlotInfo{Type: 1, Kind: "passphrase", LogN: testLogN, Memory: 1 << 20}) ||
		i.Slots[1] != (SlotInfo{Type: 2, Kind: "key file"}) || i.Padding != headerUnit-trailerSize-atPadding {
		t.Errorf("%+v", i)
	}
	text, err := json.Marshal(i)
	if err != nil || !strings.Contains(string(text), `"authenticated":false`) || !strings.Contains(string(text), `"log_n":10`) {
		t.Errorf("%s, %v", text, err)
	}
	r, err := NewReader(bytes.NewReader(file), k)
	if err != nil || !r.Info().Authenticated || r.Info().FileSalt != i.FileSalt {
		t.Errorf("%+v, %v", r.Info(), err)
	}

	ring := testRing(t)
	odd := forge(t, ring, func(s []record) []record {
		return append(s, rec(9, 1, 2), rec(77, 1), rec(200))
	})
	i, err = ReadInfo(bytes.NewReader(odd))
	wantKind(t, err, Unsupported)
	if i == nil || len(i.Slots) != 2 || i.Slots[1].Kind != "unknown" || len(i.Others) != 2 ||
		i.Others[0] != (RecordInfo{77, 1, false}) || i.Others[1] != (RecordInfo{200, 0, true}) {
		t.Errorf("%+v", i)
	}
	i, err = ReadInfo(bytes.NewReader(forge(t, ring, func([]record) []record { return []record{rec(2, 1), rec(1), rec(0, 1)} })))
	if wantKind(t, err, Malformed); i == nil || i.Slots[0].Kind != "unknown" || i.Slots[1].Kind != "unknown" {
		t.Errorf("%+v", i)
	}
	for n := range headerUnit {
		want := Truncated
		if n == 0 {
			want = NotBlkcrypt
		}
		_, err := ReadInfo(bytes.NewReader(file[:n]))
		wantKind(t, err, want)
	}
	_, err = ReadInfo(strings.NewReader("something else entirely"))
	wantKind(t, err, NotBlkcrypt)
}

func TestPlaintextSize(t *testing.T) {
	k := testRing(t)
	for _, n := range gridLengths(testChunk) {
		file := encrypt(t, k, small, pattern(n))
		i, err := ReadInfo(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for size := 0; size <= len(file); size++ {
			// What is said of a cut file is what a reader says of its tail.
			got, err := i.PlaintextSize(int64(size))
			body := size - headerUnit
			last := body - max(0, (body-1)/testPiece)*testPiece
			if cut := last < tagSize || last == tagSize && body > testPiece; cut != (kindOf(err) == Truncated) {
				t.Fatalf("size %d of %d: %d, %v", size, len(file), got, err)
			}
			if size == len(file) && (got != int64(n) || err != nil) {
				t.Errorf("%d bytes: %d, %v", n, got, err)
			}
		}
	}
}

// readHeader takes no byte more than the header: a detached one may be followed
// by anything.
func TestHeaderReadsNoMore(t *testing.T) {
	_, file := twoSlots(t)
	r := bytes.NewReader(file)
	if _, err := ReadInfo(r); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) != len(file)-headerUnit {
		t.Errorf("%d bytes are left, %v", len(rest), err)
	}
}
