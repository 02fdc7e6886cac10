package main

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"testing"
)

// slowSM4 is SM4 as the standard's text has it (GB/T 32907, sections 6 and 7), with an
// S-box by the description that sm4Poly cites, whose inverses are found by trying all.
type slowSM4 struct {
	sbox [256]byte
	rk   [32]uint32
}

func newSlowSM4(key []byte) *slowSM4 {
	s := new(slowSM4)
	for x := range 256 {
		a, inv := sm4Affine.apply(byte(x)), byte(0)
		for try := range 256 {
			if mul(a, byte(try), sm4Poly) == 1 {
				inv = byte(try)
			}
		}
		s.sbox[x] = sm4Affine.apply(inv)
	}
	ck := sm4CK()
	var k [36]uint32
	for i := range 4 {
		k[i] = binary.BigEndian.Uint32(key[4*i:]) ^ binary.BigEndian.Uint32(sm4FK[4*i:])
	}
	for i := range s.rk {
		b := s.tau(k[i+1] ^ k[i+2] ^ k[i+3] ^ binary.BigEndian.Uint32(ck[4*i:]))
		k[i+4] = k[i] ^ b ^ bits.RotateLeft32(b, 13) ^ bits.RotateLeft32(b, 23)
		s.rk[i] = k[i+4]
	}
	return s
}

func (s *slowSM4) tau(a uint32) (b uint32) {
	for i := 24; i >= 0; i -= 8 {
		b = b<<8 | uint32(s.sbox[byte(a>>i)])
	}
	return b
}

