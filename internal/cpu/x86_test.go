package cpu

import (
	"encoding/binary"
	"testing"
)

// machine is a faked processor, operating system and hypervisor.
type machine struct {
	last       uint32 // highest basic leaf
	c1, b7, c7 uint32
	xcr0       uint32
}

const (
	fakePCLMUL  = 1 << 1
	fakeSSSE3   = 1 << 9
	fakeSSE41   = 1 << 19
	fakeAESNI   = 1 << 25
	fakeOSXSAVE = 1 << 27
	fakeAVX     = 1 << 28
	fakeVM      = 1 << 31

	fakeAVX2  = 1 << 5
	fakeBMI2  = 1 << 8
	fakeF     = 1 << 16
	fakeDQ    = 1 << 17
	fakeBW    = 1 << 30
	fakeVL    = 1 << 31
	fakeFDBV  = fakeF | fakeDQ | fakeBW | fakeVL
	fakeGFNI  = 1 << 8
	fakeVAES  = 1 << 9
	fakeVPCL  = 1 << 10
	fakeWest  = fakePCLMUL | fakeSSSE3 | fakeSSE41 | fakeAESNI
	fakeSandy = fakeWest | fakeOSXSAVE | fakeAVX
	fakeWide  = fakeGFNI | fakeVAES | fakeVPCL
)

