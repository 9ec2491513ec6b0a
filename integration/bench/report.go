package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/integration/bench/rounds"
)

// head is what both files of results begin with.
type head struct {
	command               string
	plan                  plan
	machine               machine
	started               time.Time
	took                  time.Duration
	loadBefore, loadAfter string
	others                []float64
}

// report is everything that RESULTS.md tells.
type report struct {
	head
	consume *consumed
	late    *late
	offers  *offered
	idle    []idleCost
}

func (r *report) markdown() string {
	var w strings.Builder
	r.writeHead(&w, "Measured")
	writeGoals(&w, r.goals())
	if r.consume != nil {
		r.consume.write(&w, r.plan)
	}
	if r.late != nil {
		r.late.write(&w, r.plan)
	}
	if r.offers != nil {
		r.offers.write(&w, r.plan)
	}
	if r.idle != nil {
		writeIdle(&w, r.idle, r.plan)
	}
	if r.consume != nil {
		r.consume.writeProfiles(&w)
	}
	return w.String()
}

func (h head) writeHead(w *strings.Builder, title string) {
	fmt.Fprintf(w, "# %s\n\nWritten by `%s` on %s; %.0f s. Do not edit: run it again.\n\n",
		title, h.command, h.started.UTC().Format("2006-01-02 15:04 MST"), h.took.Seconds())
	fmt.Fprintf(w, "Machine: %s, %d cores; %s; Redis %s on the same machine; %s.\n",
		h.machine.cpu, h.machine.cores, h.machine.goes, h.machine.redis, h.machine.java)
	fmt.Fprintf(w, "Go programs, ours and peers alike, run with GOGC=%d: the heap of a benchmark is so small that the default would collect it a hundred times a second.\n", gcPercent)
	fmt.Fprintf(w, "Other work on the machine, seen in %d looks before measurements: median %.0f %%, at most %.0f %% of all cores; load average %s before and %s after.\n",
		len(h.others), 100*rounds.Median(h.others), 100*slices.Max(append(h.others, 0)), h.loadBefore, h.loadAfter)
	fmt.Fprintf(w, "A loop that does nothing but read the clock stood still for up to %s ms in %.0f s while nothing else ran: no time below is more exact.\n",
		figure(milliseconds(h.machine.stall)), stallLook.Seconds())
	w.WriteString("\nFigures of one run of one machine: what carries over are the ratios. A ratio is the median of those taken inside each round.\n\n")
}

// Where the goals stand in a file of results, see [checkRatios].
const (
	goalsHeading   = "Goals"
	measuredColumn = 2
)

func writeGoals(w *strings.Builder, goals []goal) {
	var missed []goal
	w.WriteString("## " + goalsHeading + "\n\n| goal | wanted | measured | |\n|---|---|---|---|\n")
	for _, g := range goals {
		verdict := "met"
		if !g.met {
			verdict = "**missed**"
			missed = append(missed, g)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", g.what, g.want, g.got, verdict)
	}
	if len(missed) == 0 {
		w.WriteString("\nAll are met.\n\n")
		return
	}
	w.WriteString("\nOpen:\n\n")
	for _, g := range missed {
		fmt.Fprintf(w, "- %s: %s, wanted %s", g.what, g.got, g.want)
		if g.why != "" {
			w.WriteString(": " + g.why)
		}
		w.WriteString("\n")
	}
	w.WriteString("\n")
}

func (c *consumed) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `## Consumption

One queue, a handler that does nothing, payloads of about %d bytes, the ready list filled before. duequeue runs by its public API with everything on: decoding, lease, acks, breaker, metrics, tracing of every tenth message. The bare take script is the lease layer alone (take and ack; `+"`framework/internal/lease`"+`). BLPOP and LPOP lose what a crash interrupts, and so do Redisson's take() and poll(). asynq and BullMQ (%s) fill their own queues. Median of %d rounds; timed from the end of the first tenth.

| consumer | messages/s | lowest … highest | × BLPOP | µs of Redis per message | µs of the Go process per message |
|---|---|---|---|---|---|
`, payloadBytes, c.node, p.rounds)
	for _, name := range c.order() {
		cpu := figure(c.cpu.median(name))
		if strings.HasPrefix(name, "bare") || name == asynqName || name == bullConcurrent { // another server; filled inside the measurement
			cpu = "–"
		}
		own := "–"
		if strings.HasPrefix(name, ours) || name == blpopName || name == lpopName {
			own = figure(c.own.median(name))
		}
		fmt.Fprintf(w, "| %s | %s | %s … %s | %s | %s | %s |\n", name, figure(c.rates.median(name)),
			figure(slices.Min(c.rates[name])), figure(slices.Max(c.rates[name])), figure(c.rates.ratio(name, blpopName)), cpu, own)
	}
	w.WriteString("\n")
}

