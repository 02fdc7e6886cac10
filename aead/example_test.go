package aead_test

import (
	"crypto/rand"
	"errors"
	"fmt"

	"blkcrypt/aead"
	"blkcrypt/ciphers"
)

func Example() {
	key, nonce := make([]byte, 32), make([]byte, 12)
	rand.Read(key)
	rand.Read(nonce) // at most 2^32 of them under one key

	b, err := ciphers.New("camellia-256", key)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Wipe()
	a, err := aead.New("gcm", b)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Wipe()

	header := []byte("sent in the clear, but authenticated")
	sealed := a.Seal(nil, nonce, []byte("a message"), header)
	plain, err := a.Open(nil, nonce, sealed, header)
	fmt.Printf("%d bytes: %q, %v\n", len(sealed), plain, err)

	sealed[3] ^= 1
	_, err = a.Open(nil, nonce, sealed, header)
	fmt.Println(errors.Is(err, aead.ErrAuth), err)
	// Output:
	// 25 bytes: "a message", <nil>
	// true aead: message is not authentic
}

// A message worked on in its own memory, which has room for the tag.
func ExampleAEAD_Seal() {
	b, err := ciphers.New("sm4", []byte("sixteen byte key"))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := aead.NewOCB(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	nonce := []byte("twelve bytes")
	message := append(make([]byte, 0, 100), "no second buffer"...)

	sealed := a.Seal(message[:0], nonce, message, nil)
	fmt.Println(len(sealed), &sealed[0] == &message[0])
	plain, err := a.Open(sealed[:0], nonce, sealed, nil)
	fmt.Printf("%s %v\n", plain, err)
	// Output:
	// 32 true
	// no second buffer <nil>
}

// CCM as RFC 3610 has it in its first example: nonces of 13 bytes and tags of 8,
// which leaves messages of at most 65,535 bytes.
func ExampleWithNonceSize() {
	b, err := ciphers.New("aes", []byte("\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf"))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := aead.NewCCM(b, aead.WithNonceSize(13), aead.WithTagSize(8))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.NonceSize(), a.Overhead(), a.MaxSize())
	_, err = aead.NewCCM(b, aead.WithNonceSize(16))
	fmt.Println(err)
	// Output:
	// 13 8 65535
	// aead: ccm with nonces of 16 bytes, want 7 to 13
}

// Many chunks of one size in one call: CCM and EAX work them side by side, which is
// several times as fast. Each needs a nonce of its own.
func ExampleAEAD_SealBatch() {
	b, err := ciphers.New("aes-256", make([]byte, 32))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := aead.NewEAX(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	const size, count = 4096, 50
	plain := make([]byte, count*size)
	copy(plain[7*size:], "the eighth chunk")
	sealed := make([]byte, count*(size+a.Overhead()))
	nonces := make([]byte, count*a.NonceSize())
	for j := range count {
		nonces[(j+1)*a.NonceSize()-1] = byte(j)
	}

	seal := aead.Batch{
		Src: plain, SrcStride: size,
		Dst: sealed, DstStride: size + a.Overhead(),
		Size: size, Count: count, Nonces: nonces, AD: []byte("for all chunks"),
	}
	a.SealBatch(&seal)

	open := seal
	open.Src, open.SrcStride = sealed, seal.DstStride
	open.Dst, open.DstStride = make([]byte, len(plain)), size
	fmt.Println(a.OpenBatch(&open))
	fmt.Printf("%s\n", open.Dst[7*size:][:16])

	// The first chunk that is not authentic is named; it and those behind it are
	// cleared.
	sealed[20*open.SrcStride] ^= 1
	fmt.Println(a.OpenBatch(&open))
	// Output:
	// -1
	// the eighth chunk
	// 20
}
