package main

import (
	"fmt"
	"math"
	"slices"
)

// goal is one line of the table of goals.
type goal struct {
	what string
	want string
	got  string
	met  bool
	of   string // the measurement it judges, where there are several; see [goal.about]
	why  string // why it is missed, where it is; see [goal.because]

	script bool // bounds a script, by the clock
}

// longestScriptGoal bounds the longest script of a measurement, in ms.
func longestScriptGoal(what string, all []float64) goal {
	g := atMost(what+": longest script, ms", slices.Max(all), longestScript)
	g.script = true
	return g
}

// because adds why this machine misses the goal, with figures of the same run.
func (g goal) because(format string, args ...any) goal {
	if g.why != "" {
		g.why += "; "
	}
	g.why += fmt.Sprintf(format, args...)
	return g
}

// about says which measurement the goal judges.
func (g goal) about(name string) goal {
	g.of = name
	return g
}

func atLeast(what string, got, want float64) goal {
	return goal{what: what, want: fmt.Sprintf("≥ %g", want), got: figure(got), met: got >= want}
}

func atMost(what string, got, want float64) goal {
	return goal{what: what, want: fmt.Sprintf("≤ %g", want), got: figure(got), met: got <= want}
}

func (o *offered) goals() []goal {
	return []goal{atLeast("single offers ÷ Redisson's", o.rates.ratio(ours, jar), 1.2)}
}

func idleGoals(costs []idleCost) (all []goal) {
	for _, c := range costs {
		if c.who != ours {
			continue
		}
		all = append(all,
			atMost(fmt.Sprintf("idle commands/s per queue, %d queues", c.queues), c.commands/float64(c.queues), 1).because("all that was sent: %s", c.list()),
			atMost(fmt.Sprintf("idle connections, %d queues", c.queues), float64(c.connections), float64(c.queues+3)))
	}
	return all
}

func (c *consumed) goals() []goal {
	var all []goal
	least := map[int]float64{1: 0.6, 16: 0.75, 128: 0.7}
	for _, codec := range []string{"string", "kryo5 map"} {
		for _, n := range prefetches {
			name := ourName(codec, n)
			all = append(all, atLeast(fmt.Sprintf("prefetch %d, %s ÷ bare take script", n, codec),
				c.rates.ratio(name, bareName(n)), least[n]).because("%s", c.costs(name)))
		}
	}
	single := ourName("string", 128)
	return append(all,
		atLeast("prefetch 128, string ÷ poll(100)", c.rates.ratio(single, pollName), 0.9).because("%s", c.costs(single)).because("%s", c.safety()),
		atLeast("batches of 100, string ÷ poll(100)", c.rates.ratio(batchName, pollName), 1).because("%s", c.costs(batchName)).because("%s", c.safety()),
		atMost("prefetch 128, string: the Go process per message, µs", c.own.median(single), 2.5).because(
			"%s µs without traces and metrics, see the profile for the rest; BLPOP, a bare call for each message, takes %s µs here", figure(c.own.median(silentName)), figure(c.own.median(blpopName))),
		atMost("prefetch 128, string, not sampled: allocations per message", c.allocs, 3).because(
			"its string, the interface that middlewares see it by, its Delivery, and one of go-redis for each bulk string of a reply that is written to a buffer; the rest are those of each take"),
		atLeast("prefetch 128, string ÷ take() with 8 threads, String", c.rates.ratio(single, takeEightStr), 6).because("%s", c.costs(single)),
		atLeast("prefetch 128, kryo5 map ÷ take() with 8 threads, Kryo 5", c.rates.ratio(ourName("kryo5 map", 128), takeEightKry), 6).because("%s", c.costs(ourName("kryo5 map", 128))),
		atLeast("prefetch 128, string ÷ asynq", c.rates.ratio(single, asynqName), 12))
}

// costs says what a message takes of the two processes that share the cores, and that its own
// work apart from traces and metrics is not what a peer leaves out.
func (c *consumed) costs(name string) string {
	return sharing("a message", c.own.median(name), c.cpu.median(name)) + fmt.Sprintf("; 128 without traces and metrics reaches %s of the bare script, which only takes and acks, and with one core for Go, which leaves the other one to Redis, %s",
		figure(c.rates.ratio(silentName, bareName(128))), figure(c.rates.ratio(oneCoreName, bareName(128))))
}

// sharing says what one costs of the two processes, in µs.
func sharing(one string, own, redis float64) string {
	return fmt.Sprintf("%s costs %s µs of the Go process and %s µs of Redis, which share the cores of this machine: side by side %s µs at best",
		one, figure(own), figure(redis), figure((own+redis)/2))
}

// safety says what it costs that nothing is lost.
func (c *consumed) safety() string {
	return fmt.Sprintf("the bare script, which keeps what it takes until it is acked, reaches %s of poll(100), which drops it", figure(c.rates.ratio(bareName(128), pollName)))
}

func (l *late) goals() []goal {
	var all []goal
	for _, rate := range rates {
		name, least := lateName(ours, rate), lateName(ping, rate)
		const trips = "a timer and one trip to Redis, a PING, take %s on this machine; a message needs two scripts, to move it as it falls due and to take it under a lease, and two trips where its taker waits in Redis, as at 10/s"
		all = append(all,
			atMost(fmt.Sprintf("lateness p50 at %d/s, ms", rate), l.p50.median(name), 0.5).because(trips, figure(l.p50.median(least))),
			atMost(fmt.Sprintf("lateness p99 at %d/s, ms", rate), l.p99.median(name), 1.5).because(trips, figure(l.p99.median(least))),
			atMost(fmt.Sprintf("early at %d/s", rate), float64(l.early[name]), 0))
	}
	most := map[int]float64{10: 1, 500: 0.4, 2000: 0.5}
	for _, rate := range rates {
		name, peer := lateName(ours, rate), lateName(jar, rate)
		all = append(all, atMost(fmt.Sprintf("Redis CPU per message at %d/s ÷ Redisson's", rate), l.cpu.ratio(name, peer), most[rate]).because(
			"%s scripts per message against %s: to move it, to take it under a lease, to ack it, and to wait again, where few come at a time; the jar acks nothing; a PING alone costs %s µs of Redis at this rate", figure(l.scripts.median(name)), figure(l.scripts.median(peer)), figure(l.cpu.median(lateName(ping, rate)))))
	}
	return all
}

// figure writes a number with as many digits as are worth reading.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "none"
	case v == math.Trunc(v) && a < 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 1000:
		return fmt.Sprintf("%.1fk", v/1000)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
