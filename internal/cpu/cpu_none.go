//go:build purego || !(amd64 || (arm64 && (linux || darwin)))

package cpu

func detect() Features { return 0 }

func brand() string { return "" }
