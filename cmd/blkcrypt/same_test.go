package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/cryptotest"
)

// TestSameForAllJobs: from the same random bytes, enc makes the same file for
// every -j, from a file and from a stream. It runs in this process, for which the
// random bytes can be set, and so not beside other tests.
func TestSameForAllJobs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "k", string(bytes.Repeat([]byte{200}, 32)))
	plain := string(pattern(3<<20 + 777))
	write(t, dir, "f", plain)
	enc := func(name string, stdin, stdout *os.File, args ...string) []byte {
		t.Helper()
		cryptotest.SetGlobalRandom(t, 7)
		tool := &tool{stdin: stdin, stdout: stdout, stderr: os.Stderr, umask: 0o077}
		if err := tool.run(append([]string{"enc", "-k", filepath.Join(dir, "k")}, args...)); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, suite := range []string{"aes-256-gcm", "sm4-ccm"} {
		// A name for a temporary file is drawn for the first only.
		var want, wantStream []byte
		for _, jobs := range []string{"1", "2", "3", "16"} {
			name := fmt.Sprint(suite, jobs)
			got := enc(name, nil, nil, "-c", suite, "-j", jobs, "-o", filepath.Join(dir, name), filepath.Join(dir, "f"))
			in, err := os.Open(filepath.Join(dir, "f"))
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.Create(filepath.Join(dir, name+"s"))
			if err != nil {
				t.Fatal(err)
			}
			stream := enc(name+"s", in, out, "-c", suite, "-j", jobs)
			in.Close()
			out.Close()
			if want == nil {
				want, wantStream = got, stream
			}
			if !bytes.Equal(got, want) || !bytes.Equal(stream, wantStream) {
				t.Errorf("%s: -j %s makes another file", suite, jobs)
			}
		}
	}
}
