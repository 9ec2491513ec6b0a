// Package chart draws as SVG, with classes for colours and no style of its own: the policy of
// the pages forbids that.
package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// Line draws a plot as a line over an area, from its first moment to its last, in a box of
// w × h. Label is read to those who do not see it.
func Line(p *Plot, w, h int, label string) template.HTML {
	var b strings.Builder
	open(&b, w, h, "line", label)
	if n := len(p.At); n > 1 {
		top := p.Top()
		if top == 0 {
			top = 1
		}
		from, to := p.At[0], max(p.At[n-1], p.At[0]+1)
		var path strings.Builder
		for i, v := range p.Values {
			cmd := "L"
			if i == 0 {
				cmd = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", cmd, float64(p.At[i]-from)/float64(to-from)*float64(w), float64(h)-1.5-v/top*(float64(h)-3))
		}
		fmt.Fprintf(&b, `<path class="area" d="%sL%d %dL0 %dZ"/>`, path.String(), w, h, h)
		fmt.Fprintf(&b, `<path class="stroke" d="%s"/>`, path.String())
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, and an escaped label
}

// Bars draws a plot as bars side by side in a box of w × h, each at least a visible line where it
// is not 0. Title returns what is shown when one points at a bar.
func Bars(p *Plot, w, h int, label string, title func(i int) string) template.HTML {
	var b strings.Builder
	open(&b, w, h, "bars", label)
	top := max(p.Top(), 1)
	step := float64(w) / float64(max(len(p.Values), 1))
	gap := min(2, step*0.25)
	for i, v := range p.Values {
		x := float64(i) * step
		fmt.Fprintf(&b, `<g><title>%s</title><rect class="hit" x="%.2f" width="%.2f" height="%d"/>`, template.HTMLEscapeString(title(i)), x, step, h)
		if v > 0 {
			high := max(v/top*float64(h-2), 2)
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
