package format

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

const (
	// DefaultMaxWork is the greatest sum of 2^logN that a file may ask for
	// unless [Keyring.MaxWork] says otherwise: 16 slots of the default cost.
	DefaultMaxWork = 1 << 21
	// defaultMaxLogN bounds a single run where MaxWork is not set: 1 GiB.
	defaultMaxLogN = 20

	scryptBlock = 128 * scryptR // bytes of memory per unit of N
)

// A Keyring holds the secrets to seal or open files with, and what scrypt made
// of them, so that a batch of files costs one run for each passphrase. Until Wipe
// it keeps up to 49 MiB of buffers for the next file. It may be used by several
// goroutines, one of which runs scrypt at any time.
type Keyring struct {
	// MaxWork bounds the sum of 2^logN over the scrypt runs that one file asks
	// for; 0 is [DefaultMaxWork], with no single run above 2^20. Set it before
	// the first use.
	MaxWork uint64

	secrets []*Secret

	mu    sync.Mutex
	roots map[rootID]*[fileKeySize]byte
	salts map[saltID][saltSize]byte

	jobs store
}

type rootID struct {
	secret *Secret
	logN   uint8
	salt   [saltSize]byte
}

type saltID struct {
	secret *Secret
	logN   uint8
}

// NewKeyring holds secrets, equal ones once. It keeps the pointers.
func NewKeyring(secrets ...*Secret) *Keyring {
	k := &Keyring{
		roots: make(map[rootID]*[fileKeySize]byte),
		salts: make(map[saltID][saltSize]byte),
	}
next:
	for _, s := range secrets {
		for _, t := range k.secrets {
			if s.Equal(t) {
				continue next
			}
		}
		k.secrets = append(k.secrets, s)
	}
	return k
}

// Wipe overwrites the secrets and all that was derived from them. The keyring
// must not be in use and not be used afterwards.
func (k *Keyring) Wipe() {
	for _, s := range k.secrets {
		s.Wipe()
	}
	for _, root := range k.roots {
		wipe(root[:])
	}
	clear(k.roots)
	clear(k.salts)
	k.secrets = nil
	k.jobs.free = nil
}

// root returns what a slot's keys derive from. It is the keyring's: the caller
// does not wipe it.
func (k *Keyring) root(s *Secret, logN uint8, salt [saltSize]byte) ([]byte, error) {
	if !s.IsPassphrase() {
		return s.data, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	id := rootID{s, logN, salt}
	if root := k.roots[id]; root != nil {
		return root[:], nil
	}
	root, err := stretch(s.data, logN, salt)
	if err != nil {
		return nil, err
	}
	if logN >= 16 {
		// Scrypt's 64 MiB and more are needed for this moment only; without a
		// word they would stay in the process until much later.
		debug.FreeOSMemory()
	}
	k.roots[id] = root
	return root[:], nil
}

// All random values here and in headers are read from crypto/rand when they are
// needed. Its Read never returns an error: it ends the program instead.

// scryptSalt returns the salt for new slots under s. All files that one keyring
// writes share it: that is what makes a batch cheap.
func (k *Keyring) scryptSalt(s *Secret, logN uint8) [saltSize]byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := saltID{s, logN}
	salt, ok := k.salts[id]
	if !ok {
		rand.Read(salt[:])
		k.salts[id] = salt
	}
	return salt
}

// newSlot seals fileKey under s for a file of the given header.
func (k *Keyring) newSlot(h *header, s *Secret, logN uint8, fileKey []byte) (record, error) {
	var scryptSalt [saltSize]byte
	r := newRecord(s.kind, keyFileContext+slotTail-recordHeader)
	if s.IsPassphrase() {
		scryptSalt = k.scryptSalt(s, logN)
		r = newRecord(s.kind, scryptContext+slotTail-recordHeader)
		r = append(r, logN, scryptR, scryptP)
		r = append(r, scryptSalt[:]...)
	}
	var slotSalt [saltSize]byte
	rand.Read(slotSalt[:])
	r = append(r, slotSalt[:]...)

	root, err := k.root(s, logN, scryptSalt)
	if err != nil {
		return nil, err
	}
	l := lock(h.suite, h.fileSalt(), root, slotContext(h, r))
	defer l.wipe()
	r = append(r, l.check...)
	return l.seal(r, fileKey)
}

func slotContext(h *header, slot []byte) []byte {
	return append(append([]byte(nil), h.bound()...), slot...)
}

