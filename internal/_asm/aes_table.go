package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// aesTable is AES by look-ups in the portable tier's tables, with its key schedule
// and its ways (see there): decryption is encryption with another table and the
// columns counted backwards. Assembly gains over the compiler's code by taking
// bytes from where they lie in a register, AL and AH.
type aesTable struct{ asm *asm }

// Offsets into the package's type tables, held against it by a test.
const (
	tablesDec  = 1024
	tablesInv  = 2048
	tablesSize = 1024
	invSize    = 256
	cacheLine  = 32 // as in the portable tier
)

// The table code's registers. words are the columns of a block before a round,
// outs those after it.
var (
	tab   = reg.RDI
	rk    = reg.R13
	words = []reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX}
	outs  = []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}
	index = []reg.GPPhysical{reg.R12, reg.RSI} // the second for AH, which takes no REX prefix
	high  = map[reg.GPPhysical]reg.Register{reg.RAX: reg.AH, reg.RBX: reg.BH, reg.RCX: reg.CH, reg.RDX: reg.DH}
)

func aesTableFile() *asm {
	t := aesTable{newAsm(avx)}
	t.rounds(1)
	t.rounds(2)
	for _, enc := range directions {
		t.blocks(enc)
	}
	return t.asm
}

// The frame of the functions begins with the columns of two blocks, then tells the
// rounds where the last round key is.
const (
	frameEnd   = 32
	frameStart = 40 // the first round key
	frameLeft  = 48 // bytes to do
	frameSize  = 56
)

// frame is an address in the caller's frame, beyond the return address.
func frame(off int) operand.Mem { return operand.Mem{Base: reg.StackPointer, Disp: 8 + off} }

// rounds writes all rounds but the last, for one block in words or for two in the
// caller's frame, which fills the time that one alone spends waiting.
func (t aesTable) rounds(n int) {
	where := map[int]string{1: "a block in AX to DX", 2: "two blocks at the start of the caller's frame"}[n]
	t.asm.coreFn(fmt.Sprintf("rounds%d", n),
		fmt.Sprintf("is the rounds 1 to Nr-1 of %s (FIPS 197, section 5.1; decryption 5.3.5).", where),
		"In: tab = DI, the second round key = R13. Out: the last round key = R13.",
		"Clobbers all registers but DI.")
	top := t.asm.label("round")
	t.asm.Label(top)
	for b := range n {
		if n > 1 {
			t.load(frame(16*b), words)
		}
		t.round()
		if n > 1 {
			t.store(outs, frame(16*b))
		}
	}
	if n == 1 {
		for i, w := range words {
			t.asm.MOVL(outs[i].As32(), w.As32())
		}
	}
	t.asm.ADDQ(imm(16), rk)
	t.asm.CMPQ(rk, frame(frameEnd))
	t.asm.JNE(operand.LabelRef(top))
	t.asm.RET()
}

// eachByte splits the words into their bytes, b being the row, and has use look up
// for each which column of outs it is in after ShiftRows. The first use of each
// column comes with first.
func (t aesTable) eachByte(use func(x reg.GPPhysical, row, col int, first bool)) {
	for i, w := range words {
		for row := range 4 {
			x := index[row%2]
			switch row {
			case 1:
				t.asm.MOVBLZX(high[w], x.As32())
			case 3:
				x = w
				t.asm.MOVBLZX(high[w], x.As32())
			case 2:
				t.asm.SHRL(imm(16), w.As32())
				fallthrough
			default:
				t.asm.MOVBLZX(w.As8L(), x.As32())
			}
			use(x, row, (i+4-row)%4, i == 0)
		}
	}
}

// round is SubBytes, ShiftRows, MixColumns and AddRoundKey: table entries, one row
// further down for each row that their index is from.
func (t aesTable) round() {
	t.eachByte(func(x reg.GPPhysical, row, col int, first bool) {
		entry := operand.Mem{Base: tab, Index: x, Scale: 4}
		o := outs[col].As32()
		switch {
		case first:
			t.asm.MOVL(entry, o)
			if row > 0 {
				t.asm.ROLL(imm(8*row), o)
			}
			t.asm.XORL(at(rk, 4*col), o)
		case row == 0:
			t.asm.XORL(entry, o)
		default:
			t.asm.MOVL(entry, x.As32())
			t.asm.ROLL(imm(8*row), x.As32())
			t.asm.XORL(x.As32(), o)
		}
	})
}

// lastRound lacks MixColumns. The S-box is byte 1 of the entries for encryption,
// and for decryption the third table.
func (t aesTable) lastRound(enc bool) {
	t.eachByte(func(x reg.GPPhysical, row, col int, first bool) {
		entry := operand.Mem{Base: tab, Index: x, Scale: 4, Disp: 1}
		if !enc {
			entry = operand.Mem{Base: tab, Index: x, Scale: 1, Disp: tablesInv - tablesDec}
		}
		o := outs[col].As32()
		if !first {
			o = x.As32()
		}
		t.asm.MOVBLZX(entry, o)
		if row > 0 {
			t.asm.SHLL(imm(8*row), o)
		}
		if first {
			t.asm.XORL(at(rk, 4*col), o)
		} else {
			t.asm.XORL(o, outs[col].As32())
		}
	})
}

