package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// SM4's S-box is A, inversion, A again, where A is affine and the field is that of
// x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1 (Liu, Ji, Hu et al., "Analysis of the SMS4
// block cipher", ACISP 2007). By way of an isomorphism to AES's field it is
// sm4Post, AES's inversion, sm4Pre.
//
// The vector tiers keep each word of a block under the linear part of sm4Pre, byte
// by byte, and the round keys under sm4Pre itself. The sum of three words and a
// round key then is what is to be inverted, and all that is left of a round is
// linear; sm4Maps has it. Words also stay in the byte order of memory: rotations by
// whole bytes turn the other way round, and nothing else takes notice.
const sm4Poly = 0x1f5

var (
	sm4Affine = affine{fromFunc(func(b byte) byte {
		return b ^ bits.RotateLeft8(b, 1) ^ bits.RotateLeft8(b, 3) ^ bits.RotateLeft8(b, 6) ^ bits.RotateLeft8(b, 7)
	}), 0xd3}
	sm4Pre  = affine{toAES(sm4Poly), 0}.after(sm4Affine)
	sm4Post = sm4Affine.after(affine{toAES(sm4Poly).inverse(), 0})
	sm4In   = affine{sm4Pre.m, 0}
	sm4Out  = sm4In.inverse()
)

// The rotations whose sum is L (GB/T 32907, section 6.2), and L' of the key
// expansion (section 7.3).
var (
	sm4Round = sm4Maps(0, 2, 10, 18, 24)
	sm4Sched = sm4Maps(0, 13, 23)
)

// sm4Maps is what follows the inversion of a word's bytes: it is replaced by the
// sum of its images under the four maps, map j's rotated left by 8j bits.
//
// A rotation by 8j+n bits takes a byte b to b<<n, rotated by 8j, and b>>(8-n),
// rotated by 8(j+1). The maps swallow that, sm4Post before it, and behind it the
// step back to words as the tiers keep them.
//
// For L, maps 1 and 2 are the same, and the sum of maps 0 and 3.
func sm4Maps(rotations ...int) (maps [4]affine) {
	for j := range maps {
		m := fromFunc(func(b byte) (sum byte) {
			for _, r := range rotations {
				if r/8 == j {
					sum ^= b << (r % 8)
				}
				if (r/8+1)%4 == j {
					sum ^= b >> (8 - r%8)
				}
			}
			return sum
		})
		maps[j] = sm4In.after(affine{m, 0}).after(sm4Post)
	}
	return maps
}

// bitReverse turns the bits of a byte round.
var bitReverse = affine{fromFunc(bits.Reverse8), 0}

// sm4CK is the fixed parameter CK (section 7.3): byte j of all is 7j modulo 256.
func sm4CK() (ck [128]byte) {
	for j := range ck {
		ck[j] = byte(7 * j)
	}
	return ck
}

// sm4FK is the system parameter FK (section 7.3).
var sm4FK = [16]byte{0xa3, 0xb1, 0xba, 0xc6, 0x56, 0xaa, 0x33, 0x50, 0x67, 0x7d, 0x91, 0x97, 0xb2, 0x70, 0x22, 0xdc}

// sm4Tier is what the functions of one tier share.
type sm4Tier struct {
	asm  *asm
	name string
	gfni bool // else AESENCLAST inverts and byte shuffles map
	data map[string]operand.Mem
}

func newSM4(w width, name string, gfni bool) *sm4Tier {
	return &sm4Tier{newAsm(w), name, gfni, map[string]operand.Mem{}}
}

// constant is read-only data, written at its first use.
func (t *sm4Tier) constant(name string, entries int, entry func(i int) (lo, hi uint64)) operand.Mem {
	if _, ok := t.data[name]; !ok {
		t.data[name] = t.asm.table(name+t.name, entries, entry)
	}
	return t.data[name]
}

// octets is such data of a multiple of 16 bytes.
func (t *sm4Tier) octets(name string, b []byte) operand.Mem {
	return t.constant(name, len(b)/16, func(i int) (lo, hi uint64) {
		return binary.LittleEndian.Uint64(b[16*i:]), binary.LittleEndian.Uint64(b[16*i+8:])
	})
}

