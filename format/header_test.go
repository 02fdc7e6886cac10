package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// twoSlots returns a keyring and a file of one passphrase slot, then one key
// file slot.
func twoSlots(t testing.TB) (*Keyring, []byte) {
	k := NewKeyring(passphrase(t, "correct horse"), keyFile(t, 1))
	return k, encrypt(t, k, small, pattern(100))
}

// Where the fields of twoSlots' records lie.
const (
	atScrypt  = fixedSize
	atKeyFile = atScrypt + scryptContext + slotTail
	atPadding = atKeyFile + keyFileContext + slotTail
)

func TestHeaderLayout(t *testing.T) {
	_, file := twoSlots(t)
	if string(file[:8]) != "\x89BLK\r\n\x1a\n" {
		t.Errorf("magic %q", file[:8])
	}
	if want := []byte{1, 1, 32, 1, 1, 12, 2, 0}; !bytes.Equal(file[8:16], want) {
		t.Errorf("fixed fields %v, want %v", file[8:16], want)
	}
	if got := file[atScrypt : atScrypt+6]; !bytes.Equal(got, []byte{1, 0, 115, testLogN, 8, 1}) {
		t.Errorf("passphrase slot begins with %v", got)
	}
	if got := file[atKeyFile : atKeyFile+3]; !bytes.Equal(got, []byte{2, 0, 96}) {
		t.Errorf("key file slot begins with %v", got)
	}
	if n := binary.BigEndian.Uint16(file[atPadding+1:]); file[atPadding] != 0 || int(n) != headerUnit-trailerSize-atPadding-3 {
		t.Errorf("padding of type %d with %d bytes", file[atPadding], n)
	}
	if minHeader != 187 {
		t.Errorf("smallest header of %d bytes", minHeader)
	}
	for n := 1; n <= maxSlots; n++ {
		var all []*Secret
		for i := range n {
			all = append(all, keyFile(t, byte(i)))
		}
		file := encrypt(t, NewKeyring(all...), small, nil)
		if h := headerSize(file); h%headerUnit != 0 || h < minHeader || h-headerUnit > fixedSize+trailerSize+n*99 {
			t.Errorf("%d slots: header of %d bytes", n, h)
		}
		for _, s := range all {
			if _, err := decrypt(NewKeyring(s), file); err != nil {
				t.Errorf("%d slots: %v", n, err)
			}
		}
	}
	if _, err := NewWriter(io.Discard, NewKeyring(), small); err == nil {
		t.Error("wrote a file without a key")
	}
}

// flipped returns the kinds that a changed bit of a header may be called.
func flipped(at int, bit byte, header []byte) []Kind {
	n := len(header)
	changed := header[at] ^ bit
	switch {
	case at == 0 && bit == 0x80:
		return []Kind{TextDamaged}
	case at < 8:
		return []Kind{NotBlkcrypt, TextDamaged}
	case at == 8, at == 9, at == 10, at == 12:
		return []Kind{Unsupported}
	case at == 11:
		if changed >= 1 && changed <= 4 {
			return []Kind{Checksum}
		}
		return []Kind{Unsupported}
	case at == 13:
		if changed >= minChunkLog && changed <= maxChunkLog {
			return []Kind{Checksum}
		}
		return []Kind{Malformed}
	case at == 14, at == 15:
		return []Kind{Checksum, Truncated, Malformed}
	case at >= n-macSize:
		return []Kind{Tampered}
	}
	return []Kind{Checksum}
}

func TestEveryHeaderBit(t *testing.T) {
	_, file := twoSlots(t)
	// The key file only: it meets all checks but pays no scrypt.
	k := testRing(t)
	header := file[:headerSize(file)]
	for at := range header {
		for bit := byte(1); bit != 0; bit <<= 1 {
			bad := bytes.Clone(file)
			bad[at] ^= bit
			got, err := decrypt(k, bad)
			want := flipped(at, bit, header)
			if !slices.Contains(want, kindOf(err)) || len(got) > 0 {
				t.Errorf("byte %d, bit %#x: %v, want kind %v", at, bit, err, want)
			}
		}
	}
}

