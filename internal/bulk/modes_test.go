package bulk_test

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"fmt"
	"testing"

	"blkcrypt/internal/bulk"
)

// subject is a key, and the oracle of the same key.
type subject struct {
	name  string
	key   *bulk.Key
	o     oracle
	calls map[string]int // of its mode kernels; nil if it has none
}

// subjects are all the ways a mode can be carried out: derived over a foreign
// block cipher; derived over kernels that are narrower and wider than the staging
// buffers; and by kernels, of widths that do and don't divide the work of one call,
// that take full groups only, or tails too.
func subjects(t testing.TB) (list []subject) {
	for _, n := range []int{16, 24, 32} {
		b, err := aes.NewCipher(random(9, n))
		if err != nil {
			t.Fatal(err)
		}
		k, err := bulk.Of(b)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, subject{fmt.Sprintf("foreign AES-%d", 8*n), k, blockOracle(b), nil})
	}
	for _, width := range []int{1, 4, 16, 48} {
		calls := map[string]int{}
		tails := full("tails", width, map[string]int{})
		tails.CTRTails, tails.FeedbackTails, tails.OCBTails = true, true, true
		for _, tier := range []*bulk.Kernels{bare("bare", width), full("full", width, calls), tails} {
			k, err := bulk.NewKey(toyCipher(tier), random(8, 24), 0, tier.Name)
			if err != nil {
				t.Fatal(err)
			}
			s := subject{fmt.Sprintf("%s width %d", tier.Name, width), k, toyOracle(k), nil}
			if tier.Name == "full" {
				s.calls = calls
			}
			list = append(list, s)
		}
	}
	return list
}

// starts are the states that a mode's passes begin with.
func (m *mode) starts(k *bulk.Key) (list []state) {
	switch m {
	case ecbEncrypt, ecbDecrypt:
		list = append(list, state{})
	case ctr, ctr32:
		// A carry into each byte, at the fifth block.
		for n := range bulk.BlockSize + 1 {
			iv := block(random(3, 16))
			for i := range n {
				iv[15-i] = 0xff
			}
			iv[15] -= 4
			list = append(list, state{iv: iv})
		}
	case gcmEncrypt, gcmDecrypt:
		hash := gcmHash(k)
		for _, n := range []byte{0, 1, 4} { // bytes that the counter carries through
			iv := block(random(3, 16))
			copy(iv[16-n:], []byte{0xff, 0xff, 0xff, 0xff}[:n])
			iv[15] -= 4 * min(n, 1)
			list = append(list, state{iv: iv, hash: hash, ocb: bulk.OCBState{Sum: block(random(5, 16))}})
		}
	case cbcDecrypt, cfbDecrypt:
		list = append(list, state{iv: block(random(4, 16))})
	default:
		table := bulk.NewOCBTable(k)
		for _, index := range []uint64{0, 1, 15, 16, 31, 1<<20 - 16, 1<<40 - 1, 1<<48 - 100} {
			list = append(list, state{ocb: bulk.OCBState{Table: table, Index: index, Offset: block(random(index, 16)), Sum: block(random(5, 16))}})
		}
	}
	return list
}

// lengths are numbers of blocks: around the widths, the size of the staging
// buffers (32) and twice that.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 80, 97}

func TestModes(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, m := range modes {
				for i, start := range m.starts(s.key) {
					for _, n := range lengths {
						s.compare(t, m, start, random(uint64(n), 16*n), fmt.Sprintf("%s of %d blocks from state %d", m.name, n, i))
						if t.Failed() {
							return
						}
					}
				}
			}
			for _, m := range modes[2:] {
				if s.calls != nil && s.calls[m.name] == 0 {
					t.Errorf("the kernel of %s never ran", m.name)
				}
			}
		})
	}
}

