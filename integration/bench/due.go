package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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

	ping = "timer and PING" // what this machine makes of the least there is
)

// moment is one measurement: n texts fall due, and perhaps others are pending all the time.
type moment struct {
	name, who  string // who is ours, jar or ping
	view       registry.ViewMode
	processes  int // of the jar clients in one JVM
	workers    int // of the jar take() loops
	n, pending int
	due        func(i int, first int64) int64 // ms; first is a moment ahead, or now where they are overdue
	overdue    bool                           // nobody serves the queue before it is filled
}

// evenly lets texts fall due at a rate, in the order of their numbers.
func evenly(rate int) func(i int, first int64) int64 {
	return func(i int, first int64) int64 { return first + int64(i)*1000/int64(rate) }
}

// inViews are a moment in each view of ours, and on Redisson.
func inViews(m moment, workers int) (all []moment) {
	for _, m.view = range views {
		m.name, m.who, m.processes, m.workers = viewName(m.view), ours, 1, workers
		all = append(all, m)
	}
	m.name, m.who, m.workers = jar, jar, jarThreads
	return append(all, m)
}

// inRounds measures all moments in each round.
func (b *bench) inRounds(srv *lab.Server, rounds int, all []moment) (figures, error) {
	f := figures{}
	for round := range rounds {
		for _, m := range all {
			b.progress("  round %d of %d: %s", round+1, rounds, m.name)
			h, err := b.handle(srv, m)
			for ; errors.Is(err, errLate) && b.slowness < 32; h, err = b.handle(srv, m) {
				b.slowness *= 2
				b.progress("  %v; again with %d times the usual time", err, b.slowness)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			f.addHandled(m.name, h)
		}
	}
	return f, nil
}

// handled is what a moment costs until all is acked.
type handled struct {
	last float64   // seconds until the last handler begins
	ms   []float64 // late, of each text
	load load
	own  float64 // µs of our processes
}

func (f figures) addHandled(name string, h handled) {
	n, early := float64(len(h.ms)), 0.0
	for _, ms := range h.ms {
		if ms < 0 {
			early++
		}
	}
	for what, value := range map[string]float64{
		"rate": n / h.last, "p50": quantile(h.ms, 0.5), "p99": quantile(h.ms, 0.99), "max": quantile(h.ms, 1), "early": early,
		"redis": h.load.cpu / n, "own": h.own / n, "scripts": h.load.calls / n, "longest": h.load.longest,
	} {
		f.add(what, name, value)
	}
}

// errLate says that messages were due before all of them were there.
var errLate = errors.New("the machine is too busy: messages were due before all of them were there")

// handle measures a moment once.
func (b *bench) handle(srv *lab.Server, m moment) (h handled, err error) {
	if m.who == ping {
		return b.handlePing(m)
	}
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = patience })
	if err = rdb.FlushAll(b.ctx).Err(); err != nil {
		return h, err
	}
	texts, began := elements(max(m.n, m.pending)), time.Now()
	place := rand.New(rand.NewPCG(5, 6)).Perm(len(texts))
	if m.pending == 0 {
		slices.Sort(place)
	}
	if err = b.pend(rdb, dueQueue, texts, place, m.n, func(i int) int64 { return later(began, i) }); err != nil {
		return h, err
	}
	programs, err := b.serve(srv, m)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, all(programs, "serve-stop")) }()
	first := time.Now()
	if !m.overdue {
		first = first.Add(time.Duration(b.slowness) * (1500*time.Millisecond + time.Duration(m.n+m.pending)*5*time.Microsecond)).Truncate(time.Millisecond)
	}
	zero := first.UnixMilli()
	due := func(i int) int64 { return m.due(i, zero) }
	if err = b.schedule(rdb, dueQueue, texts, 0, m.n, due); err == nil && !m.overdue {
		err = all(programs, "serve-start")
		b.sleep(time.Until(first) - 200*time.Millisecond)
	}
	if err != nil {
		return h, err
	}
	return b.observe(rdb, programs, m, first, due)
}

