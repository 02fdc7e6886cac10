package cryptotest

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/json"
	"path"
	"strings"
)

// collection reads a file in the format that the collection of vectors uses
// for what it has from standards, Linux and libgcrypt, and for what it computed
// itself.
func (l *loader) collection(name string, data []byte) {
	type entry struct {
		ID, Cipher, Mode, Key, IV, Nonce, Standard, Output string

		AAD, PT, CT, Tag   *string
		TagLen             int
		PTLen, AADLen, Len int // texts by rule rather than in full
		PTSeed, AADSeed    int
		CTSHA256, AADRule  string
		Valid              *bool
		Iterations         int
	}
	var file struct {
		Vectors   []entry
		Iterative struct{ Vectors []entry }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		l.t.Fatalf("%s: %v", name, err)
	}
	folder, base := path.Split(strings.TrimSuffix(name, ".json"))
	source := strings.TrimSuffix(folder, "/")
	switch source {
	case "rfc":
		source += ":" + base
	case "libgcrypt":
		source += " 2MiB"
	}
	for _, e := range file.Vectors {
		if !l.wants(e.Mode) {
			continue
		}
		v := &Vector{
			ID: e.ID, Source: source, Cipher: splitCipher(e.Cipher), Mode: e.Mode,
			Key: l.hex(e.ID, e.Key), Nonce: l.hex(e.ID, e.IV+e.Nonce),
			Valid: e.Valid == nil || *e.Valid, GB: e.Standard == "GB", Times: e.Iterations,
		}
		opt := func(dst *[]byte, s *string) {
			if s != nil {
				*dst = l.hex(e.ID, *s)
			}
		}
		opt(&v.AD, e.AAD)
		opt(&v.Plain, e.PT)
		opt(&v.Text, e.CT)
		opt(&v.Tag, e.Tag)
		if e.CTSHA256 != "" {
			v.TextHash = l.hex(e.ID, e.CTSHA256)
		}
		switch {
		case e.Len > 0:
			v.Plain = largeText(e.Len)
			v.AD = v.Plain
		case e.PT == nil && v.Valid:
			v.Plain = ruled(e.PTLen, 7, 13, e.PTSeed)
			v.AD = ruled(e.AADLen, 11, 17, e.AADSeed)
		case e.AADRule == "65536 bytes: 00 01 .. ff repeated 256 times":
			v.AD = ruled(1<<16, 1, 0, 0)
		case e.AADRule != "":
			l.t.Fatalf("%s: %s: rule %q", name, e.ID, e.AADRule)
		}
		if len(v.Tag) != e.TagLen {
			l.t.Fatalf("%s: %s: tag of %d bytes, want %d", name, e.ID, len(v.Tag), e.TagLen)
		}
		l.add(v)
	}
	for _, e := range file.Iterative.Vectors {
		v := &Vector{ID: e.ID, Source: "rfc7253 iterated", Cipher: splitCipher(e.Cipher), Mode: e.Mode, Tag: l.hex(e.ID, e.Output), Valid: true, Iterated: true}
		size := map[string]int{"aes128": 16, "aes192": 24, "aes256": 32}[e.Cipher]
		v.Key = make([]byte, size)
		v.Key[size-1] = byte(8 * e.TagLen)
		l.add(v)
		v.TagSize = e.TagLen
	}
}

// ruled makes a text of n bytes: byte j is a·j + b·(j>>8) + seed.
func ruled(n, a, b, seed int) []byte {
	text := make([]byte, n)
	for j := range text {
		text[j] = byte(a*j + b*(j>>8) + seed)
	}
	return text
}

// largeText is the text of libgcrypt's test of large buffers: block by block,
// the start of SHA-1 of the offset.
func largeText(n int) []byte {
	text := make([]byte, n)
	for i := 0; i < n; i += 16 {
		sum := sha1.Sum(binary.LittleEndian.AppendUint32(nil, uint32(i)))
		copy(text[i:], sum[:16])
	}
	return text
}
