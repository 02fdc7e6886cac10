package format_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"blkcrypt/format"
)

// exampleFile encrypts text under a key file.
func exampleFile(text string) (*format.Keyring, []byte) {
	line, err := format.GenerateKeyFile()
	if err != nil {
		log.Fatal(err)
	}
	key, err := format.ParseKeyFile(line)
	if err != nil {
		log.Fatal(err)
	}
	k := format.NewKeyring(key)
	var file bytes.Buffer
	w, err := format.NewWriter(&file, k, format.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return k, file.Bytes()
}

func ExampleNewWriter() {
	secret, err := format.NewPassphrase([]byte("correct horse battery staple"))
	if err != nil {
		log.Fatal(err)
	}
	k := format.NewKeyring(secret)
	defer k.Wipe()
	suite, err := format.ParseSuite("sm4-ocb")
	if err != nil {
		log.Fatal(err)
	}

	var file bytes.Buffer
	w, err := format.NewWriter(&file, k, format.Options{Suite: suite, LogN: 10})
	if err != nil {
		log.Fatal(err)
	}
	// Without Close the file lacks its end. Where the source fails, it must.
	defer w.Abort()
	if _, err := io.Copy(w, strings.NewReader("Attack at dawn.")); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	// Output: 543 bytes
}

func ExampleNewReader() {
	k, file := exampleFile("Attack at dawn.\n")
	defer k.Wipe()

	r, err := format.NewReader(bytes.NewReader(file), k)
	if err != nil {
		log.Fatal(err) // a wrong key, not a blkcrypt file, …
	}
	defer r.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, r); err != nil {
		log.Fatal(err) // what came out is authentic, but not all there was
	}
	fmt.Print(text.String())
	// Output: Attack at dawn.
}

func ExampleNewReaderAt() {
	k, file := exampleFile("The quick brown fox jumps over the lazy dog.")
	defer k.Wipe()

	r, err := format.NewReaderAt(bytes.NewReader(file), int64(len(file)), k)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	// A SectionReader reads and seeks.
	s := io.NewSectionReader(r, 0, r.Size())
	if _, err := s.Seek(-9, io.SeekEnd); err != nil {
		log.Fatal(err)
	}
	end, err := io.ReadAll(s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q of %d bytes\n", end, r.Size())
	// Output: "lazy dog." of 44 bytes
}

// A web server that answers requests for ranges of an encrypted file. One
// ReaderAt serves any number of requests at once.
func ExampleNewReaderAt_serveContent() {
	k, file := exampleFile("The quick brown fox jumps over the lazy dog.")
	defer k.Wipe()

	r, err := format.NewReaderAt(bytes.NewReader(file), int64(len(file)), k)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	handler := func(w http.ResponseWriter, req *http.Request) {
		http.ServeContent(w, req, "fox.txt", time.Time{}, io.NewSectionReader(r, 0, r.Size()))
	}

	req := httptest.NewRequest("GET", "/fox.txt", nil)
	req.Header.Set("Range", "bytes=10-18")
	answer := httptest.NewRecorder()
	handler(answer, req)
	fmt.Println(answer.Code, answer.Body, answer.Header().Get("Content-Range"))
	// Output: 206 brown fox bytes 10-18/44
}

func ExampleNewEditor() {
	k, file := exampleFile("text")
	defer k.Wipe()

	e, err := format.NewEditor(bytes.NewReader(file), k)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	secret, err := format.NewPassphrase([]byte("correct horse battery staple"))
	if err != nil {
		log.Fatal(err)
	}
	if err := e.Add(secret, 10); err != nil {
		log.Fatal(err)
	}
	// On disk, e.Rewrite does the rest.
	header, moved, err := e.Header()
	if err != nil {
		log.Fatal(err)
	}
	file = append(header, file[e.Info().HeaderSize:]...)
	i, err := format.ReadInfo(bytes.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(moved, i.Slots[0].Kind, i.Slots[1].Kind)
	// Output: false key file passphrase
}