// open finds the file key and proves the header: steps 3 and 4 of reading. It
// returns Extract(file salt, file key), the file key, and the number of the slot
// among the key slots; the caller wipes both keys.
func (k *Keyring) open(h *header) (prk, fileKey []byte, slot int, err error) {
	if err := k.afford(h.slots(), k.secrets); err != nil {
		return nil, nil, 0, err
	}
	slot, fileKey, err = k.unlock(h)
	if err != nil {
		return nil, nil, 0, err
	}
	prk = extract(h.fileSalt(), fileKey)
	if !h.authentic(prk) {
		wipe(prk)
		wipe(fileKey)
		return nil, nil, 0, &Error{Kind: Tampered}
	}
	return prk, fileKey, slot, nil
}

func (k *Keyring) unlock(h *header) (slot int, fileKey []byte, err error) {
	failure := &Error{Kind: NoKey}
	for i, r := range h.slots() {
		switch r.kind() {
		case recordScrypt:
			failure.Passphrase = true
		case recordKeyFile:
			failure.KeyFile = true
		}
		for _, s := range k.secrets {
			if s.kind != r.kind() {
				continue
			}
			failure.Kind = WrongKey
			fileKey, err := k.try(h, r, s)
			if fileKey != nil || err != nil {
				return i, fileKey, err
			}
		}
	}
	return 0, nil, failure
}

// try returns the file key, or nil where s is not the slot's secret.
func (k *Keyring) try(h *header, r record, s *Secret) ([]byte, error) {
	var logN uint8
	var salt [saltSize]byte
	if s.IsPassphrase() {
		logN, salt = r.logN(), r.scryptSalt()
	}
	root, err := k.root(s, logN, salt)
	if err != nil {
		return nil, err
	}
	l := lock(h.suite, h.fileSalt(), root, slotContext(h, r.context()))
	defer l.wipe()
	if !l.fits(r.check()) {
		return nil, nil
	}
	fileKey, err := l.open(r.sealed())
	if err == nil && fileKey == nil {
		err = fail(Tampered, "its key slot does not open")
	}
	return fileKey, err
}

// afford refuses slots whose scrypt runs are too dear, before the first. Runs
// that are already paid for count too, so that a file's fate does not depend on
// those before it.
func (k *Keyring) afford(slots []record, secrets []*Secret) error {
	var sum uint64
	var most uint8
	counted := make(map[rootID]bool)
	for _, r := range slots {
		if r.kind() != recordScrypt {
			continue
		}
		for _, s := range secrets {
			id := rootID{s, r.logN(), r.scryptSalt()}
			if s.IsPassphrase() && !counted[id] {
				counted[id] = true
				sum += 1 << r.logN()
				most = max(most, r.logN())
			}
		}
	}
	e := &Error{Kind: Cost, Work: sum, Limit: k.MaxWork, Memory: scryptBlock << most}
	switch {
	case k.MaxWork == 0 && sum <= DefaultMaxWork && most > defaultMaxLogN:
		e.Limit = 1 << defaultMaxLogN
		return e
	case k.MaxWork == 0:
		e.Limit = DefaultMaxWork
	}
	if sum > e.Limit {
		return e
	}
	return nil
}

// create draws a file key and makes a signed header that every secret of the
// keyring opens. The caller wipes prk.
func (k *Keyring) create(s Suite, chunkLog, logN int) (h *header, prk []byte, err error) {
	if len(k.secrets) == 0 || len(k.secrets) > maxSlots {
		return nil, nil, fmt.Errorf("format: %d keys to write for, want 1 to %d", len(k.secrets), maxSlots)
	}
	h = newHeader(s, chunkLog)
	fileKey := make([]byte, fileKeySize)
	defer wipe(fileKey)
	rand.Read(fileKey)
	var slots []record
	for _, s := range k.secrets {
		r, err := k.newSlot(h, s, uint8(logN), fileKey)
		if err != nil {
			return nil, nil, err
		}
		slots = append(slots, r)
	}
	prk = extract(h.fileSalt(), fileKey)
	h, err = h.assemble(slots, headerUnit, headerUnit, prk)
	if err != nil {
		wipe(prk)
		return nil, nil, err
	}
	return h, prk, nil
}

// checkLogN turns a cost option into scrypt's logN.
func checkLogN(logN int) (int, error) {
	if logN == 0 {
		return DefaultLogN, nil
	}
	if logN < minLogN || logN > maxLogN {
		return 0, errors.New("format: scrypt's cost must be 10 to 22")
	}
	return logN, nil
}