// observe measures from the first due time on, or from the start where they are overdue.
func (b *bench) observe(rdb *redis.Client, programs []*program, m moment, first time.Time, due func(i int) int64) (h handled, err error) {
	var pids []int
	for _, p := range programs {
		pids = append(pids, p.cmd.Process.Pid)
	}
	end, err := watchLoad(b.ctx, rdb)
	if err != nil {
		return h, err
	}
	before := cpuOf(pids...)
	if m.overdue {
		first = time.Now()
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
	h.own = cpuOf(pids...) - before
	for i, t := range times {
		h.ms = append(h.ms, float64(t-1000*due(i))/1000)
		h.last = max(h.last, time.UnixMicro(t).Sub(first).Seconds())
	}
	h.load, err = end()
	return h, err
}

// handlePing knows the due times, wakes at each and asks Redis once.
func (b *bench) handlePing(m moment) (h handled, err error) {
	first := time.Now().Add(100 * time.Millisecond).UnixMilli()
	end, err := watchLoad(b.ctx, b.rdb)
	for i := 0; i < m.n && err == nil; i++ {
		at := time.UnixMilli(m.due(i, first))
		b.sleep(time.Until(at))
		err = b.rdb.Ping(b.ctx).Err()
		h.ms = append(h.ms, milliseconds(time.Since(at)))
	}
	if err == nil {
		h.load, err = end()
	}
	return h, err
}

// later is a random time of the day after tomorrow, the same at each call.
func later(now time.Time, i int) int64 {
	const day = 24 * time.Hour
	return now.Add(day).UnixMilli() + rand.New(rand.NewPCG(3, uint64(i))).Int64N(day.Milliseconds())
}

// serve connects processes of ours, or the JVM.
func (b *bench) serve(srv *lab.Server, m moment) (programs []*program, err error) {
	for i := range m.processes {
		var p *program
		if m.who == jar {
			p, err = b.java()
		} else {
			p, err = b.service(i)
		}
		if err == nil {
			_, err = p.call("serve %s %s %d %d %d %d 1", srv.URL(), dueQueue, m.processes, m.workers, m.n, m.view)
		}
		if programs = append(programs, p); err != nil || m.who == jar {
			break
		}
	}
	return programs, err
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
func (b *bench) await(programs []*program, n int) (times []int64, err error) {
	if err = b.until(func() (bool, error) {
		count := 0.0
		for _, p := range programs {
			its, failed := p.rate("serve-count")
			if failed != nil {
				return false, failed
			}
			count += its
		}
		return count >= float64(n), nil
	}); err != nil {
		return nil, err
	}
	times = make([]int64, n)
	for _, p := range programs {
		var its []int64
		var line string
		line, err = p.call("serve-times")
		if err == nil {
			err = json.Unmarshal([]byte(line), &its)
		}
		if err != nil {
			return nil, err
		}
		for i, t := range its {
			times[i] = max(times[i], t)
		}
	}
	if slices.Contains(times, 0) {
		return nil, errors.New("one message was handled twice, and another one never")
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

// scriptGoal bounds the longest script of all rounds.
func (c *chapter) scriptGoal(name string, longest series) {
	c.atMost(name+": longest script, ms", longest.most(name), longestScript, "by the clock, which runs on while another program has the core")
}

// lateness lets messages fall due at several rates.
func (b *bench) lateness() (*chapter, error) {
	rates := []int{10, 500, 2000}
	var moments []moment
	for _, rate := range rates {
		for _, m := range []moment{{who: ours, workers: 8}, {who: jar, workers: 1}, {who: ping}} {
			m.name, m.processes = fmt.Sprintf("%s, %d/s", m.who, rate), 1
			m.n, m.due = int(float64(rate)*b.plan.lateFor.Seconds()), evenly(rate)
			moments = append(moments, m)
		}
	}
	f, err := b.inRounds(b.srv, b.plan.rounds, moments)
	if err != nil {
		return nil, err
	}
	c := &chapter{
		heading: "Lateness",
		text:    "From due (whole ms, as the sorted set says) to the start of the handler, or to the return of take(). Messages fall due evenly at the rate; duequeue with its default of 8 workers, Redisson with an RDelayedQueue and one take() loop. \"Timer and PING\" waits for the due time and asks Redis once: this machine does no better.",
		columns: []string{"", "p50, ms", "p99, ms", "max, ms", "early", "µs of Redis per message", "scripts per message"},
	}
	for _, m := range moments {
		k := m.name
		c.row(k, f["p50"].spread(k), f["p99"].spread(k), figure(f["max"].most(k)), figure(f["early"].most(k)), f["redis"].median(k), f["scripts"].median(k))
	}
	most := map[int]float64{10: 1, 500: 0.4, 2000: 0.5}
	for i, rate := range rates {
		k, theirs, least := moments[3*i].name, moments[3*i+1].name, moments[3*i+2].name
		why := "a timer and one PING take %s ms here; a message needs two scripts, to move it and to take it under a lease"
		c.atMost(k+": p50, ms", median(f["p50"][k]), 0.5, fmt.Sprintf(why, f["p50"].median(least)))
		c.atMost(k+": p99, ms", median(f["p99"][k]), 1.5, fmt.Sprintf(why, f["p99"].median(least)))
		c.atMost(k+": early", f["early"].most(k), 0, "")
		c.atMost(k+": Redis's CPU per message ÷ Redisson's", f["redis"].ratio(k, theirs), most[rate],
			fmt.Sprintf("%s scripts per message against %s: the jar acks nothing", f["scripts"].median(k), f["scripts"].median(theirs)))
	}
	return c, nil
}

// bursts lets very many messages be due at one ms, or overdue.
func (b *bench) bursts(overdue bool) (*chapter, error) {
	m := moment{n: b.plan.burst, overdue: overdue, due: func(_ int, first int64) int64 { return first }}
	c := &chapter{
		heading: fmt.Sprintf("Burst: %d messages due at one ms", m.n),
		text:    "One idle process waits for them; the rate counts from that instant.",
		columns: []string{"", "messages/s until the last handler", "× Redisson", "µs of Redis per message", "µs of the process per message", "longest script, ms"},
	}
	if overdue {
		m.due = func(i int, first int64) int64 { return first - 1 - int64(i)*7919%time.Hour.Milliseconds() } // in no order
		c.heading = fmt.Sprintf("Overdue: %d messages of the last hour", m.n)
		c.text = "They fell due while no process ran; the rate counts from the start of one."
	}
	c.text += fmt.Sprintf(" duequeue is one process with %d workers where nothing else is said, Redisson one client with an RDelayedQueue and %d take() loops.", burstWorkers, jarThreads)
	moments := inViews(m, burstWorkers)
	m.name, m.who, m.processes, m.workers = ours+", 8 workers", ours, 1, 8
	moments = append(moments, m)
	f, err := b.inRounds(b.srv, b.plan.rounds, moments)
	if err != nil {
		return nil, err
	}
	for _, m := range moments {
		k := m.name
		c.row(k, f["rate"].spread(k), figure(f["rate"].ratio(k, jar)), f["redis"].median(k), f["own"].median(k), figure(f["longest"].most(k)))
		if m.workers != burstWorkers {
			continue
		}
		least := 50_000.0
		if m.view == registry.ViewExact {
			least = 40_000
			c.atLeast(k+" ÷ Redisson", f["rate"].ratio(k, jar), 10, "Redisson's cost of a message grows with their number; the goal is one of 100,000")
		}
		c.atLeast(k+": messages/s", median(f["rate"][k]), least,
			fmt.Sprintf("a message takes %s µs of Redis and %s µs of the Go process, which share the cores", f["redis"].median(k), f["own"].median(k)))
		c.scriptGoal(k, f["longest"])
		if !overdue {
			c.atMost(k+": early", f["early"].most(k), 0, "")
		}
	}
	return c, nil
}

// processes lets several processes serve one queue. Messages fall due in the order of their offers,
// which costs Redisson next to no walks of its list: the number of processes is what counts.
func (b *bench) processes() (*chapter, error) {
	const steady, rush = 1000, 100_000 // messages that fall due in a second
	name := func(kind, who string, n int) string { return fmt.Sprintf("%s, %s, %d", kind, who, n) }
	var moments []moment
	for _, n := range []int{1, 4} {
		for _, m := range []moment{{who: ours, workers: burstWorkers}, {who: jar, workers: jarThreads}} {
			m.processes, m.name, m.n, m.due = n, name("rush", m.who, n), b.plan.rush, evenly(rush)
			moments = append(moments, m)
			m.name, m.n, m.due = name("steady", m.who, n), int(steady*b.plan.lateFor.Seconds()), evenly(steady)
			moments = append(moments, m)
		}
	}
	f, err := b.inRounds(b.srv, b.plan.rounds, moments)
	if err != nil {
		return nil, err
	}
	c := &chapter{
		heading: "Processes",
		text: fmt.Sprintf("One queue, served by 1 and by 4 processes with %d workers each, or by 1 and 4 clients of Redisson with an RDelayedQueue and %d take() loops each, which share one JVM, to their advantage. Rush: %d messages, %d a second, which is more than anybody handles. Steady: %d a second.",
			burstWorkers, jarThreads, b.plan.rush, rush, steady),
		columns: []string{"", "messages/s", "× Redisson with as many", "µs of Redis per message", "÷ Redisson with as many", "scripts per message"},
	}
	for _, m := range moments {
		kind, _, _ := strings.Cut(m.name, ",")
		k, theirs := m.name, name(kind, jar, m.processes)
		c.row(k, f["rate"].spread(k), figure(f["rate"].ratio(k, theirs)), f["redis"].spread(k), figure(f["redis"].ratio(k, theirs)), f["scripts"].median(k))
	}
	return c, nil
}

// steady lets messages fall due steadily among very many that are pending, at random places of the
// list, on a server with a log on disk and a replica.
func (b *bench) steady() (c *chapter, err error) {
	const rate, latest, few = 2000, 5000, 100
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
	moments := inViews(moment{n: int(rate * b.plan.steadyFor.Seconds()), pending: b.plan.pending, due: evenly(rate)}, 8)
	moments[len(views)].n = min(moments[0].n, few)
	f, err := b.inRounds(srv, b.plan.steadyRounds, moments)
	if err != nil {
		return nil, err
	}
	c = &chapter{
		heading: fmt.Sprintf("Steady: among %d pending messages", b.plan.pending),
		text: fmt.Sprintf("%d messages fall due each second for %.0f s, of Redisson's only %d: it takes longer for one than until the next one falls due. One process with 8 workers handles them, or one client of Redisson with %d take() loops. Redis writes its log (appendfsync everysec) and has a replica.",
			rate, b.plan.steadyFor.Seconds(), few, jarThreads),
		columns: []string{"", "late p50, ms", "p99, ms", "max, ms", "µs of Redis per message", "Redisson's ÷ ours", "longest script, ms"},
	}
	for _, m := range moments {
		k := m.name
		c.row(k, f["p50"].spread(k), f["p99"].spread(k), figure(f["max"].most(k)), f["redis"].median(k), figure(f["redis"].ratio(jar, k)), figure(f["longest"].most(k)))
		if m.who == ours {
			c.atMost(k+": late p99, ms", median(f["p99"][k]), latest, "a pass of the exact view reads each pending element, and what falls due meanwhile waits for the next one")
			c.scriptGoal(k, f["longest"])
			c.atMost(k+": early", f["early"].most(k), 0, "")
		}
	}
	return c, nil
}
