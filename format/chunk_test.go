package format

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
)

const testEpoch = uint64(1) << (epochLog - minChunkLog) // chunks of an epoch

// reference seals one chunk from the words of the format alone.
func reference(t *testing.T, header, prk []byte, i uint64, plain []byte, last bool) []byte {
	t.Helper()
	info := append([]byte("blkcrypt/v1/payload"), header[8:14]...)
	info = binary.BigEndian.AppendUint64(info, i<<header[13]>>40)
	okm, err := hkdf.Expand(sha256.New, prk, string(info), 32+12)
	if err != nil {
		t.Fatal(err)
	}
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce[3:], i)
	if last {
		nonce[11] = 1
	}
	for j := range nonce {
		nonce[j] ^= okm[32+j]
	}
	block, err := aes.NewCipher(okm[:32])
	if err != nil {
		t.Fatal(err)
	}
	g, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return g.Seal(nil, nonce, plain, nil)
}

// at writes and reads a stream of n bytes that begins at chunk first.
func at(t *testing.T, first uint64, n, workers int) {
	t.Helper()
	k := testRing(t)
	o := small
	o.Workers = workers
	var buf bytes.Buffer
	w, err := newWriter(&buf, k, o, first)
	if err != nil {
		t.Fatal(err)
	}
	prk := bytes.Clone(w.line.p.prk)
	plain := pattern(n)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := buf.Bytes()
	header, body := file[:headerUnit], file[headerUnit:]
	for i := 0; len(body) > 0; i++ {
		chunk := plain[i*testChunk : min(n, (i+1)*testChunk)]
		want := reference(t, header, prk, first+uint64(i), chunk, (i+1)*testChunk >= n)
		if !bytes.Equal(body[:len(want)], want) {
			t.Fatalf("chunk %d of %d from %#x on is not what the format says", i, n, first)
		}
		body = body[len(want):]
	}
	r, err := newReader(bytes.NewReader(file), k, first, []ReadOption{WithWorkers(workers)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
		t.Fatalf("from %#x on: %v", first, err)
	}
	// Elsewhere the same chunks are refused.
	r, err = newReader(bytes.NewReader(file), k, first+1, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if kind := kindOf(err); kind != Damaged && kind != TooLarge {
		t.Errorf("at a wrong place: %v", err)
	}
	if len(got) > 0 {
		t.Errorf("%d bytes came out at a wrong place", len(got))
	}
}

// TestC08Counters: chunk numbers beyond 32 bits, and an epoch's change in the
// middle of a batch, at its edge, twice, and within a short stream.
func TestC08Counters(t *testing.T) {
	for _, first := range []uint64{0, 1<<16 - 3, 1<<20 - 2, 1<<24 - 2, 1<<31 - 2, 1<<32 - 2, 1<<40 - 2,
		testEpoch - 1, testEpoch - 16, testEpoch - 17, 2*testEpoch - 5, 17*testEpoch - 1} {
		for _, workers := range []int{1, 2} {
			t.Run(fmt.Sprintf("%#x/%d", first, workers), func(t *testing.T) {
				at(t, first, 40*testChunk+5, workers)
			})
		}
	}
	at(t, testEpoch-1, testChunk, 1)
	at(t, testEpoch, 1, 1)
}

// TestC09Limit: the last chunk of the largest file, and one byte more.
func TestC09Limit(t *testing.T) {
	const end = maxPlaintext / testChunk
	at(t, end-1, testChunk, 1)
	at(t, end-20, 20*testChunk, 2)
	at(t, end-3, 2*testChunk+1, 1)

	k := testRing(t)
	w, err := newWriter(io.Discard, k, small, end-2)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(pattern(2*testChunk + 1))
	wantKind(t, w.Close(), TooLarge)
	_, err = w.Write([]byte{1})
	wantKind(t, err, TooLarge)

	var buf bytes.Buffer
	if w, err = newWriter(&buf, k, small, 0); err != nil {
		t.Fatal(err)
	}
	w.Write(pattern(3 * testChunk))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := newReader(&buf, k, end-2, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if wantKind(t, err, TooLarge); len(got) > 0 {
		t.Errorf("%d bytes came out", len(got))
	}
	_, err = EncryptFile(new(sliceAt), nil, maxPlaintext+1, k, small)
	wantKind(t, err, TooLarge)
	if _, err = EncryptFile(new(sliceAt), nil, -1, k, small); err == nil {
		t.Error("encrypted a negative size")
	}
}

// Buffers of all workers together stay within the budget, and work goes on with
// at least one chunk at a time.
func TestPlan(t *testing.T) {
	for log := minChunkLog; log <= maxChunkLog; log++ {
		chunk := 1 << log
		for _, lanes := range []int{1, 4, 16, 32, 80} {
			for jobs := 1; jobs <= 200; jobs++ {
				n, batches := plan(chunk, lanes, jobs)
				if n < 1 || batches < 1 || batches > jobs || 2*n*chunk*batches > bufferBudget {
					t.Fatalf("2^%d, %d lanes, %d jobs: %d batches of %d", log, lanes, jobs, batches, n)
				}
				if jobs <= 3 && batches != jobs && log <= 22 {
					t.Fatalf("2^%d, %d lanes: %d batches of %d instead of %d", log, lanes, batches, n, jobs)
				}
				if lanes <= 32 && log <= 18 && n < lanes {
					t.Fatalf("2^%d, %d lanes: only %d chunks at once", log, lanes, n)
				}
			}
		}
	}
}
