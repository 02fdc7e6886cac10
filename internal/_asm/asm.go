package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// A width is the vector form that a tier uses throughout.
type width struct {
	bytes int  // of a register: 16, 32, 64
	evex  bool // AVX-512 forms: 32 registers, masks, ternary logic
}

var (
	avx    = width{16, false}
	avx2   = width{32, false}
	avx512 = width{64, true}
)

// blocks is the number of 16-byte blocks in a register.
func (w width) blocks() int { return w.bytes / 16 }

// registers is how many there are.
func (w width) registers() int {
	if w.evex {
		return 32
	}
	return 16
}

// r is vector register i. The registers are named, not allocated: which one holds
// what is the contract between a front and a core.
func (w width) r(i int) reg.VecPhysical {
	v := []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
		reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
		reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31,
	}[i]
	if i > 15 && !w.evex {
		panic("register needs EVEX")
	}
	switch w.bytes {
	case 32:
		return v.AsY().(reg.VecPhysical)
	case 64:
		return v.AsZ().(reg.VecPhysical)
	}
	return v
}

func (w width) rs(from, n int) []reg.VecPhysical {
	var v []reg.VecPhysical
	for i := range n {
		v = append(v, w.r(from+i))
	}
	return v
}

// General registers of every front. R14, R15 and BP are never written.
var (
	key   = reg.RAX // the round keys of the direction in use
	last  = reg.RBX // where the last but one round key lies
	left  = reg.RCX // bytes to do
	src   = reg.RSI
	dst   = reg.RDI
	state = reg.RDX // iv, counter, OCBState
	loop  = reg.R8  // a core's own
	t0    = reg.R9
	t1    = reg.R10
	t2    = reg.R11
	t3    = reg.R12
	t4    = reg.R13
)

// Offsets into bulk.Key, held against the Go types by a test in each cipher.
const (
	keyEnc    = 0
	keyDec    = 272
	keyRounds = 544
)

// asm emits one file.
type asm struct {
	*build.Context
	width
	labels  int
	pending []func()
	docs    map[string][]string // of each function
	decls   []string            // Go's declarations of those it calls
	wiper   bool                // there is a core that wipes
}

func newAsm(w width) *asm {
	a := &asm{Context: build.NewContext(), width: w, docs: map[string][]string{}}
	a.ConstraintExpr("amd64,!purego")
	return a
}

// print compiles and formats the file.
func (a *asm) print() ([]byte, error) {
	f, err := a.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "_asm", Pkg: ""}).Print(f)
	return a.document(tidy(text)), err
}

// document adds to each function what avo does not print with it.
func (a *asm) document(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if sig, ok := bytes.CutPrefix(line, []byte("// func ")); ok {
			name, _, _ := bytes.Cut(sig, []byte("("))
			for _, d := range a.docs[string(name)] {
				out = append(out, "// "+d+"\n"...)
			}
			out = append(out, "//\n"...)
		}
		out = append(out, line...)
	}
	return out
}

// fn starts a function that Go calls. The signature is Go's; which type a pointer
// is to makes no difference to avo.
func (a *asm) fn(name, signature string, doc ...string) {
	doc[0] = name + " " + doc[0]
	a.Function(name)
	a.SignatureExpr("func" + regexp.MustCompile(`\*[\w.]+`).ReplaceAllString(signature, "*byte"))
	a.docs[name] = doc
	a.decls = append(a.decls, "// "+strings.Join(doc, "\n// ")+"\n//\n//go:noescape\nfunc "+name+signature+"\n")
}

// coreFn starts a function that only this file calls: no arguments, no frame.
func (a *asm) coreFn(name string, doc ...string) {
	a.Function(name + "<>")
	a.Attributes(attr.NOSPLIT | attr.NOFRAME)
	doc[0] = name + " " + doc[0]
	a.docs[name+"<>"] = doc
}

// callCore calls a core.
func (a *asm) callCore(name string) {
	a.Instruction(&ir.Instruction{
		Opcode:   "CALL",
		Operands: []operand.Op{operand.LabelRef("·" + name + "<>(SB)")},
	})
}

// label makes a label that is unique in the file.
func (a *asm) label(name string) string {
	a.labels++
	return fmt.Sprintf("%s%d", name, a.labels)
}

// at is [base + off].
func at(base reg.Register, off int) operand.Mem { return operand.Mem{Base: base, Disp: off} }

