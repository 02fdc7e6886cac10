//go:build !purego

package aes

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
	"blkcrypt/internal/cryptotest"
)

// changed is a copy of a tier with a change.
func changed(tier *bulk.Kernels, change func(*bulk.Kernels)) *bulk.Kernels {
	c := new(bulk.Kernels)
	from, to := reflect.ValueOf(tier).Elem(), reflect.ValueOf(c).Elem()
	for i := range to.NumField() {
		if to.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	change(c)
	return c
}

// cipherOf is AES with one tier and the reference.
func cipherOf(tier *bulk.Kernels) *bulk.Cipher {
	return &bulk.Cipher{Name: Cipher.Name, KeySizes: Cipher.KeySizes, Tiers: []*bulk.Kernels{tier, generic}, Vectors: Cipher.Vectors}
}

// runnable are the tiers that this machine runs.
func runnable() (list []*bulk.Kernels) {
	for _, tier := range tiers {
		if cpu.Detect().Has(tier.Need) {
			list = append(list, tier)
		}
	}
	return list
}

// TestBestTier holds the choice of the tier against what Linux says that the
// processor has.
func TestBestTier(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skipf("no list of the processor's features: %v", err)
	}
	_, line, _ := strings.Cut(string(info), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	has := map[string]bool{}
	for _, f := range strings.Fields(line) {
		has[f] = true
	}
	want := "amd64-table"
	if has["aes"] && has["avx"] {
		want = "aesni-avx"
		if has["avx2"] && has["vaes"] && has["vpclmulqdq"] {
			want = "vaes-avx2"
			if has["avx512f"] && has["avx512vl"] && has["avx512bw"] && has["avx512dq"] {
				want = "vaes-avx512"
			}
		}
	}
	k, err := bulk.NewKey(Cipher, make([]byte, 16), cpu.Detect(), "")
	if err != nil {
		t.Fatal(err)
	}
	if k.Tier() != want {
		t.Errorf("%s was chosen, the processor runs %s", k.Tier(), want)
	}
}

// TestNoLookUps takes the tables away: what uses them without asking for them
// panics.
func TestNoLookUps(t *testing.T) {
	table := lookup
	defer func() { lookup = table }()
	panics := func(tier *bulk.Kernels) (panicked bool) {
		lookup = table
		if _, err := bulk.NewKey(Cipher, make([]byte, 16), cpu.Detect(), tier.Name); err != nil {
			t.Fatal(err) // the self-test, which does look at the reference, runs here only
		}
		defer func() { panicked = recover() != nil }()
		lookup = nil
		useAll(t, cipherOf(tier))
		return false
	}
	for _, tier := range runnable() {
		if got := panics(tier); got != (tier == generic || tier == amd64Table) {
			t.Errorf("%s: looks up tables: %v", tier.Name, got)
		}
	}
}

// useAll expands keys of all sizes for c's first tier and calls all that works
// with them.
func useAll(t *testing.T, c *bulk.Cipher) {
	tier := c.Tiers[0]
	for _, size := range c.KeySizes {
		k, err := bulk.NewKey(c, make([]byte, size), cpu.Detect(), tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, blocks := range []int{1, 3, tier.Width, 2*tier.Width + 1, 2*tier.GCMWidth + 1} {
			b := make([]byte, blocks*blockSize)
			var iv [blockSize]byte
			table := bulk.NewOCBTable(k)
			k.EncryptBlocks(b, b)
			k.DecryptBlocks(b, b)
			k.CTR(&iv, b, b)
			k.CTR32(&iv, b, b)
			k.CBCEncrypt(&iv, b, b)
			k.CBCDecrypt(&iv, b, b)
			k.CFBEncrypt(&iv, b, b)
			k.CFBDecrypt(&iv, b, b)
			k.OFB(&iv, b, b)
			k.OCBEncrypt(&bulk.OCBState{Table: table}, b, b)
			k.OCBDecrypt(&bulk.OCBState{Table: table}, b, b)
			k.OCBAuth(&bulk.OCBState{Table: table}, b)
			k.XTSEncrypt(&iv, false, b, b)
			k.XTSDecrypt(&iv, true, b, b)
			hash, err := k.NewGCMHash()
			if err != nil {
				t.Fatal(err)
			}
			g := bulk.GCMState{Hash: hash}
			k.GCMEncrypt(&g, b, b)
			k.GCMDecrypt(&g, b, b)
			k.MACLanes(b, b, 0, blocks, blocks)
		}
		k.Wipe()
	}
}

// TestPlantedFaults has each kernel of each tier give one wrong bit.
func TestPlantedFaults(t *testing.T) {
	for _, tier := range runnable() {
		if tier == generic {
			continue // it is what the others are held against
		}
		faults := 0
		v := reflect.ValueOf(tier).Elem()
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if f.Kind() != reflect.Func || f.IsNil() {
				continue
			}
			faulty := changed(tier, func(k *bulk.Kernels) {
				reflect.ValueOf(k).Elem().Field(i).Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
					out := f.Call(args)
					spoil(name, args)
					return out
				}))
			})
			if _, err := bulk.NewKey(cipherOf(faulty), make([]byte, 16), cpu.Detect(), tier.Name); !errors.Is(err, bulk.ErrSelfTest) {
				t.Errorf("%s: a wrong bit of %s goes unnoticed: %v", tier.Name, name, err)
			}
			faults++
		}
		if tier.Need != 0 && faults < 16 {
			t.Errorf("%s: has %d kernels", tier.Name, faults)
		}
	}
}

// spoil flips a bit of what a kernel gave.
func spoil(name string, args []reflect.Value) {
	switch name {
	case "Expand":
		args[0].Interface().(*bulk.Key).Enc[7] ^= 1
	case "OCBAuth":
		args[1].Interface().(*bulk.OCBState).Sum[3] ^= 1
	case "Encrypt", "Decrypt", "MACLanes":
		b := args[1].Bytes()
		b[len(b)-1] ^= 0x80
	default:
		b := args[2].Bytes()
		b[len(b)-1] ^= 0x80
	}
}

// TestTableOffsets holds the assembly's view of the tables against the type.
func TestTableOffsets(t *testing.T) {
	asm := cryptotest.Constants(t, "../../internal/_asm")
	for name, want := range map[string]uintptr{
		"tablesDec":  unsafe.Offsetof(tables{}.dec),
		"tablesInv":  unsafe.Offsetof(tables{}.inv),
		"tablesSize": unsafe.Sizeof(tables{}.enc),
		"invSize":    unsafe.Sizeof(tables{}.inv),
		"cacheLine":  cacheLine,
	} {
		if got, ok := asm[name]; !ok || got != int(want) {
			t.Errorf("%s is %d in the generator, want %d", name, got, want)
		}
	}
}
