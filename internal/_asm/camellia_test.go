package main

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// slowCamelliaSbox is SBOX1 as the specification's algebra has it (version 2.0,
// section 4.4), with inverses found by trying all.
func slowCamelliaSbox() (box [256]byte) {
	mul4 := func(a, b byte) (c byte) { // modulo α^4 + α + 1
		for i := range 4 {
			if b>>i&1 == 1 {
				c ^= a
			}
			if a <<= 1; a&16 != 0 {
				a ^= 0x13
			}
		}
		return c
	}
	mul8 := func(a, b byte) byte { // with β^2 = β + α^3 + 1
		ah, al, bh, bl := a>>4, a&15, b>>4, b&15
		hh := mul4(ah, bh)
		return (mul4(ah, bl)^mul4(al, bh)^hh)<<4 | mul4(al, bl) ^ mul4(hh, 9)
	}
	for x := range box {
		e, inv := camelliaF.apply(byte(x)^0xc5), byte(0)
		for try := range 256 {
			if mul8(e, byte(try)) == 1 {
				inv = byte(try)
			}
		}
		box[x] = camelliaH.apply(inv)
	}
	return box
}

// TestCamelliaSbox holds the four S-boxes, by way of GFNI's inversion and of AESENCLAST
// and AESDECLAST, to what RFC 3713 makes of the first.
func TestCamelliaSbox(t *testing.T) {
	s1 := slowCamelliaSbox()
	// The first line of RFC 3713's table, section 2.4.1.
	if first := [16]byte{112, 130, 44, 236, 179, 39, 192, 229, 228, 133, 87, 53, 234, 12, 174, 65}; [16]byte(s1[:]) != first {
		t.Errorf("SBOX1 begins with %v, want %v", s1[:16], first)
	}
	var tier camelliaTier
	undoAES := aesAffine.inverse()
	for x := range 256 {
		b := byte(x)
		for i, want := range [4]byte{s1[b], bits.RotateLeft8(s1[b], 1), bits.RotateLeft8(s1[b], 7), s1[bits.RotateLeft8(b, 1)]} {
			pre, post := camelliaPre[i], camelliaPost[i]
			if got := post.apply(aesInverse(pre.apply(b))); got != want {
				t.Errorf("GFNI: SBOX%d(%02x) = %02x, want %02x", i+1, b, got, want)
			}
			enc := aesSubBytes(tier.beforeAES(pre, true).apply(b))
			if got := tier.behindAES(post, true).apply(enc); got != want {
				t.Errorf("AESENCLAST: SBOX%d(%02x) = %02x, want %02x", i+1, b, got, want)
			}
			dec := aesInverse(undoAES.apply(tier.beforeAES(pre, false).apply(b))) ^ nibbleMask
			if got := tier.behindAES(post, false).apply(dec); got != want {
				t.Errorf("AESDECLAST: SBOX%d(%02x) = %02x, want %02x", i+1, b, got, want)
			}
		}
	}
	// What registers are spared by: boxes 1 to 3 begin alike, 1 and 4 end alike.
	if camelliaPre[0] != camelliaPre[1] || camelliaPre[0] != camelliaPre[2] || camelliaPost[0] != camelliaPost[3] {
		t.Error("the maps of the S-boxes are not as the kernels take them to be")
	}
}

// slowP is the P-function as RFC 3713, section 2.4.1, writes it: the lines for y1 … y8,
// of t1 … t8.
func slowP(t [8]byte) [8]byte {
	sum := func(in ...int) (s byte) {
		for _, i := range in {
			s ^= t[i-1]
		}
		return s
	}
	return [8]byte{
		sum(1, 3, 4, 6, 7, 8), sum(1, 2, 4, 5, 7, 8), sum(1, 2, 3, 5, 6, 8), sum(2, 3, 4, 5, 6, 7),
		sum(1, 2, 6, 7, 8), sum(2, 3, 5, 7, 8), sum(3, 4, 5, 6, 8), sum(1, 4, 5, 6, 7),
	}
}

// bitPatterns are 64 different bytes' worth of single bits, as what S-boxes give.
func bitPatterns(f func(y [8]byte)) {
	for bit := range 64 {
		var y [8]byte
		y[bit/8] = 1 << (bit % 8)
		f(y)
	}
}

// TestCamelliaGather runs the byte shuffles of the single blocks' P-function over all
// single bits that the S-boxes can give.
func TestCamelliaGather(t *testing.T) {
	few := newCamelliaFew(&camelliaTier{gfni: true}, avx)
	bitPatterns(func(y [8]byte) {
		got := shuffle(few.moves, func(step int) (r [16]byte) {
			for j := range r {
				if r[j] = 0xa5; camelliaBox[j%8] == camelliaHalves[step][j/8] { // of use
					r[j] = y[j%8]
				}
			}
			return r
		})
		if want := slowP(y); [8]byte(got[:8]) != want || [8]byte(got[8:]) != want {
			t.Errorf("GFNI: P of %x is %x, want %x twice", y, got, want)
		}
	})
}

func shuffle(moves [][16]byte, step func(i int) [16]byte) (sum [16]byte) {
	for i, move := range moves {
		r := step(i)
		for j, from := range move {
			if from < 0x80 {
				sum[j] ^= r[from]
			}
		}
	}
	return sum
}

