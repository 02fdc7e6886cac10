package cryptotest

import (
	"path"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TextSizes returns how many bytes of this program's code come from each file of
// assembly in the package of a kernel, as the program's own table of functions has it:
// with what fills up between functions. That table is there when symbols were stripped,
// and in executables of all systems.
func TextSizes(t *testing.T, kernel any) map[string]int {
	t.Helper()
	// What a Go value points to is code that the linker makes for calls from Go. It
	// puts that behind all that was compiled or assembled.
	f := runtime.FuncForPC(reflect.ValueOf(kernel).Pointer())
	pkg := f.Name()[:strings.LastIndexByte(f.Name(), '.')+1]
	sizes := map[string]int{}
	for end := f.Entry(); ; end = f.Entry() {
		if f = runtime.FuncForPC(end - 1); f == nil {
			return sizes
		}
		file, _ := f.FileLine(f.Entry())
		if strings.HasPrefix(f.Name(), pkg) && strings.HasSuffix(file, ".s") {
			sizes[path.Base(file)] += int(end - f.Entry())
		}
	}
}
