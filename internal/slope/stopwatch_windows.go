package slope

import (
	"time"
	"unsafe"

	win "golang.org/x/sys/windows"
)

// stopwatch returns a function that tells the nanoseconds since now. Package time's
// clock moves on once in half a millisecond or more on Windows, which is longer than
// most of what is timed here.
func stopwatch() func() int64 {
	kernel := win.NewLazySystemDLL("kernel32.dll")
	counter := kernel.NewProc("QueryPerformanceCounter")
	read := func(p *win.LazyProc) (n int64) {
		p.Call(uintptr(unsafe.Pointer(&n)))
		return n
	}
	start, perSecond := read(counter), read(kernel.NewProc("QueryPerformanceFrequency"))
	return func() int64 {
		n := read(counter) - start
		second := int64(time.Second)
		return n/perSecond*second + n%perSecond*second/perSecond
	}
}
