//go:build race

package cryptotest

// Race tells whether the race detector is at work. It slows the slow modes down
// tenfold and more and finds nothing in most checks, so that the suites then do
// a few of each kind only.
const Race = true
