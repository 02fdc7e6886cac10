package modes_test

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"

	"blkcrypt/ciphers"
	"blkcrypt/ciphers/modes"
)

// CTR gives confidentiality only: whoever can change the message can flip any bit
// of the plaintext.
func ExampleNewCTR() {
	key := make([]byte, 32)
	iv := make([]byte, modes.BlockSize)
	rand.Read(key)
	rand.Read(iv)

	block, err := ciphers.New("camellia", key)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer block.Wipe()

	message := []byte("any number of bytes, in any number of pieces")
	text := make([]byte, len(message))
	enc := modes.NewCTR(block, iv)
	enc.XORKeyStream(text, message[:5])
	enc.XORKeyStream(text[5:], message[5:])

	plain := make([]byte, len(text))
	modes.NewCTR(block, iv).XORKeyStream(plain, text)
	fmt.Println(bytes.Equal(plain, message))
	// Output: true
}

// CBC takes whole blocks; padding is the caller's business.
func ExampleNewCBCDecrypter() {
	// The first vector of draft-ribose-cfrg-sm4-10 for SM4-CBC.
	key := []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10")
	text := []byte("\x26\x77\xf4\x6b\x09\xc1\x22\xcc\x97\x55\x33\x10\x5b\xd4\xa2\x2a")

	block, err := ciphers.New("sm4", key)
	if err != nil {
		fmt.Println(err)
		return
	}
	modes.NewCBCDecrypter(block, key).CryptBlocks(text, text) // the IV equals the key there
	fmt.Printf("%x\n", text)
	// Output: 0123456789abcdeffedcba9876543210
}

// XTS encrypts the sectors of a disk in place.
func ExampleXTS() {
	key := make([]byte, 64) // two keys of AES-256
	rand.Read(key)
	newAES := func(key []byte) (cipher.Block, error) { return ciphers.New("aes-256", key) }
	x, err := modes.NewXTS(newAES, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Wipe()

	const sectorSize = 512
	disk := make([]byte, 8*sectorSize)
	for n := range 8 {
		sector := disk[n*sectorSize:][:sectorSize]
		x.Encrypt(sector, sector, modes.SectorTweak(uint64(n)))
	}
	fmt.Println(bytes.Equal(disk[:sectorSize], disk[sectorSize:2*sectorSize]))

	sector := disk[3*sectorSize:][:sectorSize]
	x.Decrypt(sector, sector, modes.SectorTweak(3))
	fmt.Println(bytes.Equal(sector, make([]byte, sectorSize)))
	// Output:
	// false
	// true
}

// A unit that is not whole blocks keeps its length.
func ExampleXTS_Encrypt() {
	newSM4 := func(key []byte) (cipher.Block, error) { return ciphers.New("sm4", key) }
	x, err := modes.NewXTS(newSM4, []byte("0123456789abcdefFEDCBA9876543210"), modes.GBTweaks())
	if err != nil {
		fmt.Println(err)
		return
	}
	unit := []byte("seventeen bytes!!")
	x.Encrypt(unit, unit, modes.SectorTweak(0))
	fmt.Println(len(unit))
	x.Decrypt(unit, unit, modes.SectorTweak(0))
	fmt.Printf("%s\n", unit)
	// Output:
	// 17
	// seventeen bytes!!
}

// LRW numbers the blocks of a volume.
func ExampleLRW() {
	newAES := func(key []byte) (cipher.Block, error) { return ciphers.New("aes", key) }
	key := []byte("0123456789abcdef" + "the tweak's key.")
	l, err := modes.NewLRW(newAES, key)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Wipe()

	volume := bytes.Repeat([]byte("sixteen bytes..."), 100)
	l.Encrypt(volume, volume, modes.BlockIndex(1))

	// Block 42 alone.
	block := volume[41*modes.BlockSize:][:modes.BlockSize]
	l.Decrypt(block, block, modes.BlockIndex(42))
	fmt.Printf("%s\n", block)
	// Output: sixteen bytes...
}
