// Package chart draws as SVG, with classes for colours and no style of its own: the policy of
// the pages forbids that.
package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// Line draws values at moments (both of equal length, moments rising) as a line over an area,
// in a box of w × h. Top is the value at the upper edge, 0 for the highest one. Label is read to
// those who do not see it.
func Line(moments, values []float64, from, to, top float64, w, h int, label string) template.HTML {
	var b strings.Builder
	open(&b, w, h, "line", label)
	if to <= from {
		to = from + 1
	}
	for _, v := range values {
		top = max(top, v)
	}
	if top == 0 {
		top = 1
	}
	var path strings.Builder
	var first, last float64
	for i, v := range values {
		x := (moments[i] - from) / (to - from) * float64(w)
		y := float64(h) - 1.5 - v/top*(float64(h)-3)
		cmd := "L"
		if i == 0 {
			cmd, first = "M", x
		}
		last = x
		fmt.Fprintf(&path, "%s%.1f %.1f", cmd, x, y)
	}
	if len(values) > 1 {
		fmt.Fprintf(&b, `<path class="area" d="%sL%.1f %dL%.1f %dZ"/>`, path.String(), last, h, first, h)
		fmt.Fprintf(&b, `<path class="stroke" d="%s"/>`, path.String())
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, and an escaped label
}

// Bar is one bar.
type Bar struct {
	Value int64
	Title string // shown when one points at it
}

// Bars draws bars side by side in a box of w × h, each at least a visible line where it is not 0.
func Bars(bars []Bar, w, h int, label string) template.HTML {
	var b strings.Builder
	open(&b, w, h, "bars", label)
	var top int64 = 1
	for _, bar := range bars {
		top = max(top, bar.Value)
	}
	step := float64(w) / float64(max(len(bars), 1))
	gap := min(2, step*0.25)
	for i, bar := range bars {
		x := float64(i) * step
		fmt.Fprintf(&b, `<g><title>%s</title><rect class="hit" x="%.2f" width="%.2f" height="%d"/>`, template.HTMLEscapeString(bar.Title), x, step, h)
		if bar.Value > 0 {
			high := max(float64(bar.Value)/float64(top)*float64(h-2), 2)
			fmt.Fprintf(&b, `<rect class="bar" x="%.2f" y="%.2f" width="%.2f" height="%.2f" rx="1"/>`, x+gap/2, float64(h)-high, step-gap, high)
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, and escaped texts
}

func open(b *strings.Builder, w, h int, class, label string) {
	fmt.Fprintf(b, `<svg class="chart %s" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">`, class, w, h, template.HTMLEscapeString(label))
}
