//go:build (amd64 || arm64) && !race

package sm4

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
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
		secret := words{}
		for i, fk := range []uint32{0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc} {
			mk := binary.BigEndian.Uint32(key[4*i:])
			secret[mk], secret[binary.LittleEndian.Uint32(key[4*i:])], secret[mk^fk] = true, true, true
		}
		for _, rk := range k.Enc[:rounds] {
			secret[rk] = true
		}
		if secret.left(func() { spill(key) }) == 0 {
			t.Fatal("the search does not even find what is left on purpose")
		}
		if n := secret.leftAlways(func() { tier.Expand(k, key) }); n != 0 {
			t.Errorf("%s: %d secret words left on the stack", tier.Name, n)
		}
	}
}

// Nor do the kernels: what waits in their frames, XTS's tweaks and OCB's offsets and
// sum, they wipe.
func TestKernelsLeaveNoResidue(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counters make other frames")
	}
	for _, tier := range cryptotest.Runnable(Cipher) {
		if tier == generic {
			continue // it has no frames for texts, and the compiler's are its own
		}
		k, err := bulk.NewKey(Cipher, random(1, KeySize), cpu.Detect(), tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		leavesNoResidue(t, tier, k, 2*tier.Width)
		if tier.CTRTails && tier.FeedbackTails && tier.OCBTails && tier.XTSTails {
			leavesNoResidue(t, tier, k, tier.Width/2-1)
		}
	}
}

// leavesNoResidue runs each kernel over so many blocks and searches the stack for what
// it must not leave there.
func leavesNoResidue(t *testing.T, tier *bulk.Kernels, k *bulk.Key, blocks int) {
	src := random(2, blocks*bulk.BlockSize)
	dst, start := make([]byte, len(src)), (*[bulk.BlockSize]byte)(random(3, bulk.BlockSize))
	iv, ocb := new([bulk.BlockSize]byte), &bulk.OCBState{Table: bulk.NewOCBTable(k)}
	chained := func(f func(*bulk.Key, *[bulk.BlockSize]byte, []byte, []byte)) func() {
		return func() { copy(iv[:], start[:]); f(k, iv, dst, src) }
	}
	summed := func(f func(*bulk.Key, *bulk.OCBState, []byte, []byte), dst []byte) func() {
		return func() { ocb.Index = 0; clear(ocb.Sum[:]); copy(ocb.Offset[:], start[:]); f(k, ocb, dst, src) }
	}
	for name, f := range map[string]func(){
		"Encrypt": func() { tier.Encrypt(k, dst, src) }, "Decrypt": func() { tier.Decrypt(k, dst, src) },
		"CTR": chained(tier.CTR), "CTR32": chained(tier.CTR32),
		"CBCEncrypt": chained(tier.CBCEncrypt), "CBCDecrypt": chained(tier.CBCDecrypt),
		"CFBEncrypt": chained(tier.CFBEncrypt), "CFBDecrypt": chained(tier.CFBDecrypt), "OFB": chained(tier.OFB),
		"XTSEncrypt": chained(tier.XTSEncrypt), "XTSDecrypt": chained(tier.XTSDecrypt),
		"XTSEncryptGB": chained(tier.XTSEncryptGB), "XTSDecryptGB": chained(tier.XTSDecryptGB),
		"OCBEncrypt": summed(tier.OCBEncrypt, dst), "OCBDecrypt": summed(tier.OCBDecrypt, dst), "OCBAuth": summed(tier.OCBAuth, src),
		"MACLanes": func() { tier.MACLanes(k, dst, src, 2*bulk.BlockSize, blocks/2, 2) },
	} {
		clear(dst)
		f()
		secret := words{}
		secret.addText(src)
		secret.addText(dst)
		secret.add(ocb.Sum[:])
		for i := range src { // key stream
			dst[i] ^= src[i]
		}
		secret.add(dst)
		ieee, gb, offset := *start, *start, *start
		for i := range len(src)/bulk.BlockSize + 1 {
			secret.add(ieee[:])
			secret.add(gb[:])
			bulk.XTSDouble(&ieee, false)
			bulk.XTSDouble(&gb, true)
			subtle.XORBytes(offset[:], offset[:], ocb.Table.L[bits.TrailingZeros(uint(i+1))][:])
			secret.add(offset[:])
		}
		for _, rk := range k.Enc[:rounds] {
			secret[rk] = true
		}
		delete(secret, 0)
		if n := secret.leftAlways(f); n != 0 {
			t.Errorf("%s: %s leaves %d secret words on the stack", tier.Name, name, n)
		}
	}
}

// random gives bytes that are the same at every run.
func random(seed uint64, n int) []byte {
	r, b := rand.New(rand.NewPCG(seed, 5)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// words is a set of those that must not be found.
type words map[uint32]bool

// add takes the words of b in the order of memory.
func (w words) add(b []byte) {
	for ; len(b) >= 4; b = b[4:] {
		w[binary.NativeEndian.Uint32(b)] = true
	}
}

// addText takes the blocks of b and the sums of each, each second and each fourth of
// them, as registers of that many blocks add them up.
func (w words) addText(b []byte) {
	w.add(b)
	for lanes := 1; lanes <= 4; lanes *= 2 {
		sum := make([]byte, lanes*bulk.BlockSize)
		for b := b; len(b) >= len(sum); b = b[len(sum):] {
			subtle.XORBytes(sum, sum, b)
		}
		w.add(sum)
	}
}

// left counts the words that f leaves on the stack.
func (w words) left(f func()) (found int) {
	for _, v := range stackAfter(f) {
		if w[v] {
			found++
		}
	}
	return found
}

// leftAlways is left, but for what is not there every time: the runtime may stop a
// goroutine anywhere and save its registers on the stack.
func (w words) leftAlways(f func()) (found int) {
	for range 5 {
		if found = w.left(f); found == 0 {
			break
		}
	}
	return found
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
