package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

const (
	dueQueue      = "due"
	burstWorkers  = 128
	jarThreads    = 8  // take() loops
	longestScript = 10 // ms: how long one script may hold Redis
)

// server is who handles what falls due.
type server struct {
	who       string
	view      registry.ViewMode
	processes int // of the jar clients in one JVM
	workers   int // of the jar take() loops
}

// ourViews are one process of ours in each view, and Redisson.
func ourViews(workers, threads int) []server {
	var all []server
	for _, v := range views {
		all = append(all, server{viewName(v), v, 1, workers})
	}
	return append(all, server{who: jar, processes: 1, workers: threads})
}

// moment is one measurement: n texts fall due, and perhaps others are pending all the time.
type moment struct {
	server
	n, pending int
	due        func(i int, first int64) int64 // ms; first is a moment ahead, or now where they are overdue
	overdue    bool                           // filled in before the server begins
}

// handled is what a moment costs until all is acked.
type handled struct {
	last float64   // seconds from first to the start of the last handler
	ms   []float64 // late, of each text
	load load
	own  float64 // µs of our processes
}

// handle measures once.
func (b *bench) handle(srv *lab.Server, m moment) (h handled, err error) {
	for {
		h, err = b.handleOnce(srv, m)
		if !errors.Is(err, errLate) || b.slowness >= 32 {
			return h, err
		}
		b.slowness *= 2
		b.progress("  %v; again with %d times the usual time", err, b.slowness)
	}
}

// errLate says that messages were due before all of them were there.
var errLate = errors.New("the machine is too busy: messages were due before all of them were there")

func (b *bench) handleOnce(srv *lab.Server, m moment) (h handled, err error) {
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = patience })
	if err = rdb.FlushAll(b.ctx).Err(); err != nil {
		return h, err
	}
	texts := elements(max(m.n, m.pending))
	place := rand.New(rand.NewPCG(5, 6)).Perm(len(texts))
	if m.pending == 0 {
		slices.Sort(place)
	}
	_, pending, _ := keysOf(dueQueue)
	if err = b.push(rdb, pending, len(texts), func(i int) string { return texts[place[i]] }); err != nil {
		return h, err
	}
	began := time.Now()
	if err = b.schedule(rdb, dueQueue, texts, m.n, len(texts), func(i int) int64 { return later(began, i) }); err != nil {
		return h, err
	}
	programs, err := b.serve(srv, m.server, m.n)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, all(programs, "serve-stop")) }()
	first := time.Now()
	if !m.overdue {
		first = first.Add(time.Duration(b.slowness) * (1500*time.Millisecond + time.Duration(m.n)*5*time.Microsecond)).Truncate(time.Millisecond)
	}
	due := func(i int) int64 { return m.due(i, first.UnixMilli()) }
	if err = b.schedule(rdb, dueQueue, texts, 0, m.n, due); err != nil {
		return h, err
	}
	if !m.overdue {
		if err = all(programs, "serve-start"); err != nil {
			return h, err
		}
		b.sleep(time.Until(first) - 200*time.Millisecond)
	}
	end, err := watchLoad(b.ctx, rdb)
	if err != nil {
		return h, err
	}
	before, since := cpuOf(programs), first
	if m.overdue {
		since = time.Now()
		err = all(programs, "serve-start")
	} else if time.Now().After(first) {
		err = errLate
	}
	if err != nil {
		return h, err
	}
	times, err := b.await(programs, m.n)
	if err == nil && m.pending == 0 {
		err = b.awaitGone(rdb)
	}
	if err != nil {
		return h, err
	}
	h.own = cpuOf(programs) - before
	if h.load, err = end(); err != nil {
		return h, err
	}
	for i, t := range times {
		if t == 0 {
			return h, fmt.Errorf("message %d was not handled", i)
		}
		h.ms = append(h.ms, float64(t-1000*due(i))/1000)
		h.last = max(h.last, time.UnixMicro(t).Sub(since).Seconds())
	}
	return h, nil
}

// later is a random time of the day after tomorrow, the same at each call.
func later(now time.Time, i int) int64 {
	const day = 24 * time.Hour
	return now.Add(day).UnixMilli() + rand.New(rand.NewPCG(3, uint64(i))).Int64N(day.Milliseconds())
}

