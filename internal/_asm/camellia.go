package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Camellia's first S-box is an inversion between two affine maps (the designers'
// specification, version 2.0, section 4.4). Its field is GF(2^8) over
// GF(2^4) = GF(2)[α]/(α^4 + α + 1), a byte standing for high·β + low where
// β^2 = β + α^3 + 1. By way of an isomorphism to AES's field, the four S-boxes are
// camelliaPost[i], AES's inversion, camelliaPre[i].
var (
	camelliaF = affine{columns(0x32, 0x48, 0x81, 0x24, 0x09, 0x30, 0x84, 0x42), 0}
	camelliaH = affine{columns(0x14, 0x28, 0xc1, 0x82, 0x20, 0x09, 0xd0, 0x06), 0x6e}

	camelliaPre, camelliaPost = camelliaMaps()
)

func camelliaMaps() (pre, post [4]affine) {
	f := towerToAES()
	rotate := func(n int) affine {
		return affine{fromFunc(func(x byte) byte { return bits.RotateLeft8(x, n) }), 0}
	}
	in := affine{f, 0}.after(camelliaF).after(affine{identity, 0xc5})
	out := camelliaH.after(affine{f.inverse(), 0})
	pre = [4]affine{in, in, in, in.after(rotate(1))}
	post = [4]affine{out, rotate(1).after(out), rotate(-1).after(out), out}
	return pre, post
}

var identity = fromFunc(func(x byte) byte { return x })

// columns is the matrix that maps the bits 1, 2, 4 … 128 to these.
func columns(images ...byte) matrix {
	return fromFunc(func(x byte) byte { return images[bits.TrailingZeros8(x)] })
}

// towerToAES is the isomorphism from Camellia's field to AES's that takes the
// least roots there.
func towerToAES() matrix {
	times := func(a, b byte) byte { return mul(a, b, aesPoly) }
	root := func(f func(x byte) byte) byte {
		x := byte(2)
		for f(x) != 0 {
			x++
		}
		return x
	}
	alpha := root(func(x byte) byte { return times(times(x, x), times(x, x)) ^ x ^ 1 })
	beta := root(func(x byte) byte { return times(x, x) ^ x ^ times(alpha, times(alpha, alpha)) ^ 1 })
	return fromFunc(func(bit byte) byte {
		i := bits.TrailingZeros8(bit)
		y := byte(1)
		for range i % 4 {
			y = times(y, alpha)
		}
		if i >= 4 {
			y = times(y, beta)
		}
		return y
	})
}

// camelliaTier is what the cores of a tier share.
//
// Subkeys lie as ciphers/camellia lays them out for assembly (see there): 16 bytes
// for the whitening, 48 for six rounds, 16 for FL and its inverse, 48 for six
// rounds, and so on; at last 8 for the whitening of D2. The S-boxes need not add
// subkeys to their inputs, for the halves of the block carry them already.
type camelliaTier struct {
	asm       *asm
	name      string
	gfni      bool
	vaes      bool // AES instructions on 32 bytes
	avx2      bool // at any width
	constants map[string]operand.Mem
}

func (t *camelliaTier) suffix() string                 { return t.name }
func (t *camelliaTier) keeps() bool                    { return false }
func (t *camelliaTier) whitening() (operand.Mem, bool) { return at(key, 0), true }

// begin points key at the subkeys of a direction and sets last to the place of the
// last among them.
func (t *camelliaTier) begin(enc bool) {
	t.asm.Load(t.asm.Param("k"), key)
	t.asm.MOVQ(at(key, keyRounds), last)
	t.asm.IMUL3Q(imm(11), last, last) // 64 bytes for each six rounds, of which there are 3 or 4
	t.asm.ANDQ(imm(-64), last)
	if !enc {
		t.asm.ADDQ(imm(keyDec), key)
	}
}

