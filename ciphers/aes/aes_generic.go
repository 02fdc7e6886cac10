package aes

import (
	"encoding/binary"
	"math/bits"

	"blkcrypt/internal/bulk"
)

// generic is the portable tier, and the reference for the others.
//
// Its look-ups are at secret indices. What an observer of the caches learns
// from that is narrowed, not closed, by the tables being small and read in
// full before each call's work, and by where they lie (see tables).
//
// Decryption is the equivalent inverse cipher (FIPS 197, section 5.3.5). It
// shares its rounds with encryption: InvShiftRows moves rows as ShiftRows does
// when the columns are counted backwards, so decryption keeps the columns of
// states and of round keys in the order 0, 3, 2, 1 and takes another table.
var generic = &bulk.Kernels{
	Name:    "generic",
	Width:   2,
	Expand:  expand,
	Encrypt: encrypt,
	Decrypt: decrypt,
}

// schedule is the memory for the round keys of one direction in a [bulk.Key].
// That of round r is words 4r to 4r+3; AES has at most 15.
type schedule = [len(bulk.Key{}.Enc)]uint32

// state is the state's four columns, in the order of its direction.
type state struct{ c0, c1, c2, c3 uint32 }

// expand is the key schedule, with the decryption keys in the order of decryption.
func expand(k *bulk.Key, key []byte) {
	lookup.touchEnc()
	expandEnc(k, key, subWord)
	last := 4 * k.Rounds // the last round key's first word
	for i := 0; i < last+4; i += 4 {
		for c := range 4 {
			w := k.Enc[last-i+c]
			if i > 0 && i < last {
				w = invMixColumn(w)
			}
			k.Dec[i+(4-c)%4] = w
		}
	}
}

// expandEnc is KeyExpansion (FIPS 197, section 5.2), given SubWord. It works in
// place in k, so that there is no scratch memory to wipe.
func expandEnc(k *bulk.Key, key []byte, subWord func(uint32) uint32) {
	nk := len(key) / 4
	k.Rounds = nk + 6
	for i := range nk {
		k.Enc[i] = binary.LittleEndian.Uint32(key[4*i:])
	}
	rcon := uint32(1)
	for i := nk; i < 4*k.Rounds+4; i++ {
		w := k.Enc[i-1]
		switch {
		case i%nk == 0:
			w = subWord(bits.RotateLeft32(w, -8)) ^ rcon // RotWord
			rcon = double(rcon)
		case nk == 8 && i%nk == 4: // 256-bit keys only
			w = subWord(w)
		}
		k.Enc[i] = k.Enc[i-nk] ^ w
	}
}

// subWord is SubWord (FIPS 197, section 5.2).
func subWord(w uint32) uint32 { return subBytes(&lookup.enc, w, w, w, w) }

func encrypt(k *bulk.Key, dst, src []byte) {
	t := lookup
	t.touchEnc()
	last := (*[4]uint32)(k.Enc[4*k.Rounds:])
	for len(src) >= 32 && len(dst) >= 32 {
		s, u := loadEnc(k, (*[16]byte)(src)), loadEnc(k, (*[16]byte)(src[16:]))
		s, u = rounds2(&t.enc, &k.Enc, k.Rounds, s, u)
		storeEnc(t, last, (*[16]byte)(dst), s)
		storeEnc(t, last, (*[16]byte)(dst[16:]), u)
		dst, src = dst[32:], src[32:]
	}
	if len(src) >= 16 && len(dst) >= 16 {
		s := rounds(&t.enc, &k.Enc, k.Rounds, loadEnc(k, (*[16]byte)(src)))
		storeEnc(t, last, (*[16]byte)(dst), s)
	}
}