// serve connects processes of ours, or the JVM.
func (b *bench) serve(srv *lab.Server, s server, n int) (programs []*program, err error) {
	processes := s.processes
	if s.who == jar {
		processes = 1
	}
	for i := range processes {
		p, err := b.java, error(nil)
		if s.who != jar {
			p = func() (*program, error) { return b.service(i) }
		}
		one, err := p()
		if err != nil {
			return nil, err
		}
		if _, err = one.call("serve %s %s %d %d %d %d 1", srv.URL(), dueQueue, s.processes, s.workers, n, s.view); err != nil {
			return nil, err
		}
		programs = append(programs, one)
	}
	return programs, nil
}

// all gives each program a command.
func all(programs []*program, command string) error {
	for _, p := range programs {
		if _, err := p.call("%s", command); err != nil {
			return err
		}
	}
	return nil
}

// await waits until n texts were handled in all, and returns when each one was, in µs.
func (b *bench) await(programs []*program, n int) ([]int64, error) {
	if err := b.until(func() (bool, error) {
		count := 0.0
		for _, p := range programs {
			c, err := p.rate("serve-count")
			if err != nil {
				return false, err
			}
			count += c
		}
		return count >= float64(n), nil
	}); err != nil {
		return nil, err
	}
	times := make([]int64, n)
	for _, p := range programs {
		line, err := p.call("serve-times")
		if err != nil {
			return nil, err
		}
		var its []int64
		if err = json.Unmarshal([]byte(line), &its); err != nil {
			return nil, err
		}
		for i, t := range its {
			times[i] = max(times[i], t)
		}
	}
	return times, nil
}

// awaitGone waits until the queue is empty in Redis and nothing of it is in flight.
func (b *bench) awaitGone(rdb *redis.Client) error {
	timeout, _, _ := keysOf(dueQueue)
	return b.until(func() (bool, error) {
		left, err := rdb.Exists(b.ctx, timeout, dueQueue).Result()
		if err != nil || left > 0 {
			return false, err
		}
		keys, _, err := rdb.Scan(b.ctx, 0, "duequeue:inflight:*", 10_000).Result()
		return len(keys) == 0, err
	})
}

// addHandled adds the figures of a moment.
func (f figures) addHandled(who string, h handled) {
	n, early := float64(len(h.ms)), 0.0
	for _, ms := range h.ms {
		if ms < 0 {
			early++
		}
	}
	f.add("rate", who, n/h.last)
	f.add("p50", who, quantile(h.ms, 0.5))
	f.add("p99", who, quantile(h.ms, 0.99))
	f.add("max", who, quantile(h.ms, 1))
	f.add("early", who, early)
	f.add("redis", who, h.load.cpu/n)
	f.add("own", who, h.own/n)
	f.add("scripts", who, h.load.calls/n)
	f.add("longest", who, h.load.longest)
}

// evenly lets texts fall due at a rate, in the order of their numbers.
func evenly(rate int) func(i int, first int64) int64 {
	return func(i int, first int64) int64 { return first + int64(i)*1000/int64(rate) }
}

// lateness lets messages fall due at several rates.
func (b *bench) lateness() (*chapter, error) {
	const ping = "timer and PING"
	rates := []int{10, 500, 2000}
	name := func(who string, rate int) string { return fmt.Sprintf("%s, %d/s", who, rate) }
	f := figures{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, rate := range rates {
			n := int(float64(rate) * b.plan.lateFor.Seconds())
			for _, s := range []server{{ours, registry.ViewExact, 1, 8}, {jar, 0, 1, 1}} {
				h, err := b.handle(b.srv, moment{server: s, n: n, due: evenly(rate)})
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name(s.who, rate), err)
				}
				f.addHandled(name(s.who, rate), h)
			}
			h, err := b.pingAt(n, evenly(rate))
			if err != nil {
				return nil, err
			}
			f.addHandled(name(ping, rate), h)
		}
	}
	c := &chapter{
		heading: "Lateness",
		text:    "From due (whole ms, as the sorted set says) to the start of the handler, or to the return of take(). Messages fall due evenly at the rate; duequeue with its default of 8 workers, Redisson with an RDelayedQueue and one take() loop. \"Timer and PING\" waits for the due time and asks Redis once: this machine does no better.",
		columns: []string{"", "p50, ms", "p99, ms", "max, ms", "early", "µs of Redis per message", "scripts per message"},
	}
	most := map[int]float64{10: 1, 500: 0.4, 2000: 0.5}
	for _, rate := range rates {
		for _, who := range []string{ours, jar, ping} {
			k := name(who, rate)
			c.row(k, f["p50"].spread(k), f["p99"].spread(k), figure(f["max"].most(k)), figure(f["early"].most(k)), f["redis"].median(k), f["scripts"].median(k))
		}
		k, theirs, least := name(ours, rate), name(jar, rate), name(ping, rate)
		why := "a timer and one PING take %s ms here; a message needs two scripts, to move it and to take it under a lease"
		c.atMost(fmt.Sprintf("p50 at %d/s, ms", rate), median(f["p50"][k]), 0.5, fmt.Sprintf(why, f["p50"].median(least)))
		c.atMost(fmt.Sprintf("p99 at %d/s, ms", rate), median(f["p99"][k]), 1.5, fmt.Sprintf(why, f["p99"].median(least)))
		c.atMost(fmt.Sprintf("early at %d/s", rate), f["early"].most(k), 0, "")
		c.atMost(fmt.Sprintf("Redis's CPU per message at %d/s ÷ Redisson's", rate), f["redis"].ratio(k, theirs), most[rate],
			fmt.Sprintf("%s scripts per message against %s: the jar acks nothing", f["scripts"].median(k), f["scripts"].median(theirs)))
	}
	return c, nil
}

