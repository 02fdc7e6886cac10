package cryptotest

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// Runnable are the tiers of c that this machine runs.
func Runnable(c *bulk.Cipher) (tiers []*bulk.Kernels) {
	for _, t := range c.Tiers {
		if cpu.Detect().Has(t.Need) {
			tiers = append(tiers, t)
		}
	}
	return tiers
}

// with is a cipher of a changed copy of a tier and, behind it, the reference of c.
func with(c *bulk.Cipher, tier *bulk.Kernels, change func(*bulk.Kernels)) *bulk.Cipher {
	own := new(bulk.Kernels)
	from, to := reflect.ValueOf(tier).Elem(), reflect.ValueOf(own).Elem()
	for i := range to.NumField() {
		if to.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	change(own)
	reference := c.Tiers[len(c.Tiers)-1]
	return &bulk.Cipher{Name: c.Name, KeySizes: c.KeySizes, Tiers: []*bulk.Kernels{own, reference}, Vectors: c.Vectors}
}

// UseTier expands a key of each size and has the tier do all that it can, with few
// blocks and many.
func UseTier(t testing.TB, c *bulk.Cipher, tier *bulk.Kernels) {
	t.Helper()
	for _, size := range c.KeySizes {
		k, err := bulk.NewKey(c, make([]byte, size), cpu.Detect(), tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, max(1, tier.Width/4), max(1, tier.Width/2), tier.Width, 2*tier.Width + 1, 2*tier.GCMWidth + 1} {
			b := make([]byte, n*bs)
			for i := range blockModes {
				s := newPass(k)
				blockModes[i].run(k, &s, b, b)
			}
			k.MACLanes(b, bytes.Clone(b), 0, n, n)
		}
		k.Wipe()
	}
}

// ForceTier is UseTier whatever the processor says that it runs, and without a look at
// what comes of it.
func ForceTier(t testing.TB, c *bulk.Cipher, tier *bulk.Kernels) {
	t.Helper()
	own := with(c, tier, func(k *bulk.Kernels) { k.Need = 0 })
	own.Tiers, own.Vectors = own.Tiers[:1], nil // so that the self-test compares nothing
	UseTier(t, own, own.Tiers[0])
}

// PlantFaults has each kernel of each tier of c give one wrong bit, which the
// self-test must find.
func PlantFaults(t *testing.T, c *bulk.Cipher) {
	for _, tier := range Runnable(c) {
		if tier == c.Tiers[len(c.Tiers)-1] {
			continue // it is what the others are held against
		}
		v := reflect.ValueOf(tier).Elem()
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if f.Kind() != reflect.Func || f.IsNil() {
				continue
			}
			faulty := with(c, tier, func(k *bulk.Kernels) {
				reflect.ValueOf(k).Elem().Field(i).Set(reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
					out := f.Call(args)
					spoil(name, args)
					return out
				}))
			})
			_, err := bulk.NewKey(faulty, make([]byte, c.KeySizes[0]), cpu.Detect(), tier.Name)
			if !errors.Is(err, bulk.ErrSelfTest) {
				t.Errorf("%s: a wrong bit of %s goes unnoticed: %v", tier.Name, name, err)
			}
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
		flip(args[1].Bytes())
	default:
		flip(args[2].Bytes())
	}
}

func flip(b []byte) { b[len(b)-1] ^= 0x80 }
