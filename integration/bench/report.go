package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// head is what both files of results begin with.
type head struct {
	plan    plan
	machine machine
	started time.Time
	took    map[string]time.Duration // by part
	others  []float64
}

// report is everything that RESULTS.md tells.
type report struct {
	consume *consumed
	late    *late
	offers  *offered
	idle    []idleCost
}

// file is RESULTS.md.
func (r *report) file() resultFile {
	return resultFile{
		name: "RESULTS.md", title: "Measured", intro: introduction,
		chapters: []chapter{
			{heading: consumeHeading, parts: []string{"consume"}, goals: r.consume.goals, write: r.consume.write},
			{heading: "Lateness", parts: []string{"lateness"}, goals: r.late.goals, write: r.late.write},
			{heading: "Offers", parts: []string{"offers"}, goals: r.offers.goals, write: r.offers.write},
			{
				heading: "Idle", parts: []string{"idle"}, goals: func() []goal { return idleGoals(r.idle) },
				write: func(w *strings.Builder, p plan) { writeIdle(w, r.idle, p) },
			},
		},
	}
}

// Where the goals of consumption stand in the results, see [checkRatios].
const (
	consumeHeading = "Consumption"
	measuredColumn = 2
)

// How a goal was judged.
const (
	metMark    = "met"
	missedMark = "**missed**"
)

func writeGoals(w *strings.Builder, goals []goal) {
	if len(goals) == 0 {
		return
	}
	var missed []goal
	w.WriteString("| goal | wanted | measured | |\n|---|---|---|---|\n")
	for _, g := range goals {
		verdict := metMark
		if !g.met {
			verdict = missedMark
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
	fmt.Fprintf(w, `One queue, a handler that does nothing, payloads of about %d bytes, the ready list filled before. duequeue runs by its public API with everything on: decoding, lease, acks, breaker, metrics, tracing of every tenth message. The bare take script is the lease layer alone (take and ack; `+"`framework/internal/lease`"+`). BLPOP and LPOP lose what a crash interrupts, and so do Redisson's take() and poll(). asynq and BullMQ (%s) fill their own queues. Median of %d rounds; timed from the end of the first tenth.

| consumer | messages/s | lowest … highest | × BLPOP | µs of Redis per message | µs of the Go process per message |
|---|---|---|---|---|---|
`, payloadBytes, c.node, p.rounds)
	for _, name := range c.order() {
		if len(c.rates[name]) == 0 { // a short look leaves some out
			continue
		}
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
	c.writeProfiles(w)
}

func (c *consumed) order() []string {
	names := []string{}
	for _, n := range prefetches {
		names = append(names, bareName(n), ourName("string", n), ourName("kryo5 map", n))
	}
	return append(names, silentName, oneCoreName, batchOneName, batchName, blpopName, lpopName, takeOneName, takeEightStr, takeEightKry, pollName, asynqName, bullConcurrent)
}

func (c *consumed) writeProfiles(w *strings.Builder) {
	w.WriteString("CPU profiles of this program while duequeue empties a queue of strings.\n")
	for _, name := range slices.Sorted(maps.Keys(c.profiles)) {
		fmt.Fprintf(w, "\n%s:\n\n```\n%s\n```\n", name, strings.TrimSpace(c.profiles[name]))
	}
}

func (l *late) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `From due (whole ms, as the sorted set says) to the start of the handler, or the return of take(); ms by the clock of the machine, which is also Redis's. Offered before; due evenly at the rate. p50, p99 and Redis's CPU: median of %d rounds; max and early: all rounds. duequeue with its default of 8 workers; Redisson with one RDelayedQueue and one take() loop. "Timer and PING" is the least that this machine does in that time: a goroutine that waits for the due time and asks Redis once.

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
	fmt.Fprintf(w, "One after the other, string codec, due in an hour; median of %d rounds of %d.\n\n| | offers/s | µs of Redis per offer |\n|---|---|---|\n",
		p.offerRounds, p.offers)
	for _, who := range []string{ours, jar} {
		fmt.Fprintf(w, "| %s | %s | %s |\n", who, figure(o.rates.median(who)), figure(o.cpu.median(who)))
	}
	w.WriteString("\n")
}

func writeIdle(w *strings.Builder, costs []idleCost, p plan) {
	fmt.Fprintf(w, "One process with empty queues for %.0f s, each kind on its own server. Commands as the client sends them (a script is one), by MONITOR.\n\n| | queues | commands/s per queue | connections | commands |\n|---|---|---|---|---|\n", p.idle.Seconds())
	for _, c := range costs {
		fmt.Fprintf(w, "| %s | %d | %s | %d | %s |\n", c.who, c.queues, figure(c.commands/float64(c.queues)), c.connections, c.list())
	}
	w.WriteString("\n")
}

// list is how often each command was sent.
func (c idleCost) list() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		names = append(names, fmt.Sprintf("%s %d", name, c.names[name]))
	}
	return strings.Join(names, ", ")
}