func (c *consumed) order() []string {
	names := []string{}
	for _, n := range prefetches {
		names = append(names, bareName(n), ourName("string", n), ourName("kryo5 map", n))
	}
	return append(names, silentName, batchOneName, batchName, blpopName, lpopName, takeOneName, takeEightStr, takeEightKry, pollName, asynqName, bullConcurrent)
}

func (c *consumed) writeProfiles(w *strings.Builder) {
	w.WriteString("## Where the time goes\n\nCPU profiles of this program while duequeue empties a queue of strings.\n")
	for _, name := range slices.Sorted(maps.Keys(c.profiles)) {
		fmt.Fprintf(w, "\n%s:\n\n```\n%s\n```\n", name, strings.TrimSpace(c.profiles[name]))
	}
}

func (l *late) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `## Lateness

From due (whole ms, as the sorted set says) to the start of the handler, or the return of take(); ms by the clock of the machine, which is also Redis's. Offered before; due evenly at the rate. p50, p99 and Redis's CPU: median of %d rounds; max and early: all rounds. duequeue with its default of 8 workers; Redisson with one RDelayedQueue and one take() loop. "Timer and PING" is the least that this machine does in that time: a goroutine that waits for the due time and asks Redis once.

| | rate | messages | p50 | p99 | max | early | µs of Redis per message | scripts per message |
|---|---|---|---|---|---|---|---|---|
`, p.lateRounds)
	for _, rate := range rates {
		for _, who := range []string{ours, jar, ping} {
			name := lateName(who, rate)
			fmt.Fprintf(w, "| %s | %d/s | %d | %s | %s | %s | %d | %s | %s |\n", who, rate, l.count[name],
				figure(l.p50.median(name)), figure(l.p99.median(name)), figure(l.max[name]), l.early[name], figure(l.cpu.median(name)), figure(l.scripts.median(name)))
		}
	}
	w.WriteString("\n")
}

func (o *offered) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, "## Offers\n\nOne after the other, string codec, due in an hour; median of %d rounds of %d.\n\n| | offers/s | µs of Redis per offer |\n|---|---|---|\n",
		p.offerRounds, p.offers)
	for _, who := range []string{ours, jar} {
		fmt.Fprintf(w, "| %s | %s | %s |\n", who, figure(o.rates.median(who)), figure(o.cpu.median(who)))
	}
	w.WriteString("\n")
}

func writeIdle(w *strings.Builder, costs []idleCost, p plan) {
	fmt.Fprintf(w, "## Idle\n\nOne process with empty queues for %.0f s, each kind on its own server. Commands as the client sends them (a script is one), by MONITOR.\n\n| | queues | commands/s per queue | connections | commands |\n|---|---|---|---|---|\n", p.idle.Seconds())
	for _, c := range costs {
		names := []string{}
		for _, name := range slices.Sorted(maps.Keys(c.names)) {
			names = append(names, fmt.Sprintf("%s %d", name, c.names[name]))
		}
		fmt.Fprintf(w, "| %s | %d | %s | %d | %s |\n", c.who, c.queues, figure(c.commands/float64(c.queues)), c.connections, strings.Join(names, ", "))
	}
	w.WriteString("\n")
}
