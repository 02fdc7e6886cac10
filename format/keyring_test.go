package format

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"
)

// setLogN changes the cost in the first slot of a file.
func setLogN(file []byte, logN byte) {
	file[atScrypt+3] = logN
	fixChecksum(file)
}

// TestC11CostRefused: a dear header is refused before the first run. A run of
// these costs would take gigabytes, and no test that long.
func TestC11CostRefused(t *testing.T) {
	pass := passphrase(t, "x")
	file := encrypt(t, NewKeyring(pass), small, nil)
	for _, logN := range []byte{0, 1, 9, 23, 25, 31, 63, 64, 255} {
		setLogN(file, logN)
		wantKind(t, openErr(NewKeyring(pass), file), Malformed)
	}
	for _, at := range []int{4, 5} {
		for _, v := range []byte{0, 2, 9, 255} {
			bad := bytes.Clone(file)
			setLogN(bad, testLogN)
			bad[atScrypt+at] = v
			fixChecksum(bad)
			wantKind(t, openErr(NewKeyring(pass), bad), Malformed)
		}
	}
	for _, logN := range []byte{21, 22} {
		setLogN(file, logN)
		k := NewKeyring(pass)
		e := wantKind(t, openErr(k, file), Cost)
		if e.Work != 1<<logN || e.Memory != 1<<(logN+10) || len(k.roots) > 0 {
			t.Errorf("%+v, %d runs", e, len(k.roots))
		}
		if s := e.Error(); !strings.Contains(s, "2^"+string('0'+logN/10)+string('0'+logN%10)) || !strings.Contains(s, "MiB") {
			t.Errorf("text %q", s)
		}
		k.MaxWork = 1<<logN - 1
		wantKind(t, openErr(k, file), Cost)
	}
	// A key file does not ask for it.
	both := NewKeyring(keyFile(t, 1), pass)
	file = encrypt(t, both, small, nil)
	file[fixedSize+keyFileContext+slotTail+3] = 22
	fixChecksum(file)
	wantKind(t, openErr(testRing(t), file), Tampered)
}

// The sum over slots and passphrases counts, equal runs once.
func TestC11CostSum(t *testing.T) {
	var all []*Secret
	for i := range 16 {
		all = append(all, passphrase(t, strings.Repeat("x", i+1)))
	}
	k := NewKeyring(all...)
	file := encrypt(t, k, small, pattern(10))
	one := NewKeyring(all[15])
	one.MaxWork = 16 << testLogN
	if err := openErr(one, file); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	one.MaxWork--
	e := wantKind(t, openErr(one, file), Cost)
	if e.Work != 16<<testLogN || e.Limit != one.MaxWork || e.Memory != 1<<(testLogN+10) {
		t.Errorf("%+v", e)
	}
	two := NewKeyring(all[14], all[15])
	two.MaxWork = 32<<testLogN - 1
	wantKind(t, openErr(two, file), Cost)

	// The same salt and cost in two slots is one run.
	for i := range 15 {
		slot := fixedSize + i*(scryptContext+slotTail)
		copy(file[slot+6:][:saltSize], file[fixedSize+15*(scryptContext+slotTail)+6:])
	}
	fixChecksum(file)
	one.MaxWork = 1 << testLogN
	one.roots = map[rootID]*[fileKeySize]byte{}
	wantKind(t, openErr(one, file), Tampered)
	if len(one.roots) != 1 {
		t.Errorf("%d runs", len(one.roots))
	}
	// The default holds 16 slots of the default cost.
	if 16<<DefaultLogN != DefaultMaxWork {
		t.Error("a file of 16 passphrases would need the flag")
	}
}