// pingAt is the least that a consumer can be: it knows the due times, wakes at each and asks Redis
// once.
func (b *bench) pingAt(n int, due func(i int, first int64) int64) (h handled, err error) {
	first := time.Now().Add(100 * time.Millisecond).UnixMilli()
	end, err := watchLoad(b.ctx, b.rdb)
	if err != nil {
		return h, err
	}
	for i := range n {
		at := time.UnixMilli(due(i, first))
		b.sleep(time.Until(at))
		if err = b.rdb.Ping(b.ctx).Err(); err != nil {
			return h, err
		}
		h.ms = append(h.ms, milliseconds(time.Since(at)))
	}
	h.load, err = end()
	return h, err
}

// bursts lets very many messages be due at one ms, or overdue.
func (b *bench) bursts(overdue bool) (*chapter, error) {
	n, f := b.plan.burst, figures{}
	due := func(_ int, first int64) int64 { return first }
	c := &chapter{
		heading: fmt.Sprintf("Burst: %d messages due at one ms", n),
		text:    "One idle process waits for them; seconds are from that instant.",
		columns: []string{"", "messages/s until the last handler", "× Redisson", "µs of Redis per message", "µs of the Go process per message", "longest script, ms"},
	}
	if overdue {
		due = func(i int, first int64) int64 { return first - 1 - int64(i)*7919%time.Hour.Milliseconds() } // in no order
		c.heading = fmt.Sprintf("Overdue: %d messages of the last hour", n)
		c.text = "They fell due while no process ran; seconds are from the start of one."
	}
	c.text += fmt.Sprintf(" duequeue is one process with %d workers where nothing else is said, Redisson one client with an RDelayedQueue and %d take() loops.", burstWorkers, jarThreads)
	servers := append([]server{{ours + ", 8 workers", registry.ViewExact, 1, 8}}, ourViews(burstWorkers, jarThreads)...)
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, s := range servers {
			h, err := b.handle(b.srv, moment{server: s, n: n, due: due, overdue: overdue})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.who, err)
			}
			f.addHandled(s.who, h)
		}
	}
	for _, s := range servers {
		who := s.who
		c.row(who, f["rate"].spread(who), figure(f["rate"].ratio(who, jar)), f["redis"].median(who), s.own(f["own"]), figure(f["longest"].most(who)))
		if s.workers != burstWorkers {
			continue
		}
		least := 50_000.0
		if s.view == registry.ViewExact {
			least = 40_000
			c.atLeast(who+" ÷ Redisson", f["rate"].ratio(who, jar), 10, "")
		}
		c.atLeast(who+": messages/s", median(f["rate"][who]), least,
			fmt.Sprintf("a message takes %s µs of Redis and %s µs of the Go process, which share the cores", f["redis"].median(who), f["own"].median(who)))
		c.scriptGoal(who, f["longest"])
		if !overdue {
			c.atMost(who+": early", f["early"].most(who), 0, "")
		}
	}
	return c, nil
}

// own is what our processes take of each message; "–" for the jar.
func (s server) own(own series) string {
	if s.who == jar {
		return "–"
	}
	return own.median(s.who)
}

// scriptGoal bounds the longest script of all rounds.
func (c *chapter) scriptGoal(name string, longest series) {
	c.atMost(name+": longest script, ms", longest.most(name), longestScript, "by the clock, which runs on while another program has the core")
}

