package cryptotest

import (
	"reflect"
	"sync/atomic"
	"testing"

	"blkcrypt/internal/bulk"
)

// spy stands between a key and the kernels of a tier. It counts the calls of
// each kernel, so that a test knows that it ran, and holds the calls to what
// bulk.Kernels promises the kernels.
type spy struct {
	t     testing.TB
	width int
	calls map[string]*work
}

// work is what a kernel has done. The steps of lanes work a block of each.
type work struct{ calls, blocks, steps atomic.Int64 }

// callBytes is the most that one call of a kernel may be given: it can't be
// interrupted.
const callBytes = 1 << 17

// watch returns a cipher of the tier with a spy, the cipher's reference tier
// behind it, and the spy.
func watch(t testing.TB, c *bulk.Cipher, tier *bulk.Kernels) (*bulk.Cipher, *spy) {
	s := &spy{t: t, width: tier.Width, calls: map[string]*work{}}
	w := &bulk.Kernels{Name: tier.Name, Need: tier.Need, Width: tier.Width, Expand: tier.Expand}
	w.Encrypt = s.blocks("Encrypt", tier.Encrypt)
	w.Decrypt = s.blocks("Decrypt", tier.Decrypt)
	w.CTRTails, w.FeedbackTails, w.OCBTails, w.XTSTails = tier.CTRTails, tier.FeedbackTails, tier.OCBTails, tier.XTSTails
	group := func(tails bool) int {
		if tails {
			return 1
		}
		return s.width
	}
	w.CTR = spied(s, "CTR", group(tier.CTRTails), tier.CTR)
	w.CTR32 = spied(s, "CTR32", group(tier.CTRTails), tier.CTR32)
	w.CBCDecrypt = spied(s, "CBCDecrypt", group(tier.FeedbackTails), tier.CBCDecrypt)
	w.CFBDecrypt = spied(s, "CFBDecrypt", group(tier.FeedbackTails), tier.CFBDecrypt)
	w.XTSEncrypt = spied(s, "XTSEncrypt", group(tier.XTSTails), tier.XTSEncrypt)
	w.XTSDecrypt = spied(s, "XTSDecrypt", group(tier.XTSTails), tier.XTSDecrypt)
	w.XTSEncryptGB = spied(s, "XTSEncryptGB", group(tier.XTSTails), tier.XTSEncryptGB)
	w.XTSDecryptGB = spied(s, "XTSDecryptGB", group(tier.XTSTails), tier.XTSDecryptGB)
	w.CBCEncrypt = spied(s, "CBCEncrypt", 1, tier.CBCEncrypt)
	w.CFBEncrypt = spied(s, "CFBEncrypt", 1, tier.CFBEncrypt)
	w.OFB = spied(s, "OFB", 1, tier.OFB)
	w.OCBEncrypt = s.ocb("OCBEncrypt", group(tier.OCBTails), tier.OCBEncrypt)
	w.OCBDecrypt = s.ocb("OCBDecrypt", group(tier.OCBTails), tier.OCBDecrypt)
	w.OCBAuth = s.ocb("OCBAuth", group(tier.OCBTails), tier.OCBAuth)
	w.GCM, w.GCMWidth, w.GCMHash = s.gcm("GCM", tier), tier.GCMWidth, tier.GCMHash
	w.MACLanes = s.lanes("MACLanes", tier.MACLanes)

	// A kernel that is left out here would not be tested.
	given, made := reflect.ValueOf(tier).Elem(), reflect.ValueOf(w).Elem()
	for i := range given.NumField() {
		f := given.Type().Field(i)
		if f.Type.Kind() == reflect.Func && !given.Field(i).IsNil() && made.Field(i).IsNil() {
			t.Errorf("cryptotest knows nothing of the kernel %s", f.Name)
		}
	}
	reference := c.Tiers[len(c.Tiers)-1]
	if tier == reference {
		reference = w
	}
	return &bulk.Cipher{Name: c.Name, KeySizes: c.KeySizes, Tiers: []*bulk.Kernels{w, reference}, Vectors: c.Vectors}, s
}

