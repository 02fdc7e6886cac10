package modes_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"blkcrypt/ciphers/modes"
	"blkcrypt/internal/cryptotest"
)

// slowXTS encrypts a data unit by the words of IEEE 1619-2018, section 5.3, or
// GB/T 17964-2021, one byte at a time.
func slowXTS(data, tweak cipher.Block, iv [16]byte, gb bool, src []byte) []byte {
	var t [16]byte
	tweak.Encrypt(t[:], iv[:])
	block := func(p []byte) (c []byte) {
		c = make([]byte, 16)
		for i := range c {
			c[i] = p[i] ^ t[i]
		}
		data.Encrypt(c, c)
		for i := range c {
			c[i] ^= t[i]
		}
		var carry byte
		if gb {
			for i := range t {
				t[i], carry = t[i]>>1|carry<<7, t[i]&1
			}
			t[0] ^= carry * 0xe1
		} else {
			for i := range t {
				t[i], carry = t[i]<<1|carry, t[i]>>7
			}
			t[0] ^= carry * 0x87
		}
		return c
	}
	var out []byte
	for len(src) >= 16 {
		out = append(out, block(src)...)
		src = src[16:]
	}
	if n := len(src); n > 0 {
		last := out[len(out)-16:]
		stolen := append(bytes.Clone(src), last[n:]...)
		out = append(out[:len(out)-16], append(block(stolen), last[:n]...)...)
	}
	return out
}

func TestXTSLengths(t *testing.T) {
	// Every length around the ends of blocks, then around the widths and buffers.
	var lengths []int
	for n := 16; n <= 150; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range []int{256, 512, 1280, 2048, 4096} {
		lengths = append(lengths, n-16, n-1, n, n+1, n+15, n+16, n+31)
	}
	key, iv := random(1, 32), [16]byte(random(2, 16))
	var ref [2]cipher.Block
	for i := range ref {
		var err error
		if ref[i], err = aes.NewCipher(key[16*i : 16*i+16]); err != nil {
			t.Fatal(err)
		}
	}
	in, out := cryptotest.NewFence(t, 8192), cryptotest.NewFence(t, 8192)
	for tier, m := range makers(t, "aes") {
		for _, gb := range []bool{false, true} {
			var options []modes.XTSOption
			if gb {
				options = append(options, modes.GBTweaks())
			}
			x, err := modes.NewXTS(m, key, options...)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 4 * len(lengths) {
				n := lengths[i/4]
				plain := random(byte(n), n)
				want := slowXTS(ref[0], ref[1], iv, gb, plain)
				src, dst := in.Either(i, n), out.Either(i/2, n)
				check := func(what string, got, want []byte) {
					t.Helper()
					if !bytes.Equal(got, want) {
						t.Fatalf("%s, %s of %d bytes, GB %v: got\n%x, want\n%x", tier, what, n, gb, got, want)
					}
				}
				copy(src, plain)
				x.Encrypt(dst, src, iv)
				check("encryption", dst, want)
				check("the input of encryption", src, plain)
				x.Encrypt(src, src, iv)
				check("encryption in place", src, want)
				x.Decrypt(dst, src, iv)
				check("decryption", dst, plain)
				check("the input of decryption", src, want)
				x.Decrypt(src, src, iv)
				check("decryption in place", src, plain)
			}
		}
	}
}

