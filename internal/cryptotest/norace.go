//go:build !race

package cryptotest

const raceEnabled = false
