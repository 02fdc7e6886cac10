package main

import (
	"fmt"
	"io"
)

var tcryptModes = []string{"ecb", "cbc", "ctr", "lrw", "xts"}

// tcryptSizes are those of Linux's crypto/tcrypt.c for block ciphers.
var tcryptSizes = []int{16, 64, 256, 1024, 8192}

// tcryptJobs lists what tcrypt shows: for each cipher, mode and direction all key
// sizes and, with each, all message sizes.
func tcryptJobs(cs []choice, h hardware, o *speedOptions) (jobs []job) {
	for i := 0; i < len(cs); {
		end := i + 1
		for end < len(cs) && cs[end].cipher == cs[i].cipher {
			end++
		}
		for _, mode := range tcryptModes {
			for _, op := range []string{"enc", "dec"} {
				for _, c := range cs[i:end] {
					if c.mode != mode {
						continue
					}
					for _, n := range tcryptSizes {
						jobs = append(jobs, job{h.subjects(c, false)[0], op, false, n})
					}
				}
			}
		}
		i = end
	}
	return jobs
}

// tcrypt is the layout of that module's messages.
type tcrypt struct {
	w      io.Writer
	inside string
	number int
}

func (t *tcrypt) begin(m *machine) { m.print(t.w) }

func (t *tcrypt) add(r *row) {
	op := map[string]string{"enc": "encryption", "dec": "decryption"}[r.Op]
	name := fmt.Sprintf("%s(%s) (%[1]s-%[2]s-%s) %s", r.Mode, r.Cipher, r.Tier, op)
	if name != t.inside {
		t.inside, t.number = name, 0
		fmt.Fprintf(t.w, "\ntesting speed of %s\n", name)
	}
	// Linux counts the tweak's key in.
	bits := r.KeyBits
	switch r.Mode {
	case "xts":
		bits *= 2
	case "lrw":
		bits += 128
	}
	fmt.Fprintf(t.w, "test %d (%d bit key, %d byte blocks): 1 operation in %.0f cycles (%[3]d bytes)%[5]s\n",
		t.number, bits, *r.Bytes, r.cyclesPerCall(), t.mark(r))
	t.number++
}

func (t *tcrypt) mark(r *row) string {
	if !r.Steady {
		return "  at " + r.clock() + " MHz"
	}
	return r.remark()
}

func (t *tcrypt) end() {}
