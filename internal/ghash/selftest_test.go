package ghash

import (
	"errors"
	"strings"
	"testing"

	"blkcrypt/internal/cpu"
	"blkcrypt/internal/selftest"
)

// faults are implementations that give a wrong bit now and then, or that work with
// a key which has one.
var faults = map[string]func(k *Key, y *[BlockSize]byte, blocks []byte){
	"always":             spoilt(func(int) bool { return true }),
	"in a single block":  spoilt(func(n int) bool { return n == 1 }),
	"behind a group":     spoilt(func(n int) bool { return n == 87 }),
	"in whole registers": spoilt(func(n int) bool { return n%4 == 0 }),
	"in two groups":      spoilt(func(n int) bool { return n >= 128 }),
	"in the key": func(k *Key, y *[BlockSize]byte, blocks []byte) {
		var other Key
		h := knownKey
		h[15] ^= 1
		other.tier = k.tier
		other.init(timesT(&h))
		other.update(y, blocks)
	},
}

func spoilt(when func(blocks int) bool) func(k *Key, y *[BlockSize]byte, blocks []byte) {
	return func(k *Key, y *[BlockSize]byte, blocks []byte) {
		if k.update(y, blocks); when(len(blocks) / BlockSize) {
			y[9] ^= 1
		}
	}
}

func TestSelfTestFindsFaults(t *testing.T) {
	for _, name := range Tiers(cpu.Detect()) {
		tier := find(cpu.Detect(), name)
		if what := tier.fault((*Key).update); what != "" {
			t.Errorf("%s: computes %s wrong", name, what)
		}
		for fault, update := range faults {
			if tier.fault(update) == "" {
				t.Errorf("%s: a fault %s goes unnoticed", name, fault)
			}
		}
	}
}

// An implementation that has failed once gives no key, and says why.
func TestSelfTestRefuses(t *testing.T) {
	for _, name := range Tiers(cpu.Detect()) {
		bad := &tier{name: name, code: find(cpu.Detect(), name).code}
		runs := 0
		bad.check.Get("ghash", name, func() string {
			runs++
			return bad.fault(faults["always"])
		})
		for range 2 {
			var k Key
			h := knownKey
			err := k.initOn(bad, &h)
			if !errors.Is(err, selftest.ErrFailed) || k != (Key{}) {
				t.Errorf("%s: error %v", name, err)
			} else if !strings.HasPrefix(err.Error(), "ghash: self-test failed: tier "+name+" ") {
				t.Errorf("%s: the error says %q", name, err)
			}
		}
		if runs != 1 {
			t.Errorf("%s: %d runs", name, runs)
		}
	}
}

// The first key runs the test, later ones don't.
func TestSelfTestRuns(t *testing.T) {
	fresh := &tier{name: "fresh", code: portable}
	for range 2 {
		var k Key
		h := knownKey
		if err := k.initOn(fresh, &h); err != nil {
			t.Fatal(err)
		}
		fresh.check.Get("ghash", "fresh", func() string {
			t.Error("a key was made without the test")
			return ""
		})
	}
}
