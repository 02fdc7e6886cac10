package aes

import "math/bits"

// In the portable code a column of the state, like a word of the key schedule,
// is a 32-bit number with row 0 in its low byte. Going down a row is then a
// rotation by 8 bits, and one table of 1 KiB does for all four rows.

// tables is what the portable code looks up at secret indices: 2304 bytes.
//
// It fills a page of its own: Go's allocator puts an object of 4096 bytes at a
// multiple of 4096, and nothing else that is ever written shares its cache
// lines or its page. Being computed, not a part of the executable file, it is
// not memory that other processes can map and watch.
type tables struct {
	// enc[x] is S[x] times the first column of MixColumns' matrix, (2, 1, 1, 3)
	// (FIPS 197, section 5.1.3). Bytes 1 and 2 are therefore S[x] itself.
	enc [256]uint32
	// dec[x] is S⁻¹[x] times the first column of InvMixColumns' matrix,
	// (14, 9, 13, 11) (section 5.3.3). No byte of it is S⁻¹[x] itself.
	dec [256]uint32
	// inv[x] is S⁻¹[x], for the last round.
	inv [256]byte

	_ [4096 - 2*4*256 - 256]byte
}

// lookup never changes once made.
var lookup = newTables()

func newTables() *tables {
	// pow[i] is the generator 3 of GF(2^8)'s multiplicative group to the i; its
	// order is 255, so that the inverse of pow[i] is pow[255-i].
	var pow [256]byte
	for i, p := 0, uint32(1); i < len(pow); i++ {
		pow[i] = byte(p)
		p ^= double(p)
	}
	t := new(tables)
	t.set(0, affine(0))
	for i, p := range pow[:255] {
		t.set(p, affine(pow[255-i]))
	}
	return t
}

// affine is the second step of the S-box (FIPS 197, section 5.1.1): bit i of
// the result is the sum of the bits i, i+4, i+5, i+6 and i+7 modulo 8, plus
// bit i of 0x63.
func affine(b byte) byte {
	return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 2) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 4) ^ 0x63
}

// set enters S[x] = s.
func (t *tables) set(x, s byte) {
	t.enc[x] = mixColumn(uint32(s))
	t.dec[s] = invMixColumn(uint32(x))
	t.inv[s] = x
}

// double multiplies each byte of w by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1
// (FIPS 197, section 4.2), without a branch.
func double(w uint32) uint32 {
	return w&0x7f7f7f7f<<1 ^ w>>7&0x01010101*0x1b
}

// mixColumn is MixColumns on one column (FIPS 197, section 5.1.3):
// 2·w + 3·(the row below) + (two below) + (three below).
func mixColumn(w uint32) uint32 {
	below := bits.RotateLeft32(w, -8)
	return double(w^below) ^ below ^ bits.RotateLeft32(w, -16) ^ bits.RotateLeft32(w, -24)
}

// invMixColumn is InvMixColumns on one column (FIPS 197, section 5.3.3). Its
// matrix, circulant of 14, 11, 13, 9, is that of MixColumns times the
// circulant of 5, 0, 4, 0.
func invMixColumn(w uint32) uint32 {
	return mixColumn(w ^ double(double(w^bits.RotateLeft32(w, 16))))
}

// touchEnc reads each cache line of enc, so that the look-ups that follow find
// all of it in the cache, whatever their indices. It is not inlined and its
// result is made of all that was read: the compiler can't drop the loads.
//
//go:noinline
func (t *tables) touchEnc() uint32 { return touch(&t.enc) }

// touchDec does the same for dec and inv.
//
//go:noinline
func (t *tables) touchDec() uint32 {
	x := touch(&t.dec)
	for i := 0; i < len(t.inv); i += cacheLine {
		x ^= uint32(t.inv[i])
	}
	return x
}

// cacheLine is, in bytes, the least size of a cache line to be met. Lines are
// mostly of 64 bytes and more; reading those twice costs five cycles a call.
const cacheLine = 32

func touch(tab *[256]uint32) (x uint32) {
	const step = cacheLine / 4
	for i := 0; i < len(tab); i += 4 * step {
		x ^= tab[i] ^ tab[i+step] ^ tab[i+2*step] ^ tab[i+3*step]
	}
	return x
}
