package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/integration/bench/plot"
	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
	"github.com/duequeue/duequeue/registry"
)

// delayedReport is everything that RESULTS-delayed.md tells.
type delayedReport struct {
	burst   *bursts
	overdue *bursts
	pending *pendings
	steady  *steadies
	crowd   *crowds
	bulk    *bulks
	cancel  *cancels
	peers   *delayedPeers
}

// Files of the plots, beside the results; their data have the same names and end in csv.
const (
	pendingPlot = "plots/pending"
	crowdPlot   = "plots/processes"
)

// file is RESULTS-delayed.md.
func (r *delayedReport) file(p plan) resultFile {
	return resultFile{
		name: "RESULTS-delayed.md", title: "The delayed queue, measured",
		intro: introduction + fmt.Sprintf(`
Payloads are strings of %d bytes. All messages of burst, overdue, pending, steady, processes and cancel were offered by Redisson, with random ids, and copied to both sides: the same elements in the same order, with the same due times.
duequeue runs by its public API with everything on: decoding, lease, acks, breaker, metrics, due records, tracing of every tenth message. Redisson's take() has no acks: what a crash interrupts is lost. The view says how Redisson's list of pending elements is kept: exact is the default.
`, payloadBytes),
		chapters: []chapter{
			{heading: "Burst", parts: []string{"burst"}, goals: func() []goal { return r.burst.goals(p) }, write: r.burst.write},
			{heading: "Overdue", parts: []string{"overdue"}, goals: func() []goal { return r.overdue.goals(p) }, write: r.overdue.write},
			{
				heading: "Among very many pending", parts: []string{"pending"}, goals: r.pending.goals, write: r.pending.write,
				charts: func() map[string]plot.Chart { return map[string]plot.Chart{pendingPlot: r.pending.chart()} },
			},
			{heading: "Steady among very many pending", parts: []string{"steady"}, goals: func() []goal { return r.steady.goals(p) }, write: r.steady.write},
			{
				heading: "Processes", parts: []string{"processes"}, write: r.crowd.write,
				charts: func() map[string]plot.Chart { return map[string]plot.Chart{crowdPlot: r.crowd.chart()} },
			},
			{heading: "Bulk offers", parts: []string{"bulk"}, goals: r.bulk.goals, write: r.bulk.write},
			{heading: "Cancel and reschedule", parts: []string{"cancel"}, goals: r.cancel.goals, write: r.cancel.write},
			{heading: "Peers, delayed", parts: []string{"peers"}, goals: r.peers.goals, write: r.peers.write},
		},
	}
}

// row writes one line of a table.
func row(w *strings.Builder, cells ...string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

// table writes the head of one.
func table(w *strings.Builder, cells ...string) {
	row(w, cells...)
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(cells)))
}

// spread is the median of a figure and, of several rounds, the lowest and the highest.
func (s series) spread(name string) string {
	values := s[name]
	switch len(values) {
	case 0:
		return "–"
	case 1:
		return figure(values[0])
	}
	return fmt.Sprintf("%s (%s … %s)", figure(rounds.Median(values)), figure(slices.Min(values)), figure(slices.Max(values)))
}

// most is the largest figure of all rounds. What SLOWLOG did not note is shorter than it
// was told to.
func (s series) most(name string) string {
	if len(s[name]) == 0 {
		return "–"
	}
	if most := slices.Max(s[name]); most > 0 {
		return figure(most)
	}
	return "< " + figure(milliseconds(slowFrom))
}

// count writes a number of messages.
func count(n int) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'g', -1, 64) + "M"
	case n >= 1000 && n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

