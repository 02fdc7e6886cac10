package ciphers_test

import (
	"fmt"

	"blkcrypt/ciphers"
)

// The first example of GB/T 32907-2016, appendix A.
func ExampleNew() {
	key := []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10")
	b, err := ciphers.New("sm4", key)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Wipe()
	text := make([]byte, ciphers.BlockSize)
	b.Encrypt(text, key) // one block; it equals the key there
	fmt.Printf("%x\n", text)
	// Output: 681edf34d206965e86b3e94f536e4246
}

// The tier that reads tables, instead of the fastest that the processor runs.
func ExampleWithTier() {
	b, err := ciphers.New("aes-256", make([]byte, 32), ciphers.WithTier("generic"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Name(), b.Tier())
	// Output: aes-256 generic
}

// As on a processor that lacks a feature, and with it all that builds on it.
func ExampleWithout() {
	b, err := ciphers.New("sm4", make([]byte, 16), ciphers.Without("intel-avx", "arm-neon"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Name(), b.Tier())
	// Output: sm4 generic
}

func ExampleList() {
	for _, c := range ciphers.List() {
		fmt.Println(c.Name, c.KeySizes)
	}
	// Output:
	// aes [16 24 32]
	// camellia [16 24 32]
	// sm4 [16]
}
