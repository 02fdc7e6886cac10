package modes_test

import (
	"bytes"
	"crypto/cipher"
	"testing"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/modes"
)

// FuzzModes compares each tier with the portable code, given to the modes as a
// cipher of which they know nothing. One call takes the first cut bytes of a text,
// another the rest, where the mode has calls that go on.
func FuzzModes(f *testing.F) {
	f.Add(uint8(0), uint16(0), []byte("key"), []byte("iv"), []byte("text"))
	for mode := range uint8(8) {
		f.Add(3*mode+mode%3, uint16(17*mode), bytes.Repeat([]byte{mode}, 40), bytes.Repeat([]byte{0xff}, 16), bytes.Repeat([]byte{7}, 1500+int(mode)))
	}
	names := []string{"ecb", "cbc", "cfb", "ofb", "ctr"}
	f.Fuzz(func(t *testing.T, pick uint8, cut uint16, seed, iv, text []byte) {
		list := ciphers.List()
		c := list[int(pick)%len(list)]
		size := c.KeySizes[len(seed)%len(c.KeySizes)]
		key := make([]byte, 2*size)
		copy(key, seed)
		key[2*size-1] ^= 1 // XTS wants two halves that differ
		var start [16]byte
		copy(start[:], iv)
		mode := int(pick) / len(list) % (len(names) + 3)

		// run returns text encrypted and decrypted.
		run := func(m maker) (both [2][]byte) {
			for i := range both {
				both[i] = bytes.Clone(text)
				b := both[i]
				switch {
				case mode < len(names):
					set, unit := []map[string]setup{encrypters, decrypters}[i][names[mode]], unit[names[mode]]
					b = b[:len(b)/unit*unit]
					crypt, first := set(must(t, m, key[:size]), start[:]), min(int(cut)/unit*unit, len(b))
					crypt(b[:first], b[:first])
					crypt(b[first:], b[first:])
				case mode == len(names):
					l, err := modes.NewLRW(m, key[:size+16])
					if err != nil {
						t.Fatal(err)
					}
					b = b[:len(b)&^15]
					[]func(dst, src []byte, index [16]byte){l.Encrypt, l.Decrypt}[i](b, b, start)
				case len(b) >= modes.MinUnit:
					options := []modes.XTSOption{modes.GBTweaks(), modes.AllowEqualKeys()}
					x, err := modes.NewXTS(m, key, options[mode-len(names)-1:]...)
					if err != nil {
						t.Fatal(err)
					}
					[]func(dst, src []byte, tweak [16]byte){x.Encrypt, x.Decrypt}[i](b, b, start)
				}
			}
			return both
		}
		want := run(func(key []byte) (cipher.Block, error) {
			b, err := ciphers.New(c.Name, key, ciphers.WithTier("generic"))
			return foreign{b}, err
		})
		for tier, m := range makers(t, c.Name) {
			got := run(m)
			for i, what := range []string{"encryption", "decryption"} {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("%s on %s, mode %d, %s: %x, want %x", c.Name, tier, mode, what, got[i], want[i])
				}
			}
		}
	})
}
