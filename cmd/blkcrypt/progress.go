package main

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

const (
	progressAfter = time.Second            // shorter jobs show nothing
	progressEvery = 200 * time.Millisecond // on the terminal
)

// meter counts what has been read and shows it on a terminal while a job takes
// long. Counting costs an addition a read; a nil meter does nothing.
type meter struct {
	read  atomic.Int64
	shown atomic.Bool
	stop  chan struct{}
	done  chan struct{}
}

// startMeter starts to show progress towards total bytes, 0 where it is not known,
// where standard error is a terminal. The caller calls finish.
func (t *tool) startMeter(total int64, quiet bool) {
	if quiet || !term.IsTerminal(int(t.stderr.Fd())) {
		return
	}
	t.meter = &meter{stop: make(chan struct{}), done: make(chan struct{})}
	go t.meter.show(t.stderr, total)
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
	if m == nil || !m.shown.Load() {
		return ""
	}
	return "\r\x1b[K"
}

// finish ends the show.
func (m *meter) finish() {
	if m != nil {
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
