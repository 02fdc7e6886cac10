//go:build (amd64 || arm64) && !race

package sm4

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// The key expansion leaves nothing secret on the stack: its words live in
// registers. (Where there are too few of those, or the compiler's instrumentation
// takes some, this can't be had.)
func TestExpansionLeavesNoResidue(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counters take the registers this is about")
	}
	key := make([]byte, KeySize)
	for i := range key {
		key[i] = byte(0x91 + 29*i)
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		k := new(bulk.Key)
		tier.Expand(k, key)
		secret := map[uint32]bool{}
		for i, fk := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
			mk := binary.BigEndian.Uint32(key[4*i:])
			secret[mk], secret[binary.LittleEndian.Uint32(key[4*i:])], secret[mk^fk] = true, true, true
		}
		for _, rk := range k.Enc[:rounds] {
			secret[rk] = true
		}
		count := func(f func()) (found int) {
			for _, w := range stackAfter(f) {
				if secret[w] {
					found++
				}
			}
			return found
		}
		if count(func() { spill(key) }) == 0 {
			t.Fatal("the search does not even find what is left on purpose")
		}
		// The runtime may stop a goroutine anywhere and save its registers on the
		// stack, but not every time.
		found := 0
		for range 5 {
			if found = count(func() { tier.Expand(k, key) }); found == 0 {
				break
			}
		}
		if found != 0 {
			t.Errorf("%s: %d secret words left on the stack", tier.Name, found)
		}
	}
}

// stackWords is how far below its own frame stackAfter looks.
const stackWords = 2048

// stackAfter runs f on a cleared stack and returns what it leaves there.
//
//go:noinline
func stackAfter(f func()) []uint32 {
	words := make([]uint32, stackWords)
	var mark uint32
	clearStack()
	deeper(f)
	for i := range words {
		words[i] = *(*uint32)(unsafe.Add(unsafe.Pointer(&mark), -4*(i+1)))
	}
	return words
}

// clearStack also makes room, so that all that stackAfter reads is stack.
//
//go:noinline
func clearStack() (sum uint32) {
	var b [2 * stackWords]uint32
	for i := range b {
		sum += b[i]
	}
	return sum
}

// deeper calls f below what stackAfter's own calls write to.
//
//go:noinline
func deeper(f func()) {
	var pad [1024]byte
	f()
	pad[len(pad)-1]++
}

// spill leaves the key's words in its frame.
//
//go:noinline
func spill(key []byte) {
	var w [4]uint32
	for i := range w {
		w[i] = binary.BigEndian.Uint32(key[4*i:])
	}
	look(&w)
}

//go:noinline
func look(w *[4]uint32) uint32 { return w[0] }
