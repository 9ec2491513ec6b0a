package web

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/framework/web/internal/chart"
	"github.com/duequeue/duequeue/framework/web/internal/forecast"
	"github.com/duequeue/duequeue/framework/web/internal/history"
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
func charts(points []history.Point) []chartView {
	draw := func(name, unit string, of func(p history.Point) float32, show func(v float64) string) chartView {
		v := chartView{ID: "plot-" + strings.ReplaceAll(strings.ToLower(name), " ", "-"), Name: name}
		plot := chart.Plot{Name: name, Unit: unit}
		for _, p := range points {
			plot.Add(p.At.UnixMilli(), float64(of(p)))
		}
		label := name + ", not known yet"
		if n := len(plot.Values); n > 0 {
			v.Now, v.Top = show(plot.Values[n-1]), show(plot.Top())
			label = name + ", now " + v.Now + ", at most " + v.Top
		}
		v.SVG, v.Data = chart.Line(&plot, 360, 64, label), plot.Data()
		return v
	}
	number := func(v float64) string { return count(int64(v)) }
	seconds := func(v float64) string { return words.Span(time.Duration(v * float64(time.Second))) }
	return []chartView{
		draw("Handled", chart.PerSecond, func(p history.Point) float32 { return p.Rate }, perSecond),
		draw("Lag", chart.Seconds, func(p history.Point) float32 { return p.Lag }, seconds),
		draw("Ready", chart.Messages, func(p history.Point) float32 { return p.Ready }, number),
		draw("Pending", chart.Messages, func(p history.Point) float32 { return p.Delayed }, number),
		draw("In flight", chart.Messages, func(p history.Point) float32 { return p.Held }, number),
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
func (c *Console) since(queue string, while time.Duration) []history.Point {
	if c.history == nil {
		return nil
	}
	after := time.Now().Add(-while)
	return slices.DeleteFunc(c.history.Of(queue), func(p history.Point) bool { return p.At.Before(after) })
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
	f, err := read(r, "forecast "+spread.Key+" "+r.queue, forecastFresh, func(ctx context.Context) (forecast.Forecast, error) {
		return forecast.Of(ctx, c.client, names, spread.Step, spread.Steps)
	})
	if err != nil {
		return forecastView{}, err
	}
	whole := spread.Step * time.Duration(spread.Steps)
	out := forecastView{Later: f.Later, Step: words.Span(spread.Step), Until: words.Span(whole)}
	plot := chart.Plot{Name: "Due", Unit: chart.Messages, Step: spread.Step.Milliseconds()}
	for i, n := range f.Due {
		out.Total += n
		out.Most = max(out.Most, n)
		plot.Add(f.From.Add(spread.Step*time.Duration(i)).UnixMilli(), float64(n))
	}
	out.Chart = chartView{ID: "plot-due", Data: plot.Data()}
	for i := range 5 {
		mark := "now"
		if i > 0 {
			mark = "+" + words.Span(whole*time.Duration(i)/4)
		}
		out.Chart.Marks = append(out.Chart.Marks, mark)
	}
	out.Chart.SVG = chart.Bars(&plot, 720, 96, fmt.Sprintf("%d messages fall due within %s", out.Total, words.Span(whole)), func(i int) string {
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
