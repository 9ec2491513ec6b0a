package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// drawn is how many points a line has at most.
const drawn = 720

// chartView is a chart as SVG, with its numbers for the script and what stands around it.
type chartView struct {
	ID             string // in the page
	Name, Now, Top string // above it: with the newest and the highest value
	SVG            template.HTML
	Marks          []string // below the SVG, from its left to its right end
	Data           string
}

// charts draws the history of a queue.
func charts(points []point) []chartView {
	draw := func(name, unit string, of func(p point) float32, show func(v float64) string) chartView {
		v := chartView{ID: "plot-" + strings.ReplaceAll(strings.ToLower(name), " ", "-"), Name: name}
		plot := plot{Name: name, Unit: unit}
		for _, p := range points {
			plot.Add(p.At.UnixMilli(), float64(of(p)))
		}
		label := name + ", not known yet"
		if n := len(plot.Values); n > 0 {
			v.Now, v.Top = show(plot.Values[n-1]), show(plot.Top())
			label = name + ", now " + v.Now + ", at most " + v.Top
		}
		v.SVG, v.Data = lineChart(&plot, 360, 64, label), plot.Data()
		return v
	}
	number := func(v float64) string { return count(int64(v)) }
	seconds := func(v float64) string { return words.Span(time.Duration(v * float64(time.Second))) }
	return []chartView{
		draw("Handled", unitPerSecond, func(p point) float32 { return p.Rate }, perSecond),
		draw("Lag", unitSeconds, func(p point) float32 { return p.Lag }, seconds),
		draw("Ready", unitMessages, func(p point) float32 { return p.Ready }, number),
		draw("Pending", unitMessages, func(p point) float32 { return p.Delayed }, number),
		draw("In flight", unitMessages, func(p point) float32 { return p.Held }, number),
	}
}

// perSecond shows a rate, with a digit more where it is low.
func perSecond(v float64) string {
	if v == 0 || v >= 100 {
		return count(int64(v)) + " a second"
	}
	return fmt.Sprintf("%.1f a second", v)
}

// since returns the history of a queue, of the last while.
func (c *Console) since(queue string, while time.Duration) []point {
	if c.history == nil {
		return nil
	}
	after := time.Now().Add(-while)
	return slices.DeleteFunc(c.history.Of(queue), func(p point) bool { return p.At.Before(after) })
}

// spreads are the lengths of forecasts.
var spreads = []struct {
	Key, Name string
	Step      time.Duration
	Steps     int
}{
	{"hour", "Hour", time.Minute, 60},
	{"day", "Day", 30 * time.Minute, 48},
	{"week", "Week", 3 * time.Hour, 56},
}

// forecastView says what falls due when.
type forecastView struct {
	Total, Later int64
	Most         int64 // in one step
	Step, Until  string
	Chart        chartView
}

func (c *Console) forecast(r *request, partitions []admin.Partition) (forecastView, error) {
	spread := spreads[0]
	for _, s := range spreads {
		if s.Key == r.query.Get("due") {
			spread = s
		}
	}
	var names []string
	for _, p := range partitions {
		names = append(names, p.Name)
	}
	f, err := read(r, "forecast "+spread.Key+" "+r.queue, forecastFresh, func(ctx context.Context) (forecast, error) {
		return forecastOf(ctx, c.client, names, spread.Step, spread.Steps)
	})
	if err != nil {
		return forecastView{}, err
	}
	whole := spread.Step * time.Duration(spread.Steps)
	out := forecastView{Later: f.Later, Step: words.Span(spread.Step), Until: words.Span(whole)}
	due := plot{Name: "Due", Unit: unitMessages, Step: spread.Step.Milliseconds()}
	for i, n := range f.Due {
		out.Total += n
		out.Most = max(out.Most, n)
		due.Add(f.From.Add(spread.Step*time.Duration(i)).UnixMilli(), float64(n))
	}
	out.Chart = chartView{ID: "plot-due", Data: due.Data()}
	for i := range 5 {
		mark := "now"
		if i > 0 {
			mark = "+" + words.Span(whole*time.Duration(i)/4)
		}
		out.Chart.Marks = append(out.Chart.Marks, mark)
	}
	out.Chart.SVG = barChart(&due, 720, 96, fmt.Sprintf("%d messages fall due within %s", out.Total, words.Span(whole)), func(i int) string {
		return fmt.Sprintf("%s due in %s to %s", count(f.Due[i]), words.Span(spread.Step*time.Duration(i)), words.Span(spread.Step*time.Duration(i+1)))
	})
	return out, nil
}

func (c *Console) ranges(r *request) []navLink {
	var out []navLink
	chosen := r.query.Get("due")
	for i, s := range spreads {
		out = append(out, navLink{Name: s.Name, To: c.link("/queue", "q", r.queue, "due", s.Key), Here: chosen == s.Key || i == 0 && chosen == ""})
	}
	return out
}

// Charts are SVG with classes for colours and no style of their own: the policy of the pages forbids
// that.

// lineChart draws a plot as a line over an area, from its first moment to its last, in a box of
// w × h. Label is read to those who do not see it.
func lineChart(p *plot, w, h int, label string) template.HTML {
	var b strings.Builder
	openChart(&b, w, h, "line", label)
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

// barChart draws a plot as bars side by side in a box of w × h, each at least a visible line where it
// is not 0. Title returns what is shown when one points at a bar.
func barChart(p *plot, w, h int, label string, title func(i int) string) template.HTML {
	var b strings.Builder
	openChart(&b, w, h, "bars", label)
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

func openChart(b *strings.Builder, w, h int, class, label string) {
	fmt.Fprintf(b, `<svg class="chart %s" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">`, class, w, h, template.HTMLEscapeString(label))
}

// plot is a chart as numbers, which the script of the pages draws anew where there is one.
type plot struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // one of those below
	// At are moments in milliseconds since 1970, rising; Values are those of these moments.
	At     []int64   `json:"at"`
	Values []float64 `json:"values"`
	// Step is not 0 where a value is that of a while, which begins at its moment: a bar.
	Step int64 `json:"step,omitempty"` // milliseconds
}

// Units of values.
const (
	unitMessages  = "messages"
	unitSeconds   = "seconds"
	unitPerSecond = "messages/s"
)

// Add adds a value, of which three digits behind the point are kept.
func (p *plot) Add(at int64, value float64) {
	p.At = append(p.At, at)
	p.Values = append(p.Values, math.Round(value*1000)/1000)
}

// Top is the highest value, 0 without any.
func (p *plot) Top() (top float64) {
	for _, v := range p.Values {
		top = max(top, v)
	}
	return top
}

// Data is the plot for the script, as JSON.
func (p *plot) Data() string {
	b, err := json.Marshal(p)
	if err != nil { // finite numbers and texts never fail
		return ""
	}
	return string(b)
}
