package bulk

import (
	"crypto/subtle"
	"math/bits"
)

// ocbGroup is the number of blocks whose offsets are one base XOR a fixed
// table, see OCBTable.Gray.
const ocbGroup = 16

// OCBTable holds what OCB3 derives from the key alone (RFC 7253, section 4.1).
// It does not change once made.
type OCBTable struct {
	Star, Dollar [BlockSize]byte
	// L[i] is L_i: enough for 2^48 blocks.
	L [48][BlockSize]byte
	// Gray[j] is the XOR of L[ntz(1)] to L[ntz(j)]: with i a multiple of 16,
	// Offset_{i+j} = Offset_i XOR Gray[j] for j below 16. The offsets of a group
	// thereby need no serial step.
	// (The last entry is zero: kernels load whole registers.)
	Gray [ocbGroup + 1][BlockSize]byte
}

// NewOCBTable derives the table of a key.
func NewOCBTable(k *Key) *OCBTable {
	t := new(OCBTable)
	k.EncryptBlocks(t.Star[:], t.Star[:])
	t.Dollar = Double(t.Star)
	t.L[0] = Double(t.Dollar)
	for i := 1; i < len(t.L); i++ {
		t.L[i] = Double(t.L[i-1])
	}
	for j := 1; j < ocbGroup; j++ {
		xor16(&t.Gray[j], &t.Gray[j-1], &t.L[bits.TrailingZeros(uint(j))])
	}
	return t
}

// Wipe overwrites the table.
func (t *OCBTable) Wipe() { *t = OCBTable{} }

// OCBState is the state of one pass over whole blocks, of text or of associated
// data: Offset_Index and the checksum (for associated data: the sum) so far.
type OCBState struct {
	Table       *OCBTable
	Index       uint64 // blocks done
	Offset, Sum [BlockSize]byte
}

// offsets writes the offsets of the next n blocks to out and advances the state.
func (s *OCBState) offsets(out []byte) {
	for len(out) > 0 {
		s.Index++
		l := &s.Table.L[bits.TrailingZeros64(s.Index)]
		subtle.XORBytes(s.Offset[:], s.Offset[:], l[:])
		n := copy(out, s.Offset[:])
		out = out[n:]
	}
}

// sum adds whole blocks to the checksum.
func (s *OCBState) sum(src []byte) {
	for ; len(src) > 0; src = src[BlockSize:] {
		xor16(&s.Sum, &s.Sum, (*[BlockSize]byte)(src))
	}
}

// OCBEncrypt encrypts whole blocks (RFC 7253, section 4.2) and advances s.
func (k *Key) OCBEncrypt(s *OCBState, dst, src []byte) {
	checkBlocks(dst, src)
	if s.Index%ocbGroup == 0 {
		dst, src = run(k, k.kern.OCBEncrypt, s, dst, src)
	}
	var offs, buf [stage]byte
	for len(src) > 0 {
		n := min(len(src), stage)
		s.offsets(offs[:n])
		s.sum(src[:n])
		subtle.XORBytes(buf[:n], src[:n], offs[:n])
		k.EncryptBlocks(buf[:n], buf[:n])
		subtle.XORBytes(dst[:n], buf[:n], offs[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(offs[:])
	clear(buf[:])
}

// OCBDecrypt decrypts whole blocks (RFC 7253, section 4.3) and advances s.
func (k *Key) OCBDecrypt(s *OCBState, dst, src []byte) {
	checkBlocks(dst, src)
	if s.Index%ocbGroup == 0 {
		dst, src = run(k, k.kern.OCBDecrypt, s, dst, src)
	}
	var offs, buf [stage]byte
	for len(src) > 0 {
		n := min(len(src), stage)
		s.offsets(offs[:n])
		subtle.XORBytes(buf[:n], src[:n], offs[:n])
		k.DecryptBlocks(buf[:n], buf[:n])
		subtle.XORBytes(dst[:n], buf[:n], offs[:n])
		s.sum(dst[:n])
		dst, src = dst[n:], src[n:]
	}
	clear(offs[:])
	clear(buf[:])
}

// OCBAuth adds whole blocks of associated data to s.Sum (the HASH function of
// RFC 7253, section 4.1).
func (k *Key) OCBAuth(s *OCBState, src []byte) {
	checkBlocks(src, src)
	if s.Index%ocbGroup == 0 {
		_, src = run(k, k.kern.OCBAuth, s, src, src)
	}
	var buf [stage]byte
	for len(src) > 0 {
		n := min(len(src), stage)
		s.offsets(buf[:n])
		subtle.XORBytes(buf[:n], buf[:n], src[:n])
		k.EncryptBlocks(buf[:n], buf[:n])
		s.sum(buf[:n])
		src = src[n:]
	}
	clear(buf[:])
}