// With the checksum made right, what remains is an attack, or a wrong writer.
func TestEveryHeaderByteSigned(t *testing.T) {
	_, file := twoSlots(t)
	k := testRing(t)
	for at := 8; at < atPadding+10; at++ {
		bad := bytes.Clone(file)
		bad[at] ^= 0x04
		if headerSize(bad) > len(bad) {
			continue
		}
		fixChecksum(bad)
		var want []Kind
		slot := at - atKeyFile
		switch {
		case at < 13 && at != 11:
			want = []Kind{Unsupported}
		case at == 11:
			want = []Kind{Unsupported} // mode 5
		case at == 13:
			want = []Kind{Malformed} // 2^8
		case at < 16:
			want = []Kind{Malformed}
		case at < fixedSize:
			want = []Kind{WrongKey} // file salt
		case at == atScrypt: // type 5: unknown, skipped
			want = []Kind{Tampered}
		case at < atScrypt+3:
			want = []Kind{Malformed}
		case at == atScrypt+3: // logN 14
			want = []Kind{Tampered}
		case at < atScrypt+6:
			want = []Kind{Malformed}
		case at < atKeyFile: // the other slot
			want = []Kind{Tampered}
		case slot == 0:
			want = []Kind{NoKey}
		case slot < 3:
			want = []Kind{Malformed}
		case slot < keyFileContext+checkSize:
			want = []Kind{WrongKey}
		case at < atPadding:
			want = []Kind{Tampered}
		case at == atPadding: // type 4, another unknown slot
			want = []Kind{Tampered}
		default:
			want = []Kind{Malformed}
		}
		if _, err := decrypt(k, bad); !slices.Contains(want, kindOf(err)) {
			t.Errorf("byte %d: %v, want kind %v", at, err, want)
		}
	}
}

func TestC14Distinct(t *testing.T) {
	_, file := twoSlots(t)
	for _, wrong := range []*Secret{passphrase(t, "correct hors"), keyFile(t, 2)} {
		e := wantKind(t, openErr(NewKeyring(wrong), file), WrongKey)
		if !e.Passphrase || !e.KeyFile {
			t.Errorf("%+v", e)
		}
	}
	bad := bytes.Clone(file)
	bad[headerSize(file)-1] ^= 1
	wantKind(t, openErr(testRing(t), bad), Tampered)
	bad = bytes.Clone(file)
	bad[100] ^= 1
	wantKind(t, openErr(testRing(t), bad), Checksum)
	bad = bytes.Clone(file)
	bad[len(bad)-1] ^= 1
	wantKind(t, openErr(testRing(t), bad), Damaged)

	only := encrypt(t, testRing(t), small, nil)
	e := wantKind(t, openErr(NewKeyring(passphrase(t, "x")), only), NoKey)
	if e.Passphrase || !e.KeyFile || !strings.Contains(e.Error(), "key file") {
		t.Errorf("%v", e)
	}
}

func openErr(k *Keyring, file []byte) error {
	_, err := decrypt(k, file)
	return err
}

// forge builds a correctly signed header of the given records.
func forge(t *testing.T, k *Keyring, change func(slots []record) []record) []byte {
	t.Helper()
	h := newHeader(DefaultSuite(), minChunkLog)
	fileKey := pattern(fileKeySize)
	var slots []record
	for _, s := range k.secrets {
		r, err := k.newSlot(h, s, testLogN, fileKey)
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, r)
	}
	prk := extract(h.fileSalt(), fileKey)
	h, err := h.assemble(change(slots), headerUnit, headerUnit, prk)
	if err != nil {
		t.Fatal(err)
	}
	p := k.newPayload(h, prk, int64(len(h.raw)))
	return append(h.raw, sealChunk(t, p, 0, []byte("text"), true)...)
}

func rec(typ byte, body ...byte) record {
	return append(newRecord(recordType(typ), len(body)), body...)
}

func TestRecords(t *testing.T) {
	k := testRing(t)
	long := func(n int) record { return rec(100, make([]byte, n)...) }
	with := func(r ...record) func([]record) []record {
		return func(s []record) []record { return append(s, r...) }
	}
	for _, x := range []struct {
		name   string
		change func([]record) []record
		kind   Kind // 0: opens
	}{
		{"as it is", with(), 0},
		{"unknown slots", with(rec(3), rec(63, 1, 2, 3)), 0},
		{"unknown slot first", func(s []record) []record { return append([]record{rec(40, 9)}, s...) }, 0},
		{"optional", with(rec(64), rec(127, 5)), 0},
		{"largest header", with(long(maxHeader - minHeader - 3)), 0},
		{"padding twice", with(rec(0), rec(0, 0, 0)), 0},
		{"padding not zero", with(rec(0, 0, 1)), Malformed},
		{"critical", with(rec(128)), Unsupported},
		{"critical, last", with(rec(254, 1)), Unsupported},
		{"type 255", with(rec(255)), Malformed},
		{"unknown slots only", func([]record) []record { return []record{rec(3, make([]byte, 99)...)} }, UnknownKeyKind},
		{"no slot", func([]record) []record { return []record{rec(64, make([]byte, 99)...)} }, Malformed},
		{"sixteen slots", with(slices.Repeat([]record{rec(9)}, 15)...), 0},
		{"seventeen slots", with(slices.Repeat([]record{rec(9)}, 16)...), Malformed},
		{"key file slot too short", with(rec(2, make([]byte, 95)...)), Malformed},
		{"key file slot too long", with(rec(2, make([]byte, 97)...)), Malformed},
		{"passphrase slot too short", with(rec(1, append([]byte{10, 8, 1}, make([]byte, 111)...)...)), Malformed},
		{"an empty one", with(rec(1)), Malformed},
		{"two key files", with(rec(2, make([]byte, 96)...)), 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := decrypt(k, forge(t, k, x.change))
			if kindOf(err) != x.kind || x.kind == 0 && (err != nil || string(got) != "text") {
				t.Errorf("%q, %v, want kind %v", got, err, x.kind)
			}
		})
	}
	e := wantKind(t, openErr(k, forge(t, k, with(rec(200)))), Unsupported)
	if !strings.Contains(e.Error(), "200") {
		t.Errorf("does not name the type: %v", e)
	}
}

