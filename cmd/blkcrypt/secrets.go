package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"blkcrypt/format"
)

const (
	passphraseVariable = "BLKCRYPT_PASSPHRASE"
	passphraseWays     = "--passphrase-file, --passphrase-fd, " + passphraseVariable

	// maxSecret is more than the largest passphrase or key file, so that a
	// longer one is seen to be too long.
	maxSecret = 8192
)

func secretFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "passphrase-file", Usage: "read the passphrase from `FILE`, - for standard input"},
		&cli.StringFlag{Name: "passphrase-fd", Usage: "read the passphrase from the open file descriptor `N`"},
		&cli.StringSliceFlag{Name: "key-file", Aliases: []string{"k"}, KeepSpace: true,
			Usage: "read a key from `FILE`, - for standard input; may be repeated"},
	}
}

// secretSources says where passphrase and keys come from. Every one that is
// given opens the file; where none is, the user is asked for a passphrase.
type secretSources struct {
	file     string   // of the passphrase, "" for none
	fd       *os.File // likewise, nil for none
	variable string   // the passphrase itself, "" for none
	keyFiles []string
}

// sources checks the flags and the environment, and takes hold of the
// descriptor before any file is opened that could get its number.
func sources(c *cli.Context) (*secretSources, error) {
	s := &secretSources{file: c.String("passphrase-file"), keyFiles: c.StringSlice("key-file")}
	var given []string
	for _, name := range []string{"passphrase-file", "passphrase-fd"} {
		if c.IsSet(name) {
			given = append(given, "--"+name)
		}
	}
	value, set := os.LookupEnv(passphraseVariable)
	empty := set && value == ""
	if len(s.keyFiles) > 0 && len(given) == 0 {
		// A flag beats the environment: a variable that was set for another job
		// must not open this file, too.
		value, set = "", false
	}
	if set {
		given = append(given, passphraseVariable)
	}
	switch {
	case len(given) > 1:
		return nil, usagef("the passphrase is given twice, by %s", strings.Join(given, " and "))
	case empty: // more likely a mistake in a script than meant
		return nil, usagef("%s is set but empty; unset it or give it a passphrase", passphraseVariable)
	case c.IsSet("passphrase-file") && s.file == "":
		return nil, usagef("--passphrase-file: the name is empty")
	}
	s.variable = value
	for _, k := range s.keyFiles {
		if k == "" {
			return nil, usagef("--key-file: the name is empty")
		}
	}
	if c.IsSet("passphrase-fd") {
		n, err := parseRange("--passphrase-fd", c.String("passphrase-fd"), 0, 1<<20)
		if err != nil {
			return nil, err
		}
		if s.fd = inherited(n); s.fd == nil {
			return nil, usagef("--passphrase-fd: descriptor %d is not open", n)
		}
	}
	return s, nil
}

// hasPassphrase reports whether there is a passphrase among the secrets.
func (s *secretSources) hasPassphrase() bool {
	return s.file != "" || s.fd != nil || s.variable != "" || s.asks()
}

// asks reports whether the user will be asked for a passphrase.
func (s *secretSources) asks() bool {
	return s.file == "" && s.fd == nil && s.variable == "" && len(s.keyFiles) == 0
}

// checkFiles makes sure that standard input carries one thing only and that
// out does not replace what is read.
func (t *tool) checkSecretFiles(s *secretSources, dataOnStdin bool, out *output) error {
	stdin, _ := t.stdin.Stat()
	user := ""
	if dataOnStdin {
		user = "the data"
	}
	check := func(flag, name string) error {
		st, err := t.statSecret(name)
		if err != nil {
			return failed(name, err)
		}
		if name == "-" || sameFile(stdin, st) {
			if user != "" {
				return usagef("%s: standard input carries %s; give another %s file, --passphrase-fd or %s", flag, user, flag, passphraseVariable)
			}
			user = flag
		}
		if out.replaces(st) {
			return refusef(out.name, "-o names another", "output and %s are the same file", flag)
		}
		return nil
	}
	if s.fd != nil {
		st, err := s.fd.Stat()
		if err != nil {
			return failed(s.fd.Name(), err)
		}
		if s.fd.Fd() == t.stdin.Fd() || sameFile(stdin, st) {
			if user != "" {
				return usagef("--passphrase-fd: standard input carries %s; give another descriptor, --passphrase-file or %s", user, passphraseVariable)
			}
			user = "--passphrase-fd"
		}
	}
	if s.file != "" {
		if err := check("--passphrase-file", s.file); err != nil {
			return err
		}
	}
	for _, k := range s.keyFiles {
		if err := check("--key-file", k); err != nil {
			return err
		}
	}
	return nil
}

func (t *tool) statSecret(name string) (os.FileInfo, error) {
	if name == "-" {
		return t.stdin.Stat()
	}
	return os.Stat(name)
}

// read returns the secrets, asking for a passphrase for what where no source is
// given.
func (t *tool) readSecrets(s *secretSources, what string, isNew bool) (secrets []*format.Secret, err error) {
	defer func() {
		if err != nil {
			wipe(secrets)
		}
	}()
	add := func(secret *format.Secret, err error) error {
		if err == nil {
			secrets = append(secrets, secret)
		}
		return err
	}
	switch {
	case s.asks():
		err = add(t.askPassphrase(what, isNew))
	case s.variable != "":
		err = add(parseSecret(passphraseVariable, []byte(s.variable), format.NewPassphrase))
	case s.fd != nil:
		err = add(t.loadSecret(s.fd, "--passphrase-fd", format.ParsePassphrase))
	case s.file != "":
		err = add(t.openSecret(s.file, format.ParsePassphrase))
	}
	for _, k := range s.keyFiles {
		if err == nil {
			err = add(t.openSecret(k, format.ParseKeyFile))
		}
	}
	return secrets, err
}

func wipe(secrets []*format.Secret) {
	for _, s := range secrets {
		s.Wipe()
	}
}

func (t *tool) openSecret(name string, parse func([]byte) (*format.Secret, error)) (*format.Secret, error) {
	if name == "-" {
		return t.loadSecret(t.stdin, name, parse)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, failed(name, err)
	}
	defer f.Close()
	return t.loadSecret(f, name, parse)
}

func (t *tool) loadSecret(f *os.File, name string, parse func([]byte) (*format.Secret, error)) (*format.Secret, error) {
	if term.IsTerminal(int(f.Fd())) {
		return nil, &failure{code: exitUsage, file: show(name), err: errors.New("is a terminal and would show the secret"),
			hint: "leave the flag out to be asked"}
	}
	buf := make([]byte, maxSecret)
	defer clear(buf)
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, failed(name, err)
	}
	if n == maxSecret {
		return nil, &failure{code: exitUsage, file: show(name), err: errors.New("is too long for a passphrase or key file")}
	}
	return parseSecret(name, buf[:n], parse)
}

func parseSecret(name string, b []byte, parse func([]byte) (*format.Secret, error)) (*format.Secret, error) {
	s, err := parse(b)
	if err != nil {
		return nil, &failure{code: exitUsage, file: show(name), err: err}
	}
	return s, nil
}