func (r *bursts) write(w *strings.Builder, p plan) {
	what := "that are due at one instant, for which one idle process waits; times are from that instant"
	if r.overdue {
		what = "that were due at random times of the last hour, while no process ran; times are from the moment when the process begins"
	}
	fmt.Fprintf(w, `Very many messages %s. The handler does nothing. duequeue is one process with %d workers where nothing else is said; Redisson one client with an RDelayedQueue and %d take() loops; %q is a bare loop of ours without list, lease and records: what the delivery costs at least. "Begins" is the start of the last handler, or the return of the last take(); "gone" is when Redis held nothing of it any more, acks included. Memory is the Go process's resident set before and at its largest. Median of %d rounds (lowest … highest); %d of Redisson; figures without a spread are of one round. Memory is the largest of all rounds, and so is the longest script.

`, what, burstWorkers, jarThreads, floorName, p.burstRounds, p.burstJarRounds)
	table(w, "messages", "", "last one begins after, s", "gone after, s", "× Redisson", "µs of Redis per message", "µs of the Go process per message", "longest script, ms", "MB of the Go process")
	for _, u := range r.cases {
		name := u.name()
		ratio, own, memory := "–", "–", "–"
		if slow := (burst{who: jar, n: u.n, overdue: u.overdue}).name(); u.who != jar && len(r.last[slow]) > 0 {
			ratio = figure(r.last.ratio(slow, name))
		}
		if u.workers > 0 {
			own = figure(r.own.median(name))
			memory = fmt.Sprintf("%.0f → %.0f", rounds.Median(r.rest[name]), slices.Max(r.peak[name]))
		}
		row(w, u.scenario(), strings.TrimPrefix(name, u.scenario()+", "), r.last.spread(name), r.gone.spread(name), ratio,
			figure(r.redis.median(name)), own, r.longest.most(name), memory)
	}
	if p.burstBig > 0 && !r.overdue {
		small := burst{who: jar, n: p.burst}.name()
		grown := float64(p.burstBig) / float64(p.burst)
		fmt.Fprintf(w, "\nRedisson with %s at one ms is not run: by estimate it takes %s s, %g² times its %s s above, since each of %g times as many messages walks a list %g times as long.\n",
			count(p.burstBig), figure(r.last.median(small)*grown*grown), grown, figure(r.last.median(small)), grown, grown)
	}
	w.WriteString("\n")
	r.writeProfiles(w)
}

func (r *pendings) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `What it costs to transfer messages that fall due together while very many others are pending, in random order: each side transfers alone, and no process takes; time in scripts by INFO commandstats, the longest script by SLOWLOG. %d rounds; lazy and off move up to 1,000 messages a round, the others, where each one costs a walk of the list, 100 or 200: Redisson moves 100 in one script. "One LREM" is the mean of the walks; where it takes longer than %d ms, so does the shortest possible script of a view that is kept exact.

![cost among pending messages](%s.svg)

`, p.pendingRounds, longestScript, pendingPlot)
	table(w, "pending", "", "µs of Redis per message", "Redisson's ÷ ours", "longest script, ms", "one LREM, ms", "messages per round", "scripts per round")
	for _, size := range r.sizes {
		for _, t := range transferrers() {
			name := pendingName(t.who, size)
			ratio, one := "–", "–"
			if t.who != jar {
				ratio = figure(r.micros.ratio(pendingName(jar, size), name))
			}
			if len(r.oneLREM[name]) > 0 {
				one = figure(r.oneLREM.median(name) / 1000)
			}
			row(w, count(size), t.who, r.micros.spread(name), ratio, r.longest.most(name), one,
				strconv.Itoa(r.moved[name]), figure(r.scripts.median(name)))
		}
	}
	w.WriteString("\n")
	r.writeCommands(w)
}

func (r *crowds) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `One queue, served by 1 and by 4 processes of ours with %d workers each, or by 1 and 4 clients of Redisson with an RDelayedQueue and %d take() loops each. The clients share one JVM, warm, which is to their advantage. Messages fall due in the order of their offers, so that walks of the list are short and the number of processes is what counts. Rush: %s messages, %d of them each ms, which is more than anybody handles; the rate from the first due time to the last message. Steady: %d a second. µs are of the whole Redis process; scripts are those that the clients sent. Median of %d rounds (lowest … highest).

![cost with several processes](%s.svg)

`, burstWorkers, jarThreads, count(p.crowd), crowdPerMs, crowdSteady, p.crowdRounds, crowdPlot)
	table(w, "", "processes", "rush: messages/s", "rush: µs of Redis per message", "steady: µs of Redis per message", "steady: scripts per message")
	for _, side := range crowdSides() {
		for _, n := range crowdSizes {
			side.processes = n
			rush, steady := side, side
			steady.steady = true
			row(w, side.who, strconv.Itoa(n), r.rate.spread(rush.name()), r.redis.spread(rush.name()), r.redis.spread(steady.name()), figure(r.scripts.median(steady.name())))
		}
	}
	w.WriteString("\n")
}

