package aes

import (
	"bytes"
	"math/bits"
	"testing"
	"unsafe"
)

// The functions here follow FIPS 197 to the letter, byte by byte and by search,
// and share nothing with the package's arithmetic.

func gfMul(a, b byte) (p byte) {
	for i := range 8 {
		if b>>i&1 == 1 {
			p ^= a
		}
		carry := a >> 7
		a = a<<1 ^ carry*0x1b
	}
	return p
}

// specSBox is section 5.1.1: the inverse (0 for 0), then equation 5.2 bit by bit.
func specSBox() (sbox [256]byte) {
	for x := range 256 {
		var b, s byte
		for y := range 256 {
			if gfMul(byte(x), byte(y)) == 1 {
				b = byte(y)
			}
		}
		for i := range 8 {
			s |= (b>>i ^ b>>((i+4)%8) ^ b>>((i+5)%8) ^ b>>((i+6)%8) ^ b>>((i+7)%8) ^ 0x63>>i) & 1 << i
		}
		sbox[x] = s
	}
	return sbox
}

// specEncrypt is the cipher of section 5.1 with the key expansion of section
// 5.2. It counts the S-box's inputs in used.
func specEncrypt(sbox *[256]byte, used *[256]int, key, in []byte) []byte {
	sub := func(b byte) byte { used[b]++; return sbox[b] }
	nk := len(key) / 4
	rounds := nk + 6
	w := bytes.Clone(key)
	rcon := byte(1)
	for i := nk; i < 4*(rounds+1); i++ {
		t := bytes.Clone(w[4*i-4 : 4*i])
		if i%nk == 0 {
			t = []byte{sub(t[1]) ^ rcon, sub(t[2]), sub(t[3]), sub(t[0])}
			rcon = gfMul(rcon, 2)
		} else if nk > 6 && i%nk == 4 {
			t = []byte{sub(t[0]), sub(t[1]), sub(t[2]), sub(t[3])}
		}
		for j := range 4 {
			w = append(w, w[4*(i-nk)+j]^t[j])
		}
	}
	s := bytes.Clone(in)
	for r := range rounds + 1 {
		if r > 0 {
			var t [16]byte
			for i := range t { // row i%4 moves left by i%4 columns
				t[i] = sub(s[(i+i%4*4)%16])
			}
			for i := range t {
				c := i / 4 * 4
				s[i] = t[i]
				if r < rounds {
					s[i] = gfMul(t[i], 2) ^ gfMul(t[c+(i+1)%4], 3) ^ t[c+(i+2)%4] ^ t[c+(i+3)%4]
				}
			}
		}
		for i := range s {
			s[i] ^= w[16*r+i]
		}
	}
	return s
}

// The S-box made from the standard's definition is that of crypto/aes: a plain
// implementation with it gives the same results, and meets every one of its
// entries on the way.
func TestSBoxIsThatOfStandardLibrary(t *testing.T) {
	sbox := specSBox()
	var used [256]int
	r := random(2)
	for _, size := range Cipher.KeySizes {
		for range 40 {
			key, in := randomBytes(r, size), randomBytes(r, blockSize)
			if got, want := specEncrypt(&sbox, &used, key, in), oracle(t, key, in); !bytes.Equal(got, want) {
				t.Fatalf("key %x, input %x\n got %x\nwant %x", key, in, got, want)
			}
		}
	}
	for x, n := range used {
		if n == 0 {
			t.Errorf("S[%#02x] was never used", x)
		}
	}
}

// Each entry of the tables is what the standard's S-box and matrices give.
func TestTables(t *testing.T) {
	column := func(b byte, m ...byte) (w uint32) {
		for row, f := range m {
			w |= uint32(gfMul(b, f)) << (8 * row)
		}
		return w
	}
	for x, s := range specSBox() {
		if got, want := lookup.enc[x], column(s, 2, 1, 1, 3); got != want {
			t.Errorf("enc[%#02x] = %08x, want %08x", x, got, want)
		}
		if got, want := lookup.dec[s], column(byte(x), 14, 9, 13, 11); got != want {
			t.Errorf("dec[%#02x] = %08x, want %08x", s, got, want)
		}
		if got := lookup.inv[s]; got != byte(x) {
			t.Errorf("inv[%#02x] = %#02x, want %#02x", s, got, x)
		}
	}
}

// InvMixColumns undoes MixColumns, for columns that the tables don't cover.
func TestInvMixColumn(t *testing.T) {
	for i := range uint32(1000) {
		w := bits.ReverseBytes32(i*0x9e3779b9) ^ i
		if got := invMixColumn(mixColumn(w)); got != w {
			t.Fatalf("%08x comes back as %08x", w, got)
		}
	}
}

func TestTableLayout(t *testing.T) {
	const line, page = 64, 4096
	if n := len(lookup.enc) * 4; n != 1024 {
		t.Errorf("the encryption table has %d bytes, want 1024", n)
	}
	if n, m := len(lookup.dec)*4, len(lookup.inv); n != 1024 || m != 256 {
		t.Errorf("the decryption tables have %d and %d bytes, want 1024 and 256", n, m)
	}
	if n := unsafe.Sizeof(*lookup); n != page {
		t.Errorf("the tables' object has %d bytes, want %d: a page", n, page)
	}
	base := uintptr(unsafe.Pointer(lookup))
	if base%page != 0 {
		t.Errorf("the tables' object is at %#x, not at the start of a page", base)
	}
	for name, p := range map[string]unsafe.Pointer{
		"enc": unsafe.Pointer(&lookup.enc), "dec": unsafe.Pointer(&lookup.dec), "inv": unsafe.Pointer(&lookup.inv),
	} {
		if uintptr(p)%line != 0 {
			t.Errorf("%s is at %#x, not at the start of a cache line", name, p)
		}
	}
}

// The sums that touching returns change with a word of each line, so each line
// is read.
func TestTouchReadsEveryLine(t *testing.T) {
	c := *lookup
	enc, dec := c.touchEnc(), c.touchDec()
	const words = cacheLine / 4
	changes := func(what string, i int, touch func() uint32, before uint32) {
		if touch() == before {
			t.Errorf("line %d of %s is not read", i, what)
		}
	}
	for i := range len(c.enc) / words {
		c = *lookup
		for j := range words {
			c.enc[i*words+j] ^= 1 << j
		}
		changes("enc", i, c.touchEnc, enc)
		c = *lookup
		for j := range words {
			c.dec[i*words+j] ^= 1 << j
		}
		changes("dec", i, c.touchDec, dec)
	}
	for i := range len(c.inv) / cacheLine {
		c = *lookup
		for j := range cacheLine {
			c.inv[i*cacheLine+j] ^= 1 << (j % 8)
		}
		changes("inv", i, c.touchDec, dec)
	}
}
