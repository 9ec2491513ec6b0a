package main

import (
	"fmt"
	"math"
)

// goal is one line of the table of goals.
type goal struct {
	what string
	want string
	got  string
	met  bool
	of   string // the measurement it judges, where there are several; see [goal.about]
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

// goals judges what was measured; parts that did not run have none.
func (r *report) goals() []goal {
	var all []goal
	if c := r.consume; c != nil {
		all = append(all, c.goals()...)
	}
	if l := r.late; l != nil {
		all = append(all, l.goals()...)
	}
	if o := r.offers; o != nil {
		all = append(all, atLeast("single offers ÷ Redisson's", o.rates.ratio(ours, jar), 1.2))
	}
	for _, c := range r.idle {
		if c.who != ours {
			continue
		}
		all = append(all,
			atMost(fmt.Sprintf("idle commands/s per queue, %d queues", c.queues), c.commands/float64(c.queues), 1),
			atMost(fmt.Sprintf("idle connections, %d queues", c.queues), float64(c.connections), float64(c.queues+3)))
	}
	return all
}

func (c *consumed) goals() []goal {
	var all []goal
	least := map[int]float64{1: 0.6, 16: 0.75, 128: 0.7}
	for _, codec := range []string{"string", "kryo5 map"} {
		for _, n := range prefetches {
			all = append(all, atLeast(fmt.Sprintf("prefetch %d, %s ÷ bare take script", n, codec),
				c.rates.ratio(ourName(codec, n), bareName(n)), least[n]))
		}
	}
	return append(all,
		atLeast("prefetch 128, string ÷ poll(100)", c.rates.ratio(ourName("string", 128), pollName), 0.9),
		atLeast("batches of 100, string ÷ poll(100)", c.rates.ratio(batchName, pollName), 1),
		atMost("prefetch 128, string: the Go process per message, µs", c.own.median(ourName("string", 128)), 2.5),
		atLeast("prefetch 128, string ÷ take() with 8 threads, String", c.rates.ratio(ourName("string", 128), takeEightStr), 6),
		atLeast("prefetch 128, kryo5 map ÷ take() with 8 threads, Kryo 5", c.rates.ratio(ourName("kryo5 map", 128), takeEightKry), 6),
		atLeast("prefetch 128, string ÷ asynq", c.rates.ratio(ourName("string", 128), asynqName), 12))
}

func (l *late) goals() []goal {
	var all []goal
	for _, rate := range rates {
		name := lateName(ours, rate)
		all = append(all,
			atMost(fmt.Sprintf("lateness p50 at %d/s, ms", rate), l.p50.median(name), 0.5),
			atMost(fmt.Sprintf("lateness p99 at %d/s, ms", rate), l.p99.median(name), 1.5),
			atMost(fmt.Sprintf("early at %d/s", rate), float64(l.early[name]), 0))
	}
	most := map[int]float64{10: 1, 500: 0.4, 2000: 0.5}
	for _, rate := range rates {
		all = append(all, atMost(fmt.Sprintf("Redis CPU per message at %d/s ÷ Redisson's", rate),
			l.cpu.ratio(lateName(ours, rate), lateName(jar, rate)), most[rate]))
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
