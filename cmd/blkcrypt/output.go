package main

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// output is where a result goes.
//
// A file is written under a temporary name in the same folder, readable by its
// owner alone, and gets its name only when it is complete and on disk. Whatever
// ends the process before that, the temporary file is removed, short of SIGKILL
// or loss of power. Standard output, devices and FIFOs are written straight and
// never removed or renamed over.
type output struct {
	name  string // as given; "standard output"
	g     *guard
	force bool
	keep  bool
	old   fs.FileInfo // what the name stands for now, nil for nothing
	mode  fs.FileMode // of the finished file
	gid   int         // group of the input, -1 for none
	f     *os.File    // open from create on, for standard output from the start
	std   bool
	tmp   string // "" where written straight
	undo  *undo

	// A header kept apart is of no use without its payload: held, it is taken back
	// by discard and by signals even under its name, until it is let go. The
	// payload, whose with it is, sees to that.
	held bool
	with *output

	folders []*folder // to make if they are missing, outermost first
	times   time.Time // when the finished file was last changed, zero for now
}

// outputOptions is what planOutput needs to know.
type outputOptions struct {
	force    bool // replace an existing file
	keep     bool // there is no way to replace one
	explicit bool // the user named the output
	binary   bool // not for a terminal

	folders []*folder        // above the output, to make if they are missing
	checked map[string]error // outcome of writableFolder so far, may be nil
}

// folder is one to be made for outputs.
type folder struct {
	path string
	mode fs.FileMode
	gid  int // group of the folder it stands for, -1 for none

	once sync.Once
	made bool
	err  error
}

// planOutput checks that the output can be made, before anything is asked for,
// computed or opened for writing. in may be nil.
func (t *tool) planOutput(name string, in *input, o outputOptions) (*output, error) {
	out := &output{name: name, g: &t.guard, force: o.force, keep: o.keep, folders: o.folders, mode: 0o600, gid: -1}
	if name == "-" || descriptorOf(name) == 1 {
		out.name, out.std, out.f = "standard output", true, t.stdout
		old, err := t.stdout.Stat()
		if err != nil {
			return nil, failed(out.name, err)
		}
		out.old = old
		if o.binary && !(o.explicit && name == "-") && term.IsTerminal(int(t.stdout.Fd())) {
			return nil, refusef(out.name, "-o names a file, -o - writes to the terminal all the same", "ciphertext is not for a terminal")
		}
	} else if err := out.planFile(o); err != nil {
		return nil, err
	}
	if in != nil && sameFile(in.info, out.old) {
		return nil, refusef(in.name, "-o names another output", "input and output are the same file")
	}
	if out.old != nil && !out.std && !o.force && !out.straight() {
		return nil, out.exists()
	}
	if in != nil && in.info.Mode().IsRegular() {
		out.mode = in.info.Mode().Perm() &^ t.umask
		out.gid = groupOf(in.info)
	}
	return out, nil
}

// planFile looks at the file and the folder that out names.
func (out *output) planFile(o outputOptions) error {
	info, err := os.Lstat(out.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, err = nil, nil
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		// A link to nowhere is in the way, too.
		if to, err := os.Stat(out.name); err == nil {
			info = to
		}
	}
	switch {
	case err != nil:
		return failed(out.name, err)
	case out.name == "" || os.IsPathSeparator(out.name[len(out.name)-1]) || info != nil && info.IsDir():
		return failed(out.name, errors.New("is a directory; the output must be a file"))
	}
	out.old = info
	if out.straight() {
		if o.binary && isCharDevice(info) && isTerminalFile(out.name) {
			return refusef(out.name, "-o names a file, -o - writes to the terminal all the same", "ciphertext is not for a terminal")
		}
		return nil
	}
	dir := filepath.Dir(out.name)
	err, known := o.checked[dir]
	if !known {
		err = out.checkFolder(dir)
		if o.checked != nil {
			o.checked[dir] = err
		}
	}
	return err
}

// checkFolder checks that the output can be made in dir, or where dir has to be
// made first, in the nearest folder that is there.
func (out *output) checkFolder(dir string) error {
	for i := len(out.folders) - 1; i >= 0; i-- {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(out.folders[i].path)
	}
	return failed(dir, writableFolder(dir))
}

