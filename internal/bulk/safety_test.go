package bulk_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"blkcrypt/internal/bulk"
)

// Buffers on the caller's stack stay there, whatever kernel works on them.
func TestAllocations(t *testing.T) {
	for name, tier := range map[string]*bulk.Kernels{"bare": bare("bare", 4), "complete": complete("complete", 4)} {
		k, err := bulk.NewKey(toyCipher(tier), random(1, 16), 0, tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		table, hash := bulk.NewOCBTable(k), gcmHash(k)
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
			"CBCEncrypt":    func() { var b [80]byte; var iv block; k.CBCEncrypt(&iv, b[:], b[:]) },
			"CFBEncrypt":    func() { var b [80]byte; var iv block; k.CFBEncrypt(&iv, b[:], b[:]) },
			"OFB":           func() { var b [80]byte; var iv block; k.OFB(&iv, b[:], b[:]) },
			"XTSEncrypt":    func() { var b [80]byte; var iv block; k.XTSEncrypt(&iv, false, b[:], b[:]) },
			"XTSDecrypt":    func() { var b [80]byte; var iv block; k.XTSDecrypt(&iv, false, b[:], b[:]) },
			"MACLanes":      func() { var b [80]byte; var m [32]byte; k.MACLanes(m[:], b[:], 32, 2, 2) },
			"GCMEncrypt":    func() { var b [208]byte; s := bulk.GCMState{Hash: hash}; k.GCMEncrypt(&s, b[:], b[:]) },
			"GCMDecrypt":    func() { var b [208]byte; s := bulk.GCMState{Hash: hash}; k.GCMDecrypt(&s, b[:], b[:]) },
		} {
			if n := testing.AllocsPerRun(50, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", name, what, n)
			}
		}
	}
}

// Collections shrink a stack that holds text while a kernel's call is under way,
// over and over: a pointer that does not follow would write to freed memory. (The
// race detector, which adds calls of its own, is where that could happen.)
func TestStackMoves(t *testing.T) {
	k, err := bulk.NewKey(toyCipher(), random(1, 16), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var want block
	k.EncryptBlocks(want[:], want[:])
	var done atomic.Bool
	go func() {
		for !done.Load() {
			runtime.GC()
		}
	}()
	defer done.Store(true)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 10_000 {
				grow(100)
				for range 100 {
					var b block
					if k.EncryptBlocks(b[:], b[:]); b != want {
						t.Error("a block on the stack is wrong")
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// grow makes the stack larger than the caller's need.
//
//go:noinline
func grow(frames int) byte {
	var frame [256]byte
	frame[frames] = 1
	if frames == 0 {
		return frame[1]
	}
	return frame[frames] + grow(frames-1)
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
	s.ocb.Table, s.hash = bulk.NewOCBTable(k), gcmHash(k)
	lrw := bulk.NewLRWTable(block{1})
	runs := map[string]func(dst []byte){
		"CBCEncrypt": func(dst []byte) { k.CBCEncrypt(&s.iv, dst, text) },
		"CFBEncrypt": func(dst []byte) { k.CFBEncrypt(&s.iv, dst, text) },
		"OFB":        func(dst []byte) { k.OFB(&s.iv, dst, text) },
		"XTSEncrypt": func(dst []byte) { k.XTSEncrypt(&s.iv, true, dst, text) },
		"XTSDecrypt": func(dst []byte) { k.XTSDecrypt(&s.iv, false, dst, text) },
		"LRWEncrypt": func(dst []byte) { k.LRWEncrypt(lrw, &s.iv, dst, text) },
		"LRWDecrypt": func(dst []byte) { k.LRWDecrypt(lrw, &s.iv, dst, text) },
	}
	for _, m := range modes {
		runs[m.name] = func(dst []byte) { m.run(k, s, dst, text) }
	}
	for name, run := range runs {
		for _, dst := range [][]byte{out, text} {
			before := seen
			run(dst)
			if seen-before != size/16 {
				t.Errorf("%s: the cipher ran %d times for %d blocks", name, seen-before, size/16)
			}
		}
	}
	k.MACLanes(macs, text, 5*16, 8, 5)
}

// What a foreign cipher worked in holds nothing afterwards, though it panicked.
func TestForeignMemoryIsWiped(t *testing.T) {
	inner, err := aes.NewCipher(random(1, 16))
	if err != nil {
		t.Fatal(err)
	}
	var seen [][]byte
	last := -1 // the call that panics
	k, err := bulk.Of(watched{inner, func(dst, src []byte) {
		seen = append(seen, dst, src)
		if len(seen) == 2*last {
			panic("a foreign cipher's panic")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 31, 32, 33, 70} {
		for _, last = range []int{-1, 1, n} {
			seen = nil
			func() {
				defer func() {
					if (recover() != nil) != (last > 0) {
						t.Errorf("%d blocks, panic in call %d: another outcome", n, last)
					}
				}()
				k.DecryptBlocks(make([]byte, 16*n), random(2, 16*n))
			}()
			for i, b := range seen {
				if !bytes.Equal(b, make([]byte, 16)) {
					t.Errorf("%d blocks, panic in call %d: call %d left %x", n, last, i/2, b)
				}
			}
		}
	}
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

// A wiped key is not a key of zeros.
func TestUseAfterWipe(t *testing.T) {
	for _, s := range subjects(t) {
		hash := gcmHash(s.key)
		s.key.Wipe()
		s.key.Wipe()
		for _, m := range modes {
			func() {
				defer func() {
					if got := recover(); got != "bulk: key used after Wipe" {
						t.Errorf("%s: %s with a wiped key panics with %v", s.name, m.name, got)
					}
				}()
				m.run(s.key, &state{hash: hash, ocb: bulk.OCBState{Table: new(bulk.OCBTable)}}, make([]byte, 16), make([]byte, 16))
			}()
		}
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
		table, hash := bulk.NewOCBTable(s.key), gcmHash(s.key)
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
		chain := func(name string, run func(k *bulk.Key, iv *block, dst, src []byte)) *mode {
			return &mode{name: name, run: func(k *bulk.Key, s *state, dst, src []byte) { run(k, &s.iv, dst, src) }}
		}
		xts := func(f func(k *bulk.Key, tweak *block, gb bool, dst, src []byte)) func(*bulk.Key, *block, []byte, []byte) {
			return func(k *bulk.Key, tweak *block, dst, src []byte) { f(k, tweak, false, dst, src) }
		}
		lrw := func(k *bulk.Key, index *block, dst, src []byte) {
			k.LRWEncrypt(new(bulk.LRWTable), index, dst, src)
		}
		others := []*mode{
			chain("CBCEncrypt", (*bulk.Key).CBCEncrypt), chain("CFBEncrypt", (*bulk.Key).CFBEncrypt), chain("OFB", (*bulk.Key).OFB),
			chain("XTSEncrypt", xts((*bulk.Key).XTSEncrypt)), chain("XTSDecrypt", xts((*bulk.Key).XTSDecrypt)), chain("LRWEncrypt", lrw),
		}
		for _, m := range slices.Concat(modes, others) {
			start := state{ocb: bulk.OCBState{Table: table}, hash: hash}
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
