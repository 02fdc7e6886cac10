//go:build purego || !amd64

package ghash

var tiers = []*tier{{name: "generic", code: portable}}

const portable code = 0

type table struct{}

func (k *Key) init(high, low uint64) { k.generic.init(high, low) }

func (k *Key) update(y *[BlockSize]byte, blocks []byte) { k.generic.update(y, blocks) }
