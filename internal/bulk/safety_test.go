package bulk_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"testing"

	"blkcrypt/internal/bulk"
)

// Buffers on the caller's stack stay there, whatever kernel works on them.
func TestAllocations(t *testing.T) {
	for name, tier := range map[string]*bulk.Kernels{"bare": bare("bare", 4), "all kernels": silent()} {
		k, err := bulk.NewKey(toyCipher(tier), random(1, 16), 0, tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		table := bulk.NewOCBTable(k)
		for what, f := range map[string]func(){
			"EncryptBlocks": func() { var b [80]byte; k.EncryptBlocks(b[:], b[:]) },
			"DecryptBlocks": func() { var b [80]byte; k.DecryptBlocks(b[:], b[:]) },
			"CTR":           func() { var b [80]byte; var iv block; k.CTR(&iv, b[:], b[:]) },
			"CTR32":         func() { var b [80]byte; var iv block; k.CTR32(&iv, b[:], b[:]) },
			"CBCDecrypt":    func() { var b [80]byte; var iv block; k.CBCDecrypt(&iv, b[:], b[:]) },
			"CFBDecrypt":    func() { var b [80]byte; var iv block; k.CFBDecrypt(&iv, b[:], b[:]) },
			"OCBEncrypt":    func() { var b [80]byte; s := bulk.OCBState{Table: table}; k.OCBEncrypt(&s, b[:], b[:]) },
			"OCBDecrypt":    func() { var b [80]byte; s := bulk.OCBState{Table: table}; k.OCBDecrypt(&s, b[:], b[:]) },
			"OCBAuth":       func() { var b [80]byte; s := bulk.OCBState{Table: table}; k.OCBAuth(&s, b[:]) },
			"MACLanes":      func() { var b [80]byte; var m [32]byte; k.MACLanes(m[:], b[:], 32, 2, 2) },
		} {
			if n := testing.AllocsPerRun(50, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", name, what, n)
			}
		}
	}
}

// silent is a tier with kernels, four blocks at a time, that allocate nothing:
// each works through one key that has no such kernels.
func silent() *bulk.Kernels {
	d, err := bulk.NewKey(toyCipher(), make([]byte, 16), 0, "")
	if err != nil {
		panic(err)
	}
	of := func(k *bulk.Key) *bulk.Key {
		d.Enc, d.Dec, d.Rounds = k.Enc, k.Dec, k.Rounds
		return d
	}
	t := bare("silent", 4)
	t.CTR = func(k *bulk.Key, s *block, dst, src []byte) { of(k).CTR(s, dst, src) }
	t.CTR32 = func(k *bulk.Key, s *block, dst, src []byte) { of(k).CTR32(s, dst, src) }
	t.CBCDecrypt = func(k *bulk.Key, s *block, dst, src []byte) { of(k).CBCDecrypt(s, dst, src) }
	t.CFBDecrypt = func(k *bulk.Key, s *block, dst, src []byte) { of(k).CFBDecrypt(s, dst, src) }
	t.OCBEncrypt = func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) { of(k).OCBEncrypt(s, dst, src) }
	t.OCBDecrypt = func(k *bulk.Key, s *bulk.OCBState, dst, src []byte) { of(k).OCBDecrypt(s, dst, src) }
	t.OCBAuth = func(k *bulk.Key, s *bulk.OCBState, _, src []byte) { of(k).OCBAuth(s, src) }
	t.MACLanes = func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
		of(k).MACLanes(macs, src, stride, lanes, blocks)
	}
	return t
}

// watched is a foreign cipher that looks at what it is given.
type watched struct {
	cipher.Block
	see func(dst, src []byte)
}

func (w watched) Encrypt(dst, src []byte) { w.see(dst, src); w.Block.Encrypt(dst, src) }
func (w watched) Decrypt(dst, src []byte) { w.see(dst, src); w.Block.Decrypt(dst, src) }

