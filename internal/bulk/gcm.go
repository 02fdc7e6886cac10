package bulk

import "blkcrypt/internal/ghash"

// GCMState is the state of GCM within one message.
type GCMState struct {
	Hash    *ghash.Key
	Counter [BlockSize]byte // of the next block
	Sum     [BlockSize]byte // GHASH so far
}

// gcmPiece is how many bytes are hashed and encrypted in turns where there is no
// kernel for both: few enough to lie in the first-level cache from one to the
// other.
const gcmPiece = 1 << 14

// NewGCMHash returns the hash key of GCM (SP 800-38D, section 7.1, step 1), in the
// form that the kernel takes where the tier has one and the processor features
// suffice. The error is that of GHASH's self-test.
func (k *Key) NewGCMHash() (*ghash.Key, error) {
	tier := "" // the best
	if k.kern.GCM != nil && ghash.Has(k.features, k.kern.GCMHash) {
		tier = k.kern.GCMHash
	}
	var h [BlockSize]byte
	k.EncryptBlocks(h[:], h[:])
	hash := new(ghash.Key)
	err := hash.Init(&h, k.features, tier)
	clear(h[:])
	if err != nil {
		return nil, err
	}
	return hash, nil
}

// GCMGroup is the size in bytes of the groups that are hashed and encrypted at once,
// 0 if the tier has no kernel for that or hash is not in the form for it.
func (k *Key) GCMGroup(hash *ghash.Key) int {
	if k.kern.GCM == nil || hash.Tier() != k.kern.GCMHash {
		return 0
	}
	return k.kern.GCMWidth * BlockSize
}

// runGCM gives the kernel as many whole groups as src has, and returns what is left.
func (k *Key) runGCM(group int, s *GCMState, dst, src, hashed []byte) (restDst, restSrc, restHashed []byte) {
	for len(src) >= group {
		n := min(len(src), max(group, callBytes))
		n -= n % group
		k.kern.GCM(hide(k), hide(s), hideBytes(dst[:n]), hideBytes(src[:n]), hideBytes(hashed[:n]))
		dst, src, hashed = dst[n:], src[n:], hashed[n:]
	}
	return dst, src, hashed
}

// GCMEncrypt encrypts whole blocks and hashes the ciphertext (SP 800-38D, section
// 7.1, steps 3 and 5).
func (k *Key) GCMEncrypt(s *GCMState, dst, src []byte) {
	checkBlocks(dst, src)
	if group := k.GCMGroup(s.Hash); group > 0 && len(src) >= 2*group {
		// What the kernel hashes lies one group behind what it encrypts.
		k.CTR32(&s.Counter, dst[:group], src[:group])
		var hashed []byte
		dst, src, hashed = k.runGCM(group, s, dst[group:], src[group:], dst)
		s.Hash.Update(&s.Sum, hashed[:group])
	}
	for len(src) > 0 {
		n := min(len(src), gcmPiece)
		k.CTR32(&s.Counter, dst[:n], src[:n])
		s.Hash.Update(&s.Sum, dst[:n])
		dst, src = dst[n:], src[n:]
	}
}

// GCMDecrypt hashes whole blocks of ciphertext and decrypts them (SP 800-38D,
// section 7.2, steps 4 and 6). That they are authentic is known only when all of the
// message has been hashed.
func (k *Key) GCMDecrypt(s *GCMState, dst, src []byte) {
	checkBlocks(dst, src)
	if group := k.GCMGroup(s.Hash); group > 0 {
		dst, src, _ = k.runGCM(group, s, dst, src, src)
	}
	for len(src) > 0 {
		n := min(len(src), gcmPiece)
		s.Hash.Update(&s.Sum, src[:n])
		k.CTR32(&s.Counter, dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}
