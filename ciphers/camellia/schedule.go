package camellia

import "encoding/binary"

// schedule is the subkeys in the order of their use, two words each, the high
// one first: kw1, kw2, k1 … k6, then for each further turn of six rounds a pair
// of ke and six of k, at last kw3 and kw4.
type schedule = [68]uint32

// turnWords is the number of words that a turn takes: two subkeys for FL and its
// inverse, or for the whitening that stands in their place at the beginning, and
// six for its rounds.
const turnWords = 2 * (2 + 6)

// sigma are the constants of RFC 3713, section 2.2: hexadecimal places 2 to 17
// of the square roots of 2, 3, 5, 7, 11 and 13.
var sigma = [6]uint64{
	0xa09e667f3bcc908b, 0xb67ae8584caa73b2, 0xc6ef372fe94f82be,
	0x54ff53a5f1d36f1c, 0x10e527fade682d1d, 0xb05688c2b3e6c1fd,
}

// material is the four 128-bit keys of RFC 3713, section 2.2, from which the
// subkeys are cut.
type material [4]struct{ hi, lo uint64 }

const (
	kl = iota
	kr
	ka
	kb
)

// part names 64 bits of one of the keys of material: those from bit shift on,
// counted from the most significant, in a circle.
type part struct{ key, shift uint8 }

// The subkeys in the order of their use. Where the RFC writes the halves of a
// key rotated by n, the high half is the bits from n on, the low one those
// from n + 64 on.
var (
	parts128 = []part{
		{kl, 0}, {kl, 64}, // kw1, kw2
		{ka, 0}, {ka, 64}, {kl, 15}, {kl, 79}, {ka, 15}, {ka, 79}, // k1 … k6
		{ka, 30}, {ka, 94}, // ke1, ke2
		{kl, 45}, {kl, 109}, {ka, 45}, {kl, 124}, {ka, 60}, {ka, 124}, // k7 … k12
		{kl, 77}, {kl, 13}, // ke3, ke4
		{kl, 94}, {kl, 30}, {ka, 94}, {ka, 30}, {kl, 111}, {kl, 47}, // k13 … k18
		{ka, 111}, {ka, 47}, // kw3, kw4
	}
	parts256 = []part{
		{kl, 0}, {kl, 64}, // kw1, kw2
		{kb, 0}, {kb, 64}, {kr, 15}, {kr, 79}, {ka, 15}, {ka, 79}, // k1 … k6
		{kr, 30}, {kr, 94}, // ke1, ke2
		{kb, 30}, {kb, 94}, {kl, 45}, {kl, 109}, {ka, 45}, {ka, 109}, // k7 … k12
		{kl, 60}, {kl, 124}, // ke3, ke4
		{kr, 60}, {kr, 124}, {kb, 60}, {kb, 124}, {kl, 77}, {kl, 13}, // k13 … k18
		{ka, 77}, {ka, 13}, // ke5, ke6
		{kr, 94}, {kr, 30}, {ka, 94}, {ka, 30}, {kl, 111}, {kl, 47}, // k19 … k24
		{kb, 111}, {kb, 47}, // kw3, kw4
	}
)

// subkeys are the n subkeys of each direction in the order of their use.
type subkeys struct {
	enc, dec [34]uint64
	n        int
}

// expand computes the subkeys of a key of 16, 24 or 32 bytes with an implementation
// of F (RFC 3713, sections 2.2 and 2.3.3).
func (s *subkeys) expand(f func(x uint64) uint64, key []byte) {
	var m material
	m.derive(f, key)
	parts := parts256
	if len(key) == 16 {
		parts = parts128
	}
	s.n = len(parts)
	for i, p := range parts {
		s.enc[i] = m.bits(p)
	}
	reverse(s.dec[:s.n], s.enc[:s.n])
	m = material{}
}

// rounds is their number: 18 or 24.
func (s *subkeys) rounds() int { return (s.n - 2) / 8 * 6 }

// derive sets KL and KR from key, then KA and, where KR is used, KB.
func (m *material) derive(f func(x uint64) uint64, key []byte) {
	m[kl].hi, m[kl].lo = binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])
	switch len(key) {
	case 24:
		m[kr].hi = binary.BigEndian.Uint64(key[16:])
		m[kr].lo = ^m[kr].hi
	case 32:
		m[kr].hi, m[kr].lo = binary.BigEndian.Uint64(key[16:]), binary.BigEndian.Uint64(key[24:])
	}

	// D1 and D2 are worked on in m, which is wiped. Variables would be saved on the
	// stack while f runs.
	k := &m[ka]
	k.hi, k.lo = m[kl].hi^m[kr].hi, m[kl].lo^m[kr].lo
	k.lo ^= f(k.hi ^ sigma[0])
	k.hi ^= f(k.lo ^ sigma[1])
	k.hi ^= m[kl].hi
	k.lo ^= m[kl].lo
	k.lo ^= f(k.hi ^ sigma[2])
	k.hi ^= f(k.lo ^ sigma[3])
	if len(key) > 16 {
		k = &m[kb]
		k.hi, k.lo = m[ka].hi^m[kr].hi, m[ka].lo^m[kr].lo
		k.lo ^= f(k.hi ^ sigma[4])
		k.hi ^= f(k.lo ^ sigma[5])
	}
	f(0) // takes the place of what assembly is given and gives on the stack
}

func (m *material) bits(p part) uint64 {
	hi, lo, n := m[p.key].hi, m[p.key].lo, p.shift
	if n >= 64 {
		hi, lo, n = lo, hi, n-64
	}
	return hi<<n | lo>>(64-n)
}

// reverse sets dec to the subkeys of enc in the order of decryption, which is
// backwards but for the two whitening keys at each end: kw3 and kw4 come first,
// kw1 and kw2 last.
func reverse(dec, enc []uint64) {
	for i := range enc {
		j := len(enc) - 1 - i
		if i < 2 || j < 2 {
			j ^= 1 // there is an even number: within the pair
		}
		dec[i] = enc[j]
	}
}
