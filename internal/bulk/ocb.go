package bulk

import (
	"crypto/subtle"
	"encoding/binary"
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
	t.setGray()
	return t
}

// setGray derives Gray from L.
func (t *OCBTable) setGray() {
	for j := 1; j < ocbGroup; j++ {
		xor16(&t.Gray[j], &t.Gray[j-1], &t.L[bits.TrailingZeros(uint(j))])
	}
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
	a, b := binary.NativeEndian.Uint64(s.Offset[:8]), binary.NativeEndian.Uint64(s.Offset[8:])
	for ; len(out) >= BlockSize; out = out[BlockSize:] {
		s.Index++
		l := &s.Table.L[bits.TrailingZeros64(s.Index)]
		a ^= binary.NativeEndian.Uint64(l[:8])
		b ^= binary.NativeEndian.Uint64(l[8:])
		binary.NativeEndian.PutUint64(out[:8], a)
		binary.NativeEndian.PutUint64(out[8:], b)
	}
	binary.NativeEndian.PutUint64(s.Offset[:8], a)
	binary.NativeEndian.PutUint64(s.Offset[8:], b)
}

// sum adds whole blocks to the checksum.
func (s *OCBState) sum(src []byte) {
	a, b := binary.NativeEndian.Uint64(s.Sum[:8]), binary.NativeEndian.Uint64(s.Sum[8:])
	for ; len(src) >= BlockSize; src = src[BlockSize:] {
		a ^= binary.NativeEndian.Uint64(src[:8])
		b ^= binary.NativeEndian.Uint64(src[8:])
	}
	binary.NativeEndian.PutUint64(s.Sum[:8], a)
	binary.NativeEndian.PutUint64(s.Sum[8:], b)
}

// OCBEncrypt encrypts whole blocks (RFC 7253, section 4.2) and advances s.
func (k *Key) OCBEncrypt(s *OCBState, dst, src []byte) {
	checkBlocks(dst, src)
	if s.Index%ocbGroup == 0 {
		dst, src = run(k, k.kern.OCBEncrypt, k.kern.OCBTails, s, dst, src)
	}
	derive(k, (*Key).ocbEncrypt, s, dst, src)
}

func (k *Key) ocbEncrypt(offsets []byte, s *OCBState, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), len(offsets))
		s.offsets(offsets[:n])
		s.sum(src[:n])
		k.xex(true, offsets[:n], dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// OCBDecrypt decrypts whole blocks (RFC 7253, section 4.3) and advances s.
func (k *Key) OCBDecrypt(s *OCBState, dst, src []byte) {
	checkBlocks(dst, src)
	if s.Index%ocbGroup == 0 {
		dst, src = run(k, k.kern.OCBDecrypt, k.kern.OCBTails, s, dst, src)
	}
	derive(k, (*Key).ocbDecrypt, s, dst, src)
}

func (k *Key) ocbDecrypt(offsets []byte, s *OCBState, dst, src []byte) {
	for len(src) > 0 {
		n := min(len(src), len(offsets))
		s.offsets(offsets[:n])
		k.xex(false, offsets[:n], dst[:n], src[:n])
		s.sum(dst[:n])
		dst, src = dst[n:], src[n:]
	}
}

// OCBAuth adds whole blocks of associated data to s.Sum (the HASH function of
// RFC 7253, section 4.1).
func (k *Key) OCBAuth(s *OCBState, src []byte) {
	checkBlocks(src, src)
	if s.Index%ocbGroup == 0 {
		_, src = run(k, k.kern.OCBAuth, k.kern.OCBTails, s, src, src)
	}
	derive(k, (*Key).ocbAuth, s, nil, src)
}

func (k *Key) ocbAuth(buf []byte, s *OCBState, _, src []byte) {
	for len(src) > 0 {
		n := min(len(src), len(buf))
		s.offsets(buf[:n])
		subtle.XORBytes(buf[:n], buf[:n], src[:n])
		k.EncryptBlocks(buf[:n], buf[:n])
		s.sum(buf[:n])
		src = src[n:]
	}
}