func (r *bulks) write(w *strings.Builder, p plan) {
	var tried []string
	for _, n := range slices.Sorted(maps.Keys(r.flights)) {
		rate := "its client gave up"
		if r.flights[n] > 0 {
			rate = figure(r.flights[n])
		}
		tried = append(tried, fmt.Sprintf("%d: %s", n, rate))
	}
	fmt.Fprintf(w, `%s messages, due in an hour; timed from the end of the first tenth. Those of OfferAll in ten calls, of which one is traced where nothing else is said. Redisson's offerAsync with %d offers at a time, its best of those tried (offers/s: %s). The pipelined ones have no results, no ids of their own and no safety; they are what Redis and the wire cost. Median of %d rounds (lowest … highest).

`, count(p.bulkOffers), r.flight, strings.Join(tried, ", "), p.bulkRounds)
	table(w, "", "offers/s", "× Redisson", "µs of Redis per offer", "µs of the Go process per offer", "bytes of Redis per pending message")
	for _, name := range []string{bulkName, bulkOffName, untracedName, tracedName, asyncName, pipedName, bareAddName} {
		own := "–"
		if name != asyncName {
			own = figure(r.own.median(name))
		}
		row(w, name, r.rates.spread(name), figure(r.rates.ratio(name, asyncName)), figure(r.redis.median(name)), own, figure(r.memory.median(name)))
	}
	w.WriteString("\n")
	if r.profile != "" {
		fmt.Fprintf(w, "OfferAll: CPU profile of the Go process. %s\n\n", fenced(r.profile))
	}
}

func (r *cancels) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `Among %s pending messages, %.0f %% of them due at one ms, the others at random. Ids by the public Pending at random places; one call after the other. Median of %d rounds (lowest … highest); the longest script of all. In the exact view Cancel walks the list; the ordered view cancels as exact does.

`, count(r.n), 100*cancelShare, p.cancelRounds)
	table(w, "", "calls", "p50, ms", "p99, ms", "ms of Redis per call", "longest script, ms", "one LREM, ms")
	for _, v := range cancelViews {
		for _, op := range cancelOps {
			name := cancelName(v, op)
			one := "–"
			if v == registry.ViewExact && len(r.oneLREM[name]) > 0 {
				one = figure(r.oneLREM.median(name) / 1000)
			}
			row(w, name, strconv.Itoa(r.calls[name]), r.p50.spread(name), r.p99.spread(name), r.redis.spread(name), r.longest.most(name), one)
		}
	}
	w.WriteString("\n")
}

// writeCommands is what transfers cost, by command.
func (r *pendings) writeCommands(w *strings.Builder) {
	w.WriteString("By Redis, µs per message of the commands, the dearest six; the scripts' own time is the rest.\n\n")
	table(w, "", "scripts in all", "by command")
	for _, size := range r.sizes {
		for _, t := range transferrers() {
			name := pendingName(t.who, size)
			row(w, name, figure(r.micros.median(name)), r.breakdown[name])
		}
	}
	w.WriteString("\n")
}

func (r *bursts) writeProfiles(w *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(r.profiles)) {
		fmt.Fprintf(w, "%s: CPU profile of the Go process. %s\n\n", name, fenced(r.profiles[name]))
	}
}

// fenced puts what follows the first paragraph of a profile in a block.
func fenced(profile string) string {
	first, rest, _ := strings.Cut(profile, "\n\n")
	return first + "\n\n```\n" + strings.TrimSpace(rest) + "\n```"
}

// drawn draws charts by the names of their files, and writes their data beside them.
func drawn(charts map[string]plot.Chart) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, chart := range charts {
		picture, err := chart.SVG()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		data, err := chart.CSV()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name+".svg"], files[name+".csv"] = picture, data
	}
	return files, nil
}
