package cryptotest

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cpu"
)

// KernelsLeaveNoResidue looks for what the kernels in assembly of each tier of c had
// in their frames: text, key stream, counters, XTS's tweaks, OCB's offsets and sums,
// and round keys. (Those for GCM have no frames.)
func KernelsLeaveNoResidue(t *testing.T, c *bulk.Cipher) {
	if testing.CoverMode() != "" {
		t.Skip("coverage counters make other frames")
	}
	for _, tier := range Runnable(c) {
		if tier.Need == 0 {
			continue // it has no frames for texts, and the compiler's are its own
		}
		k, err := bulk.NewKey(c, noise(c.KeySizes[0], 1), cpu.Detect(), tier.Name)
		if err != nil {
			t.Fatal(err)
		}
		kernelsLeaveNoResidue(t, tier, k, 2*tier.Width, func(string) bool { return true })
		// Neither is a full group, nor need the first be one.
		for _, blocks := range []int{tier.Width/2 - 1, tier.Width + 1} {
			kernelsLeaveNoResidue(t, tier, k, blocks, func(name string) bool { return takesTails(tier, name) })
		}
	}
}

// takesTails reports whether a kernel works on less than a group, too.
func takesTails(tier *bulk.Kernels, name string) bool {
	switch {
	case strings.HasPrefix(name, "CTR"):
		return tier.CTRTails
	case name == "CBCDecrypt" || name == "CFBDecrypt":
		return tier.FeedbackTails
	case strings.HasPrefix(name, "OCB"):
		return tier.OCBTails
	case strings.HasPrefix(name, "XTS"):
		return tier.XTSTails
	}
	return name == "Encrypt" || name == "Decrypt"
}

func kernelsLeaveNoResidue(t *testing.T, tier *bulk.Kernels, k *bulk.Key, blocks int, want func(name string) bool) {
	r := kernelRun{k: k, start: block(noise(bs, 3)), src: noise(blocks*bs, 2)}
	r.dst = make([]byte, len(r.src))
	r.ocb.Table = bulk.NewOCBTable(k)
	for name, f := range r.kernels(tier) {
		if !want(name) {
			continue
		}
		clear(r.dst)
		f()
		secret := r.secrets()
		if n := secret.LeftAlways(f); n != 0 {
			t.Errorf("%s: %s of %d blocks leaves %d secret words on the stack", tier.Name, name, blocks, n)
		}
	}
}