func TestXTSLimits(t *testing.T) {
	x, err := modes.NewXTS(makers(t, "aes")["generic"], random(1, 32))
	if err != nil {
		t.Fatal(err)
	}
	big := make([]byte, modes.MaxUnit+1)
	for _, crypt := range []func(dst, src []byte, tweak [16]byte){x.Encrypt, x.Decrypt} {
		for _, n := range []int{0, 1, 15, modes.MaxUnit + 1} {
			if !panics(func() { crypt(big[:n], big[:n], [16]byte{}) }) {
				t.Errorf("takes a data unit of %d bytes", n)
			}
		}
		for what, args := range map[string][2][]byte{
			"a dst too short": {big[:31:31], big[64:96]},
			"dst behind src":  {big[1:33], big[:32]},
			"dst before src":  {big[:64], big[16:48]},
		} {
			if !panics(func() { crypt(args[0], args[1], [16]byte{}) }) {
				t.Errorf("takes %s", what)
			}
		}
		crypt(big[:40], big[:17], [16]byte{}) // dst is longer
	}
	// Over a cipher that does nothing, so does XTS.
	x, err = modes.NewXTS(func([]byte) (cipher.Block, error) { return identity{}, nil }, random(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	copy(big, random(2, 1000))
	unit := big[:modes.MaxUnit]
	want := bytes.Clone(unit)
	if x.Encrypt(unit, unit, [16]byte{1}); !bytes.Equal(unit, want) {
		t.Error("a data unit of 2^20 blocks comes out wrong")
	}
}

type identity struct{}

func (identity) BlockSize() int          { return 16 }
func (identity) Encrypt(dst, src []byte) { copy(dst[:16], src[:16]) }
func (identity) Decrypt(dst, src []byte) { copy(dst[:16], src[:16]) }

func TestXTSKeys(t *testing.T) {
	m := makers(t, "aes")["generic"]
	equal := append(random(1, 16), random(1, 16)...)
	if _, err := modes.NewXTS(m, equal); !errors.Is(err, modes.ErrEqualKeys) || !strings.HasPrefix(err.Error(), "modes: ") {
		t.Errorf("equal halves: error %v", err)
	}
	if _, err := modes.NewXTS(m, equal, modes.AllowEqualKeys()); err != nil {
		t.Errorf("equal halves, allowed: %v", err)
	}
	for _, n := range []int{0, 1, 16, 31, 33, 40, 63, 65, 96} {
		if _, err := modes.NewXTS(m, random(2, n)); err == nil || !strings.HasPrefix(err.Error(), "modes: ") {
			t.Errorf("key of %d bytes: error %v", n, err)
		}
	}
	for _, n := range []int{32, 48, 64} {
		if _, err := modes.NewXTS(m, random(2, n)); err != nil {
			t.Errorf("key of %d bytes: %v", n, err)
		}
	}
	mine := errors.New("mine")
	for calls := range 2 {
		left := calls
		_, err := modes.NewXTS(func(key []byte) (cipher.Block, error) {
			if left--; left < 0 {
				return nil, mine
			}
			return m(key)
		}, random(3, 32))
		if !errors.Is(err, mine) {
			t.Errorf("call %d of newCipher fails: error %v", calls, err)
		}
	}
	if _, err := modes.NewXTS(func([]byte) (cipher.Block, error) { return size8{}, nil }, random(3, 32)); err == nil {
		t.Error("a cipher with blocks of 8 bytes is taken")
	}
}

func TestTweaks(t *testing.T) {
	if got := modes.SectorTweak(0x123456789a); fmt.Sprintf("%x", got) != "9a785634120000000000000000000000" { // IEEE 1619, section 5.1
		t.Errorf("sector tweak %x", got)
	}
	if got := modes.BlockIndex(0x123456789a); fmt.Sprintf("%x", got) != "0000000000000000000000123456789a" {
		t.Errorf("block index %x", got)
	}
}

func TestLRWKeys(t *testing.T) {
	m := makers(t, "aes")["generic"]
	for _, n := range []int{0, 15, 16, 17, 31, 33, 64} {
		if _, err := modes.NewLRW(m, random(2, n)); err == nil || !strings.HasPrefix(err.Error(), "modes: ") {
			t.Errorf("key of %d bytes: error %v", n, err)
		}
	}
	if _, err := modes.NewLRW(func([]byte) (cipher.Block, error) { return identity{}, nil }, random(3, 16)); err == nil {
		t.Error("a tweak key without a cipher's is taken")
	}
	if _, err := modes.NewLRW(func([]byte) (cipher.Block, error) { return size8{}, nil }, random(3, 32)); err == nil {
		t.Error("a cipher with blocks of 8 bytes is taken")
	}
	l, err := modes.NewLRW(m, random(2, 48))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 80)
	for _, crypt := range []func(dst, src []byte, index [16]byte){l.Encrypt, l.Decrypt} {
		for what, args := range map[string][2][]byte{
			"part of a block": {buf[:17], buf[:17]},
			"a dst too short": {buf[:16:16], buf[32:64]},
			"dst behind src":  {buf[1:33], buf[:32]},
		} {
			if !panics(func() { crypt(args[0], args[1], [16]byte{}) }) {
				t.Errorf("LRW takes %s", what)
			}
		}
		crypt(buf, buf[:32], [16]byte{}) // in place, dst is longer
		crypt(nil, nil, [16]byte{})
	}
}

// TestLRWPieces numbers the blocks alike however they are cut, over the carry
// from the low half and the end of the numbers. (What a tweak is, package bulk
// tests.)
func TestLRWPieces(t *testing.T) {
	for tier, m := range makers(t, "sm4") {
		l, err := modes.NewLRW(m, random(4, 32))
		if err != nil {
			t.Fatal(err)
		}
		for _, start := range [][]byte{make([]byte, 16), bytes.Repeat([]byte{0xff}, 16), append(random(5, 8), bytes.Repeat([]byte{0xff}, 8)...)} {
			index := [16]byte(start)
			index[15] &= 0xf0
			src := random(6, 40*16)
			want := make([]byte, len(src))
			l.Encrypt(want, src, index)
			got := bytes.Clone(src)
			for b := got; len(b) > 0; b = b[16:] {
				l.Encrypt(b[:16], b[:16], index)
				for i := 15; i >= 0; i-- {
					if index[i]++; index[i] != 0 {
						break
					}
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: block by block from %x: another result", tier, start)
			}
			index = [16]byte(start)
			index[15] &= 0xf0
			if l.Decrypt(got, got, index); !bytes.Equal(got, src) {
				t.Errorf("%s: from %x: decrypted to another text", tier, start)
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	for tier, m := range makers(t, "camellia") {
		x, err := modes.NewXTS(m, random(1, 64))
		if err != nil {
			t.Fatal(err)
		}
		l, err := modes.NewLRW(m, random(1, 48))
		if err != nil {
			t.Fatal(err)
		}
		b := must(t, m, random(1, 32))
		ecb, undo := modes.NewECBEncrypter(b), modes.NewECBDecrypter(b)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				text := random(byte(i), 3000)
				got := bytes.Clone(text)
				x.Encrypt(got, got, modes.SectorTweak(uint64(i)))
				l.Encrypt(got[:2992], got[:2992], modes.BlockIndex(uint64(i)))
				l.Decrypt(got[:2992], got[:2992], modes.BlockIndex(uint64(i)))
				x.Decrypt(got, got, modes.SectorTweak(uint64(i)))
				ecb.CryptBlocks(got[:2992], got[:2992])
				undo.CryptBlocks(got[:2992], got[:2992])
				if !bytes.Equal(got, text) {
					t.Errorf("%s: a text does not come back", tier)
				}
			})
		}
		wg.Wait()
	}
}
