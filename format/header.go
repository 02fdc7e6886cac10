package format

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	magic   = "\x89BLK\r\n\x1a\n"
	version = 1

	hashSHA256 = 1

	fixedSize    = 48 // up to the records
	checksumSize = 8
	macSize      = sha256.Size
	trailerSize  = checksumSize + macSize

	minHeader  = fixedSize + keyFileContext + slotTail + trailerSize // 187
	maxHeader  = 32768
	headerUnit = 512 // writers make headers a multiple of a sector
	// growUnit is what a header grows by: the payload moves by whole blocks of
	// file systems, which can then share them between the old file and the new.
	growUnit = 4096

	minChunkLog     = 12
	maxChunkLog     = 23
	defaultChunkLog = 16
)

// A header is a file's header after steps 1 and 2 of reading: well formed, but
// nothing in it is authentic before [Keyring.open] says so.
type header struct {
	raw      []byte
	suite    Suite
	chunkLog int
	records  []record
}

func (h *header) bound() []byte    { return h.raw[8 : 8+boundSize] }
func (h *header) fileSalt() []byte { return h.raw[16:fixedSize] }
func (h *header) mac() []byte      { return h.raw[len(h.raw)-macSize:] }
func (h *header) signed() []byte   { return h.raw[:len(h.raw)-macSize] }

// slots returns the key slots, unknown ones too, in order.
func (h *header) slots() []record {
	var list []record
	for _, r := range h.records {
		if r.kind().isSlot() {
			list = append(list, r)
		}
	}
	return list
}

// readHeader reads a header from r, and not a byte more.
func readHeader(r io.Reader) (*header, error) {
	h, err := scanHeader(r)
	if err != nil {
		return nil, err
	}
	if err := checkRecords(h.records); err != nil {
		return nil, err
	}
	return h, nil
}

// scanHeader is readHeader up to the checksum and the records' bounds: what is
// needed to show a header, even one that this version refuses.
func scanHeader(r io.Reader) (*header, error) {
	raw := make([]byte, fixedSize)
	n, err := fill(r, raw)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("format: reading the header: %w", err)
	}
	h := &header{raw: raw[:n]}
	if err := h.parseFixed(); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint16(raw[14:]))
	h.raw = append(raw, make([]byte, size-fixedSize)...)
	n, err = fill(r, h.raw[fixedSize:])
	if err == io.EOF {
		return nil, &Error{Kind: Truncated, Offset: int64(fixedSize + n), detail: "it ends inside its header"}
	} else if err != nil {
		return nil, fmt.Errorf("format: reading the header: %w", err)
	}
	// The checksum comes before anything that only parsing can find, so that an
	// accident to the records is called one.
	sum := sha256.Sum256(h.raw[:size-trailerSize])
	if !bytes.Equal(sum[:checksumSize], h.raw[size-trailerSize:size-macSize]) {
		return nil, &Error{Kind: Checksum}
	}
	h.records, err = splitRecords(h.raw[fixedSize : size-trailerSize])
	if err != nil {
		return nil, err
	}
	return h, nil
}

// parseFixed checks the first 48 bytes, of which there may be fewer.
func (h *header) parseFixed() error {
	b := h.raw
	if !bytes.HasPrefix(b, []byte(magic)) {
		return foreign(b)
	}
	if len(b) < fixedSize {
		return &Error{Kind: Truncated, Offset: int64(len(b)), detail: "it ends inside its header"}
	}
	if b[8] != version {
		return fail(Unsupported, "version %d of the format", b[8])
	}
	h.suite = Suite{cipher: b[9], keySize: b[10], mode: b[11]}
	if !h.suite.valid() {
		return fail(Unsupported, "cipher %d with %d-byte keys in mode %d", b[9], b[10], b[11])
	}
	if b[12] != hashSHA256 {
		return fail(Unsupported, "hash %d", b[12])
	}
	h.chunkLog = int(b[13])
	if h.chunkLog < minChunkLog || h.chunkLog > maxChunkLog {
		return fail(Malformed, "chunks of 2^%d bytes, outside 2^%d to 2^%d", b[13], minChunkLog, maxChunkLog)
	}
	if n := binary.BigEndian.Uint16(b[14:]); n < minHeader || n > maxHeader {
		return fail(Malformed, "a header of %d bytes, outside %d to %d", n, minHeader, maxHeader)
	}
	return nil
}

// newHeader starts a header with a fresh file salt and no records.
func newHeader(s Suite, chunkLog int) *header {
	h := &header{raw: make([]byte, fixedSize), suite: s, chunkLog: chunkLog}
	copy(h.raw, magic)
	copy(h.raw[8:], []byte{version, s.cipher, s.keySize, s.mode, hashSHA256, byte(chunkLog)})
	rand.Read(h.fileSalt())
	return h
}

// assemble lays out records behind the first 48 bytes of h, of which it changes
// the size only, and signs the whole. The header has size bytes where padding
// can make it so, otherwise as many times unit more as it takes, or the most
// that there can be.
func (h *header) assemble(records []record, size, unit int, prk []byte) (*header, error) {
	used := fixedSize + trailerSize
	for _, r := range records {
		used += len(r)
	}
	fits := func() bool { return size == used || size >= used+recordHeader }
	for !fits() && size < maxHeader {
		size = min(size+unit, maxHeader)
	}
	if !fits() {
		return nil, errors.New("format: the records don't fit into a header")
	}
	raw := make([]byte, 0, size)
	raw = append(raw, h.raw[:fixedSize]...)
	binary.BigEndian.PutUint16(raw[14:], uint16(size))
	for _, r := range records {
		raw = append(raw, r...)
	}
	if n := size - used; n > 0 {
		raw = append(raw, newRecord(recordPadding, n-recordHeader)...)
		raw = raw[:size-trailerSize]
	}
	sum := sha256.Sum256(raw)
	raw = append(raw, sum[:checksumSize]...)
	raw = append(raw, headerMAC(prk, raw)...)
	list, err := splitRecords(raw[fixedSize : size-trailerSize])
	if err != nil {
		return nil, err
	}
	return &header{raw: raw, suite: h.suite, chunkLog: h.chunkLog, records: list}, nil
}

// authentic reports whether the header's MAC is that of the file key.
func (h *header) authentic(prk []byte) bool {
	return hmac.Equal(h.mac(), headerMAC(prk, h.signed()))
}
