package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) infoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "show how files are encrypted",
		UsageText: "blkcrypt info [--json] [--header HEADER] FILE...",
		Description: "Shows what the header says: suite, sizes, key slots. It needs no key, and so what it shows is not\n" +
			"proven: anybody can have written it. FILE may be - for standard input.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "write a line of JSON for each file", DisableDefaultText: true},
			headerFlag(),
		},
		Action: func(c *cli.Context) error {
			return t.eachHeader(c, func(h *fileInfo) error {
				if !c.Bool("json") {
					return h.text(c.App.Writer)
				}
				return json.NewEncoder(c.App.Writer).Encode(h)
			})
		},
	}
}

func (t *tool) keyList(c *cli.Context) error {
	return t.eachHeader(c, func(h *fileInfo) error {
		_, err := fmt.Fprintf(c.App.Writer, "%s:\n%s", show(h.File), slotLines(h.Slots))
		return err
	})
}

// fileInfo is what info shows of a file.
type fileInfo struct {
	File string `json:"file"`
	*format.Info
	Size          int64  `json:"size,omitempty"`           // of the file, 0 for a stream
	PlaintextSize *int64 `json:"plaintext_size,omitempty"` // nil where it is not known
	HeaderOnly    bool   `json:"header_only,omitempty"`    // the file ends where its header does
	Problem       string `json:"problem,omitempty"`        // why dec would refuse it
}

// eachHeader reads the header of each operand and calls f. It goes on after a
// file that has none; the exit code is that of the worst.
func (t *tool) eachHeader(c *cli.Context, f func(*fileInfo) error) error {
	names, err := operands(c, math.MaxInt)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return usagef("%s: name a file", pathOf(c))
	}
	header, err := t.readApart(c)
	if err != nil {
		return err
	}
	code := exitDone
	for _, name := range names {
		h, err := t.readInfo(name, header)
		if h != nil {
			if err := f(h); err != nil {
				return failed("standard output", err)
			}
		}
		if err != nil {
			code = worse(code, t.report(err))
		}
	}
	if code != exitDone {
		return reported(code)
	}
	return nil
}

// readInfo returns what can be shown of a file and why it is not a good one.
// header is nil unless it is kept apart.
func (t *tool) readInfo(name string, header []byte) (*fileInfo, error) {
	in, err := t.openInput(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t.warnInterrupted(in)
	if err := in.useHeader(header); err != nil {
		return nil, err
	}
	info, err := format.ReadInfo(in.headerReader())
	if info == nil {
		return nil, failed(in.name, err)
	}
	h := &fileInfo{File: in.name, Info: info}
	if in.info.Mode().IsRegular() && !in.std {
		h.Size = in.info.Size()
		whole := h.Size
		if header != nil {
			whole += int64(info.HeaderSize)
		}
		switch {
		case err != nil:
		case whole == int64(info.HeaderSize):
			h.HeaderOnly = true // a header kept apart is no mistake
		default:
			var n int64
			if n, err = info.PlaintextSize(whole); err == nil {
				h.PlaintextSize = &n
			}
		}
	}
	err = failed(in.name, err)
	var known *failure
	if errors.As(err, &known) {
		h.Problem = reason(known.err)
	}
	return h, err
}

func (h *fileInfo) text(w io.Writer) error {
	var b strings.Builder
	line := func(name, text string, a ...any) { fmt.Fprintf(&b, "  %-12s%s\n", name, fmt.Sprintf(text, a...)) }
	fmt.Fprintf(&b, "%s (not proven without a key):\n", show(h.File))
	line("suite", "%s", h.Suite)
	line("chunks", "%d bytes", h.ChunkSize)
	line("header", "%d bytes, %d of them padding, version %d, %s", h.HeaderSize, h.Padding, h.Version, h.Hash)
	switch {
	case h.HeaderOnly:
		line("contents", "not here: this is a header kept apart, or a file cut off behind its header")
	case h.PlaintextSize != nil:
		line("contents", "%d bytes", *h.PlaintextSize)
	}
	for _, r := range h.Others {
		kind := "optional"
		if r.Critical {
			kind = "critical"
		}
		line("record", "type %d, %s, %d bytes", r.Type, kind, r.Size)
	}
	b.WriteString(slotLines(h.Slots))
	_, err := io.WriteString(w, b.String())
	return err
}

// slotLines shows key slots with the numbers that --slot takes.
func slotLines(slots []format.SlotInfo) string {
	var b strings.Builder
	for i, s := range slots {
		fmt.Fprintf(&b, "  key slot %-3d%s", i+1, s.Kind)
		switch {
		case s.LogN > 0:
			fmt.Fprintf(&b, ", scrypt 2^%d (%d MiB)", s.LogN, s.Memory>>20)
		case s.Kind == "unknown":
			fmt.Fprintf(&b, " (type %d)", s.Type)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