// noise gives bytes that are the same at every run, and whose words are all different.
func noise(n int, seed uint64) []byte {
	r, b := rand.New(rand.NewPCG(seed, 5)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// kernelRun is what kernels run with.
type kernelRun struct {
	k        *bulk.Key
	start    block // the state before
	iv       block
	ocb      bulk.OCBState
	dst, src []byte
}

// kernels are those of a tier, ready to run from start.
func (r *kernelRun) kernels(tier *bulk.Kernels) map[string]func() {
	all := map[string]func(){
		"Encrypt": func() { tier.Encrypt(r.k, r.dst, r.src) },
		"Decrypt": func() { tier.Decrypt(r.k, r.dst, r.src) },
	}
	for name, f := range map[string]func(*bulk.Key, *[bs]byte, []byte, []byte){
		"CTR": tier.CTR, "CTR32": tier.CTR32, "OFB": tier.OFB,
		"CBCEncrypt": tier.CBCEncrypt, "CBCDecrypt": tier.CBCDecrypt,
		"CFBEncrypt": tier.CFBEncrypt, "CFBDecrypt": tier.CFBDecrypt,
		"XTSEncrypt": tier.XTSEncrypt, "XTSDecrypt": tier.XTSDecrypt,
		"XTSEncryptGB": tier.XTSEncryptGB, "XTSDecryptGB": tier.XTSDecryptGB,
	} {
		if f != nil {
			all[name] = func() { copy(r.iv[:], r.start[:]); f(r.k, (*[bs]byte)(&r.iv), r.dst, r.src) }
		}
	}
	summed := func(f func(*bulk.Key, *bulk.OCBState, []byte, []byte), dst []byte) func() {
		return func() {
			r.ocb.Index = 0
			clear(r.ocb.Sum[:])
			copy(r.ocb.Offset[:], r.start[:]) // an assignment might go by way of the stack
			f(r.k, &r.ocb, dst, r.src)
		}
	}
	if tier.OCBEncrypt != nil {
		all["OCBEncrypt"] = summed(tier.OCBEncrypt, r.dst)
		all["OCBDecrypt"] = summed(tier.OCBDecrypt, r.dst)
		all["OCBAuth"] = summed(tier.OCBAuth, r.src)
	}
	if tier.MACLanes != nil {
		for _, lanes := range []int{tier.Width, tier.Width / 2, 2} {
			if 2*lanes*bs > len(r.src) {
				continue
			}
			macs := r.dst[:lanes*bs]
			all[fmt.Sprintf("MACLanes of %d", lanes)] = func() { clear(macs); tier.MACLanes(r.k, macs, r.src, 2*bs, lanes, 2) }
		}
	}
	return all
}

// secrets are the words that a kernel may have had.
func (r *kernelRun) secrets() Words {
	w := Words{}
	w.addText(r.src)
	w.addText(r.dst)
	w.Add(r.ocb.Sum[:])
	stream := make([]byte, len(r.src))
	subtle.XORBytes(stream, r.dst, r.src)
	w.Add(stream)
	var white block // what a core may want added to its input
	for i := range 4 {
		binary.NativeEndian.PutUint32(white[4*i:], r.k.Enc[i])
	}
	ieee, gb, offset, counter := r.start, r.start, r.start, r.start
	for i := range len(r.src)/bs + 1 {
		for _, b := range []block{ieee, gb, offset, counter.xor(white)} {
			w.Add(b[:])
		}
		ieee, gb, counter = doubleXTS(ieee), doubleGCM(gb), increment(counter, bs)
		offset = offset.xor(r.ocb.Table.L[bits.TrailingZeros(uint(i+1))])
	}
	for _, schedule := range [][]uint32{r.k.Enc[:], r.k.Dec[:]} {
		for _, rk := range schedule {
			w[rk] = true
		}
	}
	delete(w, 0)
	return w
}

// Words is a set of those that must not be found on the stack.
type Words map[uint32]bool

// Add takes the words of b in the order of memory.
func (w Words) Add(b []byte) {
	for ; len(b) >= 4; b = b[4:] {
		w[binary.NativeEndian.Uint32(b)] = true
	}
}

// addText takes the blocks of b and the sums of each, each second and each fourth of
// them, as registers of that many blocks add them up.
func (w Words) addText(b []byte) {
	w.Add(b)
	for lanes := 1; lanes <= 4; lanes *= 2 {
		sum := make([]byte, lanes*bs)
		for b := b; len(b) >= len(sum); b = b[len(sum):] {
			subtle.XORBytes(sum, sum, b)
		}
		w.Add(sum)
	}
}

// Left counts the words that f leaves on the stack.
func (w Words) Left(f func()) (found int) {
	for _, v := range stackAfter(f) {
		if w[v] {
			found++
		}
	}
	return found
}

// LeftAlways is Left, but for what is not there every time: the runtime may stop a
// goroutine anywhere and save its registers on the stack.
func (w Words) LeftAlways(f func()) (found int) {
	for range 20 {
		if found = w.Left(f); found == 0 {
			break
		}
	}
	return found
}

// stackWords is how far below its own frame stackAfter looks.
const stackWords = 2048

// padBytes is what f's frames lie below stackAfter's, at least. In the part of that
// frame which is not in use there may be words that the lookup of those found before
// has left, and they are not f's.
const padBytes = 1024

// stackAfter runs f on a cleared stack and returns what it leaves there.
//
//go:noinline
func stackAfter(f func()) []uint32 {
	words := make([]uint32, stackWords)
	var mark uint32
	clearStack()
	deeper(f)
	for i := range words {
		words[i] = *(*uint32)(unsafe.Add(unsafe.Pointer(&mark), -padBytes-4*(i+1)))
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
	var pad [padBytes]byte
	f()
	pad[len(pad)-1]++
}
