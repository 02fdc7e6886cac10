package bulk_test

import (
	"testing"
	"unsafe"

	"blkcrypt/internal/bulk"
	"blkcrypt/internal/cryptotest"
)

// The assembly's view of the types that kernels get.
func TestOffsets(t *testing.T) {
	asm := cryptotest.Constants(t, "../_asm")
	for name, want := range map[string]uintptr{
		"keyEnc":     unsafe.Offsetof(bulk.Key{}.Enc),
		"keyDec":     unsafe.Offsetof(bulk.Key{}.Dec),
		"gcmHash":    unsafe.Offsetof(bulk.GCMState{}.Hash),
		"gcmCounter": unsafe.Offsetof(bulk.GCMState{}.Counter),
		"gcmSum":     unsafe.Offsetof(bulk.GCMState{}.Sum),
		"keyRounds":  unsafe.Offsetof(bulk.Key{}.Rounds),
		"ocbTable":   unsafe.Offsetof(bulk.OCBState{}.Table),
		"ocbIndex":   unsafe.Offsetof(bulk.OCBState{}.Index),
		"ocbOffset":  unsafe.Offsetof(bulk.OCBState{}.Offset),
		"ocbSum":     unsafe.Offsetof(bulk.OCBState{}.Sum),
		"tableL":     unsafe.Offsetof(bulk.OCBTable{}.L),
		"tableGray":  unsafe.Offsetof(bulk.OCBTable{}.Gray),
	} {
		if got, ok := asm[name]; !ok || got != int(want) {
			t.Errorf("%s is %d in the generator, want %d", name, got, want)
		}
	}
}
