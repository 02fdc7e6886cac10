package format

import (
	"bytes"
	"slices"
	"testing"
)

func editor(t *testing.T, k *Keyring, file []byte) *Editor {
	t.Helper()
	e, err := NewEditor(bytes.NewReader(file), k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// edited returns the file with the editor's new header.
func edited(t *testing.T, e *Editor, file []byte, wantMoved bool) []byte {
	t.Helper()
	h, moved, err := e.Header()
	if err != nil || moved != wantMoved {
		t.Fatalf("moved %v, %v", moved, err)
	}
	if moved != (len(h) != headerSize(file)) {
		t.Errorf("header of %d bytes instead of %d, moved %v", len(h), headerSize(file), moved)
	}
	for i := range fixedSize {
		if h[i] != file[i] && i != 14 && i != 15 {
			t.Errorf("byte %d was changed", i)
		}
	}
	return append(bytes.Clone(h), file[headerSize(file):]...)
}

func opens(t *testing.T, file []byte, s *Secret, want bool) {
	t.Helper()
	got, err := decrypt(NewKeyring(s), file)
	if want && (err != nil || string(got) != "text") {
		t.Errorf("%q, %v", got, err)
	}
	if !want && kindOf(err) != WrongKey && kindOf(err) != NoKey {
		t.Errorf("opens, or: %v", err)
	}
}

func TestEditor(t *testing.T) {
	old, pass, other, third := keyFile(t, 1), passphrase(t, "a"), passphrase(t, "b"), keyFile(t, 3)
	k := NewKeyring(old)
	file := encrypt(t, k, small, []byte("text"))

	e := editor(t, k, file)
	if err := e.Add(pass, testLogN); err != nil {
		t.Fatal(err)
	}
	if list := e.Slots(); len(list) != 2 || list[0].Kind != "key file" || list[1].Kind != "passphrase" || list[1].LogN != testLogN {
		t.Errorf("slots %+v", list)
	}
	file = edited(t, e, file, false)
	opens(t, file, old, true)
	opens(t, file, pass, true)
	opens(t, file, other, false)

	e = editor(t, NewKeyring(pass), file)
	if e.Opened() != 1 {
		t.Errorf("opened slot %d", e.Opened())
	}
	for s, want := range map[*Secret]bool{old: true, pass: true, passphrase(t, "a"): true, other: false, third: false} {
		if got, err := e.Opens(s); got != want || err != nil {
			t.Errorf("opens: %v, %v, want %v", got, err, want)
		}
	}
	e.k.MaxWork = 1
	if _, err := e.Opens(other); kindOf(err) != Cost {
		t.Errorf("tried for more than is allowed: %v", err)
	}
	if err := e.Replace(1, other, testLogN); err != nil {
		t.Fatal(err)
	}
	file = edited(t, e, file, false)
	opens(t, file, pass, false)
	opens(t, file, other, true)

	e = editor(t, k, file)
	if err := e.Add(third, 0); err != nil {
		t.Fatal(err)
	}
	if err := e.Remove(0); err != nil {
		t.Fatal(err)
	}
	file = edited(t, e, file, false)
	opens(t, file, old, false)
	opens(t, file, other, true)
	opens(t, file, third, true)

	e = editor(t, NewKeyring(third), file)
	for _, n := range []int{-1, 2} {
		if e.Remove(n) == nil || e.Replace(n, old, 0) == nil {
			t.Errorf("changed slot %d of 2", n)
		}
	}
	if err := e.Remove(1); err != nil {
		t.Fatal(err)
	}
	if e.Remove(0) == nil {
		t.Error("removed the last slot")
	}
	if e.Add(old, 9) == nil || e.Add(old, 23) == nil {
		t.Error("added a slot of a cost out of range")
	}
	e.Close()
	if _, _, err := e.Header(); err != errClosed || e.Add(old, 0) != errClosed {
		t.Error("used after Close")
	}
	if _, err := e.Opens(old); err != errClosed {
		t.Error("used after Close")
	}
}

// A header grows by a block when slots are added, and then keeps its size.
func TestEditorGrows(t *testing.T) {
	k := testRing(t)
	file := encrypt(t, k, small, []byte("text"))
	e := editor(t, k, file)
	size := headerUnit
	for n := 2; n <= maxSlots; n++ {
		if err := e.Add(keyFile(t, byte(n)), 0); err != nil {
			t.Fatal(err)
		}
		h, moved, err := e.Header()
		if err != nil || (len(h)-headerUnit)%growUnit != 0 || len(h) < size || moved != (len(h) > headerUnit) {
			t.Fatalf("%d slots: %d bytes, moved %v, %v", n, len(h), moved, err)
		}
		size = len(h)
	}
	if size != headerUnit+growUnit {
		t.Errorf("16 slots: header of %d bytes", size)
	}
	if e.Add(keyFile(t, 99), 0) == nil {
		t.Error("added a 17th slot")
	}
	file = edited(t, e, file, true)
	for n := 1; n <= maxSlots; n++ {
		opens(t, file, keyFile(t, byte(n)), true)
	}
	e = editor(t, k, file)
	for range 10 {
		if err := e.Remove(1); err != nil {
			t.Fatal(err)
		}
	}
	file = edited(t, e, file, false)
	opens(t, file, keyFile(t, 16), true)
	opens(t, file, keyFile(t, 11), false)
}

// Unknown records keep their bytes and their order, and padding of any kind is
// made one.
func TestEditorKeepsUnknown(t *testing.T) {
	k := testRing(t)
	a, b, c := rec(5, 1, 2, 3), rec(70), rec(127, pattern(200)...)
	file := forge(t, k, func(s []record) []record {
		return []record{rec(0, 0), a, b, s[0], rec(0), c, rec(0, make([]byte, 9)...)}
	})
	e := editor(t, k, file)
	if e.Opened() != 1 {
		t.Errorf("opened slot %d", e.Opened())
	}
	if err := e.Add(keyFile(t, 2), 0); err != nil {
		t.Fatal(err)
	}
	got := edited(t, e, file, false)
	h, err := readHeader(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	old, err := readHeader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []record{a, b, old.slots()[1], h.slots()[2], c}
	if kept := withoutPadding(h.records); !slices.EqualFunc(kept, want, func(x, y record) bool { return bytes.Equal(x, y) }) {
		t.Errorf("records\n%x, want\n%x", kept, want)
	}
	if err := e.Remove(1); err != nil {
		t.Fatal(err)
	}
	if e.Remove(1) == nil {
		t.Error("left a file without a slot of a known kind")
	}
	if err := e.Remove(0); err != nil {
		t.Errorf("unknown slot: %v", err)
	}
}

// Sizes of records that leave 0, 1, 2, 3 and 4 bytes for padding.
func TestEditorPadding(t *testing.T) {
	k := testRing(t)
	room := headerUnit - minHeader - recordHeader
	for left := range 5 {
		file := forge(t, k, func(s []record) []record { return append(s, rec(99, make([]byte, room-left)...)) })
		want := headerUnit
		if left == 1 || left == 2 {
			want = 2 * headerUnit
		}
		if headerSize(file) != want {
			t.Errorf("%d bytes left: header of %d", left, headerSize(file))
		}
		opens(t, file, keyFile(t, 1), true)
	}
	// A header that is not of sectors keeps its size, too, where it can.
	h, prk, err := k.create(DefaultSuite(), minChunkLog, testLogN)
	if err != nil {
		t.Fatal(err)
	}
	h, err = h.assemble(withoutPadding(h.records), minHeader, headerUnit, prk)
	if err != nil || len(h.raw) != minHeader {
		t.Fatal(len(h.raw), err)
	}
	p := k.newPayload(h, prk, minHeader)
	file := append(h.raw, sealChunk(t, p, 0, []byte("text"), true)...)
	e := editor(t, k, file)
	if err := e.Replace(0, keyFile(t, 2), 0); err != nil {
		t.Fatal(err)
	}
	opens(t, edited(t, e, file, false), keyFile(t, 2), true)
	if err := e.Add(keyFile(t, 3), 0); err != nil {
		t.Fatal(err)
	}
	grown := edited(t, e, file, true)
	if headerSize(grown) != minHeader+growUnit {
		t.Errorf("header of %d bytes", headerSize(grown))
	}
	opens(t, grown, keyFile(t, 3), true)
	// Near the largest header it grows by what there is.
	for left, want := range map[int]int{growUnit: maxHeader, 99: maxHeader, 102: maxHeader, 98: 0, 100: 0, 101: 0} {
		file := forge(t, k, func(s []record) []record {
			return append(s, rec(99, make([]byte, maxHeader-minHeader-recordHeader-left)...))
		})
		h, err := readHeader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		// As another writer might have made it: without padding.
		h, err = h.assemble(withoutPadding(h.records), maxHeader-left, headerUnit, extract(h.fileSalt(), pattern(fileKeySize)))
		if err != nil || len(h.raw) != maxHeader-left {
			t.Fatal(err)
		}
		e := editor(t, k, h.raw)
		if err := e.Add(keyFile(t, 3), 0); err != nil {
			t.Fatal(err)
		}
		got, moved, err := e.Header()
		if (err == nil) != (want > 0) || len(got) != want || err == nil && !moved {
			t.Errorf("%d bytes left: header of %d, moved %v, %v", left, len(got), moved, err)
		}
	}
	// What does not fit into the largest header is refused.
	big := forge(t, k, func(s []record) []record {
		return append(s, rec(99, make([]byte, maxHeader-minHeader-recordHeader)...))
	})
	e = editor(t, k, big)
	if err := e.Add(keyFile(t, 3), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Header(); err == nil {
		t.Error("made a header of more than 32768 bytes")
	}
}

func TestEditorRefuses(t *testing.T) {
	k, file := twoSlots(t)
	bad := bytes.Clone(file)
	bad[headerUnit-1] ^= 1
	_, err := NewEditor(bytes.NewReader(bad), k)
	wantKind(t, err, Tampered)
	_, err = NewEditor(bytes.NewReader(file), NewKeyring(keyFile(t, 9)))
	wantKind(t, err, WrongKey)
	critical := forge(t, k, func(s []record) []record { return append(s, rec(130)) })
	_, err = NewEditor(bytes.NewReader(critical), k)
	wantKind(t, err, Unsupported)
}
