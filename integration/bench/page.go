package main

import (
	"fmt"
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

// goal is one bound, and whether it is met.
type goal struct {
	what, want, got string
	met             bool
	why             string // in one line, where it is missed
}

func (c *chapter) atLeast(what string, got, want float64, why string) {
	c.goals = append(c.goals, goal{what, fmt.Sprintf("≥ %g", want), figure(got), got >= want, why})
}

func (c *chapter) atMost(what string, got, want float64, why string) {
	c.goals = append(c.goals, goal{what, fmt.Sprintf("≤ %g", want), figure(got), got <= want, why})
}

// page is RESULTS.md.
func (b *bench) page(chapters []*chapter) string {
	met, missed, others, busy := 0, 0, 0.0, ""
	took := time.Since(b.began)
	for _, c := range chapters {
		for _, g := range c.goals {
			if g.met {
				met++
			} else {
				missed++
			}
		}
		others += c.others * c.took.Seconds() / took.Seconds()
	}
	if others > 0.1 {
		busy = "**The machine was busy with other work: goals that are times or rates are not judged fairly here.**"
	}
	var w strings.Builder
	fmt.Fprintf(&w, `# Measured

Written by %s on %s in %.0f minutes; do not edit: run it again. Goals met: %d, missed: %d.

%s. Other programs used %.0f %% of all cores meanwhile; each chapter says its own share. %s

All programs that are compared run in each round, %d rounds here; "×" and "÷" are the median of the ratios of the rounds, other figures are medians, with the lowest and the highest round in brackets. Ratios carry over to another machine, times do not. duequeue runs by its public API with everything on: decoding, lease, acks, breaker, metrics, tracing of every tenth message. Redisson's take() and poll(), BLPOP and LPOP have no acks: what a crash interrupts is lost. Payloads are strings of %d bytes where nothing else is said.
`, b.plan.command, b.began.UTC().Format("2006-01-02 15:04 MST"), took.Minutes(), met, missed,
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
		verdict := "met"
		if !g.met {
			verdict = "**missed**"
			if g.why != "" {
				verdict += ": " + g.why
			}
		}
		rows = append(rows, []string{g.what, g.want, g.got, verdict})
	}
	w.WriteString("\n")
	writeTable(w, []string{"goal", "wanted", "measured", ""}, rows)
}

func writeTable(w *strings.Builder, columns []string, rows [][]string) {
	for _, cells := range append([][]string{columns, strings.Split(strings.Repeat("---,", len(columns)-1)+"---", ",")}, rows...) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}