func imm(v int) operand.Op {
	switch {
	case v >= -128 && v < 128:
		return operand.I8(v)
	case v >= 0 && v < 256:
		return operand.U8(v)
	}
	return operand.I32(v)
}

// What follows are operations at the tier's width. Sources come first, the
// destination last, as in Go's assembler.

func (a *asm) mov(from, to operand.Op) {
	if a.evex {
		a.VMOVDQU64(from, to)
	} else {
		a.VMOVDQU(from, to)
	}
}

func (a *asm) xor(x, y, to operand.Op) {
	if a.evex {
		a.VPXORQ(x, y, to)
	} else {
		a.VPXOR(x, y, to)
	}
}

// xor3 is to ^= x ^ y, by way of tmp where there is no ternary logic.
func (a *asm) xor3(x, y operand.Op, to, tmp reg.Register) {
	if a.evex {
		a.VPTERNLOGQ(operand.U8(0x96), x, y, to)
		return
	}
	a.VPXOR(x, y, tmp)
	a.VPXOR(tmp, to, to)
}

// bcast copies 16 bytes of memory to each lane of a register.
func (a *asm) bcast(from operand.Mem, to reg.Register) {
	switch {
	case to.Size() == 16 && to.(reg.Physical).PhysicalIndex() > 15:
		a.VMOVDQU64(from, to)
	case to.Size() == 16:
		a.VMOVDQU(from, to)
	case a.evex:
		a.VBROADCASTI32X4(from, to)
	default:
		a.VBROADCASTI128(from, to)
	}
}

// addD and addQ add 32-bit and 64-bit numbers.
func (a *asm) addD(x, y, to operand.Op) { a.VPADDD(x, y, to) }
func (a *asm) addQ(x, y, to operand.Op) { a.VPADDQ(x, y, to) }

// pair sets each 16-byte lane of v to two general registers.
func (a *asm) pair(lo, hi reg.Register, v reg.VecPhysical) {
	a.VMOVQ(lo, v.AsX())
	a.VPINSRQ(imm(1), hi, v.AsX(), v.AsX())
	a.spread(v)
}

// spread copies the first 16 bytes of v to its other lanes.
func (a *asm) spread(v reg.VecPhysical) {
	switch a.bytes {
	case 64:
		a.VSHUFI64X2(imm(0), v, v, v)
	case 32:
		a.VINSERTI128(imm(1), v.AsX(), v, v)
	}
}

// zeroFrame wipes stack memory of whole registers. It clobbers t0.
func (a *asm) zeroFrame(m operand.Mem, n int) {
	r := a.r(0)
	a.VPXOR(r.AsX(), r.AsX(), r.AsX())
	if n <= 4*a.bytes {
		for i := 0; i < n; i += a.bytes {
			a.mov(r, m.Offset(i))
		}
		return
	}
	top := a.label("zero")
	a.MOVQ(operand.I32(n), t0)
	m.Index, m.Scale = t0, 1
	a.Label(top)
	a.SUBQ(imm(a.bytes), t0)
	a.mov(r, m)
	a.JNE(operand.LabelRef(top))
}

// table is read-only data of 16-byte entries.
func (a *asm) table(name string, n int, entry func(i int) (lo, hi uint64)) operand.Mem {
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range n {
		lo, hi := entry(i)
		a.AppendDatum(operand.U64(lo))
		a.AppendDatum(operand.U64(hi))
	}
	return m
}

// outOfLine emits code behind the end of the function.
func (a *asm) outOfLine(f func()) { a.pending = append(a.pending, f) }

// done ends a function.
func (a *asm) done() {
	if a.wiper {
		a.callCore("wipe")
	} else {
		a.wipe()
	}
	a.RET()
	for _, f := range a.pending {
		f()
	}
	a.pending = nil
}

// wipe clears every vector register, for secrets were in them, and makes the upper
// halves clean for the SSE code of others. (VZEROUPPER does not reach registers 16 to
// 31; VZEROALL neither, and is microcoded.)
func (a *asm) wipe() {
	for i := range 16 {
		x := avx.r(i)
		a.VPXOR(x, x, x)
	}
	if a.evex {
		for i := 16; i < 32; i++ {
			z := avx512.r(i)
			a.VPXORQ(z, z, z)
		}
	}
	a.VZEROUPPER()
}

// shareWipe has the functions that follow call that rather than each do it.
func (a *asm) shareWipe() {
	a.coreFn("wipe", "clears every vector register.")
	a.wipe()
	a.RET()
	a.wiper = true
}
