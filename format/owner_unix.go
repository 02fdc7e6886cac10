//go:build unix

package format

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether a copy of a file's header was made by who may change
// the file: its owner, this user or the superuser.
func trusted(copied, file fs.FileInfo) bool {
	c, ok := copied.Sys().(*syscall.Stat_t)
	f, ok2 := file.Sys().(*syscall.Stat_t)
	return ok && ok2 && (c.Uid == f.Uid || c.Uid == 0 || int(c.Uid) == os.Geteuid())
}
