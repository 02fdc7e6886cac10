package bulk_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

func TestTierChoice(t *testing.T) {
	const a, b, c = cpu.Features(1 << 60), cpu.Features(1 << 61), cpu.Features(1 << 62)
	wide, narrow := bare("wide", 8), bare("narrow", 4)
	wide.Need, narrow.Need = a|b, a
	toy := toyCipher(wide, narrow)
	for _, v := range []struct {
		allowed    cpu.Features
		tier, want string // want "": an error
	}{
		{a | b | c, "", "wide"},
		{a | b, "", "wide"},
		{a | c, "", "narrow"},
		{b | c, "", "reference"}, // half of what wide needs
		{0, "", "reference"},
		{a | b, "wide", "wide"},
		{a | b, "narrow", "narrow"},
		{a | b, "reference", "reference"},
		{0, "reference", "reference"},
		{a, "wide", ""},
		{0, "narrow", ""},
		{a | b | c, "wid", ""},
		{a | b | c, "generic", ""},
	} {
		k, err := bulk.NewKey(toy, make([]byte, 16), v.allowed, v.tier)
		switch {
		case v.want == "" && err == nil:
			t.Errorf("tier %q of features %#x: got %q, want an error", v.tier, v.allowed, k.Tier())
		case v.want == "":
			if k != nil || errors.Is(err, bulk.ErrSelfTest) {
				t.Errorf("tier %q of features %#x: key %v, error %v", v.tier, v.allowed, k, err)
			}
			if msg := err.Error(); !strings.HasPrefix(msg, "toy: ") || !strings.Contains(msg, fmt.Sprintf("%q", v.tier)) {
				t.Errorf("tier %q: the error says %q", v.tier, msg)
			}
		case err != nil:
			t.Errorf("tier %q of features %#x: %v", v.tier, v.allowed, err)
		case k.Tier() != v.want:
			t.Errorf("tier %q of features %#x: got %q, want %q", v.tier, v.allowed, k.Tier(), v.want)
		}
	}
	if _, err := bulk.NewKey(toy, make([]byte, 16), 0, "foo"); err == nil || !strings.HasSuffix(err.Error(), "want one of wide, narrow, reference") {
		t.Errorf("no such tier: %v", err)
	}
	wide.Need = cpu.AVX512 | cpu.GFNI
	if _, err := bulk.NewKey(toy, make([]byte, 16), cpu.GFNI, "wide"); err == nil || !strings.Contains(err.Error(), "needs intel-avx512, which") {
		t.Errorf("a tier that can't run: %v", err)
	}
	wide.Need = a | b
	if k, _ := bulk.NewKey(toy, make([]byte, 16), a|b, ""); k.Width() != 8 {
		t.Errorf("width %d", k.Width())
	}
}

