package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

const (
	progressAfter = time.Second            // shorter jobs show nothing
	progressEvery = 200 * time.Millisecond // on the terminal
)

// meter counts what has been read, shows it on a terminal while a job takes long,
// and tells of it when a signal asks. Counting costs an addition a read.
type meter struct {
	read  atomic.Int64
	total atomic.Int64 // bytes to read, 0 where that is not known
	begun atomic.Int64 // when, in nanoseconds since 1970; 0 for not yet
	shown atomic.Bool
	stop  chan struct{} // nil where nothing is shown
	done  chan struct{}
}

// sizeOf returns how many bytes the files have together, 0 where one of them is no
// regular file: some systems give what waits in a pipe as its size.
func sizeOf(files []fs.FileInfo) (total int64) {
	for _, f := range files {
		if !f.Mode().IsRegular() {
			return 0
		}
		total += f.Size()
	}
	return total
}

// startMeter begins to count towards total bytes, 0 where it is not known, and
// shows progress where standard error is a terminal. The caller calls finish.
func (t *tool) startMeter(total int64, quiet bool) {
	m := &t.meter
	m.total.Store(total)
	m.begun.Store(time.Now().UnixNano())
	if quiet || !term.IsTerminal(int(t.stderr.Fd())) {
		return
	}
	m.stop, m.done = make(chan struct{}), make(chan struct{})
	go m.show(t.stderr, total)
}

// tellOnSignal tells how far the work is whenever a signal asks for it, unless
// that can be seen.
func (t *tool) tellOnSignal() {
	c := make(chan os.Signal, 1)
	for _, s := range tellSignals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	go func() {
		for range c {
			if !t.meter.shown.Load() {
				t.say(t.meter.line(time.Now()))
			}
		}
	}()
}

// line tells how far the work is.
func (m *meter) line(now time.Time) string {
	begun, read, total := m.begun.Load(), m.read.Load(), m.total.Load()
	if begun == 0 {
		return "nothing read yet"
	}
	text := inUnits(float64(read))
	if read > total {
		total = 0 // a file was longer than it said
	}
	if total > 0 {
		text += fmt.Sprintf(" of %s (%d%%)", inUnits(float64(total)), int(100*float64(read)/float64(total)))
	}
	rate := float64(read) / max(now.Sub(time.Unix(0, begun)).Seconds(), 1e-9)
	text += fmt.Sprintf(" read, %s/s", inUnits(rate))
	if left := float64(total - read); left > 0 && rate > 0 && left/rate < 1e9 {
		text += fmt.Sprintf(", %v left", time.Duration(left/rate+0.5)*time.Second)
	}
	return text
}

// inUnits writes a number of bytes for people.
func inUnits(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for n >= 1000 && len(units) > 1 {
		n, units = n/1024, units[1:]
	}
	if units[0] == "B" {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.2f %s", n, units[0])
}

// show draws the bar, which fits the terminal's width, until finish; then it
// clears the line.
func (m *meter) show(f *os.File, total int64) {
	defer close(m.done)
	bar := pb.New64(total).SetWriter(f).Set(pb.Bytes, true).Set(pb.CleanOnFinish, true).Set(pb.Static, true)
	bar.SetTemplateString(`{{counters . }} {{bar . }} {{percent . }} {{speed . "%s/s"}} {{rtime . "%s left" "%s" "?"}}`)
	bar.Start()
	select {
	case <-m.stop:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		bar.SetCurrent(m.read.Load()).Write()
		m.shown.Store(true)
		select {
		case <-m.stop:
			bar.Finish()
			m.shown.Store(false)
			return
		case <-tick.C:
		}
	}
}

// clear returns what takes the bar off the terminal's line, for text to be
// written there.
func (m *meter) clear() string {
	if !m.shown.Load() {
		return ""
	}
	return "\r\x1b[K"
}

// finish ends the show.
func (m *meter) finish() {
	if m.stop != nil {
		close(m.stop)
		<-m.done
	}
}

// countReader is r with its bytes counted.
func (m *meter) countReader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	return &countedReader{r, m}
}

// countReaderAt is the same for reads at offsets.
func (m *meter) countReaderAt(r io.ReaderAt) io.ReaderAt {
	if m == nil {
		return r
	}
	return &countedReaderAt{r, m}
}

type countedReader struct {
	io.Reader
	m *meter
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.m.read.Add(int64(n))
	return n, err
}

type countedReaderAt struct {
	io.ReaderAt
	m *meter
}

func (c *countedReaderAt) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.m.read.Add(int64(n))
	return n, err
}