// TestC10HostileSizes: nothing is allocated, or read, for a size out of range.
func TestC10HostileSizes(t *testing.T) {
	k, file := twoSlots(t)
	for log := range 256 {
		bad := bytes.Clone(file)
		bad[13] = byte(log)
		fixChecksum(bad)
		_, err := decrypt(k, bad)
		want := Malformed
		if log >= minChunkLog && log <= maxChunkLog {
			want = WrongKey // the slots' keys depend on it
		}
		if log != minChunkLog {
			wantKind(t, err, want)
		}
	}
	for _, n := range []int{0, 1, 39, 48, 186, 32769, 65535} {
		bad := bytes.Clone(file[:fixedSize])
		binary.BigEndian.PutUint16(bad[14:], uint16(n))
		r := io.MultiReader(bytes.NewReader(bad), iotest.ErrReader(fmt.Errorf("read beyond the fixed part")))
		_, err := NewReader(r, k)
		wantKind(t, err, Malformed)
	}
	for _, n := range []uint16{1, 200, 0x7fff, 0xffff} {
		bad := bytes.Clone(file)
		binary.BigEndian.PutUint16(bad[atScrypt+1:], n)
		fixChecksum(bad)
		wantKind(t, openErr(k, bad), Malformed)
	}
}

// TestC22FreshValues: two files of the same plaintext have nothing in common but
// what is fixed, and the salt that one keyring's scrypt slots share.
func TestC22FreshValues(t *testing.T) {
	k, a := twoSlots(t)
	b := encrypt(t, k, small, pattern(100))
	same := 0
	for i := range a {
		if i < 16 || i >= atScrypt && i < atScrypt+6+saltSize || i >= atKeyFile && i < atKeyFile+3 ||
			i >= atPadding && i < headerUnit-trailerSize {
			continue
		}
		if a[i] == b[i] {
			same++
		}
	}
	// About one in 256 by chance.
	if same > 20 {
		t.Errorf("%d random bytes are the same", same)
	}
	other := encrypt(t, NewKeyring(k.secrets...), small, nil)
	if bytes.Equal(a[atScrypt+6:][:saltSize], other[atScrypt+6:][:saltSize]) {
		t.Error("two keyrings have the same scrypt salt")
	}
}

// TestC20TextDamage: there is no armour, so a file must not go where text goes.
// One that did is told by name.
func TestC20TextDamage(t *testing.T) {
	_, file := twoSlots(t)
	m := file[:40]
	replace := func(old, new string) []byte { return bytes.ReplaceAll(m, []byte(old), []byte(new)) }
	wide := func(order binary.ByteOrder, bom string) []byte {
		b := []byte(bom)
		for _, c := range m {
			var u [2]byte
			order.PutUint16(u[:], uint16(c))
			b = append(b, u[:]...)
		}
		return b
	}
	seven := bytes.Clone(m)
	for i := range seven {
		seven[i] &= 0x7f
	}
	for name, b := range map[string][]byte{
		"CR LF to LF":       replace("\r\n", "\n"),
		"LF to CR LF":       replace("\n", "\r\n"),
		"LF to CR":          replace("\n", "\r"),
		"CR to LF":          replace("\r", "\n"),
		"CR LF, LF to CR":   bytes.ReplaceAll(replace("\r\n", "\r"), []byte("\n"), []byte("\r")),
		"seven bits":        seven,
		"UTF-16LE":          wide(binary.LittleEndian, "\xff\xfe"),
		"UTF-16BE":          wide(binary.BigEndian, "\xfe\xff"),
		"Latin-1 to UTF-8":  []byte(strings.Replace(string(m), "\x89", "\u0089", 1)),
		"invalid to U+FFFD": []byte(strings.ToValidUTF8(string(m), "\ufffd")),
		"with a BOM":        append([]byte("\xef\xbb\xbf"), m...),
	} {
		_, err := NewReader(bytes.NewReader(b), NewKeyring())
		if kindOf(err) != TextDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []string{"", "B", "hello, world", "\x89PNG\r\n\x1a\n", "\x89BLX\r\n\x1a\n", "age-encryption.org/v1\n", "\xff\xfeB\x00"} {
		_, err := NewReader(strings.NewReader(s), NewKeyring())
		wantKind(t, err, NotBlkcrypt)
	}
}
