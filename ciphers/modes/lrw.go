package modes

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"blkcrypt/internal/bulk"
)

// LRW encrypts and decrypts whole blocks, each by its number (Liskov, Rivest and
// Wagner; IEEE P1619 drafts of 2005 and Linux's lrw): C = E(P XOR T) XOR T with
// T = K2·number in GF(2^128). Any number of goroutines may use one.
//
// Who gets LRW to encrypt its own key K2 learns it, for which IEEE 1619 replaced
// it by XTS. It is here to read old volumes.
type LRW struct {
	key   *bulk.Key
	table *bulk.LRWTable
}

// NewLRW expands a key: that of the cipher, of a size that newCipher takes,
// followed by the tweak key K2 of 16 bytes. Errors: a key of 16 bytes or fewer,
// what newCipher returns, a cipher with blocks of another size than 16.
func NewLRW(newCipher func(key []byte) (cipher.Block, error), key []byte) (*LRW, error) {
	if len(key) <= BlockSize {
		return nil, fmt.Errorf("modes: LRW key of %d bytes has no room for a cipher's key and 16 more", len(key))
	}
	n := len(key) - BlockSize
	k, err := newKey(newCipher, key[:n])
	if err != nil {
		return nil, fmt.Errorf("modes: LRW: %w", err)
	}
	return &LRW{k, bulk.NewLRWTable([BlockSize]byte(key[n:]))}, nil
}

// BlockIndex returns the number of a block as LRW takes it, in big-endian order.
func BlockIndex(n uint64) (index [BlockSize]byte) {
	binary.BigEndian.PutUint64(index[8:], n)
	return index
}

// Encrypt encrypts whole blocks, which are numbered from index on; 0 comes after
// 2^128-1. It panics if the length of src is not a multiple of 16 bytes. Blocks
// under one key must not share a number, unless one is a later state of the
// other.
func (l *LRW) Encrypt(dst, src []byte, index [BlockSize]byte) {
	l.key.LRWEncrypt(l.table, &index, wholeRoom(dst, src), src)
}

// Decrypt is the inverse of Encrypt.
func (l *LRW) Decrypt(dst, src []byte, index [BlockSize]byte) {
	l.key.LRWDecrypt(l.table, &index, wholeRoom(dst, src), src)
}

// Wipe overwrites the tweak key and, where the cipher is one of this module's,
// its expanded key. l must not be used afterwards.
func (l *LRW) Wipe() {
	l.key.Wipe()
	l.table.Wipe()
}