// rounds emits the loop over the rounds, two a turn, and the layers of FL. subkey
// counts from the first that they use, and afterwards from the last of all.
func (t *camelliaTier) rounds(two func(), fl func()) {
	top, end := t.asm.label("rounds"), t.asm.label("end")
	t.asm.MOVQ(operand.I32(16), loop)
	t.asm.Label(top)
	two()
	t.asm.ADDQ(imm(16), loop)
	t.asm.TESTQ(operand.I32(63), loop)
	t.asm.JNE(operand.LabelRef(top))
	t.asm.CMPQ(loop, last)
	t.asm.JE(operand.LabelRef(end))
	fl()
	t.asm.ADDQ(imm(16), loop)
	t.asm.JMP(operand.LabelRef(top))
	t.asm.Label(end)
}

// subkey is byte i of the subkeys to use next, and what follows.
func (t *camelliaTier) subkey(i int) operand.Mem {
	return operand.Mem{Base: key, Index: loop, Scale: 1, Disp: i}
}

// constant is 16 bytes of read-only memory, for each name the same.
func (t *camelliaTier) constant(name string, lo, hi uint64) operand.Mem {
	m, ok := t.constants[name]
	if !ok {
		m = t.asm.table(fmt.Sprintf("%s%s", name, t.name), 1, func(int) (uint64, uint64) { return lo, hi })
		t.constants[name] = m
	}
	return m
}

func (t *camelliaTier) block(name string, b [16]byte) operand.Mem {
	return t.constant(name, binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:]))
}

func (t *camelliaTier) and2(x, y, to operand.Op) {
	if t.asm.evex {
		t.asm.VPANDQ(x, y, to)
	} else {
		t.asm.VPAND(x, y, to)
	}
}

func camelliaFill(v byte) (b [16]byte) {
	for i := range b {
		b[i] = v
	}
	return b
}

func (t *camelliaTier) mask() operand.Mem { return t.block("mask", camelliaFill(0x0f)) }

// tables are an affine map's two tables for the halves of bytes.
func (t *camelliaTier) tables(m affine) (low, high operand.Mem) {
	l, h := m.nibbles()
	name := fmt.Sprintf("map%x%02x", m.m, m.c)
	return t.block(name+"Low", l), t.block(name+"High", h)
}

// beforeAES and behindAES are what takes the place of m before an inversion and of m
// behind one where AESENCLAST or AESDECLAST, with the mask for a key, inverts.
func (t *camelliaTier) beforeAES(m affine, enc bool) affine {
	if enc {
		return m
	}
	return aesAffine.after(m)
}

func (t *camelliaTier) behindAES(m affine, enc bool) affine {
	if enc {
		return m.after(affine{aesAffine.m, aesAffine.c ^ 0x0f}.inverse())
	}
	return m.after(affine{identity, 0x0f})
}

// blockOfByte is, for the bytes of a slice, the blocks that they are of.
func (t *camelliaTier) blockOfByte() operand.Mem {
	return t.asm.table("blockOfByte"+t.name, t.asm.blocks(), func(lane int) (lo, hi uint64) {
		for i := range 8 {
			lo |= uint64(i*t.asm.blocks()+lane) << (8 * i)
			hi |= uint64((8+i)*t.asm.blocks()+lane) << (8 * i)
		}
		return lo, hi
	})
}

// fill sets each byte of r to byte i of the 16 at m.
func (t *camelliaTier) fill(m operand.Mem, i int, r reg.VecPhysical) {
	if t.avx2 {
		t.asm.VPBROADCASTB(m.Offset(i), r)
		return
	}
	t.asm.mov(m, r)
	t.asm.VPSHUFB(t.block(fmt.Sprintf("byte%d", i), camelliaFill(byte(i))), r, r)
}

// fillFrom sets each byte of r to the first of x.
func (t *camelliaTier) fillFrom(x, r reg.VecPhysical) {
	if t.avx2 {
		t.asm.VPBROADCASTB(x.AsX(), r)
		return
	}
	t.asm.VPSHUFB(t.block("byte0", camelliaFill(0)), x, r)
}

// everywhere sets all quadwords of r to an affine map's matrix.
func (t *camelliaTier) everywhere(m matrix, r reg.VecPhysical) {
	from := t.constant(fmt.Sprintf("matrix%x", m), m.gfni(), m.gfni())
	if r.Size() == 16 {
		t.asm.mov(from, r)
	} else {
		t.asm.VPBROADCASTQ(from, r)
	}
}