// reset forgets the calls so far.
func (s *spy) reset() {
	for _, w := range s.calls {
		w.calls.Store(0)
		w.blocks.Store(0)
		w.steps.Store(0)
	}
}

// ran fails the test if a kernel of the tier was not called.
func (s *spy) ran() {
	for name, w := range s.calls {
		if w.calls.Load() == 0 {
			s.t.Errorf("kernel %s did not run", name)
		}
	}
}

// blocksOf is the number of blocks that a kernel has worked on.
func (s *spy) blocksOf(kernel string) int { return int(s.calls[kernel].blocks.Load()) }

// called notes a call, which must be of whole groups of so many blocks.
func (s *spy) called(name string, group int, dst, src []byte) {
	s.calls[name].calls.Add(1)
	s.calls[name].blocks.Add(int64(len(src) / bulk.BlockSize))
	switch group *= bulk.BlockSize; {
	case len(dst) != len(src):
		s.t.Errorf("%s: dst of %d bytes, src of %d", name, len(dst), len(src))
	case len(src) == 0 || len(src)%group != 0:
		s.t.Errorf("%s: %d bytes in groups of %d", name, len(src), group)
	case len(src) > max(callBytes, group):
		s.t.Errorf("%s: %d bytes at once", name, len(src))
	case bulk.InexactOverlap(dst, src):
		s.t.Errorf("%s: dst and src overlap", name)
	}
}

func (s *spy) blocks(name string, f func(*bulk.Key, []byte, []byte)) func(*bulk.Key, []byte, []byte) {
	s.calls[name] = new(work)
	return func(k *bulk.Key, dst, src []byte) {
		s.called(name, 1, dst, src)
		f(k, dst, src)
	}
}

func spied[S any](s *spy, name string, group int, f func(*bulk.Key, *S, []byte, []byte)) func(*bulk.Key, *S, []byte, []byte) {
	if f == nil {
		return nil
	}
	s.calls[name] = new(work)
	return func(k *bulk.Key, state *S, dst, src []byte) {
		s.called(name, group, dst, src)
		f(k, state, dst, src)
	}
}

func (s *spy) ocb(name string, group int, f func(*bulk.Key, *bulk.OCBState, []byte, []byte)) func(*bulk.Key, *bulk.OCBState, []byte, []byte) {
	f = spied(s, name, group, f)
	if f == nil {
		return nil
	}
	return func(k *bulk.Key, state *bulk.OCBState, dst, src []byte) {
		if state.Index%16 != 0 {
			s.t.Errorf("%s: starts behind %d blocks", name, state.Index)
		}
		f(k, state, dst, src)
	}
}

func (s *spy) gcm(name string, tier *bulk.Kernels) func(*bulk.Key, *bulk.GCMState, []byte, []byte, []byte) {
	if tier.GCM == nil {
		return nil
	}
	s.calls[name] = new(work)
	return func(k *bulk.Key, state *bulk.GCMState, dst, src, hashed []byte) {
		s.called(name, tier.GCMWidth, dst, src)
		if len(hashed) != len(src) || state.Hash.Tier() != tier.GCMHash {
			s.t.Errorf("%s: %d bytes to encrypt, %d to hash with tier %s", name, len(src), len(hashed), state.Hash.Tier())
		}
		tier.GCM(k, state, dst, src, hashed)
	}
}

func (s *spy) lanes(name string, f func(*bulk.Key, []byte, []byte, int, int, int)) func(*bulk.Key, []byte, []byte, int, int, int) {
	if f == nil {
		return nil
	}
	s.calls[name] = new(work)
	return func(k *bulk.Key, macs, src []byte, stride, lanes, blocks int) {
		s.calls[name].calls.Add(1)
		s.calls[name].blocks.Add(int64(lanes * blocks))
		s.calls[name].steps.Add(int64(blocks))
		if lanes < 1 || lanes > s.width || blocks < 1 || len(macs) != lanes*bulk.BlockSize || len(src) != (lanes-1)*stride+blocks*bulk.BlockSize {
			s.t.Errorf("%s: %d lanes of %d blocks, %d bytes apart, with %d and %d bytes", name, lanes, blocks, stride, len(macs), len(src))
		}
		f(k, macs, src, stride, lanes, blocks)
	}
}
