package format

import (
	"encoding/hex"
	"io"
)

// Info is what a header says. Without a key none of it is proven: anybody can
// have written it, see Authenticated.
type Info struct {
	Authenticated bool   `json:"authenticated"`
	Version       int    `json:"version"`
	Suite         string `json:"suite"`
	Cipher        string `json:"cipher"`
	KeyBits       int    `json:"key_bits"`
	Mode          string `json:"mode"`
	Hash          string `json:"hash"`
	ChunkSize     int    `json:"chunk_size"`
	HeaderSize    int    `json:"header_size"` // bytes
	FileSalt      string `json:"file_salt"`   // hexadecimal

	Slots   []SlotInfo   `json:"slots"`
	Others  []RecordInfo `json:"other_records,omitempty"` // neither slots nor padding
	Padding int          `json:"padding"`                 // bytes of padding records
}

// SlotInfo describes a key slot.
type SlotInfo struct {
	Type   int    `json:"type"`             // the record's
	Kind   string `json:"kind"`             // "passphrase", "key file" or "unknown"
	LogN   int    `json:"log_n,omitempty"`  // scrypt's cost, of passphrases
	Memory int64  `json:"memory,omitempty"` // bytes that one scrypt run takes
}

// RecordInfo describes a record of no known type.
type RecordInfo struct {
	Type     int  `json:"type"`
	Size     int  `json:"size"`     // of its body, in bytes
	Critical bool `json:"critical"` // this version must refuse the file
}

// ReadInfo reads a header from r without any key. Where the header can be shown
// but this version would refuse it, both results are set.
func ReadInfo(r io.Reader) (*Info, error) {
	h, err := scanHeader(r)
	if err != nil {
		return nil, err
	}
	return h.info(false), checkRecords(h.records)
}

func (h *header) info(authenticated bool) *Info {
	i := &Info{
		Authenticated: authenticated,
		Version:       version,
		Suite:         h.suite.String(),
		Cipher:        h.suite.Cipher(),
		KeyBits:       8 * h.suite.KeySize(),
		Mode:          h.suite.Mode(),
		Hash:          "sha-256",
		ChunkSize:     1 << h.chunkLog,
		HeaderSize:    len(h.raw),
		FileSalt:      hex.EncodeToString(h.fileSalt()),
	}
	for _, r := range h.records {
		switch t := r.kind(); {
		case t == recordPadding:
			i.Padding += len(r)
		case t.isSlot():
			i.Slots = append(i.Slots, r.slotInfo())
		default:
			i.Others = append(i.Others, RecordInfo{Type: int(t), Size: len(r.body()), Critical: t > lastOptional})
		}
	}
	return i
}

func (r record) slotInfo() SlotInfo {
	s := SlotInfo{Type: int(r.kind()), Kind: "unknown"}
	switch {
	case r.validate() != nil:
	case r.kind() == recordScrypt:
		s.Kind, s.LogN, s.Memory = "passphrase", int(r.logN()), scryptBlock<<r.logN()
	case r.kind() == recordKeyFile:
		s.Kind = "key file"
	}
	return s
}

// PlaintextSize returns the size of the plaintext of a file of size bytes,
// header included. It is only as true as size and the header are. A size that
// no complete file has is an [Error] of kind Truncated.
func (i *Info) PlaintextSize(size int64) (int64, error) {
	n := size - int64(i.HeaderSize)
	count := pieces(max(n, 0), i.ChunkSize+tagSize)
	if last := n - (count-1)*int64(i.ChunkSize+tagSize); last < tagSize || last == tagSize && count > 1 {
		return 0, &Error{Kind: Truncated, Offset: size}
	}
	return n - tagSize*count, nil
}
