package bulk

// Staging buffers lie on the stack, which the compiler clears before their use,
// and what they held is wiped after it. For a message of few blocks that would be
// most of the work, so there are three sizes: the largest is enough to fill the
// widest registers.
const (
	smallStage  = 8 * BlockSize
	middleStage = 32 * BlockSize
	largeStage  = 128 * BlockSize
)

// derive has f do a mode's work through a staging buffer. It is shorter than src
// where src is longer than largeStage, and then holds whole groups of the tier's
// Width if it can.
func derive[S any](k *Key, f func(k *Key, buf []byte, s *S, dst, src []byte), s *S, dst, src []byte) {
	switch n := len(src); {
	case n == 0:
	case n <= smallStage:
		var buf [smallStage]byte
		f(hide(k), hideBytes(buf[:n]), hide(s), hideBytes(dst), hideBytes(src))
		clear(buf[:n])
	case n <= middleStage:
		var buf [middleStage]byte
		f(hide(k), hideBytes(buf[:n]), hide(s), hideBytes(dst), hideBytes(src))
		clear(buf[:n])
	default:
		var buf [largeStage]byte
		if group := k.kern.Width * BlockSize; n > largeStage && group < largeStage {
			n = largeStage - largeStage%group
		}
		n = min(n, largeStage)
		f(hide(k), hideBytes(buf[:n]), hide(s), hideBytes(dst), hideBytes(src))
		clear(buf[:n])
	}
}