// TestCamelliaOne runs F as AES-NI's single blocks have it, from halves as they are kept
// to the same.
func TestCamelliaOne(t *testing.T) {
	s1 := slowCamelliaSbox()
	one := newCamelliaOne(new(camelliaTier))
	keep := func(x [8]byte) [8]byte {
		for i, turn := range camelliaTurned {
			x[i] = camelliaPre[0].apply(bits.RotateLeft8(x[i], turn))
		}
		return x
	}
	for i := range 1 << 11 { // each byte in each place
		x := [8]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
		x[i>>8] = byte(i)
		old := [8]byte{1, 20, 30, 40, 50, 60, 70, byte(i)}
		want := slowP([8]byte{
			s1[x[0]], bits.RotateLeft8(s1[x[1]], 1), bits.RotateLeft8(s1[x[2]], 7), s1[bits.RotateLeft8(x[3], 1)],
			bits.RotateLeft8(s1[x[4]], 1), bits.RotateLeft8(s1[x[5]], 7), s1[bits.RotateLeft8(x[6], 1)], s1[x[7]],
		})
		for j := range want {
			want[j] ^= old[j]
		}
		kept := keep(x)
		got := shuffle(one.moves, func(step int) (r [16]byte) {
			between := one.behindAES(camelliaBetween(camelliaSteps[step]), true)
			for j := range r { // with ShiftRows: FIPS 197, section 5.1.2
				r[j] = between.apply(aesSubBytes(kept[(j+4*(j%4))%16%8]))
			}
			return r
		})
		old = keep(old)
		for j := range got {
			got[j] ^= old[j%8]
		}
		if want := keep(want); [8]byte(got[:8]) != want || [8]byte(got[8:]) != want {
			t.Fatalf("F of %x is kept as %x, want %x twice", x, got, want)
		}
	}
}

// A machine runs emitted code that moves and interleaves the bytes of a 16-byte lane,
// which stand for themselves as numbers.
type machine struct {
	t    *testing.T
	regs map[reg.ID][]int
	mem  map[int][]int // by address
	gp   map[reg.ID]int
}

func (m *machine) address(o operand.Mem) int {
	a := o.Disp
	for _, r := range []reg.Register{o.Base, o.Index} {
		if r != nil {
			a += m.gp[r.(reg.Physical).ID()]
		}
	}
	return a
}

func (m *machine) get(o operand.Op) []int {
	if o, ok := o.(operand.Mem); ok {
		return m.mem[m.address(o)]
	}
	return m.regs[o.(reg.Physical).ID()]
}

func (m *machine) set(o operand.Op, v []int) {
	if o, ok := o.(operand.Mem); ok {
		m.mem[m.address(o)] = v
		return
	}
	m.regs[o.(reg.Physical).ID()] = v
}

func (m *machine) run(a *asm) {
	file, err := a.Result()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, i := range file.Functions()[0].Instructions() {
		ops := i.Operands
		switch i.Opcode {
		case "VMOVDQU", "VMOVDQU64":
			m.set(ops[1], m.get(ops[0]))
		case "VPUNPCKLBW", "VPUNPCKHBW":
			from := map[string]int{"VPUNPCKLBW": 0, "VPUNPCKHBW": 8}[i.Opcode]
			second, first := m.get(ops[0]), m.get(ops[1])
			var v []int
			for j := from; j < from+8; j++ {
				v = append(v, first[j], second[j])
			}
			m.set(ops[2], v)
		default:
			m.t.Fatalf("%s is not known here", i.Opcode)
		}
	}
}

// blocks are 16 blocks of bytes 0 … 255, and sliced what becomes of byte i of all.
func blocks() (b, sliced [16][]int) {
	for i := range 16 {
		for j := range 16 {
			b[i] = append(b[i], 16*i+j)
			sliced[i] = append(sliced[i], 16*j+i)
		}
	}
	return b, sliced
}

func TestCamelliaTranspose(t *testing.T) {
	in, want := blocks()
	for _, w := range []width{avx512, {32, true}} {
		c := camelliaSliced{camelliaTier: &camelliaTier{asm: newAsm(avx512)}, w: w}
		m := &machine{t, map[reg.ID][]int{}, nil, nil}
		for i, r := range c.regs() {
			m.set(r, in[i])
		}
		c.asm.coreFn("transpose", "")
		c.transpose(c.regs())
		m.run(c.asm)
		for i, r := range c.regs() {
			if got := m.get(r); !slices.Equal(got, want[i]) {
				t.Errorf("%d-byte registers: slice %d is %v, want %v", w.bytes, i, got, want[i])
			}
		}
	}
	// In slots, either half of the blocks may come first.
	for _, w := range []width{avx, avx2} {
		for first := range 2 {
			c := camelliaSlots{camelliaTier: &camelliaTier{asm: newAsm(w)}, w: w}
			m := &machine{t, map[reg.ID][]int{}, map[int][]int{}, map[reg.ID]int{
				slots.ID(): 1 << 20, t3.ID(): first * c.batch() / 2, loop.ID(): (1 - first) * c.batch() / 2,
			}}
			for i := range in {
				m.set(c.slot((i+8*first)%16), in[i])
			}
			c.asm.coreFn("transpose", "")
			c.transpose()
			m.run(c.asm)
			for i := range want {
				if got := m.get(c.slot(i)); !slices.Equal(got, want[i]) {
					t.Errorf("%d-byte slots, half %d first: slice %d is %v, want %v", w.bytes, first, i, got, want[i])
				}
			}
		}
	}
}
