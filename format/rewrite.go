package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// HeaderCopy returns the name under which [Editor.Rewrite] keeps a copy of the
// new header while it writes. A file of that name shows that a rewrite was
// interrupted; [RecoverHeader] finishes it.
func HeaderCopy(path string) string { return path + ".blkcrypt-header" }

// Rewrite writes the new header over the one of the file at path, which must be
// the one that the Editor read: what somebody else changed in the meantime is not
// lost. It fails where [Editor.Header] says moved. Power may fail at any moment:
// first a copy of the new header is written beside the file and synced, then the
// file, and the copy is removed. Where a copy is left over it fails with
// [fs.ErrExist]; where it leaves one itself, RecoverHeader is what helps.
func (e *Editor) Rewrite(path string) error {
	header, moved, err := e.Header()
	if err != nil {
		return err
	}
	if moved {
		return errors.New("format: the new header does not fit in the place of the old one")
	}
	f, err := openRegular(path)
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	defer f.Close()
	// Nobody else gets beyond this point before the copy is removed.
	c, err := os.OpenFile(HeaderCopy(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("format: writing a copy of the header: %w", err)
	}
	if err := e.writeCopy(c, f, header); err != nil {
		os.Remove(HeaderCopy(path))
		return err
	}
	return finishRewrite(f, path, header)
}

// openRegular opens a file for reading and writing, and nothing but a file.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil {
		f.Close()
		return nil, err
	} else if !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return f, nil
}

// writeCopy makes the copy durable, if f still has the header that was read.
func (e *Editor) writeCopy(c, f *os.File, header []byte) error {
	now := make([]byte, len(e.h.raw))
	err := readAllAt(f, now, 0)
	if err == nil && !bytes.Equal(now, e.h.raw) {
		err = errors.New("it was changed by somebody else meanwhile")
	}
	if err != nil {
		c.Close()
		return fmt.Errorf("format: reading the header again: %w", err)
	}
	_, err = c.Write(header)
	if err == nil {
		err = c.Sync()
	}
	if closeErr := c.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = syncFolder(c.Name())
	}
	if err != nil {
		return fmt.Errorf("format: writing a copy of the header: %w", err)
	}
	return nil
}

// finishRewrite does the steps after the copy is safe. Where one fails the copy
// stays.
func finishRewrite(f *os.File, path string, header []byte) error {
	err := writeAllAt(f, header, 0)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("format: writing the header: %w", err)
	}
	return removeCopy(path)
}

func removeCopy(path string) error {
	err := os.Remove(HeaderCopy(path))
	if err == nil {
		err = syncFolder(path)
	}
	if err != nil {
		return fmt.Errorf("format: removing the copy of the header: %w", err)
	}
	return nil
}

// syncFolder makes the names in path's folder durable, where that can be done:
// some systems and file systems don't sync folders, and a folder may be writable
// but not readable.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Recovery is what [RecoverHeader] did.
type Recovery int

const (
	// NothingToRecover: there is no copy beside the file.
	NothingToRecover Recovery = iota
	// RewriteFinished: the new header is in place.
	RewriteFinished
	// RewriteUndone: the copy was not complete, so that the file has not been
	// touched; the copy is removed.
	RewriteUndone
)

// RecoverHeader finishes a rewrite that was interrupted. It writes the copy back
// only where a secret of k proves it and it belongs to the file; the keys that
// the new header holds are needed. Where the copy is not complete, k must prove
// the header that the file has, and the copy is removed. Where the system tells
// the owners of files, a copy that is another user's is refused. Nothing else may
// be rewriting the file meanwhile.
func RecoverHeader(path string, k *Keyring) (Recovery, error) {
	f, err := openRegular(path)
	if err != nil {
		return NothingToRecover, fmt.Errorf("format: %w", err)
	}
	defer f.Close()
	data, err := readCopy(HeaderCopy(path), f)
	if errors.Is(err, fs.ErrNotExist) {
		return NothingToRecover, nil
	} else if err != nil {
		return NothingToRecover, fmt.Errorf("format: reading the copy of the header: %w", err)
	}
	h, err := readHeader(bytes.NewReader(data))
	if err != nil || len(h.raw) != len(data) {
		if err := proveHeader(f, k); err != nil {
			return NothingToRecover, fmt.Errorf("format: the copy of the header is not complete, and the file's own: %w", err)
		}
		return RewriteUndone, removeCopy(path)
	}
	// A rewrite in place leaves these bytes as they were.
	var fixed [fixedSize]byte
	if _, err := f.ReadAt(fixed[:], 0); err != nil && err != io.EOF {
		return NothingToRecover, fmt.Errorf("format: %w", err)
	}
	if !bytes.Equal(fixed[:], data[:fixedSize]) {
		return NothingToRecover, errors.New("format: the copy of a header beside the file is not of this file; remove it")
	}
	if err := proveHeader(bytes.NewReader(data), k); err != nil {
		return NothingToRecover, fmt.Errorf("format: the copy of the header: %w", err)
	}
	return RewriteFinished, finishRewrite(f, path, data)
}

// readCopy reads the copy of f's header, and no more than a header and a byte.
// The name is known to all: in a folder that others may write to, they can put an
// older header there, which would bring back a key that was removed.
func readCopy(name string, f *os.File) ([]byte, error) {
	named, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	c, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	info, err := c.Stat()
	if err != nil {
		return nil, err
	}
	file, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(named, info) || !trusted(info, file) {
		return nil, fmt.Errorf("%s belongs to another user", name)
	}
	return io.ReadAll(io.LimitReader(c, maxHeader+1))
}

// proveHeader reads a header and proves it with a secret of k.
func proveHeader(r io.Reader, k *Keyring) error {
	h, err := readHeader(r)
	if err != nil {
		return err
	}
	prk, fileKey, _, err := k.open(h)
	wipe(prk)
	wipe(fileKey)
	return err
}
