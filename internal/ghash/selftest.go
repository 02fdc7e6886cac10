package ghash

// selfTest checks an implementation once a process.
func (t *tier) selfTest() error {
	return t.check.Get("ghash", t.name, func() string { return t.fault((*Key).update) })
}

// Test case 2 of "The Galois/Counter Mode of Operation" (McGrew and Viega, 2005), the
// proposal that SP 800-38D standardises: the subkey, the blocks and their hash.
var (
	knownKey    = [BlockSize]byte{0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b, 0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e}
	knownBlocks = [2 * BlockSize]byte{
		0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78,
		31: 0x80,
	}
	knownHash = [BlockSize]byte{0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc, 0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85}
)

// selfTestBlocks are numbers of blocks that take the widest implementation, whose
// groups are of 64, through its groups, whole registers behind them, and single
// blocks.
var selfTestBlocks = [...]int{1, 7, 12, 64 + 23, 2*64 + 1}

// fault names what t computes wrong, "" for nothing. It is held against a published
// hash and then, many blocks at once, against the portable implementation on one at
// a time. update is Key's.
func (t *tier) fault(update func(k *Key, y *[BlockSize]byte, blocks []byte)) string {
	k, reference := &Key{tier: t}, &Key{tier: tiers[len(tiers)-1]}
	k.init(timesT(&knownKey))
	reference.init(timesT(&knownKey))
	var y [BlockSize]byte
	if update(k, &y, knownBlocks[:]); y != knownHash {
		return "a published hash"
	}
	var src [(2*64 + 1) * BlockSize]byte
	for i := range src {
		src[i] = byte(i*i>>3 + i)
	}
	for _, n := range selfTestBlocks {
		want := y
		for b := src[:n*BlockSize]; len(b) > 0; b = b[BlockSize:] {
			reference.update(&want, b[:BlockSize])
		}
		if update(k, &y, src[:n*BlockSize]); y != want {
			return "the hash of many blocks"
		}
	}
	return ""
}