func (s *slowSM4) encrypt(block []byte) (out [16]byte) {
	var x [36]uint32
	for i := range 4 {
		x[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i, k := range s.rk {
		b := s.tau(x[i+1] ^ x[i+2] ^ x[i+3] ^ k)
		x[i+4] = x[i] ^ b ^ bits.RotateLeft32(b, 2) ^ bits.RotateLeft32(b, 10) ^ bits.RotateLeft32(b, 18) ^ bits.RotateLeft32(b, 24)
	}
	for i := range 4 {
		binary.BigEndian.PutUint32(out[4*i:], x[35-i])
	}
	return out
}

var sm4Key, _ = hex.DecodeString("0123456789abcdeffedcba9876543210")

// The standard's examples (appendix A) prove slowSM4, and through the second all of
// its S-box.
func TestSM4Standard(t *testing.T) {
	s := newSlowSM4(sm4Key)
	b := [16]byte(sm4Key)
	for i := range 1_000_000 {
		b = s.encrypt(b[:])
		if i == 0 && hex.EncodeToString(b[:]) != "681edf34d206965e86b3e94f536e4246" {
			t.Fatalf("example 1: %x", b)
		}
	}
	if hex.EncodeToString(b[:]) != "595298c7c6fd271f0402f804c33d3f66" {
		t.Errorf("example 2: %x", b)
	}
}

// aesInverse is what GFNI inverts by: in AES's field.
func aesInverse(x byte) byte { return inverse(x, aesPoly) }

// aesSubBytes is what AESENCLAST does to a byte, with the key that kernels give it.
func aesSubBytes(x byte) byte { return aesAffine.apply(aesInverse(x)) ^ nibbleMask }

func TestSM4Sbox(t *testing.T) {
	s := newSlowSM4(sm4Key)
	for x := range 256 {
		if got := sm4Post.apply(aesInverse(sm4Pre.apply(byte(x)))); got != s.sbox[x] {
			t.Errorf("S(%02x) = %02x, want %02x", x, got, s.sbox[x])
		}
		if got := sm4Out.apply(sm4In.apply(byte(x))); got != byte(x) {
			t.Errorf("%02x goes in and comes out as %02x", x, got)
		}
	}
}

// A word that the tiers keep is the bytes of a word under a map, the first byte first.
func kept(m affine, w uint32) (b [4]byte) {
	binary.BigEndian.PutUint32(b[:], w)
	for i := range b {
		b[i] = m.apply(b[i])
	}
	return b
}

// round is X0 ^ L(S(t)) as the tiers make it, of words as they keep them.
func round(maps [4]affine, x0, t [4]byte) (out [4]byte) {
	for i := range out {
		out[i] = x0[i]
		for j, m := range maps {
			out[i] ^= m.apply(aesInverse(t[(i+j)%4]))
		}
	}
	return out
}

// Both linear maps of the standard, on words that have each byte in each place and on
// some others.
func TestSM4Maps(t *testing.T) {
	s := newSlowSM4(sm4Key)
	for i := range 1 << 12 {
		w := uint32(i) << (8 * (i >> 8 % 4)) * 0x9e3779b1
		if i < 1<<10 {
			w = uint32(i&0xff) << (8 * (i >> 8))
		}
		x := uint32(i) * 0x85ebca6b
		b := s.tau(w)
		rot := bits.RotateLeft32
		for _, c := range []struct {
			name string
			maps [4]affine
			want uint32
		}{
			{"L", sm4Round, b ^ rot(b, 2) ^ rot(b, 10) ^ rot(b, 18) ^ rot(b, 24)},
			{"L'", sm4Sched, b ^ rot(b, 13) ^ rot(b, 23)},
		} {
			got := round(c.maps, kept(sm4In, x), kept(sm4Pre, w))
			if want := kept(sm4In, x^c.want); got != want {
				t.Fatalf("%08x ^ %s(S(%08x)) = %x, want %x", x, c.name, w, got, want)
			}
		}
	}
}

// What the cores take for granted.
func TestSM4MapsOfRounds(t *testing.T) {
	if sm4Round[1] != sm4Round[2] {
		t.Error("maps 1 and 2 of L differ")
	}
	for x := range 256 {
		b := byte(x)
		if sm4Round[0].apply(b)^sm4Round[3].apply(b) != sm4Round[1].apply(b) {
			t.Fatal("map 1 is not the sum of maps 0 and 3")
		}
		for j, m := range append(sm4Round[:], sm4Sched[:]...) {
			if afterAES(m).apply(aesSubBytes(b)) != m.apply(aesInverse(b)) {
				t.Fatalf("map %d behind AESENCLAST is wrong for %02x", j, b)
			}
		}
	}
	if sm4In.c != 0 || sm4Out.c != 0 {
		t.Error("the maps of words are not linear")
	}
}

// A map by GFNI's matrix and by the tables of halves of bytes.
func TestAffineForms(t *testing.T) {
	for name, m := range map[string]affine{"in": sm4In, "out": sm4Out, "pre": sm4Pre, "post": sm4Post, "aes": aesAffine, "behind": afterAES(sm4Round[3])} {
		low, high := m.nibbles()
		q := m.m.gfni()
		for x := range 256 {
			b := byte(x)
			if got := low[b&15] ^ high[b>>4]; got != m.apply(b) {
				t.Errorf("%s(%02x) = %02x by tables, want %02x", name, b, got, m.apply(b))
			}
			// Intel SDM, VGF2P8AFFINEQB: bit i is the parity of byte 7-i and the operand.
			var got byte
			for i := range 8 {
				got |= byte(bits.OnesCount8(byte(q>>(8*(7-i)))&b)&1) << i
			}
			if got^m.c != m.apply(b) {
				t.Errorf("%s(%02x) = %02x by its matrix, want %02x", name, b, got^m.c, m.apply(b))
			}
		}
	}
}

// The byte shuffles that rotate words in memory's order, after AES's ShiftRows or not.
func TestSM4Turns(t *testing.T) {
	var in, shifted [16]byte
	for i := range in {
		in[i] = byte(0x10 + i)
	}
	for i := range in { // FIPS 197, section 5.1.2
		row, col := i%4, i/4
		shifted[i] = in[4*((col+row)%4)+row]
	}
	for _, c := range []struct {
		rows bool
		from [16]byte
	}{{false, in}, {true, shifted}} {
		for j := range 4 {
			mask := turns(16, j, c.rows)
			for col := range 4 {
				w := bits.RotateLeft32(binary.BigEndian.Uint32(in[4*col:]), 8*j)
				var got [4]byte
				for i := range got {
					got[i] = c.from[mask[4*col+i]]
				}
				if binary.BigEndian.Uint32(got[:]) != w {
					t.Errorf("ShiftRows %v: word %d rotated by %d is %x, want %08x", c.rows, col, 8*j, got, w)
				}
			}
		}
	}
}
