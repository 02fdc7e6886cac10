package format

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// counting returns n consecutive bytes.
func counting(from byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = from + byte(i)
	}
	return b
}

// TestManualExample holds every value of the example in blkcrypt(5) against this
// package, and reads the file that it shows.
func TestManualExample(t *testing.T) {
	page, err := os.ReadFile("../man/blkcrypt.5")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), ".Sh EXAMPLES\n")
	if !ok {
		t.Fatal("no examples in the page")
	}
	example, _, _ = strings.Cut(example, ".Sh ")
	packed := strings.Join(strings.Fields(strings.ReplaceAll(example, "key(0)", "")), "")
	shows := func(what string, b []byte) {
		if !strings.Contains(packed, what+hex.EncodeToString(b)) {
			t.Errorf("%s is %x", what, b)
		}
	}

	line := "blkcrypt-key-1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9jDc0p"
	key, err := ParseKeyFile([]byte(line))
	if err != nil || !bytes.Equal(key.data, counting(0, 32)) || !strings.Contains(example, line) {
		t.Errorf("key file: %v", err)
	}
	fileKey := counting(0x20, fileKeySize)
	h := &header{raw: make([]byte, fixedSize), suite: DefaultSuite(), chunkLog: minChunkLog}
	copy(h.raw, magic+"\x01\x01\x20\x01\x01\x0c")
	copy(h.fileSalt(), counting(0x40, fileSaltSize))
	r := append(newRecord(recordKeyFile, keyFileContext+slotTail-recordHeader), counting(0x60, saltSize)...)
	l := lock(h.suite, h.fileSalt(), key.data, slotContext(h, r))
	shows("P", extract(h.fileSalt(), key.data))
	shows("check", l.check)
	shows("wrapkey", l.wrap)
	r, err = l.seal(append(r, l.check...), fileKey)
	if err != nil {
		t.Fatal(err)
	}
	shows("sealed", record(r).sealed())
	prk := extract(h.fileSalt(), fileKey)
	shows("Q", prk)
	shows("headerkey", expand(prk, labelHeader, nil, 32))
	h, err = h.assemble([]record{r}, minHeader, headerUnit, prk)
	if err != nil {
		t.Fatal(err)
	}
	p := NewKeyring(key).newPayload(h, prk, minHeader)
	k, err := p.acquire(0)
	if err != nil {
		t.Fatal(err)
	}
	shows("mask(0)", k.mask[:])
	shows("payload", expand(prk, labelPayload, append(bytes.Clone(h.bound()), make([]byte, 8)...), 32))
	text := []byte("Attack at dawn.\n")
	file := append(bytes.Clone(h.raw), sealChunk(t, p, 0, text, true)...)
	shows("", file)
	if got, err := decrypt(NewKeyring(key), file); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%q, %v", got, err)
	}
	root, err := stretch(passphrase(t, "cafe\u0301").data, 10, [saltSize]byte(counting(0x70, saltSize)))
	if err != nil {
		t.Fatal(err)
	}
	shows("", root[:])
}
