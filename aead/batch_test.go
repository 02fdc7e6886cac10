package aead_test

import (
	"bytes"
	"testing"

	"blkcrypt/aead"
)

// Batches with all sizes of nonces and tags, against Seal: the suites do the
// usual ones in every layout.
func TestBatchSizes(t *testing.T) {
	r := newRand()
	b := newBlock(t, "sm4", random(r, 16))
	for mode, s := range sizes {
		for i, nonceSize := range s.nonces {
			tag := s.tags[i%len(s.tags)]
			a := newTestAEAD(t, mode, b, aead.WithNonceSize(nonceSize), aead.WithTagSize(tag))
			for _, size := range []int{0, 16, 41} {
				count := a.Lanes() + 3
				nonces, plain, ad := random(r, count*nonceSize), random(r, count*size), random(r, 30)
				var want []byte
				for j := range count {
					want = a.Seal(want, nonces[j*nonceSize:][:nonceSize], plain[j*size:][:size], ad)
				}
				sealed, opened := make([]byte, len(want)), make([]byte, len(plain))
				a.SealBatch(&aead.Batch{Dst: sealed, DstStride: size + tag, Src: plain, SrcStride: size,
					Size: size, Count: count, Nonces: nonces, AD: ad})
				if !bytes.Equal(sealed, want) {
					t.Errorf("%s, nonces of %d bytes, tags of %d: %d bytes sealed otherwise than one by one", mode, nonceSize, tag, size)
				}
				bad := a.OpenBatch(&aead.Batch{Dst: opened, DstStride: size, Src: sealed, SrcStride: size + tag,
					Size: size, Count: count, Nonces: nonces, AD: ad})
				if bad != -1 || !bytes.Equal(opened, plain) {
					t.Errorf("%s, nonces of %d bytes, tags of %d: chunk %d of %d bytes is bad", mode, nonceSize, tag, bad, size)
				}
			}
		}
	}
}

// Chunks of no bytes at a stride that would ask for slots.
func TestBatchOfNothing(t *testing.T) {
	for _, mode := range modes {
		a := newTestAEAD(t, mode, newBlock(t, "aes128", make([]byte, 16)))
		const count, stride = 70, 4096
		sealed, nonces := make([]byte, count*stride), make([]byte, count*12)
		a.SealBatch(&aead.Batch{Dst: sealed, DstStride: stride, Count: count, Nonces: nonces})
		for j := range count {
			if want := a.Seal(nil, nonces[:12], nil, nil); !bytes.Equal(sealed[j*stride:][:16], want) {
				t.Errorf("%s: chunk %d is %x, want %x", mode, j, sealed[j*stride:][:16], want)
			}
		}
		if bad := a.OpenBatch(&aead.Batch{Src: sealed, SrcStride: stride, Count: count, Nonces: nonces}); bad != -1 {
			t.Errorf("%s: chunk %d does not open", mode, bad)
		}
	}
}

// The strides of one chunk are of no use, but negative ones are a mistake.
func TestBatchOfOne(t *testing.T) {
	for _, mode := range modes {
		a := newTestAEAD(t, mode, newBlock(t, "aes128", make([]byte, 16)))
		buf := make([]byte, 80)
		b := aead.Batch{Dst: buf, Src: buf, Size: 64, Count: 1, Nonces: make([]byte, 12)}
		a.SealBatch(&b)
		if bad := a.OpenBatch(&b); bad != -1 || !allZero(buf[:64]) {
			t.Errorf("%s: without strides: chunk %d is bad", mode, bad)
		}
		b.SrcStride = -1
		mustPanic(t, "stride too small", func() { a.SealBatch(&b) })
		mustPanic(t, "stride too small", func() { a.OpenBatch(&b) })
	}
}

func TestLanes(t *testing.T) {
	for _, mode := range modes {
		a := newTestAEAD(t, mode, foreignAES(t, make([]byte, 16)))
		if got, serial := a.Lanes(), mode == "eax" || mode == "ccm"; got < 1 || got > 1 != serial {
			t.Errorf("%s: %d lanes", mode, got)
		}
	}
}
