package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

// revokes is the warning of the commands that take a key away.
const revokes = "Who could read FILE before may have kept its inner key or an older copy of it, which still opens:\n" +
	"to revoke a key, encrypt anew."

// slotCommands change the passphrases and key files that open a file, without
// encrypting it again.
func (t *tool) slotCommands() []*cli.Command {
	slot := func(otherwise string) cli.Flag {
		return &cli.StringFlag{Name: "slot", Usage: "the key slot with number `N` of key list", DefaultText: otherwise}
	}
	return []*cli.Command{{
		Name:      "list",
		Usage:     "list the key slots of files",
		UsageText: "blkcrypt key list FILE...",
		Description: "Shows by what each file can be opened. It needs no key, and so what it shows is not proven:\n" +
			"anybody can have written it.",
		Action: t.keyList,
	}, {
		Name:      "add",
		Usage:     "let another passphrase or key file open a file",
		UsageText: "blkcrypt key add [flags] FILE",
		Description: "FILE is opened with one of its passphrases or key files; the new one is given by a --new flag, or the\n" +
			"terminal is asked for a passphrase. FILE's contents are not encrypted again.",
		Flags:  append(newSecretFlags(), openFlags()...),
		Action: t.keyAdd,
	}, {
		Name:        "replace",
		Usage:       "change a passphrase or key file",
		UsageText:   "blkcrypt key replace [flags] FILE",
		Description: "Puts a new passphrase or key file, given as for key add, in the place of an old one.\n" + revokes,
		Flags:       append(append(newSecretFlags(), slot("the one that the given secret opens")), openFlags()...),
		Action:      t.keyReplace,
	}, {
		Name:        "remove",
		Usage:       "take a passphrase or key file away",
		UsageText:   "blkcrypt key remove --slot N [flags] FILE",
		Description: "The last slot can't be removed.\n" + revokes,
		Flags:       append([]cli.Flag{slot("")}, openFlags()...),
		Action:      t.keyRemove,
	}, {
		Name:      "recover",
		Usage:     "finish a change of keys that was interrupted",
		UsageText: "blkcrypt key recover [flags] FILE",
		Description: "Loss of power in the middle of key add, replace or remove leaves FILE" + format.HeaderCopy("") + " beside FILE.\n" +
			"Give a secret of the state after the change; the file then has that state, or, where the copy was never\n" +
			"complete, the state before.",
		Flags:  openFlags(),
		Action: t.keyRecover,
	}}
}

func openFlags() []cli.Flag { return append(secretFlags(), workFlag()) }

func newSecretFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "new-passphrase-file", Usage: "read the new passphrase from `FILE`"},
		&cli.StringFlag{Name: "new-passphrase-fd", Usage: "read the new passphrase from the open file descriptor `N`"},
		&cli.StringFlag{Name: "new-key-file", Usage: "read the new key from `FILE`"},
		&cli.StringFlag{Name: "scrypt-logn", Usage: "make a new passphrase cost 2^`N` units of scrypt (10 to 22)", DefaultText: "17"},
	}
}

// newSources reads the --new flags: exactly one secret, from the terminal where
// there is none of them.
func newSources(c *cli.Context) (*secretSources, error) {
	s := &secretSources{file: c.String("new-passphrase-file")}
	var given []string
	for _, name := range []string{"new-passphrase-file", "new-passphrase-fd", "new-key-file"} {
		if !c.IsSet(name) {
			continue
		}
		given = append(given, "--"+name)
		if c.String(name) == "" {
			return nil, usagef("--%s: the name is empty", name)
		}
	}
	if len(given) > 1 {
		return nil, usagef("the new secret is given twice, by %s", strings.Join(given, " and "))
	}
	if s.file == "-" || c.String("new-key-file") == "-" {
		return nil, usagef("%s: standard input is for the old secret; give a file", given[0])
	}
	if c.IsSet("new-key-file") {
		s.keyFiles = []string{c.String("new-key-file")}
	}
	if c.IsSet("new-passphrase-fd") {
		n, err := parseRange("--new-passphrase-fd", c.String("new-passphrase-fd"), 0, 1<<20)
		if err != nil {
			return nil, err
		}
		if s.fd = inherited(n); s.fd == nil {
			return nil, usagef("--new-passphrase-fd: descriptor %d is not open", n)
		}
	}
	return s, nil
}
