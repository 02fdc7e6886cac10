package format

import (
	"bytes"
	"strings"
	"unicode/utf16"
)

// foreign names what is wrong with data that do not begin with the magic.
func foreign(b []byte) error {
	switch {
	case len(b) == 0:
		return fail(NotBlkcrypt, "it is empty")
	case textDamaged(b):
		return fail(TextDamaged, "line ends, the eighth bit or the encoding were converted; transfer it as binary")
	case strings.HasPrefix(magic, string(b)):
		return &Error{Kind: Truncated, Offset: int64(len(b)), detail: "it ends inside its header"}
	}
	return &Error{Kind: NotBlkcrypt}
}

// textDamaged reports whether b begins with what programs that take the magic
// for text make of it.
func textDamaged(b []byte) bool {
	b = bytes.TrimPrefix(narrow(b), []byte("\xef\xbb\xbf"))
	i := bytes.Index(b[:min(len(b), 6)], []byte("BLK"))
	if i < 0 {
		return false
	}
	return oneOf(b[:i],
		"\x89", "\t", "", "?", // intact, eighth bit lost, dropped, replaced
		"\xc2\x89", "\xe2\x80\xb0", "\xc3\xab", "\xef\xbf\xbd", // Latin-1, Windows-1252, code page 437 and invalid, as UTF-8
	) && startsWithOne(b[i+3:],
		"\r\n\x1a\n",     // intact
		"\n\x1a\n",       // CR LF became LF
		"\r\r\n\x1a\r\n", // LF became CR LF
		"\r\n\x1a\r\n",   // LF alone became CR LF
		"\r\x1a\r",       // CR LF and LF became CR
		"\r\r\x1a\r",     // LF became CR
		"\n\n\x1a\n",     // CR became LF
	)
}

// narrow turns UTF-16 with a byte-order mark into UTF-8, enough of it to hold
// the magic.
func narrow(b []byte) []byte {
	big := bytes.HasPrefix(b, []byte("\xfe\xff"))
	if !big && !bytes.HasPrefix(b, []byte("\xff\xfe")) {
		return b
	}
	var units []uint16
	for b = b[2:min(len(b), 34)]; len(b) >= 2; b = b[2:] {
		u := uint16(b[0]) | uint16(b[1])<<8
		if big {
			u = u<<8 | u>>8
		}
		units = append(units, u)
	}
	return []byte(string(utf16.Decode(units)))
}

func oneOf(b []byte, list ...string) bool {
	for _, s := range list {
		if string(b) == s {
			return true
		}
	}
	return false
}

func startsWithOne(b []byte, list ...string) bool {
	for _, s := range list {
		if bytes.HasPrefix(b, []byte(s)) {
			return true
		}
	}
	return false
}
