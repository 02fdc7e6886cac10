package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

// opened is a file whose slots are to be changed.
type opened struct {
	name   string // as given
	path   string // without symbolic links
	f      *os.File
	editor *format.Editor
}

// opensWith reports whether s opens the file already, as far as can be found out
// at the cost that is allowed.
func (o *opened) opensWith(s *format.Secret) bool {
	known, err := o.editor.Opens(s)
	return known && err == nil
}

// header reads the file from its start.
func (o *opened) header() io.Reader { return io.NewSectionReader(o.f, 0, 1<<62) }

// slot turns a number of --slot into an index, 0 into the slot that was opened.
func (o *opened) slot(n int) (int, error) {
	if n == 0 {
		return o.editor.Opened(), nil
	}
	return n - 1, o.hasSlot(n, o.editor.Slots())
}

func (o *opened) hasSlot(n int, slots []format.SlotInfo) error {
	if n > len(slots) {
		return usagef("--slot: %s has no key slot %d, only %d", show(o.name), n, len(slots))
	}
	return nil
}

// checkNew finds what is wrong with the slot and the new secret that a command
// names before the old secret is asked for.
func (o *opened) checkNew(c *cli.Context, fresh *secretSources) error {
	if fresh != nil {
		for _, name := range append([]string{fresh.file}, fresh.keyFiles...) {
			if name == "" {
				continue
			}
			if _, err := os.Stat(name); err != nil {
				return failed(name, err)
			}
		}
	}
	slot, err := slotNumber(c)
	if err != nil || slot == 0 {
		return err
	}
	info, err := format.ReadInfo(o.header())
	if err != nil {
		return err
	}
	return o.hasSlot(slot, info.Slots)
}

// changeSlots opens a file with its old secret, has its slots changed and writes
// the new header. fresh is where a new secret is to come from, nil for nowhere.
func (t *tool) changeSlots(c *cli.Context, fresh *secretSources, change func(*opened) error) error {
	o, ring, err := t.openToChange(c, fresh, false)
	if err != nil {
		return err
	}
	defer o.f.Close()
	defer ring.Wipe()
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
	err = failed(o.name, t.guard.undisturbed(func() error { return o.editor.Rewrite(o.path) }))
	var f *failure
	if errors.As(err, &f) && interrupted(o.path) {
		f.hint = recoverHint
	}
	return err
}

const recoverHint = "key recover finishes it"

// interrupted reports whether a change of the keys of the file at path was cut
// off.
func interrupted(path string) bool {
	_, err := os.Lstat(format.HeaderCopy(path))
	return err == nil
}

// undisturbed runs f, which leaves files in a state of its own while it runs:
// signals are served afterwards.
func (g *guard) undisturbed(f func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f()
}

// openToChange opens the file that a command names for reading and writing,
// keeps others from changing its keys, and reads the secrets that are to open
// it. Only recovery takes a file that needs it.
func (t *tool) openToChange(c *cli.Context, fresh *secretSources, recovery bool) (*opened, *format.Keyring, error) {
	names, err := operands(c, 1)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 || names[0] == "-" {
		return nil, nil, usagef("%s: name a file", pathOf(c))
	}
	o := &opened{name: names[0]}
	maxWork, err := workLimit(c)
	if err != nil {
		return nil, nil, err
	}
	src, err := sources(c)
	if err != nil {
		return nil, nil, err
	}
	if fresh != nil && src.fd != nil && fresh.fd != nil && src.fd.Fd() == fresh.fd.Fd() {
		return nil, nil, usagef("--passphrase-fd and --new-passphrase-fd name the same descriptor")
	}
	if o.path, err = filepath.EvalSymlinks(o.name); err != nil {
		return nil, nil, failed(o.name, err)
	}
	if o.f, err = os.OpenFile(o.path, os.O_RDWR, 0); err != nil {
		return nil, nil, failed(o.name, err)
	}
	info, err := o.check(recovery, src.asks())
	if err == nil {
		err = o.checkNew(c, fresh)
	}
	if err == nil {
		err = t.checkSecretFiles(src, false, &output{name: o.name, old: info})
	}
	var secrets []*format.Secret
	if err == nil && (!recovery || interrupted(o.path)) {
		secrets, err = t.readSecrets(src, show(o.name), false)
	}
	if err != nil {
		o.f.Close()
		return nil, nil, failed(o.name, err)
	}
	ring := format.NewKeyring(secrets...)
	ring.MaxWork = maxWork
	return o, ring, nil
}

// check finds what is wrong with the file before anything is asked for.
func (o *opened) check(recovery, asks bool) (fs.FileInfo, error) {
	info, err := o.f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	if !lock(o.f) {
		return nil, refusef(o.name, "", "its keys are being changed by another process")
	}
	// Whoever had the lock before may have put another file in its place.
	if now, err := os.Stat(o.path); err != nil || !os.SameFile(now, info) {
		return nil, errors.New("was replaced by another file meanwhile")
	}
	if recovery {
		return info, nil
	}
	if interrupted(o.path) {
		return nil, refusef(o.name, recoverHint, "an earlier change of its keys was interrupted")
	}
	if !asks {
		return info, nil
	}
	return info, wantsPassphrase(o.header())
}

// wantsPassphrase returns an error where the header shows that no passphrase
// opens the file.
func wantsPassphrase(header io.Reader) error {
	_, err := format.NewReader(header, format.NewKeyring())
	var wants *format.Error
	if errors.As(err, &wants) && wants.Kind == format.NoKey && wants.Passphrase {
		return nil
	}
	return err
}

// moveBehind writes a header that is longer than the old one, and the payload
// behind it, to a new file that takes the old one's place.
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
	if keepOwner(out.f, info) != nil {
		return failed(o.name, errors.New("a copy takes its place to make room, which can't be given the same owner"))
	}
	if linksOf(info) > 1 {
		t.say(show(o.name) + ": warning: a copy takes its place to make room; its other names (hard links) stay with the old keys")
	}
	if _, err := out.f.Write(header); err != nil {
		return failed(o.name, err)
	}
	if err := copyPayload(out.f, o.f, int64(o.editor.Info().HeaderSize), info.Size()); err != nil {
		return failed(o.name, err)
	}
	if err := releaseForRename(o.f); err != nil {
		return failed(o.name, err)
	}
	return out.commit()
}

// copyPayload appends what is in src between from and to to dst. On Linux no data
// passes through this process, and file systems that can do it let both files
// share blocks. Those begin at multiples of 4096 bytes, of which the payload was
// moved by some; so what is before the first goes alone.
func copyPayload(dst, src *os.File, from, to int64) error {
	if _, err := src.Seek(from, io.SeekStart); err != nil {
		return err
	}
	head := min((from+4095)&^4095, to) - from
	for _, n := range []int64{head, to - from - head} {
		if _, err := io.CopyN(dst, src, n); errors.Is(err, io.EOF) {
			return errors.New("changed while it was read")
		} else if err != nil {
			return err
		}
	}
	return nil
}