// nibbleMask is the lower half of each byte. It is also AESENCLAST's key: the tables
// that follow undo that, so that no zero is needed.
const nibbleMask = 0x0f

func (t *sm4Tier) mask() operand.Mem {
	return t.constant("nibbles", t.asm.blocks(), func(int) (lo, hi uint64) {
		const m = nibbleMask * 0x0101010101010101
		return m, m
	})
}

// matrix is GFNI's form of a map's linear part, 16 bytes.
func (t *sm4Tier) matrix(name string, m affine) operand.Mem {
	return t.constant(name, 1, func(int) (lo, hi uint64) { return m.m.gfni(), m.m.gfni() })
}

// tables are a map's two tables for halves of bytes, 16 bytes each.
func (t *sm4Tier) tables(name string, m affine) (low, high operand.Mem) {
	l, h := m.nibbles()
	both := t.octets(name, append(l[:], h[:]...))
	return both, both.Offset(16)
}

// afterAES is the map m of a byte's inverse as one of what AESENCLAST makes of the
// byte.
func afterAES(m affine) affine {
	return m.after(aesAffine.inverse()).after(affine{fromFunc(func(b byte) byte { return b }), nibbleMask})
}

// linear returns code that puts registers through a linear map of bytes. What it
// keeps in up to three registers is loaded here.
func (t *sm4Tier) linear(name string, m affine, f []reg.VecPhysical) func(x reg.VecPhysical) {
	if t.gfni {
		k := f[0]
		t.asm.bcast(t.matrix(name, m), k)
		return func(x reg.VecPhysical) { t.asm.VGF2P8AFFINEQB(operand.U8(m.c), k, x, x) }
	}
	low, high := t.tables(name, m)
	l, h, u := f[0], f[1], f[2]
	t.asm.bcast(low, l)
	t.asm.bcast(high, h)
	return func(x reg.VecPhysical) {
		t.halves(x, u)
		t.asm.VPSHUFB(x, l, x)
		t.asm.VPSHUFB(u, h, u)
		t.asm.VPXOR(u, x, x)
	}
}

// halves leaves the lower halves of the bytes of x in x, the upper ones in u.
func (t *sm4Tier) halves(x, u reg.VecPhysical) {
	t.asm.VPSRLD(imm(4), x, u)
	t.asm.VPAND(t.mask(), x, x)
	t.asm.VPAND(t.mask(), u, u)
}

// turn is the byte shuffle that rotates words left by 8j bits. If rows is set it
// undoes AES's ShiftRows first.
func (t *sm4Tier) turn(j int, rows bool) operand.Mem {
	name := fmt.Sprintf("turn%d", j)
	if rows {
		name = fmt.Sprintf("unshift%d", j)
	}
	return t.octets(name, turns(t.asm.width.bytes, j, rows))
}

// turns is that shuffle, of n bytes. ShiftRows (FIPS 197, section 5.1.2) takes row r
// of column c to column c-r.
func turns(n, j int, rows bool) (shuffle []byte) {
	for i := range n {
		row, col := (i+j)%4, i/4%4
		if rows {
			col = (col - row + 4) % 4
		}
		shuffle = append(shuffle, byte(4*col+row))
	}
	return shuffle
}

// transpose makes words of blocks or blocks of words: lane by lane, the 4x4
// transpose of the doublewords of four registers.
func (t *sm4Tier) transpose(s []reg.VecPhysical, u, v reg.VecPhysical) {
	t.asm.VPUNPCKLDQ(s[1], s[0], u)
	t.asm.VPUNPCKHDQ(s[1], s[0], s[0])
	t.asm.VPUNPCKLDQ(s[3], s[2], v)
	t.asm.VPUNPCKHDQ(s[3], s[2], s[2])
	t.asm.VPUNPCKHQDQ(s[2], s[0], s[3])
	t.asm.VPUNPCKLQDQ(s[2], s[0], s[2])
	t.asm.VPUNPCKHQDQ(v, u, s[1])
	t.asm.VPUNPCKLQDQ(v, u, s[0])
}