// blocks writes the function that encrypts or decrypts any number of blocks.
func (t aesTable) blocks(enc bool) {
	t.asm.fn(word(enc)+"Table", "(k *bulk.Key, t *tables, dst, src []byte)",
		word(enc)+"s each block by itself (SP 800-38A, section 6.1); any number of blocks, not 0.",
		"It reads all of the table first, and then at indices that depend on k and src.")
	local := t.asm.AllocLocal(frameSize)
	t.asm.Load(t.asm.Param("t"), tab)
	t.asm.Load(t.asm.Param("k"), rk)
	size := tablesSize
	if !enc {
		t.asm.ADDQ(imm(tablesDec), tab)
		size = tablesInv - tablesDec + invSize
	}
	for i := 0; i < size; i += cacheLine {
		t.asm.MOVL(at(tab, i), reg.EAX)
	}
	t.asm.MOVQ(at(rk, keyRounds), reg.RAX)
	t.asm.SHLQ(imm(4), reg.RAX)
	if !enc {
		t.asm.ADDQ(imm(keyDec), rk)
	}
	t.asm.MOVQ(rk, local.Offset(frameStart))
	t.asm.ADDQ(rk, reg.RAX)
	t.asm.MOVQ(reg.RAX, local.Offset(frameEnd))

	src, dst, left := reg.RSI, reg.RSI, local.Offset(frameLeft)
	advance := func(p string, r reg.Register, n int) {
		t.asm.ADDQ(imm(n), r)
		t.asm.Store(r, t.asm.Param(p).Base())
	}
	top, one, end := t.asm.label("two"), t.asm.label("one"), t.asm.label("end")
	t.asm.Load(t.asm.Param("src").Len(), reg.RAX)
	t.asm.SUBQ(imm(32), reg.RAX)
	t.asm.MOVQ(reg.RAX, left)
	t.asm.JB(operand.LabelRef(one))

	t.asm.Label(top)
	t.asm.MOVQ(local.Offset(frameStart), rk)
	t.asm.Load(t.asm.Param("src").Base(), src)
	for b := range 2 {
		t.whiten(enc, src, 16*b)
		t.store(words, local.Offset(16*b))
	}
	advance("src", src, 32)
	t.asm.ADDQ(imm(16), rk)
	t.asm.callCore("rounds2")
	for b := range 2 {
		t.load(local.Offset(16*b), words)
		t.lastRound(enc)
		t.asm.Load(t.asm.Param("dst").Base(), dst)
		t.columns(enc, func(i, off int) { t.asm.MOVL(outs[i].As32(), at(dst, 16*b+off)) })
	}
	advance("dst", dst, 32)
	t.asm.SUBQ(imm(32), left)
	t.asm.JAE(operand.LabelRef(top))

	t.asm.Label(one)
	t.asm.CMPQ(left, imm(-32))
	t.asm.JE(operand.LabelRef(end))
	t.asm.MOVQ(local.Offset(frameStart), rk)
	t.asm.Load(t.asm.Param("src").Base(), src)
	t.whiten(enc, src, 0)
	t.asm.ADDQ(imm(16), rk)
	t.asm.callCore("rounds1")
	t.lastRound(enc)
	t.asm.Load(t.asm.Param("dst").Base(), dst)
	t.columns(enc, func(i, off int) { t.asm.MOVL(outs[i].As32(), at(dst, off)) })

	t.asm.Label(end)
	for _, r := range append(append(words, outs...), index...) {
		t.asm.XORL(r.As32(), r.As32())
	}
	for off := 0; off < 32; off += 8 {
		t.asm.MOVQ(reg.RAX, local.Offset(off))
	}
	t.asm.RET()
}

// whiten loads the columns of a block and adds the first round key.
func (t aesTable) whiten(enc bool, src reg.Register, off int) {
	t.columns(enc, func(i, column int) {
		t.asm.MOVL(at(src, off+column), words[i].As32())
		t.asm.XORL(at(rk, 4*i), words[i].As32())
	})
}

// columns calls f for each column with where it lies in a block: decryption counts
// them backwards.
func (t aesTable) columns(enc bool, f func(i, off int)) {
	for i := range 4 {
		if enc {
			f(i, 4*i)
		} else {
			f(i, 4*((4-i)%4))
		}
	}
}

func (t aesTable) load(m operand.Mem, regs []reg.GPPhysical) {
	for i, r := range regs {
		t.asm.MOVL(m.Offset(4*i), r.As32())
	}
}

func (t aesTable) store(regs []reg.GPPhysical, m operand.Mem) {
	for i, r := range regs {
		t.asm.MOVL(r.As32(), m.Offset(4*i))
	}
}