// TestD09FakedCPUID: CPUID may list what the operating system or a hypervisor
// has switched off in XCR0, and a feature may come without its neighbours.
func TestD09FakedCPUID(t *testing.T) {
	const (
		sse   = PCLMUL | SSSE3 | SSE41 | AESNI
		avx2  = sse | AVX | AVX2 | BMI2
		ice   = avx2 | VAES | GFNI | AVX512
		alder = avx2 | VAES | GFNI
	)
	full := machine{last: 16, c1: fakeSandy, b7: fakeAVX2 | fakeBMI2 | fakeFDBV, c7: fakeWide, xcr0: 0xe7}
	with := func(change func(m *machine)) machine {
		m := full
		change(&m)
		return m
	}
	for _, c := range []struct {
		name string
		m    machine
		want Features
	}{
		{"AVX-512 and all else", full, ice},
		{"the same in a virtual machine", with(func(m *machine) { m.c1 |= fakeVM }), ice},
		{"further state in XCR0 (protection keys, tiles)", with(func(m *machine) { m.xcr0 = 0x602e7 }), ice},
		{"XCR0 7: no AVX-512 state", with(func(m *machine) { m.xcr0 = 7 }), alder},
		{"XCR0 3: no AVX state", with(func(m *machine) { m.xcr0 = 3 }), sse | BMI2},
		{"XCR0 5: YMM without XMM", with(func(m *machine) { m.xcr0 = 5 }), sse | BMI2},
		{"XCR0 1", with(func(m *machine) { m.xcr0 = 1 }), sse | BMI2},
		{"XCR0 e3: AVX-512 state without AVX state", with(func(m *machine) { m.xcr0 = 0xe3 }), sse | BMI2},
		{"XCR0 c7: no opmasks", with(func(m *machine) { m.xcr0 = 0xc7 }), alder},
		{"XCR0 67: no zmm16 to zmm31", with(func(m *machine) { m.xcr0 = 0x67 }), alder},
		{"XCR0 a7: no upper halves", with(func(m *machine) { m.xcr0 = 0xa7 }), alder},
		{"OSXSAVE off (noxsave)", with(func(m *machine) { m.c1 &^= fakeOSXSAVE }), sse | BMI2},
		{"no AVX listed, though its extensions are", with(func(m *machine) { m.c1 &^= fakeAVX }), sse | BMI2},
		{"no AVX2 listed", with(func(m *machine) { m.b7 &^= fakeAVX2 }), sse | BMI2 | AVX | GFNI},
		{"no BMI2", with(func(m *machine) { m.b7 &^= fakeBMI2 }), ice &^ BMI2},
		{"no AES-NI", with(func(m *machine) { m.c1 &^= fakeAESNI }), ice &^ (AESNI | VAES)},
		{"no PCLMULQDQ", with(func(m *machine) { m.c1 &^= fakePCLMUL }), ice &^ (PCLMUL | VAES)},
		{"no SSE4.1", with(func(m *machine) { m.c1 &^= fakeSSE41 }), PCLMUL | SSSE3 | AESNI | BMI2},
		{"VAES without VPCLMULQDQ", with(func(m *machine) { m.c7 &^= fakeVPCL }), ice &^ VAES},
		{"VPCLMULQDQ without VAES", with(func(m *machine) { m.c7 &^= fakeVAES }), ice &^ VAES},
		{"VAES and GFNI without AVX-512", with(func(m *machine) { m.b7 &^= fakeFDBV; m.xcr0 = 7 }), alder},
		{"AVX-512 F alone", with(func(m *machine) { m.b7 = fakeAVX2 | fakeBMI2 | fakeF }), alder},
		{"AVX-512 without VL", with(func(m *machine) { m.b7 &^= fakeVL }), alder},
		{"AVX-512 without BW", with(func(m *machine) { m.b7 &^= fakeBW }), alder},
		{"AVX-512 without DQ", with(func(m *machine) { m.b7 &^= fakeDQ }), alder},
		{"AVX-512, neither GFNI nor VAES", with(func(m *machine) { m.c7 = 0 }), avx2 | AVX512},
		{"AVX2", with(func(m *machine) { m.b7 = fakeAVX2 | fakeBMI2; m.c7 = 0; m.xcr0 = 7 }), avx2},
		{"AVX, leaf 7 absent and its registers garbage", with(func(m *machine) { m.last = 6 }), sse | AVX},
		{"AES-NI without AVX", machine{last: 11, c1: fakeWest}, sse},
		{"SSE2 alone", machine{last: 5}, 0},
		{"leaf 0 alone", with(func(m *machine) { m.last = 0 }), 0},
	} {
		cpuid := func(leaf, sub uint32) (eax, ebx, ecx, edx uint32) {
			switch {
			case sub != 0:
				t.Errorf("%s: asked for sub-leaf %d of %d", c.name, sub, leaf)
			case leaf > c.m.last:
				t.Errorf("%s: asked for leaf %d, there are %d", c.name, leaf, c.m.last)
			case leaf == 0:
				return c.m.last, 0, 0, 0
			case leaf == 1:
				return ^uint32(0), ^uint32(0), c.m.c1, ^uint32(0)
			case leaf == 7:
				return ^uint32(0), c.m.b7, c.m.c7, ^uint32(0)
			}
			return
		}
		xgetbv := func() uint32 {
			if c.m.c1&fakeOSXSAVE == 0 {
				t.Errorf("%s: XGETBV would fault", c.name)
			}
			return c.m.xcr0
		}
		if got := detectX86(cpuid, xgetbv).supported(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got.Names(), c.want.Names())
		}
	}
}

func TestBrand(t *testing.T) {
	for _, c := range []struct {
		top      uint32
		in, want string
	}{
		{0x80000008, "Some CPU   @ 1.00GHz", "Some CPU @ 1.00GHz"},
		{0x80000004, "   Padded in front  ", "Padded in front"},
		{0x80000004, "a name of all of the 48 bytes of the three leafs", "a name of all of the 48 bytes of the three leafs"},
		{0x80000004, "", ""},
		{0x80000003, "not there", ""},
		{0x80000000, "not there", ""},
		{16, "not there", ""},
	} {
		var name [48]byte
		copy(name[:], c.in)
		got := brandX86(func(leaf, sub uint32) (eax, ebx, ecx, edx uint32) {
			if leaf == 0x80000000 {
				return c.top, 0, 0, 0
			}
			if leaf > c.top || leaf < 0x80000002 || leaf > 0x80000004 {
				t.Errorf("%q: asked for leaf %#x", c.in, leaf)
				return
			}
			b := name[16*(leaf-0x80000002):]
			le := binary.LittleEndian
			return le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
		})
		if got != c.want {
			t.Errorf("%q: %q", c.want, got)
		}
	}
}
