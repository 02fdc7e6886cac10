//go:build !purego

package cpu

// detect needs to ask nothing: each of Apple's 64-bit cores in a Mac has these.
func detect() Features { return NEON | ARMAES | PMULL }

func brand() string { return "" }