// processes lets several processes serve one queue. Messages fall due in the order of their offers,
// which costs Redisson next to no walks of its list: the number of processes is what counts.
func (b *bench) processes() (*chapter, error) {
	const steady, rush = 1000, 100_000 // messages that fall due in a second
	var servers []server
	for _, n := range []int{1, 4} {
		servers = append(servers, server{fmt.Sprintf("%s, %d", ours, n), registry.ViewExact, n, burstWorkers}, server{jar, 0, n, jarThreads})
	}
	name := func(s server) string {
		return fmt.Sprintf("%s, %d", strings.TrimSuffix(s.who, ", "+strconv.Itoa(s.processes)), s.processes)
	}
	fast, slow := figures{}, figures{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, s := range servers {
			h, err := b.handle(b.srv, moment{server: s, n: b.plan.rush, due: evenly(rush)})
			if err != nil {
				return nil, fmt.Errorf("rush, %s: %w", name(s), err)
			}
			fast.addHandled(name(s), h)
			if h, err = b.handle(b.srv, moment{server: s, n: int(steady * b.plan.lateFor.Seconds()), due: evenly(steady)}); err != nil {
				return nil, fmt.Errorf("steady, %s: %w", name(s), err)
			}
			slow.addHandled(name(s), h)
		}
	}
	c := &chapter{
		heading: "Processes",
		text: fmt.Sprintf("One queue, served by 1 and by 4 processes with %d workers each, or by 1 and 4 clients of Redisson with an RDelayedQueue and %d take() loops each, which share one JVM, to their advantage. Rush: %d messages, %d a second, which is more than anybody handles. Steady: %d a second.",
			burstWorkers, jarThreads, b.plan.rush, rush, steady),
		columns: []string{"", "rush: messages/s", "× Redisson with as many", "rush: µs of Redis per message", "steady: µs of Redis per message", "÷ Redisson with as many", "steady: scripts per message"},
	}
	for _, s := range servers {
		k, theirs := name(s), fmt.Sprintf("%s, %d", jar, s.processes)
		c.row(k, fast["rate"].spread(k), figure(fast["rate"].ratio(k, theirs)), fast["redis"].median(k), slow["redis"].spread(k), figure(slow["redis"].ratio(k, theirs)), slow["scripts"].median(k))
	}
	return c, nil
}

// steady lets messages fall due steadily among very many that are pending, at random places of the
// list, on a server with a log on disk and a replica.
func (b *bench) steady() (c *chapter, err error) {
	const rate, latest, few = 2000, 5000, 100
	f, pending := figures{}, b.plan.pending
	// A script of Redisson's moves a hundred, and may take more than the 5 s after which others get BUSY.
	srv, err := b.startServer(lab.AppendOnly(), lab.Args("--lua-time-limit", "0", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0", "--repl-diskless-sync-delay", "0"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	replica, err := b.startServer(lab.Args("--replicaof", strings.Replace(srv.Addr(), ":", " ", 1)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, replica.Stop()) }()
	for round := range b.plan.steadyRounds {
		for _, s := range ourViews(8, jarThreads) {
			b.progress("  round %d of %d, %s", round+1, b.plan.steadyRounds, s.who)
			m := moment{server: s, n: int(rate * b.plan.steadyFor.Seconds()), pending: pending, due: evenly(rate)}
			if s.who == jar {
				m.n = min(m.n, few)
			}
			h, err := b.handle(srv, m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.who, err)
			}
			f.addHandled(s.who, h)
		}
	}
	c = &chapter{
		heading: fmt.Sprintf("Steady: among %d pending messages", pending),
		text: fmt.Sprintf("%d messages fall due each second for %.0f s, of Redisson's only %d: it takes longer for one than until the next one falls due. One process with 8 workers handles them, or one client of Redisson with %d take() loops. Redis writes its log (appendfsync everysec) and has a replica.",
			rate, b.plan.steadyFor.Seconds(), few, jarThreads),
		columns: []string{"", "late p50, ms", "p99, ms", "max, ms", "µs of Redis per message", "Redisson's ÷ ours", "longest script, ms"},
	}
	for _, s := range ourViews(8, jarThreads) {
		who := s.who
		c.row(who, f["p50"].spread(who), f["p99"].spread(who), figure(f["max"].most(who)), f["redis"].median(who), figure(f["redis"].ratio(jar, who)), figure(f["longest"].most(who)))
		if who == jar {
			continue
		}
		c.atMost(who+": late p99, ms", median(f["p99"][who]), latest, "a pass of the exact view reads each pending element, and what falls due meanwhile waits for the next one")
		c.scriptGoal(who, f["longest"])
		c.atMost(who+": early", f["early"].most(who), 0, "")
	}
	return c, nil
}
