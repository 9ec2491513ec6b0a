package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// chapter is what one part found.
type chapter struct {
	heading, text string
	columns       []string
	rows          [][]string
	goals         []goal

	took   time.Duration
	others float64 // share of the machine that other programs used meanwhile
}

func (c *chapter) row(cells ...string) { c.rows = append(c.rows, cells) }

const metMark = "met"

// goal is one bound, and whether it is met.
type goal struct {
	what, want, got, verdict string
}

func (c *chapter) atLeast(what string, got, want float64, why string) {
	c.goal(what, "≥", got, want, got >= want, why)
}

func (c *chapter) atMost(what string, got, want float64, why string) {
	c.goal(what, "≤", got, want, got <= want, why)
}

// goal has why in one line, for where it is missed.
func (c *chapter) goal(what, sign string, got, want float64, met bool, why string) {
	verdict := metMark
	if !met {
		verdict = strings.TrimSuffix("**missed**: "+why, ": ")
	}
	c.goals = append(c.goals, goal{what, fmt.Sprintf("%s %g", sign, want), figure(got), verdict})
}

// page is what bench writes.
func (b *bench) page(chapters []*chapter) string {
	goals, met, others, busy := 0, 0, 0.0, ""
	took := time.Since(b.began)
	for _, c := range chapters {
		goals += len(c.goals)
		for _, g := range c.goals {
			met += strings.Count(g.verdict, metMark)
		}
		others += c.others * c.took.Seconds() / took.Seconds()
	}
	if others > 0.1 {
		busy = "**The machine was busy with other work: goals that are times or rates are not judged fairly here, and the JVM's compiler had too little time.**"
	}
	var w strings.Builder
	fmt.Fprintf(&w, `# Measured

Written by %s on %s in %.0f minutes; do not edit: run it again. Goals met: %d, missed: %d.

%s. Other programs used %.0f %% of all cores meanwhile; each chapter says its own share. %s

All programs that are compared run in each round, %d rounds here; "×" and "÷" are the median of the ratios of the rounds, other figures are medians, with the lowest and the highest round in brackets. Ratios carry over to another machine, times do not. duequeue runs by its public API with everything on: decoding, lease, acks, breaker, metrics, tracing of every tenth message. Redisson's take() and poll(), BLPOP and LPOP have no acks: what a crash interrupts is lost. Payloads are strings of %d bytes where nothing else is said.
`, b.plan.command, b.began.UTC().Format("2006-01-02 15:04 MST"), took.Minutes(), met, goals-met,
		b.machine(), 100*others, busy, b.plan.rounds, payloadBytes)
	for _, c := range chapters {
		c.write(&w)
	}
	return w.String()
}

func (c *chapter) write(w *strings.Builder) {
	fmt.Fprintf(w, "\n## %s\n\n%s Others used %.0f %% of all cores.\n\n", c.heading, c.text, 100*c.others)
	writeTable(w, c.columns, c.rows)
	if len(c.goals) == 0 {
		return
	}
	var rows [][]string
	for _, g := range c.goals {
		rows = append(rows, []string{g.what, g.want, g.got, g.verdict})
	}
	w.WriteString("\n")
	writeTable(w, []string{"goal", "wanted", "measured", ""}, rows)
}

func writeTable(w *strings.Builder, columns []string, rows [][]string) {
	for _, cells := range append([][]string{columns, strings.Split(strings.Repeat("---,", len(columns)-1)+"---", ",")}, rows...) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}

// figures are what a part found, one a round, by what they are and of whom: "p99" of "duequeue".
type figures map[string]series

func (f figures) add(what, who string, value float64) {
	if f[what] == nil {
		f[what] = series{}
	}
	f[what].add(who, value)
}

// series holds figures by name, one per round.
type series map[string][]float64

func (s series) add(name string, value float64) { s[name] = append(s[name], value) }

// median of the rounds, as text.
func (s series) median(name string) string { return figure(median(s[name])) }

// most is the largest figure of all rounds; NaN for none.
func (s series) most(name string) float64 { return quantile(s[name], 1) }

// ratio is the median of a/b, each taken inside one round.
func (s series) ratio(a, b string) float64 {
	ratios := make([]float64, min(len(s[a]), len(s[b])))
	for i := range ratios {
		ratios[i] = s[a][i] / s[b][i]
	}
	return median(ratios)
}

// spread is the median of a figure and, of several rounds, the lowest and the highest.
func (s series) spread(name string) string {
	values := s[name]
	if len(values) < 2 {
		return s.median(name)
	}
	return fmt.Sprintf("%s (%s … %s)", s.median(name), figure(slices.Min(values)), figure(slices.Max(values)))
}

// median is NaN of nothing.
func median(values []float64) float64 {
	return (quantile(values, 0.5) + quantile(values, math.Nextafter(0.5, 1))) / 2
}

// quantile is the smallest value that the share q does not exceed; NaN of nothing.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}

// figure writes a number with as many digits as are worth reading.
func figure(v float64) string {
	a := math.Abs(v)
	digits := 2
	switch {
	case math.IsNaN(v):
		return "–"
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 1000:
		return fmt.Sprintf("%.1fk", v/1000)
	case a >= 100 || v == math.Trunc(v):
		digits = 0
	case a >= 10:
		digits = 1
	}
	return fmt.Sprintf("%.*f", digits, v)
}
