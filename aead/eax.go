package aead

import (
	"crypto/subtle"

	"blkcrypt/internal/bulk"
)

// omacKey is what EAX derives from the key: for each tweak t, OMAC^t(M) is the
// CMAC (SP 800-38B, section 6.2) of M behind a block that holds the number t.
type omacKey struct {
	k1, k2 [blockSize]byte
	start  [3][blockSize]byte // the chain after the block of t
	empty  [3][blockSize]byte // OMAC^t of no bytes
}

const (
	omacNonce = iota
	omacHeader
	omacText
)

func (o *omacKey) init(key *bulk.Key) {
	var zero [blockSize]byte
	key.EncryptBlocks(zero[:], zero[:])
	o.k1 = bulk.Double(zero)
	o.k2 = bulk.Double(o.k1)
	for t := range o.start {
		o.start[t][blockSize-1] = byte(t)
		subtle.XORBytes(o.empty[t][:], o.start[t][:], o.k1[:])
		key.EncryptBlocks(o.start[t][:], o.start[t][:])
		key.EncryptBlocks(o.empty[t][:], o.empty[t][:])
	}
	clear(zero[:])
}

// last returns what is XORed onto the last, zero-padded block of a message when
// n of its bytes are the message's: the padding and the subkey.
func (o *omacKey) last(n int) [blockSize]byte {
	if n == blockSize {
		return o.k1
	}
	pad := o.k2
	pad[n] ^= 0x80
	return pad
}

// omac sets the lanes' MACs to OMAC^t of size bytes of src at each stride.
func (l *lanes) omac(o *omacKey, t int, src []byte, stride, size int) {
	if size == 0 {
		l.setMACs(&o.empty[t])
		return
	}
	l.setMACs(&o.start[t])
	full, rest := split(size)
	l.absorb(src, stride, full)
	l.last = o.last(rest)
	l.absorbLast(src, stride, full*blockSize, rest)
}

// headerEAX returns OMAC^1 of the associated data.
func (a *AEAD) headerEAX(ad []byte) (mac [blockSize]byte) {
	var buf [laneSize]byte
	l := newLanes(a.key, buf[:], 1)
	l.omac(&a.omac, omacHeader, ad, 0, len(ad))
	copy(mac[:], l.macs)
	l.wipe()
	return mac
}

// startEAX sets the lanes up for messages with these nonces: the counters begin
// at OMAC^0(nonce), which with the header's MAC also masks the tag.
func (a *AEAD) startEAX(l *lanes, nonces []byte, header *[blockSize]byte) {
	l.omac(&a.omac, omacNonce, nonces, a.nonceSize, a.nonceSize)
	copy(l.ctrs, l.macs)
	for j := range l.n {
		subtle.XORBytes(lane(l.masks, j), lane(l.macs, j), header[:])
	}
	if l.size == 0 {
		l.setMACs(&a.omac.empty[omacText])
		return
	}
	l.setMACs(&a.omac.start[omacText])
	_, rest := split(l.size)
	l.last = a.omac.last(rest)
}