func TestKeySizes(t *testing.T) {
	toy := toyCipher()
	for n := range 70 {
		_, err := bulk.NewKey(toy, make([]byte, n), 0, "")
		if ok := n == 16 || n == 24 || n == 32; (err == nil) != ok {
			t.Errorf("key of %d bytes: %v", n, err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("toy: key of %d bytes", n)) {
			t.Errorf("key of %d bytes: the error says %q", n, err)
		}
	}
	if _, err := bulk.NewKey(toy, nil, 0, ""); err == nil {
		t.Error("no key is accepted")
	}
}

// Init leaves nothing of the key that was there before.
func TestInitTwice(t *testing.T) {
	toy := toyCipher()
	var k bulk.Key
	for _, n := range []int{32, 16} {
		if err := k.Init(toy, random(1, n), 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	fresh, err := bulk.NewKey(toy, random(1, 16), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if k.Enc != fresh.Enc || k.Dec != fresh.Dec || k.Rounds != fresh.Rounds {
		t.Error("a schedule made over another differs from a fresh one")
	}
}

// when says whether a fault shows, for a key and the size of a call.
type when func(k *bulk.Key, size int) bool

// faults break one kernel each; the name starts with the kernel's.
var faults = map[string]func(t *bulk.Kernels, w when){
	"Expand": func(t *bulk.Kernels, w when) {
		t.Expand = func(k *bulk.Key, key []byte) {
			if expandToy(k, key); w(k, 1<<20) {
				k.Enc[k.Rounds-1] ^= 1 << 31
			}
		}
	},
	"MACLanes": func(t *bulk.Kernels, w when) {
		good := t.MACLanes
		t.MACLanes = func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
			if good(k, macs, src, stride, lanes, blocks); w(k, 1<<20) {
				macs[len(macs)-1] ^= 1
			}
		}
	},
	"GCM": func(t *bulk.Kernels, w when) {
		t.GCM = badGCM(t.GCM, func(_ *bulk.GCMState, dst []byte) { dst[0] ^= 1 }, w)
	},
	"GCM's counter": func(t *bulk.Kernels, w when) {
		t.GCM = badGCM(t.GCM, func(s *bulk.GCMState, _ []byte) { flip(&s.Counter) }, w)
	},
	"GCM's sum": func(t *bulk.Kernels, w when) {
		t.GCM = badGCM(t.GCM, func(s *bulk.GCMState, _ []byte) { flip(&s.Sum) }, w)
	},

	"Encrypt":      func(t *bulk.Kernels, w when) { t.Encrypt = badBlocks(t.Encrypt, w) },
	"Decrypt":      func(t *bulk.Kernels, w when) { t.Decrypt = badBlocks(t.Decrypt, w) },
	"CTR":          func(t *bulk.Kernels, w when) { t.CTR = badText(t.CTR, w) },
	"CTR32":        func(t *bulk.Kernels, w when) { t.CTR32 = badText(t.CTR32, w) },
	"CBCEncrypt":   func(t *bulk.Kernels, w when) { t.CBCEncrypt = badText(t.CBCEncrypt, w) },
	"CBCDecrypt":   func(t *bulk.Kernels, w when) { t.CBCDecrypt = badText(t.CBCDecrypt, w) },
	"CFBEncrypt":   func(t *bulk.Kernels, w when) { t.CFBEncrypt = badText(t.CFBEncrypt, w) },
	"CFBDecrypt":   func(t *bulk.Kernels, w when) { t.CFBDecrypt = badText(t.CFBDecrypt, w) },
	"OFB":          func(t *bulk.Kernels, w when) { t.OFB = badText(t.OFB, w) },
	"XTSEncrypt":   func(t *bulk.Kernels, w when) { t.XTSEncrypt = badText(t.XTSEncrypt, w) },
	"XTSDecrypt":   func(t *bulk.Kernels, w when) { t.XTSDecrypt = badText(t.XTSDecrypt, w) },
	"XTSEncryptGB": func(t *bulk.Kernels, w when) { t.XTSEncryptGB = badText(t.XTSEncryptGB, w) },
	"XTSDecryptGB": func(t *bulk.Kernels, w when) { t.XTSDecryptGB = badText(t.XTSDecryptGB, w) },
	"OCBEncrypt":   func(t *bulk.Kernels, w when) { t.OCBEncrypt = badText(t.OCBEncrypt, w) },
	"OCBDecrypt":   func(t *bulk.Kernels, w when) { t.OCBDecrypt = badText(t.OCBDecrypt, w) },

	"CTR's counter":        func(t *bulk.Kernels, w when) { t.CTR = badState(t.CTR, flip, w) },
	"CTR32's counter":      func(t *bulk.Kernels, w when) { t.CTR32 = badState(t.CTR32, flip, w) },
	"CBCEncrypt's iv":      func(t *bulk.Kernels, w when) { t.CBCEncrypt = badState(t.CBCEncrypt, flip, w) },
	"CBCDecrypt's iv":      func(t *bulk.Kernels, w when) { t.CBCDecrypt = badState(t.CBCDecrypt, flip, w) },
	"CFBEncrypt's iv":      func(t *bulk.Kernels, w when) { t.CFBEncrypt = badState(t.CFBEncrypt, flip, w) },
	"CFBDecrypt's iv":      func(t *bulk.Kernels, w when) { t.CFBDecrypt = badState(t.CFBDecrypt, flip, w) },
	"OFB's iv":             func(t *bulk.Kernels, w when) { t.OFB = badState(t.OFB, flip, w) },
	"XTSEncrypt's tweak":   func(t *bulk.Kernels, w when) { t.XTSEncrypt = badState(t.XTSEncrypt, flip, w) },
	"XTSDecrypt's tweak":   func(t *bulk.Kernels, w when) { t.XTSDecrypt = badState(t.XTSDecrypt, flip, w) },
	"XTSEncryptGB's tweak": func(t *bulk.Kernels, w when) { t.XTSEncryptGB = badState(t.XTSEncryptGB, flip, w) },
	"XTSDecryptGB's tweak": func(t *bulk.Kernels, w when) { t.XTSDecryptGB = badState(t.XTSDecryptGB, flip, w) },
	"OCBEncrypt's sum":     func(t *bulk.Kernels, w when) { t.OCBEncrypt = badState(t.OCBEncrypt, flipSum, w) },
	"OCBDecrypt's sum":     func(t *bulk.Kernels, w when) { t.OCBDecrypt = badState(t.OCBDecrypt, flipSum, w) },
	"OCBAuth's sum":        func(t *bulk.Kernels, w when) { t.OCBAuth = badState(t.OCBAuth, flipSum, w) },
	"OCBEncrypt's base":    func(t *bulk.Kernels, w when) { t.OCBEncrypt = badState(t.OCBEncrypt, flipBase, w) },
	"OCBDecrypt's base":    func(t *bulk.Kernels, w when) { t.OCBDecrypt = badState(t.OCBDecrypt, flipBase, w) },
	"OCBAuth's base":       func(t *bulk.Kernels, w when) { t.OCBAuth = badState(t.OCBAuth, flipBase, w) },
}

func badGCM(good func(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte), spoil func(s *bulk.GCMState, dst []byte), w when) func(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte) {
	return func(k *bulk.Key, s *bulk.GCMState, dst, src, hashed []byte) {
		if good(k, s, dst, src, hashed); w(k, len(dst)) {
			spoil(s, dst)
		}
	}
}

func badBlocks(good func(k *bulk.Key, dst, src []byte), w when) func(k *bulk.Key, dst, src []byte) {
	return func(k *bulk.Key, dst, src []byte) {
		if good(k, dst, src); w(k, len(dst)) {
			dst[len(dst)-1] ^= 1
		}
	}
}

func badText[S any](good func(k *bulk.Key, s *S, dst, src []byte), w when) func(k *bulk.Key, s *S, dst, src []byte) {
	return func(k *bulk.Key, s *S, dst, src []byte) {
		if good(k, s, dst, src); w(k, len(dst)) {
			dst[len(dst)-1] ^= 1
		}
	}
}

func badState[S any](good func(k *bulk.Key, s *S, dst, src []byte), flip func(*S), w when) func(k *bulk.Key, s *S, dst, src []byte) {
	return func(k *bulk.Key, s *S, dst, src []byte) {
		if good(k, s, dst, src); w(k, len(dst)) {
			flip(s)
		}
	}
}

func flip(b *block)              { b[0] ^= 1 }
func flipSum(s *bulk.OCBState)   { flip(&s.Sum) }
func flipBase(s *bulk.OCBState)  { flip(&s.Offset) }
func always(*bulk.Key, int) bool { return true }

// A fault in any kernel, with all key sizes, with one of them, or only where many
// blocks are worked on, makes NewKey fail with every key from then on.
func TestSelfTestFindsFaults(t *testing.T) {
	conditions := map[string]when{
		"always":            always,
		"in full groups":    func(_ *bulk.Key, size int) bool { return size >= 64 },
		"in two groups":     func(_ *bulk.Key, size int) bool { return size >= 128 },
		"with 16-byte keys": func(k *bulk.Key, _ int) bool { return k.Rounds == 6 },
		"with 24-byte keys": func(k *bulk.Key, _ int) bool { return k.Rounds == 7 },
		"with 32-byte keys": func(k *bulk.Key, _ int) bool { return k.Rounds == 8 },
	}
	for fault, plant := range faults {
		for condition, w := range conditions {
			tier := complete("faulty", 4)
			plant(tier, w)
			toy := toyCipher(tier)
			for range 2 {
				for _, n := range toySizes {
					k, err := bulk.NewKey(toy, random(1, n), 0, "")
					if !errors.Is(err, bulk.ErrSelfTest) || k != nil {
						t.Errorf("fault in %s %s, key of %d bytes: key %v, error %v", fault, condition, n, k, err)
					} else if !strings.HasPrefix(err.Error(), "toy: ") || !strings.Contains(err.Error(), "faulty") {
						t.Errorf("fault in %s: the error says %q", fault, err)
					}
				}
			}
			// Only that tier is to blame.
			if _, err := bulk.NewKey(toy, random(1, 16), 0, "reference"); err != nil {
				t.Errorf("fault in %s: the reference fails too: %v", fault, err)
			}
		}
	}
}

// tailed are the kernels that take tails where the tier says so.
var tailed = regexp.MustCompile("^(CTR|CBCDecrypt|CFBDecrypt|OCB|XTS)")

// A kernel that takes tails is tested on them. Those of single blocks always do.
func TestSelfTestFindsFaultsInTails(t *testing.T) {
	inTails := func(_ *bulk.Key, size int) bool { return size < 64 && size > 16 }
	for fault, plant := range faults {
		ecb := fault == "Encrypt" || fault == "Decrypt"
		if !ecb && !tailed.MatchString(fault) {
			continue
		}
		for _, tails := range []bool{false, true} {
			tier := complete("faulty", 4)
			tier.CTRTails, tier.FeedbackTails, tier.OCBTails, tier.XTSTails = tails, tails, tails, tails
			plant(tier, inTails)
			_, err := bulk.NewKey(toyCipher(tier), random(1, 16), 0, "")
			if (err != nil) != (tails || ecb) || err != nil && !errors.Is(err, bulk.ErrSelfTest) {
				t.Errorf("fault in %s, which takes tails: %v; error %v", fault, tails, err)
			}
		}
	}
	tier := complete("faulty", 4)
	good := tier.MACLanes
	tier.MACLanes = func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
		if good(k, macs, src, stride, lanes, blocks); lanes < 4 {
			macs[0] ^= 1
		}
	}
	if _, err := bulk.NewKey(toyCipher(tier), random(1, 16), 0, ""); !errors.Is(err, bulk.ErrSelfTest) {
		t.Errorf("fault in MACLanes with some lanes only: %v", err)
	}
}

// There is a fault for each kernel there can be, and it is told from a good tier.
func TestFaultsAreComplete(t *testing.T) {
	tier := reflect.ValueOf(complete("complete", 4)).Elem()
	for i := range tier.NumField() {
		field := tier.Type().Field(i)
		if field.Type.Kind() != reflect.Func {
			continue
		}
		if tier.Field(i).IsNil() {
			t.Errorf("the complete tier has no %s", field.Name)
		}
		planted := false
		for name := range faults {
			planted = planted || name == field.Name || strings.HasPrefix(name, field.Name+"'")
		}
		if !planted {
			t.Errorf("no fault is planted in %s", field.Name)
		}
	}
	if _, err := bulk.NewKey(toyCipher(complete("complete", 4)), random(1, 16), 0, "complete"); err != nil {
		t.Errorf("the complete tier without a fault: %v", err)
	}
}

// The reference has nothing but the vectors to be held against.
func TestSelfTestOfReference(t *testing.T) {
	for _, fault := range []string{"Expand", "Encrypt", "Decrypt"} {
		toy := toyCipher()
		faults[fault](toy.Tiers[0], always)
		for range 2 {
			if _, err := bulk.NewKey(toy, random(1, 16), 0, ""); !errors.Is(err, bulk.ErrSelfTest) {
				t.Errorf("fault in the reference's %s: %v", fault, err)
			}
		}
	}
}

func TestSelfTestPassesAndRunsOnce(t *testing.T) {
	calls := map[string]int{}
	toy := toyCipher(full("full", 4, calls))
	if _, err := bulk.NewKey(toy, random(1, 16), 0, ""); err != nil {
		t.Fatal(err)
	}
	for _, m := range modes[2:] {
		if calls[m.name] == 0 {
			t.Errorf("the self-test did not run %s", m.name)
		}
	}
	if calls["MACLanes"] == 0 {
		t.Error("the self-test did not run MACLanes")
	}
	clear(calls)
	if _, err := bulk.NewKey(toy, random(1, 32), 0, ""); err != nil {
		t.Fatal(err)
	}
	if len(calls) != 0 {
		t.Errorf("the self-test ran again: %v", calls)
	}
}

// A kernel that panics once has not passed the test.
func TestSelfTestPanic(t *testing.T) {
	tier := full("panicking", 4, map[string]int{})
	tier.CTR = func(*bulk.Key, *block, []byte, []byte) { panic("a kernel's panic") }
	toy := toyCipher(tier)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the first use does not panic")
			}
		}()
		bulk.NewKey(toy, random(1, 16), 0, "")
	}()
	for range 2 {
		if _, err := bulk.NewKey(toy, random(1, 16), 0, ""); !errors.Is(err, bulk.ErrSelfTest) {
			t.Errorf("later use: %v", err)
		}
	}
}

// Many goroutines that ask for the first key of a tier all get the same answer.
func TestSelfTestTogether(t *testing.T) {
	bad := full("faulty", 4, map[string]int{})
	faults["CTR"](bad, always)
	for _, v := range []struct {
		toy *bulk.Cipher
		ok  bool
	}{{toyCipher(full("full", 4, map[string]int{})), true}, {toyCipher(bad), false}} {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, err := bulk.NewKey(v.toy, random(1, 16), 0, ""); (err == nil) != v.ok {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
