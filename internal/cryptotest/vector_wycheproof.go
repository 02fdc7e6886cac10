package cryptotest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// wycheproof reads the files of Wycheproof that deal with this module's ciphers
// and modes, as many as there are.
func (l *loader) wycheproof(dir string) {
	for _, c := range []string{"aes", "camellia", "sm4"} {
		for _, m := range []string{"gcm", "eax", "ccm", "xts", "cbc_pkcs5"} {
			if !l.wants(m[:3]) {
				continue
			}
			name := c + "_" + m + "_test.json"
			data, err := os.ReadFile(filepath.Join(dir, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				l.t.Fatal(err)
			}
			l.wycheproofFile(name, c, m[:3], data)
		}
	}
}

func (l *loader) wycheproofFile(name, cipher, mode string, data []byte) {
	var file struct {
		TestGroups []struct {
			TagSize int
			Tests   []struct {
				TcID                               int
				Key, IV, AAD, Msg, CT, Tag, Result string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		l.t.Fatalf("%s: %v", name, err)
	}
	for _, g := range file.TestGroups {
		for _, e := range g.Tests {
			id := fmt.Sprintf("%s:%d", name, e.TcID)
			v := &Vector{
				ID: id, Source: "wycheproof", Cipher: cipher, Mode: mode,
				Key: l.hex(id, e.Key), Nonce: l.hex(id, e.IV), AD: l.hex(id, e.AAD),
				Plain: l.hex(id, e.Msg), Text: l.hex(id, e.CT), Valid: e.Result == "valid",
			}
			switch {
			case e.Result != "valid" && e.Result != "invalid":
				l.t.Fatalf("%s: result %q", id, e.Result)
			case mode == "xts":
				// A data unit's number, of which the zeros at the end are left out.
				v.Nonce = append(v.Nonce, make([]byte, 16-len(v.Nonce))...)
			case mode == "cbc" && v.Valid:
				v.Plain = pad(v.Plain)
			case mode != "cbc":
				v.Tag = l.hex(id, e.Tag)
				if len(v.Tag) != g.TagSize/8 {
					l.t.Fatalf("%s: tag of %d bytes in a group of %d bits", id, len(v.Tag), g.TagSize)
				}
			}
			l.add(v)
		}
	}
}

// pad adds PKCS #7's padding (RFC 5652, section 6.3).
func pad(b []byte) []byte {
	n := 16 - len(b)%16
	return append(bytes.Clone(b), bytes.Repeat([]byte{byte(n)}, n)...)
}
