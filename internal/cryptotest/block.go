package cryptotest

import (
	"bytes"
	"fmt"
	"testing"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// BlockSuite holds each tier of c that this machine can run against published
// vectors and against the modes done block by block.
func BlockSuite(t *testing.T, c *bulk.Cipher) {
	checkTiers(t, c)
	checkKeys(t, c)
	vectors := Load(t, "ecb")
	for i, tier := range c.Tiers {
		t.Run(tier.Name, func(t *testing.T) {
			if here := cpu.Detect(); !here.Has(tier.Need) {
				t.Skipf("this machine lacks %v", (tier.Need &^ here).Names())
			}
			watched, spy := watch(t, c, tier)
			count := Count{}
			for _, v := range vectors {
				if v.Cipher == c.Name {
					count.Add(v)
					checkECB(t, newKey(t, watched, v.Key), v)
				}
			}
			if i == 0 {
				count.Covers(t, []string{c.Name}, []string{"ecb"})
			}
			spy.reset()
			for j, size := range c.KeySizes {
				b := blockTest{T: t, key: ruled(size, 59, 0, 17+j)}
				b.k, b.o = newKey(t, watched, b.key), oracle(t, c, b.key)
				b.all(j == 0)
			}
			spy.ran()
		})
	}
}

// newKey makes a key for the first tier of c.
func newKey(t testing.TB, c *bulk.Cipher, key []byte) *bulk.Key {
	t.Helper()
	k, err := bulk.NewKey(c, key, cpu.Detect(), c.Tiers[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// checkTiers checks that the order of tiers makes sense and is followed. The
// reference may stand behind a better tier that runs wherever it does.
func checkTiers(t *testing.T, c *bulk.Cipher) {
	key := make([]byte, c.KeySizes[0])
	reference := c.Tiers[len(c.Tiers)-1]
	if reference.Need != 0 {
		t.Errorf("the reference tier %s needs %v", reference.Name, reference.Need.Names())
	}
	for i, tier := range c.Tiers {
		if tier.Width < 1 || tier.Encrypt == nil || tier.Decrypt == nil || tier.Expand == nil {
			t.Errorf("%s: not a tier", tier.Name)
		}
		hidden := ""
		for _, better := range c.Tiers[:i] {
			if tier.Need.Has(better.Need) {
				hidden = better.Name
			}
			if better.Name == tier.Name || hidden != "" && tier != reference {
				t.Errorf("%s: %s comes first wherever it can run", tier.Name, better.Name)
			}
		}
		if !cpu.Detect().Has(tier.Need) {
			if _, err := bulk.NewKey(c, key, cpu.Detect(), tier.Name); err == nil {
				t.Errorf("%s: chosen without %v", tier.Name, tier.Need.Names())
			}
			continue
		}
		name := "" // what is best
		if hidden != "" {
			name = tier.Name
		}
		if k, err := bulk.NewKey(c, key, tier.Need, name); err != nil || k.Tier() != tier.Name || k.Width() != tier.Width {
			t.Errorf("%s: not chosen for %v: %v", tier.Name, tier.Need.Names(), err)
		}
	}
	if _, err := bulk.NewKey(c, key, cpu.Detect(), "no such tier"); err == nil {
		t.Error("a tier that is not there was chosen")
	}
}

// checkKeys checks key sizes and that keys are wiped.
func checkKeys(t *testing.T, c *bulk.Cipher) {
	admitted := 0
	for size := range 70 {
		k, err := bulk.NewKey(c, ruled(size, 1, 0, 1), cpu.Detect(), "")
		if err != nil {
			continue
		}
		admitted++
		k.Wipe()
		if k.Enc != [len(k.Enc)]uint32{} || k.Dec != [len(k.Dec)]uint32{} {
			t.Errorf("%d-byte key: schedule not wiped", size)
		}
	}
	if admitted != len(c.KeySizes) {
		t.Errorf("%d key sizes, want those of %v bytes", admitted, c.KeySizes)
	}
}

func checkECB(t *testing.T, k *bulk.Key, v *Vector) {
	out := bytes.Clone(v.Plain)
	for range max(1, v.Times) {
		k.EncryptBlocks(out, out)
	}
	if err := v.Check(out, nil); err != nil {
		t.Error(err)
	}
	if k.DecryptBlocks(out, out); v.Times <= 1 && !bytes.Equal(out, v.Plain) {
		t.Errorf("%s %s: decrypted to\n%x, want\n%x", v.Cell(), v.ID, out, v.Plain)
	}
}

// blockTest is a test of one key on one tier.
type blockTest struct {
	*testing.T
	key []byte
	k   *bulk.Key
	o   slow
}

// starts returns the states that a mode's passes start from.
func (b *blockTest) starts() []pass {
	start := newPass(b.k)
	var p []pass
	for _, index := range []uint64{0, 16, 5, 1<<40 - 32} {
		s := start
		s.ocb.Index = index
		copy(s.iv[:], ruled(16, 29, 0, int(index%251)+3))
		copy(s.ocb.Offset[:], ruled(16, 31, 0, int(index%251)))
		copy(s.ocb.Sum[:], ruled(16, 37, 0, int(index%251)))
		p = append(p, s)
	}
	return p
}

// same compares the outcome of a mode with what it must be.
func (b *blockTest) same(what string, got, want []byte, s, end pass) {
	b.Helper()
	if s != end {
		b.Errorf("%s: ends at %x %d %x %x, want %x %d %x %x", what,
			s.iv, s.ocb.Index, s.ocb.Offset, s.ocb.Sum, end.iv, end.ocb.Index, end.ocb.Offset, end.ocb.Sum)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for got[at] == want[at] {
			at++
		}
		b.Errorf("%s: wrong from byte %d of %d on", what, at, len(want))
	}
}

// all runs every check, the more costly of them if thorough.
func (b *blockTest) all(thorough bool) {
	b.tables()
	for i := range blockModes {
		m := &blockModes[i]
		b.lengths(m, b.starts()[0])
		if thorough {
			for _, s := range b.starts()[1:] {
				b.pieces(m, s)
			}
			b.offsets(m)
			b.fences(m)
			if !Thin() {
				b.long(m)
			}
		}
	}
	b.counters()
	b.lanes()
	if thorough && !Thin() {
		b.longLanes()
	}
	if thorough {
		b.together()
		b.allocations()
	}
}

// tables checks what OCB derives from the key.
func (b *blockTest) tables() {
	t := bulk.NewOCBTable(b.k)
	l := b.o.enc(block{})
	what := fmt.Sprintf("OCB table of a %d-byte key", len(b.key))
	if t.Star != l || t.Dollar != double(l) {
		b.Errorf("%s: L_* or L_$ is wrong", what)
	}
	l = double(l)
	for i := range t.L {
		if l = double(l); t.L[i] != l {
			b.Errorf("%s: L_%d is wrong", what, i)
		}
	}
	for j := range 16 {
		var want block
		for i := range 4 {
			if (j^j>>1)>>i&1 == 1 {
				want = want.xor(t.L[i])
			}
		}
		if t.Gray[j] != want {
			b.Errorf("%s: combination %d is wrong", what, j)
		}
	}
	t.Wipe()
	if *t != (bulk.OCBTable{}) {
		b.Errorf("%s: not wiped", what)
	}
}
