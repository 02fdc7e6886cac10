package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
)

// The picture has no background, and colours of middling brightness, so that it
// can be read on white and on black.
const (
	svgInk = "#767d86"

	svgWidth  = 760
	svgLetter = 7  // width, on average
	svgFigure = 90 // width of the column of figures
	svgRow    = 18 // height
	svgHead   = 34 // that of the first line of a table
)

var svgColours = map[string]string{"aes": "#3d85c6", "camellia": "#cc7a29", "sm4": "#4b9e5f"}

// writeSVG draws the rows as horizontal bars.
func writeSVG(w io.Writer, m *machine, rows []row, tiers bool) error {
	b := barsOf(rows)
	var body bytes.Buffer
	text := func(x, y int, style, s string) {
		fmt.Fprintf(&body, `<text x="%d" y="%d"%s>`, x, y, style)
		xml.EscapeText(&body, []byte(s))
		body.WriteString("</text>\n")
	}
	const (
		right = ` text-anchor="end"`
		bold  = ` font-weight="600"`
	)
	labels := len("CAMELLIA256") // which stand at the right edge of their column
	for i := range b.rows {
		labels = max(labels, len(b.label(&b.rows[i], tiers)))
	}
	labels = 20 + labels*svgLetter
	text(8, 20, "", "MiB/s, "+m.cpu)
	y := 22
	inside := ""
	for i := range b.rows {
		r := &b.rows[i]
		if name := r.algorithm(); name != inside {
			inside = name
			y += svgHead
			text(labels, y-8, right+bold, name)
		}
		length := max(float64(r.MiBPerS)/b.most*(float64(svgWidth-labels-svgFigure-10)), 1)
		text(labels, y+svgRow-5, right, b.label(r, tiers))
		fmt.Fprintf(&body, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n",
			labels+10, y+2, length, svgRow-4, svgColours[r.Cipher])
		text(labels+16+int(length), y+svgRow-5, "", decimal(r.MiBPerS))
		y += svgRow
	}
	height := y + 10
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="speed of ciphers in MiB/s"`+
		` font-family="system-ui, sans-serif" font-size="12" fill="%s">`+"\n%s</svg>\n", svgWidth, height, svgInk, body.Bytes())
	return err
}
