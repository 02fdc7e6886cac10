package format

import (
	"bytes"
	"encoding/binary"
)

// recordType is the first byte of a record. Types 1 to 63 are key slots, to
// 127 optional information, to 254 changes in how the file must be read.
type recordType byte

const (
	recordPadding  recordType = 0
	recordScrypt   recordType = 1
	recordKeyFile  recordType = 2
	lastSlot       recordType = 63
	lastOptional   recordType = 127
	recordReserved recordType = 255

	maxSlots = 16
)

const (
	recordHeader = 3 // type (1), body length (2)
	sealedSize   = fileKeySize + tagSize

	// A slot ends in check and sealed key; what comes before is its context.
	keyFileContext = recordHeader + saltSize
	scryptContext  = recordHeader + 3 + saltSize + saltSize
	slotTail       = checkSize + sealedSize
)

func (t recordType) isSlot() bool { return t > recordPadding && t <= lastSlot }

// A record is all bytes of one record, type and length included.
type record []byte

func (r record) kind() recordType { return recordType(r[0]) }
func (r record) body() []byte     { return r[recordHeader:] }

// The rest is for slots of a known type.

func (r record) context() []byte { return r[:len(r)-slotTail] }
func (r record) check() []byte   { return r[len(r)-slotTail:][:checkSize] }
func (r record) sealed() []byte  { return r[len(r)-sealedSize:] }

// Of a scrypt slot.

func (r record) logN() uint8 { return r[recordHeader] }
func (r record) scryptSalt() [saltSize]byte {
	return [saltSize]byte(r[recordHeader+3:])
}

// newRecord starts a record with room for a body of n bytes.
func newRecord(t recordType, n int) record {
	r := make(record, recordHeader, recordHeader+n)
	r[0] = byte(t)
	binary.BigEndian.PutUint16(r[1:], uint16(n))
	return r
}

// splitRecords cuts b into records without looking into them.
func splitRecords(b []byte) ([]record, error) {
	var list []record
	for len(b) > 0 {
		if len(b) < recordHeader {
			return nil, fail(Malformed, "%d bytes are left after the last record", len(b))
		}
		n := recordHeader + int(binary.BigEndian.Uint16(b[1:]))
		if n > len(b) {
			return nil, fail(Malformed, "a record of type %d is longer than the header", b[0])
		}
		list = append(list, record(b[:n:n]))
		b = b[n:]
	}
	return list, nil
}

// checkRecords validates every record of a known type and their number.
func checkRecords(list []record) error {
	slots, known := 0, 0
	for _, r := range list {
		if err := r.validate(); err != nil {
			return err
		}
		if r.kind().isSlot() {
			slots++
		}
		if r.kind() == recordScrypt || r.kind() == recordKeyFile {
			known++
		}
	}
	switch {
	case slots == 0 || slots > maxSlots:
		return fail(Malformed, "%d key slots, want 1 to %d", slots, maxSlots)
	case known == 0:
		return &Error{Kind: UnknownKeyKind}
	}
	return nil
}

func (r record) validate() error {
	switch t := r.kind(); {
	case t == recordPadding:
		if len(bytes.Trim(r.body(), "\x00")) != 0 {
			return fail(Malformed, "padding that is not zero")
		}
	case t == recordScrypt:
		if len(r) != scryptContext+slotTail {
			return fail(Malformed, "a passphrase slot of %d bytes", len(r))
		}
		if n := r.logN(); n < minLogN || n > maxLogN {
			return fail(Malformed, "scrypt's N is 2^%d, outside 2^%d to 2^%d", n, minLogN, maxLogN)
		}
		if b := r.body(); b[1] != scryptR || b[2] != scryptP {
			return fail(Malformed, "scrypt with r = %d and p = %d instead of %d and %d", b[1], b[2], scryptR, scryptP)
		}
	case t == recordKeyFile:
		if len(r) != keyFileContext+slotTail {
			return fail(Malformed, "a key file slot of %d bytes", len(r))
		}
	case t == recordReserved:
		return fail(Malformed, "a record of type 255")
	case t > lastOptional:
		return fail(Unsupported, "a record of type %d, which changes how the file must be read", t)
	}
	return nil
}

// withoutPadding returns the records that are not padding, in order.
func withoutPadding(list []record) []record {
	var kept []record
	for _, r := range list {
		if r.kind() != recordPadding {
			kept = append(kept, r)
		}
	}
	return kept
}
