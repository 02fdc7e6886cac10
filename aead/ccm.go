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
	l.absorbCCMHeader(ad)

	l.key.EncryptBlocks(l.masks, l.ctrs)
	for j := range l.n {
		lane(l.ctrs, j)[blockSize-1] = 1
	}
}

// absorbCCMHeader MACs the associated data, behind its length and padded with
// zeros, in every lane.
func (l *lanes) absorbCCMHeader(ad []byte) {
	if len(ad) == 0 {
		return
	}
	first, n := ccmHeaderLength(uint64(len(ad)))
	ad = ad[copy(first[n:], ad):]
	l.absorb(first[:], 0, 1) // a stride of 0: the same block for every lane
	if len(ad) > 0 {
		full, rest := split(len(ad))
		l.absorb(ad, 0, full)
		l.absorbLast(ad, 0, full*blockSize, rest)
	}
}

// ccmHeaderLength encodes the length of associated data in the first n bytes of
// a block (SP 800-38C, appendix A.2.2).
func ccmHeaderLength(size uint64) (block [blockSize]byte, n int) {
	switch {
	case size < 1<<16-1<<8:
		binary.BigEndian.PutUint16(block[:], uint16(size))
		return block, 2
	case size < 1<<32:
		block[0], block[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(block[2:], uint32(size))
		return block, 6
	default:
		block[0], block[1] = 0xff, 0xff
		binary.BigEndian.PutUint64(block[2:], size)
		return block, 10
	}
}
