// Package cpu names the processor features that tiers of kernels need. A set
// of features is a value; nothing here is global state.
package cpu

// Features is a set of processor features.
type Features uint64

// Has reports whether every feature of need is in f.
func (f Features) Has(need Features) bool { return f&need == need }