// A foreign cipher never gets a pointer to a caller's memory: nothing says that it
// does not keep it.
func TestForeignSeesNoCallersMemory(t *testing.T) {
	inner, err := aes.NewCipher(random(1, 16))
	if err != nil {
		t.Fatal(err)
	}
	const size = 40 * 16
	text, out, macs, s := random(2, size), make([]byte, size), make([]byte, 8*16), new(state)
	seen := 0
	k, err := bulk.Of(watched{inner, func(dst, src []byte) {
		seen++
		for name, b := range map[string][]byte{"text": text, "out": out, "macs": macs, "iv": s.iv[:], "offset": s.ocb.Offset[:], "sum": s.ocb.Sum[:]} {
			if bulk.AnyOverlap(dst, b) || bulk.AnyOverlap(src, b) {
				t.Errorf("the cipher sees the caller's %s", name)
			}
		}
		if len(dst) != 16 || len(src) != 16 {
			t.Errorf("the cipher gets %d and %d bytes", len(dst), len(src))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.ocb.Table = bulk.NewOCBTable(k)
	for _, m := range modes {
		for _, dst := range [][]byte{out, text} {
			before := seen
			m.run(k, s, dst, text)
			if seen-before != size/16 {
				t.Errorf("%s: the cipher ran %d times for %d blocks", m.name, seen-before, size/16)
			}
		}
	}
	k.MACLanes(macs, text, 5*16, 8, 5)
}

// own is a block cipher of this module.
type own struct {
	cipher.Block
	k *bulk.Key
}

func (o own) BulkKey() *bulk.Key { return o.k }

func TestOf(t *testing.T) {
	b, err := aes.NewCipher(random(1, 16))
	if err != nil {
		t.Fatal(err)
	}
	k, err := bulk.Of(b)
	if err != nil || k.Tier() != "foreign" || k.Width() != 1 {
		t.Errorf("AES of the standard library: %v, tier %q, width %d", err, k.Tier(), k.Width())
	}
	if got, err := bulk.Of(own{b, k}); err != nil || got != k {
		t.Errorf("a key of this module: %p, %v, want %p", got, err, k)
	}
	small, err := des.NewCipher(random(1, 8))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bulk.Of(small); err == nil {
		t.Error("blocks of 8 bytes are accepted")
	}
	if _, err := bulk.Of(nil); err == nil {
		t.Error("nil is accepted")
	}
}

func TestWipe(t *testing.T) {
	k, err := bulk.NewKey(toyCipher(), random(1, 32), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	zero := new(bulk.Key)
	if k.Enc == zero.Enc || k.Dec == zero.Dec {
		t.Fatal("the schedule is zero before it is wiped")
	}
	if k.Wipe(); k.Enc != zero.Enc || k.Dec != zero.Dec {
		t.Error("Wipe leaves something of the schedule")
	}
}

func TestOverlap(t *testing.T) {
	b := make([]byte, 64)
	other := make([]byte, 64)
	for _, v := range []struct {
		name         string
		x, y         []byte
		any, inexact bool
	}{
		{"the same", b, b, true, false},
		{"the same start", b[:16], b, true, false},
		{"one byte on", b[:16], b[1:17], true, true},
		{"one byte in common", b[:17], b[16:], true, true},
		{"side by side", b[:16], b[16:], false, false},
		{"one inside the other", b[16:32], b, true, true},
		{"apart", b, other, false, false},
		{"empty at the same place", b[:0], b, false, false},
		{"empty inside", b[8:8], b, false, false},
		{"both empty", b[:0], b[:0], false, false},
		{"nil", nil, b, false, false},
	} {
		for range 2 {
			if got := bulk.AnyOverlap(v.x, v.y); got != v.any {
				t.Errorf("%s: AnyOverlap is %v", v.name, got)
			}
			if got := bulk.InexactOverlap(v.x, v.y); got != v.inexact {
				t.Errorf("%s: InexactOverlap is %v", v.name, got)
			}
			v.x, v.y = v.y, v.x
		}
	}
}

// Partial blocks and unequal lengths are a caller's mistake, and found before a byte
// is written.
func TestPanics(t *testing.T) {
	for _, s := range subjects(t) {
		panics := func(what string, f func()) {
			t.Helper()
			defer func() {
				t.Helper()
				if recover() == nil {
					t.Errorf("%s: %s does not panic", s.name, what)
				}
			}()
			f()
		}
		for _, m := range modes {
			start := m.starts(s.key)[0]
			for _, v := range [][2]int{{15, 15}, {1, 1}, {17, 17}, {32, 16}, {16, 32}, {0, 16}, {16, 0}, {33, 33}} {
				if m == ocbAuth && v[1]%16 == 0 {
					continue // it has no output
				}
				st, dst := start, make([]byte, v[0], 64)
				panics(m.name, func() { m.run(s.key, &st, dst, make([]byte, v[1], 64)) })
				if st != start || !bytes.Equal(dst, make([]byte, v[0])) {
					t.Errorf("%s: %s wrote something before it panicked", s.name, m.name)
				}
			}
		}
		// The capacity is there, the length is not.
		macs, src := make([]byte, 32, 64), make([]byte, 64, 128)
		panics("MACLanes, more lanes than macs", func() { s.key.MACLanes(macs, src, 16, 3, 1) })
		panics("MACLanes, past the end of src", func() { s.key.MACLanes(macs, src, 32, 2, 3) })
		panics("MACLanes, stride past the end of src", func() { s.key.MACLanes(macs, src, 49, 2, 1) })
		panics("MACLanes, negative stride", func() { s.key.MACLanes(macs, src, -16, 2, 1) })
		panics("MACLanes, negative lanes", func() { s.key.MACLanes(macs, src, 16, -1, 1) })
		panics("MACLanes, negative blocks", func() { s.key.MACLanes(macs, src, 16, 1, -1) })
		if !bytes.Equal(macs, make([]byte, 32)) {
			t.Errorf("%s: MACLanes wrote something before it panicked", s.name)
		}
	}
}