func decrypt(k *bulk.Key, dst, src []byte) {
	t := lookup
	t.touchDec()
	last := (*[4]uint32)(k.Dec[4*k.Rounds:])
	for len(src) >= 32 && len(dst) >= 32 {
		s, u := loadDec(k, (*[16]byte)(src)), loadDec(k, (*[16]byte)(src[16:]))
		s, u = rounds2(&t.dec, &k.Dec, k.Rounds, s, u)
		storeDec(t, last, (*[16]byte)(dst), s)
		storeDec(t, last, (*[16]byte)(dst[16:]), u)
		dst, src = dst[32:], src[32:]
	}
	if len(src) >= 16 && len(dst) >= 16 {
		s := rounds(&t.dec, &k.Dec, k.Rounds, loadDec(k, (*[16]byte)(src)))
		storeDec(t, last, (*[16]byte)(dst), s)
	}
}

// loadEnc reads a block and adds the first round key.
func loadEnc(k *bulk.Key, b *[16]byte) state {
	return state{
		binary.LittleEndian.Uint32(b[0:]) ^ k.Enc[0],
		binary.LittleEndian.Uint32(b[4:]) ^ k.Enc[1],
		binary.LittleEndian.Uint32(b[8:]) ^ k.Enc[2],
		binary.LittleEndian.Uint32(b[12:]) ^ k.Enc[3],
	}
}

// loadDec is loadEnc for the order of decryption.
func loadDec(k *bulk.Key, b *[16]byte) state {
	return state{
		binary.LittleEndian.Uint32(b[0:]) ^ k.Dec[0],
		binary.LittleEndian.Uint32(b[12:]) ^ k.Dec[1],
		binary.LittleEndian.Uint32(b[8:]) ^ k.Dec[2],
		binary.LittleEndian.Uint32(b[4:]) ^ k.Dec[3],
	}
}

// column is SubBytes, ShiftRows and MixColumns for one column of the result,
// whose rows 0 to 3 come from the columns a, b, c and d (or the inverses of the
// three, with dec).
func column(tab *[256]uint32, a, b, c, d uint32) uint32 {
	even := tab[uint8(a)] ^ bits.RotateLeft32(tab[uint8(c>>16)], 16)
	odd := tab[uint32(uint16(b))>>8] ^ bits.RotateLeft32(tab[d>>24], 16)
	return even ^ bits.RotateLeft32(odd, 8)
}

// rounds is all rounds of a block but the last, two a turn.
func rounds(tab *[256]uint32, rk *schedule, n int, s state) (t state) {
	for i := 0; ; {
		j := i & 0x38 // is i, and shows the compiler that rk[j+11] exists
		t.c0 = column(tab, s.c0, s.c1, s.c2, s.c3) ^ rk[j+4]
		t.c1 = column(tab, s.c1, s.c2, s.c3, s.c0) ^ rk[j+5]
		t.c2 = column(tab, s.c2, s.c3, s.c0, s.c1) ^ rk[j+6]
		t.c3 = column(tab, s.c3, s.c0, s.c1, s.c2) ^ rk[j+7]
		if i += 8; i >= 4*n {
			return t
		}
		s.c0 = column(tab, t.c0, t.c1, t.c2, t.c3) ^ rk[j+8]
		s.c1 = column(tab, t.c1, t.c2, t.c3, t.c0) ^ rk[j+9]
		s.c2 = column(tab, t.c2, t.c3, t.c0, t.c1) ^ rk[j+10]
		s.c3 = column(tab, t.c3, t.c0, t.c1, t.c2) ^ rk[j+11]
	}
}

