package modes_test

import (
	"crypto/cipher"
	"math/rand/v2"
	"testing"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/modes"
)

// maker makes a block cipher of a key, as NewXTS and NewLRW take it.
type maker = func(key []byte) (cipher.Block, error)

// foreign hides from the modes that a block cipher is one of this module's.
type foreign struct{ cipher.Block }

// makers returns all that can carry out a cipher here: its tiers, by name, and
// a block cipher of which nothing is known.
func makers(t testing.TB, name string) map[string]maker {
	t.Helper()
	list := map[string]maker{"foreign": func(key []byte) (cipher.Block, error) {
		b, err := ciphers.New(name, key)
		return foreign{b}, err
	}}
	for _, c := range ciphers.List() {
		if c.Name != name {
			continue
		}
		for _, tier := range c.Tiers {
			list[tier] = func(key []byte) (cipher.Block, error) { return ciphers.New(name, key, ciphers.WithTier(tier)) }
		}
	}
	if len(list) == 1 {
		t.Fatalf("no cipher %s", name)
	}
	return list
}

// must returns the block cipher that m makes of key.
func must(t testing.TB, m maker, key []byte) cipher.Block {
	t.Helper()
	b, err := m(key)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// random gives bytes that are the same at every run.
func random(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// panics reports whether f panics.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// setup makes what encrypts or decrypts one message, in any number of calls
// where the mode allows that.
type setup func(b cipher.Block, iv []byte) func(dst, src []byte)

func blockMode[M cipher.BlockMode](f func(b cipher.Block, iv []byte) M) setup {
	return func(b cipher.Block, iv []byte) func(dst, src []byte) { return f(b, iv).CryptBlocks }
}

func stream[S cipher.Stream](f func(b cipher.Block, iv []byte) S) setup {
	return func(b cipher.Block, iv []byte) func(dst, src []byte) { return f(b, iv).XORKeyStream }
}

// unit is the number of bytes that a mode's messages are multiples of.
var unit = map[string]int{"ecb": 16, "cbc": 16, "cfb": 1, "ofb": 1, "ctr": 1}

var encrypters = map[string]setup{
	"ecb": blockMode(func(b cipher.Block, _ []byte) *modes.ECB { return modes.NewECBEncrypter(b) }),
	"cbc": blockMode(modes.NewCBCEncrypter),
	"cfb": stream(modes.NewCFBEncrypter),
	"ofb": stream(modes.NewOFB),
	"ctr": stream(modes.NewCTR),
}

var decrypters = map[string]setup{
	"ecb": blockMode(func(b cipher.Block, _ []byte) *modes.ECB { return modes.NewECBDecrypter(b) }),
	"cbc": blockMode(modes.NewCBCDecrypter),
	"cfb": stream(modes.NewCFBDecrypter),
	"ofb": stream(modes.NewOFB),
	"ctr": stream(modes.NewCTR),
}

func TestPanics(t *testing.T) {
	b := must(t, makers(t, "aes")["generic"], random(1, 16))
	for name, set := range encrypters {
		for _, set := range []setup{set, decrypters[name]} {
			for _, n := range []int{0, 15, 17, 32} {
				if name != "ecb" && !panics(func() { set(b, make([]byte, n)) }) {
					t.Errorf("%s takes an IV of %d bytes", name, n)
				}
			}
			if !panics(func() { set(size8{b}, make([]byte, 16)) }) {
				t.Errorf("%s takes a cipher with blocks of 8 bytes", name)
			}
			buf := make([]byte, 80)
			for what, args := range map[string][2][]byte{
				"a dst too short":         {buf[:16:16], buf[32:64]},
				"dst behind src":          {buf[1:33], buf[:32]},
				"dst before src":          {buf[:32], buf[16:48]},
				"dst longer, overlapping": {buf[:64], buf[16:48]},
			} {
				if crypt := set(b, make([]byte, 16)); !panics(func() { crypt(args[0], args[1]) }) {
					t.Errorf("%s takes %s", name, what)
				}
			}
			for _, n := range []int{1, 15, 17, 33} {
				if crypt := set(b, make([]byte, 16)); panics(func() { crypt(buf[40:40+n], buf[:n]) }) != (unit[name] == 16) {
					t.Errorf("%s of %d bytes: panics or does not, against its rule", name, n)
				}
			}
			crypt := set(b, make([]byte, 16))
			crypt(nil, nil)
			crypt(buf, buf[:32]) // in place, dst longer
		}
	}
}

// size8 is a block cipher of 8 bytes.
type size8 struct{ cipher.Block }

func (size8) BlockSize() int { return 8 }

// TestAllocations leaves out foreign ciphers: they work in pooled memory, which
// a garbage collection may have taken.
func TestAllocations(t *testing.T) {
	for tier, m := range makers(t, "camellia") {
		if tier == "foreign" {
			continue
		}
		b := must(t, m, random(1, 32))
		for name, set := range encrypters {
			for what, set := range map[string]setup{"encryption": set, "decryption": decrypters[name]} {
				crypt := set(b, make([]byte, 16))
				buf := make([]byte, 1040)
				if n := testing.AllocsPerRun(20, func() { crypt(buf, buf); crypt(buf[:5*unit[name]], buf[:5*unit[name]]) }); n != 0 {
					t.Errorf("%s, %s %s: %v allocations", tier, name, what, n)
				}
			}
		}
		xts, err := modes.NewXTS(m, random(2, 64))
		if err != nil {
			t.Fatal(err)
		}
		lrw, err := modes.NewLRW(m, random(2, 48))
		if err != nil {
			t.Fatal(err)
		}
		ctr := modes.NewCTR(b, make([]byte, 16))
		for what, f := range map[string]func(){
			"XTS encryption": func() { var b [1037]byte; xts.Encrypt(b[:], b[:], modes.SectorTweak(3)) },
			"XTS decryption": func() { var b [1037]byte; xts.Decrypt(b[:], b[:], modes.SectorTweak(3)) },
			"LRW encryption": func() { var b [1040]byte; lrw.Encrypt(b[:], b[:], modes.BlockIndex(3)) },
			"LRW decryption": func() { var b [1040]byte; lrw.Decrypt(b[:], b[:], modes.BlockIndex(3)) },
			"CTR on a stack": func() { var b [37]byte; ctr.XORKeyStream(b[:], b[:]) },
		} {
			if n := testing.AllocsPerRun(20, f); n != 0 {
				t.Errorf("%s, %s: %v allocations", tier, what, n)
			}
		}
	}
}

func TestWipe(t *testing.T) {
	b := must(t, makers(t, "sm4")["generic"], random(1, 16))
	src := random(2, 21)
	ctr, ofb, cfb := modes.NewCTR(b, src[:16]), modes.NewOFB(b, src[:16]), modes.NewCFBEncrypter(b, src[:16])
	for _, s := range []interface {
		cipher.Stream
		Wipe()
	}{ctr, ofb, cfb} {
		s.XORKeyStream(make([]byte, 21), src)
		s.Wipe()
	}
	if *ctr != (modes.CTR{}) || *ofb != (modes.OFB{}) || *cfb != (modes.CFB{}) {
		t.Error("a stream holds something after it was wiped")
	}
	// Nor do XTS and LRW encrypt under zeros.
	xts, err := modes.NewXTS(makers(t, "sm4")["generic"], random(3, 32))
	if err != nil {
		t.Fatal(err)
	}
	lrw, err := modes.NewLRW(makers(t, "sm4")["generic"], random(3, 32))
	if err != nil {
		t.Fatal(err)
	}
	xts.Wipe()
	lrw.Wipe()
	var text [32]byte
	for what, f := range map[string]func(){
		"XTS": func() { xts.Encrypt(text[:], text[:], modes.SectorTweak(1)) },
		"LRW": func() { lrw.Encrypt(text[:], text[:], modes.BlockIndex(1)) },
	} {
		if !panics(f) {
			t.Errorf("%s works after Wipe", what)
		}
	}
}