// compare runs a mode over src out of place, in place and in pieces.
func (s *subject) compare(t *testing.T, m *mode, start state, src []byte, what string) {
	t.Helper()
	end, want := start, make([]byte, len(src))
	m.serial(s.o, &end, want, src)
	check := func(how string, st state, got []byte) {
		t.Helper()
		if !bytes.Equal(got, want) {
			t.Errorf("%s, %s: wrong text", what, how)
		}
		if st != end {
			t.Errorf("%s, %s: the state after it is wrong", what, how)
		}
	}
	in, st := bytes.Clone(src), start
	guarded := bytes.Repeat([]byte{0x5a}, len(src)+34)
	out := guarded[17 : 17+len(src)] // unaligned
	m.run(s.key, &st, out, in)
	check("out of place", st, out)
	if !bytes.Equal(in, src) {
		t.Errorf("%s changed its input", what)
	}
	if bytes.Count(guarded[:17], []byte{0x5a})+bytes.Count(guarded[17+len(src):], []byte{0x5a}) != 34 {
		t.Errorf("%s wrote outside of its output", what)
	}
	st = start
	m.run(s.key, &st, in, in)
	check("in place", st, in)

	for _, cut := range []int{16, 5 * 16, 32 * 16} {
		st = start
		got := bytes.Clone(src)
		for b := got; len(b) > 0; {
			n := min(cut, len(b))
			m.run(s.key, &st, b[:n], b[:n])
			b = b[n:]
		}
		check(fmt.Sprintf("%d bytes a call", cut), st, got)
	}
}

// More than one call of a kernel may take.
func TestLongText(t *testing.T) {
	src := random(1, 1<<17+1<<16+5*16)
	for _, s := range subjects(t) {
		if s.calls == nil {
			continue
		}
		for _, m := range modes {
			start := m.starts(s.key)[0]
			end, want := start, make([]byte, len(src))
			m.serial(s.o, &end, want, src)
			got := bytes.Clone(src)
			if m.run(s.key, &start, got, got); start != end || !bytes.Equal(got, want) {
				t.Errorf("%s: %s of %d bytes is wrong", s.name, m.name, len(src))
			}
		}
	}
}

// The counter's low half reaches its end exactly, and one short of it.
func TestCTRAtTheWrap(t *testing.T) {
	for _, s := range subjects(t) {
		for _, n := range []int{1, 4, 16, 48, 96} {
			for _, short := range []uint64{0, 1, 2} {
				start := state{iv: block(random(6, 16))}
				binary.BigEndian.PutUint64(start.iv[8:], -uint64(n)-short)
				s.compare(t, ctr, start, random(7, 16*n), fmt.Sprintf("%s: CTR of %d blocks that ends %d short of the wrap", s.name, n, short))
			}
		}
	}
}

func TestMACLanes(t *testing.T) {
	for _, s := range subjects(t) {
		for lanes := range 20 {
			for blocks := range 5 {
				for _, stride := range []int{0, 16, 16 * blocks, 16*blocks + 7, 16*blocks + 16} {
					s.compareMAC(t, stride, lanes, blocks)
				}
			}
		}
		s.compareMAC(t, 16*300, 100, 300) // more than one call of a kernel may take
		s.compareMAC(t, 0, 1, 5000)
		if s.calls != nil && s.calls["MACLanes"] == 0 {
			t.Errorf("%s: the kernel never ran", s.name)
		}
	}
}

func (s *subject) compareMAC(t *testing.T, stride, lanes, blocks int) {
	t.Helper()
	src := random(2, max(0, lanes-1)*stride+16*blocks)
	in, macs := bytes.Clone(src), random(3, 16*lanes+16)
	want := bytes.Clone(macs) // the last block is no lane's
	serialMAC(s.o, want, src, stride, lanes, blocks)
	s.key.MACLanes(macs, in, stride, lanes, blocks)
	if !bytes.Equal(macs, want) {
		t.Errorf("%s: %d lanes of %d blocks at a stride of %d are wrong", s.name, lanes, blocks, stride)
	}
	if !bytes.Equal(in, src) {
		t.Errorf("%s: MACLanes changed its input", s.name)
	}
}
