//go:build !unix

package main

var systemCommands map[string]func()