// TestE04OneRunForManyFiles counts the roots that a keyring had to make.
func TestE04OneRunForManyFiles(t *testing.T) {
	k := NewKeyring(passphrase(t, "x"))
	var files [][]byte
	for range 5 {
		files = append(files, encrypt(t, k, small, pattern(10)))
	}
	reader := NewKeyring(passphrase(t, "x"))
	var all sync.WaitGroup
	for _, f := range files {
		all.Go(func() {
			if err := openErr(reader, f); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(k.roots) != 1 || len(reader.roots) != 1 {
		t.Errorf("%d runs to write, %d to read", len(k.roots), len(reader.roots))
	}
}

func TestKeyringWipe(t *testing.T) {
	s := passphrase(t, "secret")
	k := NewKeyring(s, passphrase(t, "secret"), keyFile(t, 1))
	if len(k.secrets) != 2 {
		t.Errorf("%d secrets, want equal ones once", len(k.secrets))
	}
	encrypt(t, k, small, nil)
	var root *[fileKeySize]byte
	for _, root = range k.roots {
	}
	k.Wipe()
	if !zero(s.data[:cap(s.data)]) || root == nil || !zero(root[:]) {
		t.Error("a secret is left")
	}
}

func TestOptions(t *testing.T) {
	k := testRing(t)
	for _, o := range []Options{{ChunkLog: 11}, {ChunkLog: 24}, {ChunkLog: -1}, {LogN: 9}, {LogN: 23}, {LogN: -1},
		{Suite: Suite{9, 9, 9}}, {Suite: Suite{3, 32, 1}}} {
		var out bytes.Buffer
		if _, err := NewWriter(&out, k, o); err == nil || out.Len() > 0 {
			t.Errorf("%+v: no error", o)
		}
		if _, err := EncryptFile(new(sliceAt), bytes.NewReader(nil), 0, k, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	file := encrypt(t, k, Options{}, nil)
	if !bytes.Equal(file[9:14], []byte{1, 32, 1, 1, 16}) {
		t.Errorf("defaults %v", file[9:14])
	}
	var many []*Secret
	for i := range maxSlots + 1 {
		many = append(many, keyFile(t, byte(i)))
	}
	if _, err := NewWriter(new(bytes.Buffer), NewKeyring(many...), small); err == nil {
		t.Error("wrote 17 slots")
	}
}

func TestErrorText(t *testing.T) {
	for k := NotBlkcrypt; k <= TooLarge; k++ {
		e := &Error{Kind: k, Work: 1 << 22, Limit: 1 << 20, Memory: 1 << 32}
		if s := e.Error(); s == k.String() || strings.ContainsAny(s, "\n") || s[0] < 'a' || s[0] > 'z' {
			t.Errorf("%v: %q", k, s)
		}
	}
	if s := Kind(math.MaxInt32).String(); s != "kind(2147483647)" {
		t.Error(s)
	}
}

// What a batch of files shares keeps nothing of one file for the next.
func TestBuffersWiped(t *testing.T) {
	k := testRing(t)
	plain := bytes.Repeat([]byte{0xaa}, 50*testChunk)
	file := encrypt(t, k, small, plain)
	if _, err := decrypt(k, file); err != nil {
		t.Fatal(err)
	}
	if _, err := EncryptFile(new(discardAt), bytes.NewReader(plain), int64(len(plain)), k, small); err != nil {
		t.Fatal(err)
	}
	if _, err := DecryptFile(new(discardAt), bytes.NewReader(file), int64(len(file)), k); err != nil {
		t.Fatal(err)
	}
	r, err := openAt(k, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{len(plain), 10} {
		if _, err := r.ReadAt(make([]byte, n), 5); err != nil && n == 10 {
			t.Fatal(err)
		}
	}
	found := 0
	for _, j := range k.jobs.free {
		if found++; !zero(j.plainBuf) {
			t.Fatal("plaintext is left in a buffer")
		}
	}
	// A smaller use after a larger one leaves nothing of that.
	j := new(job)
	j.reserve(100, 100)
	copy(j.plainBuf, plain)
	j.reserve(10, 10)
	if j.wipe(); !zero(j.plainBuf) {
		t.Error("plaintext of an earlier batch is left")
	}
	if found == 0 {
		t.Error("no buffer was kept")
	}
}