// straight reports whether out is something that is written as it is. A block
// device is, but only by force: it may hold a file system.
func (out *output) straight() bool {
	if out.std || descriptorOf(out.name) >= 0 {
		return true
	}
	if out.old == nil {
		return false
	}
	m := out.old.Mode()
	return m&(fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 || m&fs.ModeDevice != 0 && out.force
}

// atOffset reports whether out can be written at any offset, from its start.
func (out *output) atOffset() bool { return out.tmp != "" }

func (out *output) exists() error {
	if out.keep {
		return refusef(out.name, "-o names another", "already exists")
	}
	return refusef(out.name, "-f replaces it", "already exists")
}

// exposed reports whether the output is a file that others may read.
func (out *output) exposed() bool {
	return out.straight() && out.old != nil && out.old.Mode().IsRegular() && out.old.Mode().Perm()&0o077 != 0
}

// replaces reports whether making out would change the file of info.
func (out *output) replaces(info fs.FileInfo) bool { return sameFile(info, out.old) }

// create opens the output for writing.
func (out *output) create() error {
	if out.std {
		return nil
	}
	if out.straight() {
		f, err := openStraight(out.name)
		if err != nil {
			return failed(out.name, err)
		}
		out.f = f
		return nil
	}
	for _, f := range out.folders {
		f.once.Do(func() { f.make(out.g) })
		if f.err != nil {
			return failed(f.path, f.err)
		}
	}
	tmp := filepath.Join(filepath.Dir(out.name), tmpPrefix+rand.Text()+tmpSuffix)
	u, err := out.g.do(func() (err error) {
		out.f, err = openFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	}, func() { removeOpen(out.f, tmp) })
	if err != nil {
		return failed(filepath.Dir(out.name), err)
	}
	out.tmp, out.undo = tmp, u
	return nil
}

// make makes the folder if it is missing, no more open than the one it stands
// for. A signal takes it back unless there is something in it.
func (f *folder) make(g *guard) {
	_, f.err = g.do(func() error { return os.Mkdir(f.path, 0o700) }, func() { os.Remove(f.path) })
	if f.err != nil {
		if errors.Is(f.err, fs.ErrExist) {
			f.err = nil
		}
		return
	}
	f.made = true
	d, err := os.Open(f.path)
	if err != nil {
		f.err = err
		return
	}
	defer d.Close()
	mode, err := keepGroup(d, f.mode, f.gid)
	if err == nil {
		err = d.Chmod(mode)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(f.path))
	}
	f.err = err
}

// commit makes the output permanent under its name.
func (out *output) commit() error {
	if err := out.seal(); err != nil {
		return err
	}
	if err := out.settle(); err != nil {
		return err
	}
	if out.tmp == "" {
		return nil
	}
	dir := filepath.Dir(out.name)
	return failed(dir, syncFolder(dir))
}

// seal gives the complete output its mode and times and has the system begin to
// write it to disk.
func (out *output) seal() error {
	if out.tmp == "" {
		return nil
	}
	if out.old != nil && out.old.Mode().IsRegular() {
		out.mode &= out.old.Mode().Perm()
	}
	mode, err := keepGroup(out.f, out.mode, out.gid)
	if err == nil && mode != 0o600 {
		err = out.f.Chmod(mode)
	}
	if err == nil && !out.times.IsZero() {
		err = os.Chtimes(out.tmp, time.Time{}, out.times)
	}
	startSync(out.f)
	return failed(out.name, err)
}

// settle waits until the output is on disk and gives it its name, which is
// permanent when the folder is synced.
func (out *output) settle() error {
	var err error
	if out.tmp == "" {
		err = out.finishStraight()
	} else {
		err = out.f.Sync()
		if e := out.f.Close(); err == nil {
			err = e
		}
		if err == nil {
			err = out.rename()
		}
	}
	if out.tmp != "" && errors.Is(err, fs.ErrExist) {
		return out.exists()
	}
	if err != nil {
		return failed(out.name, err)
	}
	if out.with != nil {
		out.with.letGo()
	}
	return nil
}

// rename gives the output its name. In the same step it lets the header go that
// is kept apart: no signal may take that away from a payload that has its name.
func (out *output) rename() error {
	rename := func() (err error) {
		if out.force {
			err = os.Rename(out.tmp, out.name)
		} else {
			err = renameNew(out.tmp, out.name)
		}
		if err == nil && out.with != nil {
			out.g.forget(out.with.undo)
			out.with.undo = nil
		}
		return err
	}
	if !out.held {
		err := out.g.done(out.undo, rename)
		if err == nil {
			out.undo = nil
		}
		return err
	}
	named, err := out.g.do(rename, func() { os.Remove(out.name) })
	if err == nil {
		out.letGo() // the temporary name
		out.undo = named
	}
	return err
}

// letGo leaves the output as it is from here on.
func (out *output) letGo() {
	if out.undo != nil {
		out.g.done(out.undo, func() error { return nil })
		out.undo = nil
	}
}

func (out *output) finishStraight() error {
	if out.old != nil && out.old.Mode()&fs.ModeType == fs.ModeDevice {
		if err := out.f.Sync(); err != nil {
			return err
		}
	}
	// Some file systems report a failed write only here.
	return out.f.Close()
}

// discard removes what was written of an output that was not committed. It
// does nothing after commit, unless the output is held.
func (out *output) discard() {
	if out.with != nil {
		out.with.discard()
	}
	if out.undo == nil {
		if !out.std && out.f != nil {
			out.f.Close()
		}
		return
	}
	out.g.done(out.undo, func() error {
		out.undo.f()
		return nil
	})
	out.undo = nil
}

const tmpPrefix, tmpSuffix = ".blkcrypt-", ".tmp"

// isTemporary reports whether create gives such names.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, tmpPrefix) && strings.HasSuffix(name, tmpSuffix)
}

// removeOpen removes a file that may be open. It is closed afterwards where
// that is allowed, so that a signal makes no write fail with another error.
func removeOpen(f *os.File, name string) {
	if os.Remove(name) != nil && f != nil {
		f.Close()
		os.Remove(name)
		return
	}
}

func isTerminalFile(name string) bool {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return term.IsTerminal(int(f.Fd()))
}
