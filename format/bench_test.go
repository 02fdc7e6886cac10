package format

import (
	"bytes"
	"io"
	"testing"
)

type fixedAt struct{ b []byte }

func (f *fixedAt) WriteAt(p []byte, off int64) (int, error) { return copy(f.b[off:], p), nil }

// BenchmarkSmallFiles is what a file of 4 KiB costs beside its system calls.
func BenchmarkSmallFiles(b *testing.B) {
	k := testRing(b)
	plain := pattern(4096)
	for _, s := range []Suite{DefaultSuite(), {3, 16, 2}, {2, 32, 4}} {
		o := Options{Suite: s}
		file := encrypt(b, k, o, plain)
		dst := &fixedAt{make([]byte, 8192)}
		b.Run(s.String()+"/EncryptFile", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := EncryptFile(dst, bytes.NewReader(plain), 4096, k, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.String()+"/DecryptFile", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecryptFile(dst, bytes.NewReader(file), int64(len(file)), k); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.String()+"/Writer", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, err := NewWriter(io.Discard, k, o)
				if err != nil {
					b.Fatal(err)
				}
				w.Write(plain)
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(s.String()+"/Reader", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(file), k)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
