package format

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// An Editor changes the key slots of a file. It works on the header alone: the
// file key stays, so that the payload does. Nothing that it was not told to change
// is changed, unknown records included. It is not for concurrent use.
//
// Removing or replacing a slot revokes nothing from those who could read the file
// before: they may have kept the file key, or an older header.
type Editor struct {
	h            *header
	k            *Keyring
	records      []record // without padding
	opened       int
	prk, fileKey []byte
}

// NewEditor reads a header from r, and not a byte more, and proves it with a
// secret of k. The Editor goes on to use k, to share the scrypt runs of new
// slots among files. Close wipes what it holds.
func NewEditor(r io.Reader, k *Keyring) (*Editor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	prk, fileKey, opened, err := k.open(h)
	if err != nil {
		return nil, err
	}
	return &Editor{h: h, k: k, records: withoutPadding(h.records), opened: opened, prk: prk, fileKey: fileKey}, nil
}

// Close wipes the keys.
func (e *Editor) Close() {
	wipe(e.prk)
	wipe(e.fileKey)
	e.prk, e.fileKey = nil, nil
}

// Info describes the header as it was read. What it says is authentic.
func (e *Editor) Info() *Info { return e.h.info(true) }

// Slots returns the key slots as they are now. A slot's number is its index.
func (e *Editor) Slots() []SlotInfo {
	var list []SlotInfo
	for _, i := range e.slots() {
		list = append(list, e.records[i].slotInfo())
	}
	return list
}

// Opened returns the number that the slot opened by the keyring had when the
// header was read.
func (e *Editor) Opened() int { return e.opened }

// Opens reports whether s opens the file already. It costs a passphrase a run of
// scrypt for each slot of one; the error is an [Error] where the Editor's keyring
// does not allow that.
func (e *Editor) Opens(s *Secret) (bool, error) {
	if e.fileKey == nil {
		return false, errClosed
	}
	var slots []record
	for _, i := range e.slots() {
		if r := e.records[i]; r.kind() == s.kind {
			slots = append(slots, r)
		}
	}
	if err := e.k.afford(slots, []*Secret{s}); err != nil {
		return false, err
	}
	for _, r := range slots {
		fileKey, err := e.k.try(e.h, r, s)
		wipe(fileKey)
		if err != nil || fileKey != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// slots returns the indices of records that are slots.
func (e *Editor) slots() []int {
	var list []int
	for i, r := range e.records {
		if r.kind().isSlot() {
			list = append(list, i)
		}
	}
	return list
}

// slot returns the index of the record of slot n.
func (e *Editor) slot(n int) (int, error) {
	list := e.slots()
	if n < 0 || n >= len(list) {
		return 0, fmt.Errorf("format: no key slot %d; there are %d", n, len(list))
	}
	return list[n], nil
}

// Add adds a slot for s behind the others. logN is the cost of a passphrase, as
// in [Options].
func (e *Editor) Add(s *Secret, logN int) error {
	list := e.slots()
	if len(list) >= maxSlots {
		return fmt.Errorf("format: the file has %d key slots already", maxSlots)
	}
	r, err := e.seal(s, logN)
	if err != nil {
		return err
	}
	e.records = slices.Insert(e.records, list[len(list)-1]+1, r)
	return nil
}

// Replace puts a slot for s in the place of slot n.
func (e *Editor) Replace(n int, s *Secret, logN int) error {
	i, err := e.slot(n)
	if err != nil {
		return err
	}
	r, err := e.seal(s, logN)
	if err != nil {
		return err
	}
	e.records[i] = r
	return nil
}

// Remove removes slot n. The last slot of a kind that this version knows can't be
// removed.
func (e *Editor) Remove(n int) error {
	i, err := e.slot(n)
	if err != nil {
		return err
	}
	left := slices.Delete(slices.Clone(e.records), i, i+1)
	if checkRecords(left) != nil {
		return errors.New("format: without this key slot nobody could open the file")
	}
	e.records = left
	return nil
}

func (e *Editor) seal(s *Secret, logN int) (record, error) {
	if e.fileKey == nil {
		return nil, errClosed
	}
	logN, err := checkLogN(logN)
	if err != nil {
		return nil, err
	}
	return e.k.newSlot(e.h, s, uint8(logN), e.fileKey)
}

// Header returns the new header. It is as long as the old one where that is
// possible, and [Editor.Rewrite] writes it in place. Otherwise moved is true: it
// is longer by a multiple of 4096 bytes, and the payload must be copied to stand
// right behind it.
func (e *Editor) Header() (header []byte, moved bool, err error) {
	if e.prk == nil {
		return nil, false, errClosed
	}
	h, err := e.h.assemble(e.records, len(e.h.raw), growUnit, e.prk)
	if err != nil {
		return nil, false, err
	}
	return h.raw, len(h.raw) != len(e.h.raw), nil
}
