package modes

import (
	"crypto/cipher"
	"crypto/subtle"

	"blkcrypt/internal/bulk"
)

var (
	_ cipher.Stream = (*CFB)(nil)
	_ cipher.Stream = (*OFB)(nil)
	_ cipher.Stream = (*CTR)(nil)
)

// pad is the key stream of a block that a message has been XORed with in part.
type pad struct {
	block [BlockSize]byte
	used  int // bytes; 0 where there is no such block
}

// xor works on as many bytes as the block has left, and returns their number.
func (p *pad) xor(dst, src []byte) int {
	if p.used == 0 {
		return 0
	}
	n := subtle.XORBytes(dst, src, p.block[p.used:])
	p.used = (p.used + n) % BlockSize
	return n
}

// start takes block as new, and works on fewer bytes than it has.
func (p *pad) start(dst, src []byte) {
	p.used = subtle.XORBytes(dst, src, p.block[:])
}

// CTR encrypts or decrypts, which is the same, with the encryption of a counter
// (SP 800-38A, section 6.5). The counter is one big-endian number of 128 bits;
// 0 comes after 2^128-1.
type CTR struct {
	key *bulk.Key
	ctr [BlockSize]byte
	pad pad
}

// NewCTR returns a cipher.Stream. iv is the first counter, of 16 bytes; no value
// that the counter takes may ever be used again with the same key. It panics
// where iv has another length.
func NewCTR(b cipher.Block, iv []byte) *CTR {
	return &CTR{key: keyOf(b), ctr: ivOf(iv)}
}

// XORKeyStream encrypts or decrypts the next bytes of the message.
func (c *CTR) XORKeyStream(dst, src []byte) {
	dst = room(dst, src)
	n := c.pad.xor(dst, src)
	dst, src = dst[n:], src[n:]
	n = len(src) / BlockSize * BlockSize
	c.key.CTR(&c.ctr, dst[:n], src[:n])
	if n < len(src) {
		clear(c.pad.block[:])
		c.key.CTR(&c.ctr, c.pad.block[:], c.pad.block[:])
		c.pad.start(dst[n:], src[n:])
	}
}

// Wipe overwrites the rest of the key stream. c must not be used afterwards.
func (c *CTR) Wipe() { *c = CTR{} }

// OFB encrypts or decrypts, which is the same, with the IV encrypted again and
// again (SP 800-38A, section 6.4). Each block waits for the one before; [CTR]
// does not.
type OFB struct {
	key *bulk.Key
	iv  [BlockSize]byte // the last block of key stream
	pad pad
}

// NewOFB returns a cipher.Stream. The IV of 16 bytes must belong to one message
// only; it panics where iv has another length.
func NewOFB(b cipher.Block, iv []byte) *OFB {
	return &OFB{key: keyOf(b), iv: ivOf(iv)}
}

// XORKeyStream encrypts or decrypts the next bytes of the message.
func (o *OFB) XORKeyStream(dst, src []byte) {
	dst = room(dst, src)
	n := o.pad.xor(dst, src)
	dst, src = dst[n:], src[n:]
	n = len(src) / BlockSize * BlockSize
	o.key.OFB(&o.iv, dst[:n], src[:n])
	if n < len(src) {
		o.key.EncryptBlocks(o.iv[:], o.iv[:])
		o.pad.block = o.iv
		o.pad.start(dst[n:], src[n:])
	}
}

// Wipe overwrites the key stream. o must not be used afterwards.
func (o *OFB) Wipe() { *o = OFB{} }

// CFB encrypts or decrypts with cipher feedback of whole blocks, CFB-128 (SP
// 800-38A, section 6.3).
type CFB struct {
	key     *bulk.Key
	decrypt bool
	// iv is the last block of ciphertext; while the pad is in use, its first bytes
	// are those of the block that is being made.
	iv  [BlockSize]byte
	pad pad
}

// NewCFBEncrypter returns a cipher.Stream that encrypts. The IV of 16 bytes must
// be unpredictable and belong to one message only; it panics where iv has
// another length.
func NewCFBEncrypter(b cipher.Block, iv []byte) *CFB {
	return &CFB{key: keyOf(b), iv: ivOf(iv)}
}

// NewCFBDecrypter returns a cipher.Stream that decrypts with the IV of 16 bytes
// that the message was encrypted with.
func NewCFBDecrypter(b cipher.Block, iv []byte) *CFB {
	return &CFB{key: keyOf(b), iv: ivOf(iv), decrypt: true}
}

// XORKeyStream encrypts or decrypts the next bytes of the message.
func (c *CFB) XORKeyStream(dst, src []byte) {
	dst = room(dst, src)
	if c.pad.used > 0 {
		n := min(len(src), BlockSize-c.pad.used)
		c.part(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	n := len(src) / BlockSize * BlockSize
	if c.decrypt {
		c.key.CFBDecrypt(&c.iv, dst[:n], src[:n])
	} else {
		c.key.CFBEncrypt(&c.iv, dst[:n], src[:n])
	}
	if n < len(src) {
		c.key.EncryptBlocks(c.pad.block[:], c.iv[:])
		c.part(dst[n:], src[n:])
	}
}

// part works on bytes within one block.
func (c *CFB) part(dst, src []byte) {
	at := c.pad.used
	if c.decrypt {
		copy(c.iv[at:], src)
	}
	c.pad.used = (at + subtle.XORBytes(dst, src, c.pad.block[at:])) % BlockSize
	if !c.decrypt {
		copy(c.iv[at:], dst)
	}
}

// Wipe overwrites the key stream. c must not be used afterwards.
func (c *CFB) Wipe() { *c = CFB{} }
