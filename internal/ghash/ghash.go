// Package ghash computes GHASH, the universal hash function of GCM (SP
// 800-38D, section 6.4), in time that depends on the length of the data alone.
package ghash

// BlockSize is the block size of GHASH in bytes.
const BlockSize = 16

// Key is a hash subkey in the form that its implementation multiplies by. It
// does not change between Init and Wipe: any number of goroutines may use it.
type Key struct {
	h [2]uint64
}

// Init sets k up for the hash subkey h, which GCM makes by encrypting the zero
// block.
func (k *Key) Init(h *[BlockSize]byte) { k.initGeneric(h) }

// Update hashes whole blocks: for each of them, y becomes (y XOR block)·H. It
// panics if the length of blocks is not a multiple of 16 bytes.
func (k *Key) Update(y *[BlockSize]byte, blocks []byte) {
	if len(blocks)%BlockSize != 0 {
		panic("ghash: length is not whole blocks")
	}
	k.updateGeneric(y, blocks)
}

// Wipe overwrites the key, which must not be used afterwards.
func (k *Key) Wipe() { *k = Key{} }
