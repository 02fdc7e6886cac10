package cryptotest

import (
	"fmt"
	"testing"

	"blkcrypt/aead"
	"blkcrypt/internal/bulk"
)

// watchedBlock is a key behind a spy, as package aead takes this module's ciphers.
type watchedBlock struct{ oneBlock }

func (b watchedBlock) BulkKey() *bulk.Key { return b.k }

// AEADKernels checks, on each tier of c, that the modes of package aead have the
// kernels for them do the work, of one message and of a batch, and that next to
// nothing is derived from plain encryption.
func AEADKernels(t *testing.T, c *bulk.Cipher) {
	for _, tier := range Runnable(c) {
		ctr32 := []string{"CTR32"}
		if tier.GCM != nil {
			ctr32 = []string{"GCM"}
		}
		for _, m := range []struct {
			mode       string
			seal, open []string // of these each works on every block
		}{
			{"gcm", ctr32, ctr32},
			{"ocb", []string{"OCBEncrypt"}, []string{"OCBDecrypt"}},
			{"ccm", []string{"CTR", "MACLanes"}, []string{"CTR", "MACLanes"}},
			{"eax", []string{"CTR", "MACLanes"}, []string{"CTR", "MACLanes"}},
		} {
			t.Run(fmt.Sprintf("%s/%s", m.mode, tier.Name), func(t *testing.T) {
				watched, spy := watch(t, c, tier)
				for _, name := range append(m.seal, m.open...) {
					switch has := spy.calls[name] != nil; {
					case !has && tier.Need == 0:
						return // it derives all
					case !has:
						t.Fatalf("the tier has no kernel %s", name)
					}
				}
				a, err := aead.New(m.mode, watchedBlock{oneBlock{newKey(t, watched, ruled(c.KeySizes[0], 1, 2, 3))}})
				if err != nil {
					t.Fatal(err)
				}
				for _, count := range []int{1, a.Lanes()} {
					watchedBatch(t, a, spy, count, max(tier.Width, tier.GCMWidth), m.seal, m.open)
				}
			})
		}
	}
}

// watchedBatch seals and opens messages of many groups and a rest.
func watchedBatch(t *testing.T, a *aead.AEAD, s *spy, count, group int, seal, open []string) {
	const groups = 32
	size := groups*group*bs + 5
	stride := size + a.Overhead()
	buf := make([]byte, count*stride)
	b := aead.Batch{Dst: buf, Src: buf, DstStride: stride, SrcStride: stride,
		Size: size, Count: count, Nonces: make([]byte, count*a.NonceSize())}
	check := func(doing string, kernels []string) {
		// The first group may be left to plain CTR; a rest of less than a group and
		// what nonce and tag take, to encryption.
		all, rest := count*groups*group, count*(group+8)
		for _, name := range kernels {
			if n := s.blocksOf(name); n < all-count*group || n > all+rest {
				t.Errorf("%s %d messages: kernel %s worked on %d blocks of %d", doing, count, name, n, all)
			}
		}
		if n := s.blocksOf("Encrypt") + s.blocksOf("Decrypt"); n > rest {
			t.Errorf("%s %d messages: %d blocks of %d were encrypted by themselves", doing, count, n, all)
		}
		if mac := s.calls["MACLanes"]; mac != nil && mac.steps.Load() > int64(groups*group*count/min(count, s.width)+20) {
			t.Errorf("%s %d messages: MACs took %d steps of %d blocks", doing, count, mac.steps.Load(), mac.blocks.Load())
		}
	}
	s.reset()
	a.SealBatch(&b)
	check("sealing", seal)
	s.reset()
	if bad := a.OpenBatch(&b); bad != -1 {
		t.Errorf("chunk %d does not open", bad)
	}
	check("opening", open)
}
