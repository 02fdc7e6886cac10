package modes

import (
	"crypto/cipher"

	"blkcrypt/internal/bulk"
)

var (
	_ cipher.BlockMode = (*ECB)(nil)
	_ cipher.BlockMode = (*CBC)(nil)
)

// ECB encrypts or decrypts each block by itself (SP 800-38A, section 6.1). Equal
// blocks of plaintext are equal blocks of ciphertext.
type ECB struct {
	key     *bulk.Key
	decrypt bool
}

// NewECBEncrypter returns a cipher.BlockMode that encrypts.
func NewECBEncrypter(b cipher.Block) *ECB { return &ECB{key: keyOf(b)} }

// NewECBDecrypter returns a cipher.BlockMode that decrypts.
func NewECBDecrypter(b cipher.Block) *ECB { return &ECB{key: keyOf(b), decrypt: true} }

// BlockSize returns 16.
func (e *ECB) BlockSize() int { return BlockSize }

// CryptBlocks encrypts or decrypts whole blocks.
func (e *ECB) CryptBlocks(dst, src []byte) {
	dst = wholeRoom(dst, src)
	if e.decrypt {
		e.key.DecryptBlocks(dst, src)
	} else {
		e.key.EncryptBlocks(dst, src)
	}
}

// CBC encrypts or decrypts with cipher block chaining (SP 800-38A, section 6.2).
// Successive calls work on successive pieces of one message.
type CBC struct {
	key     *bulk.Key
	decrypt bool
	iv      [BlockSize]byte // the last block of ciphertext
}

// NewCBCEncrypter returns a cipher.BlockMode that encrypts. The IV of 16 bytes
// must be unpredictable and belong to one message only (SP 800-38A, appendix
// C); it panics where iv has another length.
func NewCBCEncrypter(b cipher.Block, iv []byte) *CBC {
	return &CBC{key: keyOf(b), iv: ivOf(iv)}
}

// NewCBCDecrypter returns a cipher.BlockMode that decrypts with the IV of 16
// bytes that the message was encrypted with.
func NewCBCDecrypter(b cipher.Block, iv []byte) *CBC {
	return &CBC{key: keyOf(b), iv: ivOf(iv), decrypt: true}
}

// BlockSize returns 16.
func (c *CBC) BlockSize() int { return BlockSize }

// CryptBlocks encrypts or decrypts the next whole blocks of the message.
func (c *CBC) CryptBlocks(dst, src []byte) {
	dst = wholeRoom(dst, src)
	if c.decrypt {
		c.key.CBCDecrypt(&c.iv, dst, src)
	} else {
		c.key.CBCEncrypt(&c.iv, dst, src)
	}
}
