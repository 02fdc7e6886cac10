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
)

// HeaderCopy returns the name under which [RewriteHeader] keeps a copy of the new
// header while it writes. A file of that name shows that a rewrite was
// interrupted; [RecoverHeader] finishes it.
func HeaderCopy(path string) string { return path + ".blkcrypt-header" }

// RewriteHeader writes a header of [Editor.Header] over the one of the file at
// path, which has the same size and which it checks to be of the same file. Power
// may fail at any moment: first a copy of the new header is written beside the
// file and synced, then the file, and the copy is removed. It refuses where a
// copy is left over.
func RewriteHeader(path string, header []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	defer f.Close()
	old, err := readHeader(f)
	if err != nil {
		return err
	}
	if len(old.raw) != len(header) || !bytes.Equal(old.raw[:fixedSize], header[:fixedSize]) {
		return errors.New("format: the new header is not for this file")
	}
	if err := writeCopy(HeaderCopy(path), header); err != nil {
		return fmt.Errorf("format: writing a copy of the header: %w", err)
	}
	return finishRewrite(f, path, header)
}

func writeCopy(name string, header []byte) error {
	c, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = c.Write(header)
	if err == nil {
		err = c.Sync()
	}
	if closeErr := c.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = syncFolder(name)
	}
	if err != nil {
		os.Remove(name)
	}
	return err
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

// syncFolder makes the names in path's folder durable, where the system can sync
// folders.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
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
// the header that the file has, and the copy is removed.
func RecoverHeader(path string, k *Keyring) (Recovery, error) {
	data, err := readCopy(HeaderCopy(path))
	if errors.Is(err, fs.ErrNotExist) {
		return NothingToRecover, nil
	} else if err != nil {
		return NothingToRecover, fmt.Errorf("format: reading the copy of the header: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return NothingToRecover, fmt.Errorf("format: %w", err)
	}
	defer f.Close()
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
		return NothingToRecover, errors.New("format: the copy of a header beside the file is not of this file")
	}
	if err := proveHeader(bytes.NewReader(data), k); err != nil {
		return NothingToRecover, fmt.Errorf("format: the copy of the header: %w", err)
	}
	return RewriteFinished, finishRewrite(f, path, data)
}

// readCopy reads no more than a header and a byte.
func readCopy(name string) ([]byte, error) {
	if i, err := os.Lstat(name); err != nil {
		return nil, err
	} else if !i.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	c, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
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
