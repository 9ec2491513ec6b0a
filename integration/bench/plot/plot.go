// Package plot draws line charts with logarithmic or plain axes as SVG, and writes their
// figures as CSV. It needs nothing but the standard library.
package plot

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Point is one figure, with the lowest and the highest one that were measured.
type Point struct{ X, Y, Low, High float64 }

// Line is a series of points, ascending in X.
type Line struct {
	Name   string
	Points []Point
	Dashed bool
}

// Chart is a picture. Its lines differ by colour and by the shape of their marks. All
// figures must be positive: both axes are logarithmic, unless PlainX or PlainY is set.
type Chart struct {
	Title, Note string // the note stands below the title, smaller
	X, Y        string // what the axes show, with units
	PlainX      bool   // the points are spread evenly, however far apart they are
	PlainY      bool   // the axis begins at 0 and is linear
	Lines       []Line
}

// Errors of charts that cannot be drawn.
var (
	ErrEmpty    = errors.New("plot: a chart without points")
	ErrNegative = errors.New("plot: a logarithmic axis needs positive figures")
)

// CSV returns the figures: line, x, y, lowest, highest.
func (c Chart) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"line", c.X, c.Y, "lowest", "highest"}}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			rows = append(rows, []string{l.Name, number(p.X), number(p.Y), number(p.Low), number(p.High)})
		}
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// The layout, in pixels.
const (
	width, height = 880, 540
	left, right   = 90, 610 // of the area
	top, bottom   = 80, 470
	legendX       = 636
)

// Colours that people with any colour vision can tell apart (Okabe and Ito, 2008), dark
// enough for thin lines.
var colours = []string{"#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#e69f00", "#444444"}

// SVG draws the chart.
func (c Chart) SVG() ([]byte, error) {
	a, err := c.axes()
	if err != nil {
		return nil, err
	}
	d := &drawing{}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">`+"\n",
		width, height, width, height)
	d.printf(`<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	d.text(left, 34, `font-size="18" font-weight="bold"`, c.Title)
	d.text(left, 57, `fill="#555"`, c.Note)
	a.draw(d)
	d.text((left+right)/2, bottom+46, `text-anchor="middle"`, c.X)
	d.text(0, 0, fmt.Sprintf(`text-anchor="middle" transform="translate(24 %d) rotate(-90)"`, (top+bottom)/2), c.Y)
	for i, l := range c.Lines {
		c.line(d, a, i, l)
	}
	d.printf("</svg>\n")
	return d.Bytes(), nil
}

// line draws one series and its entry in the legend.
func (c Chart) line(d *drawing, a axes, i int, l Line) {
	colour := colours[i%len(colours)]
	style := fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2"`, colour)
	look := fmt.Sprintf(`fill="%s"`, colour)
	if l.Dashed { // hollow marks let see what lies below
		look, style = style, style+` stroke-dasharray="6 4"`
	}
	var path bytes.Buffer
	for j, p := range l.Points {
		command := "L"
		if j == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", command, a.x.at(p.X), a.y.at(p.Y))
	}
	d.printf(`<path d="%s" %s/>`+"\n", path.String(), style)
	for _, p := range l.Points {
		x := a.x.at(p.X)
		if p.Low > 0 && p.High > p.Low {
			d.printf(`<path d="M%.1f %.1fV%.1f" stroke="%s" stroke-width="1"/>`+"\n", x, a.y.at(p.Low), a.y.at(p.High), colour)
		}
		d.mark(i, x, a.y.at(p.Y), look)
	}
	y := float64(top + 12 + 24*i)
	d.printf(`<path d="M%d %.1fh30" %s/>`+"\n", legendX, y, style)
	d.mark(i, legendX+15, y, look)
	d.text(legendX+38, y+4.5, "", l.Name)
}

// drawing is the text of a picture.
type drawing struct{ bytes.Buffer }

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) text(x, y float64, style, text string) {
	d.printf(`<text x="%.1f" y="%.1f" %s>`, x, y, style)
	_ = xml.EscapeText(d, []byte(text)) // a buffer takes everything
	d.printf("</text>\n")
}

// mark draws the shape of series i.
func (d *drawing) mark(i int, x, y float64, look string) {
	const r = 5.0
	switch i % 4 {
	case 0:
		d.printf(`<circle cx="%.1f" cy="%.1f" r="%.1f" %s/>`+"\n", x, y, r, look)
	case 1:
		d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s/>`+"\n", x-r, y-r, 2*r, 2*r, look)
	case 2:
		d.printf(`<path d="M%.1f %.1fl%.1f %.1fh%.1fz" %s/>`+"\n", x, y-r-1, r+1, 2*r, -2*(r+1), look)
	case 3:
		d.printf(`<path d="M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz" %s/>`+"\n", x, y-r-1, r+1, r+1, -r-1, r+1, -r-1, -r-1, look)
	}
}

// short writes a number of an axis.
func short(v float64) string {
	switch {
	case v >= 1e6 && math.Mod(v, 1e5) == 0:
		return strconv.FormatFloat(v/1e6, 'g', -1, 64) + "M"
	case v >= 1e3 && math.Mod(v, 100) == 0:
		return strconv.FormatFloat(v/1e3, 'g', -1, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
