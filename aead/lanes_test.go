package aead

import (
	"bytes"
	"crypto/aes"
	"encoding/hex"
	"testing"
)

// Text MACed from slots gives the same as text MACed where it lies, over several
// tiles and with every kind of rest.
func TestSlots(t *testing.T) {
	b, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	for _, mode := range []string{"ccm", "eax"} {
		a, err := New(mode, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 15, 16, 17, 512, 513, 6400, 20000, 20001, 20015} {
			plain := make([]byte, n*size)
			for i := range plain {
				plain[i] = byte(i * i >> 7)
			}
			run := func(slots []byte, seal bool, src []byte) []byte {
				w := Batch{Src: src, SrcStride: size + 16, DstStride: size, Size: size, Count: n, Nonces: make([]byte, 12*n)}
				if seal {
					w.SrcStride, w.DstStride = size, size+16
				}
				for i := range w.Nonces {
					w.Nonces[i] = byte(i)
				}
				w.Dst = make([]byte, n*w.DstStride)
				var state [n * laneSize]byte
				var header [blockSize]byte
				if bad := a.runGroup(&w, 0, n, state[:], slots, &header, seal); bad != -1 {
					t.Errorf("%s, %d bytes: message %d does not open", mode, size, bad)
				}
				if len(bytes.Trim(slots, "\x00")) > 0 || state != [n * laneSize]byte{} {
					t.Errorf("%s, %d bytes: the work space is not wiped", mode, size)
				}
				return w.Dst
			}
			slots := new(workspace).slots[:]
			sealed := run(nil, true, plain)
			if !bytes.Equal(run(slots, true, plain), sealed) {
				t.Errorf("%s, %d bytes: sealed otherwise with slots", mode, size)
			}
			if !bytes.Equal(run(slots, false, sealed), plain) || !bytes.Equal(run(nil, false, sealed), plain) {
				t.Errorf("%s, %d bytes: opened otherwise than sealed", mode, size)
			}
		}
	}
}

func TestNeedSlots(t *testing.T) {
	for _, c := range []struct {
		lanes, stride int
		want          bool
	}{
		{32, 65536, true}, {32, 65552, false}, {16, 4096, true}, {8, 1 << 20, false},
		{32, 2048, true}, {32, 1024, false}, {80, 1024, true}, {32, 65520, false}, {2, 65536, false},
	} {
		if got := needSlots(c.lanes, c.stride); got != c.want {
			t.Errorf("%d lanes %d bytes apart: %v", c.lanes, c.stride, got)
		}
	}
}

// The three encodings at the ends of their ranges. No other test has the memory
// for the last.
func TestCCMHeaderLength(t *testing.T) {
	for size, want := range map[uint64]string{
		1:         "0001",
		0xfeff:    "feff",
		0xff00:    "fffe0000ff00",
		1<<32 - 1: "fffeffffffff",
		1 << 32:   "ffff0000000100000000",
		1<<64 - 1: "ffffffffffffffffffff",
	} {
		block, n := ccmHeaderLength(size)
		if got := hex.EncodeToString(block[:n]); got != want {
			t.Errorf("%d: %s, want %s", size, got, want)
		}
	}
}