// rounds2 is rounds for two blocks side by side, which fills the time that one
// alone spends waiting for its look-ups.
func rounds2(tab *[256]uint32, rk *schedule, n int, s, u state) (t, v state) {
	for i := 0; ; {
		j := i & 0x38
		t.c0 = column(tab, s.c0, s.c1, s.c2, s.c3) ^ rk[j+4]
		t.c1 = column(tab, s.c1, s.c2, s.c3, s.c0) ^ rk[j+5]
		t.c2 = column(tab, s.c2, s.c3, s.c0, s.c1) ^ rk[j+6]
		t.c3 = column(tab, s.c3, s.c0, s.c1, s.c2) ^ rk[j+7]
		v.c0 = column(tab, u.c0, u.c1, u.c2, u.c3) ^ rk[j+4]
		v.c1 = column(tab, u.c1, u.c2, u.c3, u.c0) ^ rk[j+5]
		v.c2 = column(tab, u.c2, u.c3, u.c0, u.c1) ^ rk[j+6]
		v.c3 = column(tab, u.c3, u.c0, u.c1, u.c2) ^ rk[j+7]
		if i += 8; i >= 4*n {
			return t, v
		}
		s.c0 = column(tab, t.c0, t.c1, t.c2, t.c3) ^ rk[j+8]
		s.c1 = column(tab, t.c1, t.c2, t.c3, t.c0) ^ rk[j+9]
		s.c2 = column(tab, t.c2, t.c3, t.c0, t.c1) ^ rk[j+10]
		s.c3 = column(tab, t.c3, t.c0, t.c1, t.c2) ^ rk[j+11]
		u.c0 = column(tab, v.c0, v.c1, v.c2, v.c3) ^ rk[j+8]
		u.c1 = column(tab, v.c1, v.c2, v.c3, v.c0) ^ rk[j+9]
		u.c2 = column(tab, v.c2, v.c3, v.c0, v.c1) ^ rk[j+10]
		u.c3 = column(tab, v.c3, v.c0, v.c1, v.c2) ^ rk[j+11]
	}
}

// subBytes is SubBytes and ShiftRows for one column of the result, the S-box
// taken out of bytes 1 and 2 of enc.
func subBytes(enc *[256]uint32, a, b, c, d uint32) uint32 {
	return uint32(uint8(enc[uint8(a)]>>8)) | enc[uint8(b>>8)]&0xff00 |
		enc[uint8(c>>16)]&0xff0000 | enc[d>>24]&0xff0000<<8
}

// invSubBytes is InvSubBytes and InvShiftRows for one column of the result.
func invSubBytes(inv *[256]byte, a, b, c, d uint32) uint32 {
	return uint32(inv[uint8(a)]) | uint32(inv[uint8(b>>8)])<<8 |
		uint32(inv[uint8(c>>16)])<<16 | uint32(inv[d>>24])<<24
}

// storeEnc does the last round, which lacks MixColumns, and writes the block.
func storeEnc(t *tables, k *[4]uint32, b *[16]byte, s state) {
	binary.LittleEndian.PutUint32(b[0:], subBytes(&t.enc, s.c0, s.c1, s.c2, s.c3)^k[0])
	binary.LittleEndian.PutUint32(b[4:], subBytes(&t.enc, s.c1, s.c2, s.c3, s.c0)^k[1])
	binary.LittleEndian.PutUint32(b[8:], subBytes(&t.enc, s.c2, s.c3, s.c0, s.c1)^k[2])
	binary.LittleEndian.PutUint32(b[12:], subBytes(&t.enc, s.c3, s.c0, s.c1, s.c2)^k[3])
}

// storeDec is storeEnc for decryption.
func storeDec(t *tables, k *[4]uint32, b *[16]byte, s state) {
	binary.LittleEndian.PutUint32(b[0:], invSubBytes(&t.inv, s.c0, s.c1, s.c2, s.c3)^k[0])
	binary.LittleEndian.PutUint32(b[12:], invSubBytes(&t.inv, s.c1, s.c2, s.c3, s.c0)^k[1])
	binary.LittleEndian.PutUint32(b[8:], invSubBytes(&t.inv, s.c2, s.c3, s.c0, s.c1)^k[2])
	binary.LittleEndian.PutUint32(b[4:], invSubBytes(&t.inv, s.c3, s.c0, s.c1, s.c2)^k[3])
}
