package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) keyAdd(c *cli.Context) error {
	fresh, logN, err := newSecret(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, func(o *opened) error {
		s, err := t.readNewSecret(fresh, o)
		if err != nil {
			return err
		}
		defer s.Wipe()
		if o.opensWith(s) {
			return refusef(o.name, "", "the new secret is one that opens it already")
		}
		return o.editor.Add(s, logN)
	})
}

func (t *tool) keyReplace(c *cli.Context) error {
	fresh, logN, err := newSecret(c)
	if err != nil {
		return err
	}
	slot, err := slotNumber(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, func(o *opened) error {
		n, err := o.slot(slot)
		if err != nil {
			return err
		}
		s, err := t.readNewSecret(fresh, o)
		if err != nil {
			return err
		}
		defer s.Wipe()
		if o.opensWith(s) {
			t.say(show(o.name) + ": warning: the new secret is one that opened it already")
		}
		return o.editor.Replace(n, s, logN)
	})
}

func (t *tool) keyRemove(c *cli.Context) error {
	if !c.IsSet("slot") {
		return usagef("key remove: --slot says which; key list shows them")
	}
	slot, err := slotNumber(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, func(o *opened) error {
		n, err := o.slot(slot)
		if err != nil {
			return err
		}
		return o.editor.Remove(n)
	})
}

// newSecret reads the flags about a new secret.
func newSecret(c *cli.Context) (fresh *secretSources, logN int, err error) {
	if fresh, err = newSources(c); err != nil {
		return nil, 0, err
	}
	if c.IsSet("scrypt-logn") {
		if !fresh.hasPassphrase() {
			return nil, 0, usagef("--scrypt-logn does nothing for a key file")
		}
		logN, err = parseRange("--scrypt-logn", c.String("scrypt-logn"), 10, 22)
	}
	return fresh, logN, err
}

// slotNumber reads --slot, whose numbers begin with 1. It is 0 where not given.
func slotNumber(c *cli.Context) (int, error) {
	if !c.IsSet("slot") {
		return 0, nil
	}
	return parseRange("--slot", c.String("slot"), 1, 16)
}

// opened is a file whose slots are to be changed.
type opened struct {
	name    string // as given
	path    string // without symbolic links
	f       *os.File
	maxWork uint64
	editor  *format.Editor
}

// opensWith reports whether s opens the file already.
func (o *opened) opensWith(s *format.Secret) bool {
	ring := format.NewKeyring(s)
	ring.MaxWork = o.maxWork
	e, err := format.NewEditor(o.header(), ring)
	if err == nil {
		e.Close()
	}
	return err == nil
}

// header reads the file from its start.
func (o *opened) header() io.Reader { return io.NewSectionReader(o.f, 0, 1<<62) }

// slot turns a number of --slot into an index, 0 into the slot that was opened.
func (o *opened) slot(n int) (int, error) {
	if n == 0 {
		return o.editor.Opened(), nil
	}
	if have := len(o.editor.Slots()); n > have {
		return 0, usagef("--slot: %s has no key slot %d, only %d", show(o.name), n, have)
	}
	return n - 1, nil
}

func (t *tool) readNewSecret(fresh *secretSources, o *opened) (*format.Secret, error) {
	secrets, err := t.readSecrets(fresh, show(o.name)+", new", true)
	if err != nil {
		return nil, err
	}
	return secrets[0], nil
}

// changeSlots opens a file with its old secret, has its slots changed and writes
// the new header.
func (t *tool) changeSlots(c *cli.Context, change func(*opened) error) error {
	o, ring, err := t.openToChange(c)
	if err != nil {
		return err
	}
	defer o.f.Close()
	defer ring.Wipe()
	if _, err := os.Lstat(format.HeaderCopy(o.path)); err == nil {
		return refusef(o.name, "key recover finishes it", "an earlier change of its keys was interrupted")
	}
	if o.editor, err = format.NewEditor(o.header(), ring); err != nil {
		return failed(o.name, err)
	}
	defer o.editor.Close()
	if err := change(o); err != nil {
		return failed(o.name, err)
	}
	header, moved, err := o.editor.Header()
	if err != nil {
		return failed(o.name, err)
	}
	if moved {
		return t.moveBehind(o, header)
	}
	return failed(o.name, t.guard.undisturbed(func() error { return format.RewriteHeader(o.path, header) }))
}

func (t *tool) keyRecover(c *cli.Context) error {
	o, ring, err := t.openToChange(c)
	if err != nil {
		return err
	}
	defer o.f.Close()
	defer ring.Wipe()
	var done format.Recovery
	err = t.guard.undisturbed(func() (err error) {
		done, err = format.RecoverHeader(o.path, ring)
		return err
	})
	if err != nil {
		return failed(o.name, err)
	}
	switch done {
	case format.RewriteFinished:
		t.say(show(o.name) + ": the change of keys is finished")
	case format.RewriteUndone:
		t.say(show(o.name) + ": the change of keys had not begun; the file is as it was before")
	default:
		t.say(show(o.name) + ": there is nothing to recover")
	}
	return nil
}

// undisturbed runs f, which leaves files in a state of its own while it runs:
// signals are served afterwards.
func (g *guard) undisturbed(f func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f()
}

// openToChange opens the file that a command names for reading and writing, and
// reads the secrets that are to open it.
func (t *tool) openToChange(c *cli.Context) (*opened, *format.Keyring, error) {
	names, err := operands(c, 1)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 || names[0] == "-" {
		return nil, nil, usagef("key %s: name a file", c.Command.Name)
	}
	o := &opened{name: names[0]}
	if o.maxWork, err = workLimit(c); err != nil {
		return nil, nil, err
	}
	src, err := sources(c)
	if err != nil {
		return nil, nil, err
	}
	if o.path, err = filepath.EvalSymlinks(o.name); err != nil {
		return nil, nil, failed(o.name, err)
	}
	if o.f, err = os.OpenFile(o.path, os.O_RDWR, 0); err != nil {
		return nil, nil, failed(o.name, err)
	}
	info, err := o.f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err == nil {
		err = t.checkSecretFiles(src, false, &output{name: o.name, old: info})
	}
	var secrets []*format.Secret
	if err == nil {
		secrets, err = t.readSecrets(src, show(o.name), false)
	}
	if err != nil {
		o.f.Close()
		return nil, nil, failed(o.name, err)
	}
	ring := format.NewKeyring(secrets...)
	ring.MaxWork = o.maxWork
	return o, ring, nil
}

// moveBehind writes a header that is longer than the old one, and the payload
// behind it, to a new file that takes the old one's place. Where the file system
// can, it copies without moving data through this process.
func (t *tool) moveBehind(o *opened, header []byte) error {
	info, err := o.f.Stat()
	if err != nil {
		return failed(o.name, err)
	}
	out, err := t.planOutput(o.path, nil, outputOptions{force: true})
	if err != nil {
		return err
	}
	out.name, out.mode, out.gid = o.path, info.Mode().Perm(), groupOf(info)
	if err := out.create(); err != nil {
		return err
	}
	defer out.discard()
	from := int64(o.editor.Info().HeaderSize)
	if _, err := out.f.Write(header); err != nil {
		return failed(o.name, err)
	}
	if _, err := o.f.Seek(from, io.SeekStart); err != nil {
		return failed(o.name, err)
	}
	n, err := io.Copy(out.f, o.f)
	if err == nil && n != info.Size()-from {
		err = fmt.Errorf("changed while it was read")
	}
	if err != nil {
		return failed(o.name, err)
	}
	return out.commit()
}
