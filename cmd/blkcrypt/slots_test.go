package main

import (
	"slices"
	"testing"

	"blkcrypt/format"
)

// C12: the costs that enc and key add make by themselves are never too dear, and
// of others the user is told in time.
func TestC12NeededLogN(t *testing.T) {
	slot := func(logN int) format.SlotInfo { return format.SlotInfo{LogN: logN} }
	for _, x := range []struct {
		slots []format.SlotInfo
		want  int
	}{
		{[]format.SlotInfo{slot(0)}, 0},
		{slices.Repeat([]format.SlotInfo{slot(format.DefaultLogN)}, 16), 0},
		{[]format.SlotInfo{slot(20), slot(0), slot(20)}, 0},
		{[]format.SlotInfo{slot(20), slot(20), slot(10)}, 22},
		{[]format.SlotInfo{slot(21)}, 21},
		{slices.Repeat([]format.SlotInfo{slot(22)}, 16), 26},
	} {
		if got := neededLogN(x.slots); got != x.want {
			t.Errorf("%v: %d, want %d", x.slots, got, x.want)
		}
	}
}
