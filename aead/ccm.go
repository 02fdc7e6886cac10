package aead

import "encoding/binary"

// startCCM sets the lanes up for messages with these nonces: it MACs B_0 and the
// associated data and encrypts the counter block 0, which masks the tag
// (SP 800-38C, section 6.1 and appendix A).
func (a *AEAD) startCCM(l *lanes, nonces, ad []byte) {
	q := blockSize - 1 - a.nonceSize
	flags := byte((a.tagSize-2)/2<<3 | (q - 1))
	if len(ad) > 0 {
		flags |= 1 << 6
	}
	for j := range l.n {
		nonce := nonces[j*a.nonceSize:][:a.nonceSize]

		// B_0 ends in the message length, in q bytes. checkSizes and Seal see to it
		// that it fits.
		b := lane(l.stage, j)
		binary.BigEndian.PutUint64(b[8:], uint64(l.size))
		b[0] = flags
		copy(b[1:], nonce)

		c := lane(l.ctrs, j)
		clear(c)
		c[0] = byte(q - 1)
		copy(c[1:], nonce)
	}
	l.setMACs(new([blockSize]byte))
	l.absorb(l.stage, blockSize, 1)
	l.last = [blockSize]byte{}
	l.absorbCCMHeader(ad)

	l.key.EncryptBlocks(l.masks, l.ctrs)
	for j := range l.n {
		lane(l.ctrs, j)[blockSize-1] = 1
	}
}

// absorbCCMHeader MACs the associated data, behind its length and padded with
// zeros, in every lane (SP 800-38C, appendix A.2.2).
func (l *lanes) absorbCCMHeader(ad []byte) {
	if len(ad) == 0 {
		return
	}
	var first [blockSize]byte
	n := 0
	switch size := uint64(len(ad)); {
	case size < 1<<16-1<<8:
		n = 2
		binary.BigEndian.PutUint16(first[:], uint16(size))
	case size < 1<<32:
		n = 6
		first[0], first[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(first[2:], uint32(size))
	default:
		n = 10
		first[0], first[1] = 0xff, 0xff
		binary.BigEndian.PutUint64(first[2:], size)
	}
	ad = ad[copy(first[n:], ad):]
	l.absorb(first[:], 0, 1) // a stride of 0: the same block for every lane
	if len(ad) > 0 {
		full, rest := split(len(ad))
		l.absorb(ad, 0, full)
		l.absorbLast(ad, 0, full*blockSize, rest)
	}
}
