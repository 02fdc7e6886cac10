package cryptotest

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// FaultIn returns the name of the function, without its package, that f was in when
// it touched memory that it can't, as behind a [Fence]; "" if it ended without that.
func FaultIn(f func()) (function string) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() == nil {
			return
		}
		stack := make([]uintptr, 32)
		frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack)])
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			if !strings.HasPrefix(frame.Function, "runtime.") {
				function = frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
				_, function, _ = strings.Cut(function, ".")
				return
			}
		}
	}()
	f()
	return ""
}
