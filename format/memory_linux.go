package format

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page on nearly all processors. Where it is
// another, the advice below does less or nothing.
const hugePage = 2 << 20

// newBuffer allocates n bytes, in large pages as far as they are whole and the
// system gives them: the first touch of a small page costs as much as the work on
// a good part of it, in a virtual machine more than all of it. What is allocated
// beyond n for the alignment is never touched, and no large page may take it with
// the rest of n, as it would where the system gives them to everybody.
func newBuffer(n int) []byte {
	if n < hugePage {
		return make([]byte, n)
	}
	b := make([]byte, n+hugePage)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % hugePage
	b = b[skip:]
	whole := n - n%hugePage
	syscall.Madvise(b[:whole], syscall.MADV_HUGEPAGE)
	syscall.Madvise(b[whole:], syscall.MADV_NOHUGEPAGE)
	return b[:n:n]
}
