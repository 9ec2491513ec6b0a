package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/registry"
)

const (
	burstQueue   = "burst"
	burstWorkers = 128
	jarThreads   = 8 // take() loops
	burstLimit   = 10 * time.Minute
	floorName    = "sorted set alone"
)

// views are those of our side, in the order of the tables.
var views = []registry.ViewMode{registry.ViewExact, registry.ViewOrdered, registry.ViewLazy, registry.ViewOff}

// viewName is how a view is called in tables.
func viewName(v registry.ViewMode) string {
	return ours + " " + map[registry.ViewMode]string{
		registry.ViewExact: "exact", registry.ViewOrdered: "ordered",
		registry.ViewLazy: "lazy", registry.ViewOff: "off",
	}[v]
}

// burst is one measurement: n messages that are due together.
type burst struct {
	who     string // viewName, jar or floorName
	view    registry.ViewMode
	workers int
	n       int
	overdue bool // random due times of the last hour, while no process ran; else all due at one ms
	rounds  int
	profile string
}

// scenario names the case.
func (u burst) scenario() string {
	if u.overdue {
		return count(u.n) + " overdue"
	}
	return count(u.n) + " at one ms"
}

func (u burst) name() string {
	name := u.scenario() + ", " + u.who
	if u.workers != burstWorkers && u.workers > 0 {
		name += fmt.Sprintf(", %d workers", u.workers)
	}
	return name
}

// floor is the name of the sorted set alone with the same messages.
func (u burst) floor() string { return burst{who: floorName, n: u.n, overdue: u.overdue}.name() }

// bursts is what a part found, by burst.name: of messages that are due at one ms, or overdue.
type bursts struct {
	overdue    bool
	cases      []burst
	last, gone series // seconds until the last handler began, and until Redis held nothing
	redis, own series // µs per message
	longest    series // ms
	rest, peak series // MB of the process
	profiles   map[string]string
}

// burstCases are those of a plan.
func (p plan) burstCases(overdue bool) []burst {
	var all []burst
	for _, v := range views {
		rounds := p.burstRounds
		if v == registry.ViewOrdered && overdue {
			rounds = 1 // slow by design
		}
		all = append(all, burst{who: viewName(v), view: v, workers: burstWorkers, n: p.burst, overdue: overdue, rounds: rounds})
	}
	all = append(all,
		burst{who: viewName(registry.ViewLazy), view: registry.ViewLazy, workers: 8, n: p.burst, overdue: overdue, rounds: p.burstRounds},
		burst{who: floorName, n: p.burst, overdue: overdue, rounds: p.burstRounds},
		burst{who: jar, n: p.burst, overdue: overdue, rounds: p.burstJarRounds})
	if p.burstBig > 0 && !overdue {
		for _, v := range views {
			all = append(all, burst{who: viewName(v), view: v, workers: burstWorkers, n: p.burstBig, rounds: p.burstBigRounds})
		}
	}
	return all
}

func (b *bench) bursting(overdue bool) (*bursts, error) {
	r := &bursts{
		overdue: overdue, cases: b.plan.burstCases(overdue), last: series{}, gone: series{}, redis: series{}, own: series{}, longest: series{},
		rest: series{}, peak: series{}, profiles: map[string]string{},
	}
	b.progress("burst: warming Java up")
	if _, err := b.burst(burst{who: jar, n: b.plan.burst / 10}); err != nil {
		return nil, err
	}
	for round := range b.plan.burstRounds {
		b.progress("burst, round %d of %d", round+1, b.plan.burstRounds)
		for _, u := range r.cases {
			if round >= u.rounds {
				continue
			}
			b.quiet()
			f, err := b.burst(u)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", u.name(), err)
			}
			r.add(u, f)
			b.detail("%-44s last %6.2f s, gone %6.2f s, longest script %.1f ms, %.1f µs of Redis, %.0f → %.0f MB", u.name(),
				f.last.Seconds(), f.gone.Seconds(), milliseconds(f.load.longest), f.load.cpu/float64(u.n), f.rest, f.peak)
		}
	}
	return r, b.profileBursts(r)
}

// burstFound is what one measurement found.
type burstFound struct {
	last, gone time.Duration
	load       load
	own        float64 // µs
	rest, peak float64 // MB
}

func (r *bursts) add(u burst, f burstFound) {
	name, n := u.name(), float64(u.n)
	r.last.add(name, f.last.Seconds())
	r.gone.add(name, f.gone.Seconds())
	r.redis.add(name, f.load.cpu/n)
	r.own.add(name, f.own/n)
	r.longest.add(name, milliseconds(f.load.longest))
	r.rest.add(name, f.rest)
	r.peak.add(name, f.peak)
}

// burst measures one case once.
func (b *bench) burst(u burst) (f burstFound, err error) {
	err = b.intime(func() (err error) {
		f, err = b.burstOnce(u)
		return err
	})
	return f, err
}

func (b *bench) burstOnce(u burst) (f burstFound, err error) {
	data, err := b.captured()
	if err != nil {
		return f, err
	}
	if err = b.clean(); err != nil {
		return f, err
	}
	s, err := b.serveWith(u)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	var since time.Time
	var w *loadWatch
	if u.overdue {
		now := time.Now().UnixMilli()
		due := func(i int) int64 {
			return now - 1 - data.delays[i]*time.Hour.Milliseconds()/captureSpread.Milliseconds()
		}
		if err = data.fill(b.ctx, b.rdb, burstQueue, u.n, due); err != nil {
			return f, err
		}
		if w, err = b.watchRest(s); err != nil {
			return f, err
		}
		since, err = s.start()
	} else {
		if _, err = s.start(); err != nil {
			return f, err
		}
		since = time.Now().Add(b.lead(u.n)).Truncate(time.Millisecond)
		if err = data.fill(b.ctx, b.rdb, burstQueue, u.n, func(int) int64 { return since.UnixMilli() }); err != nil {
			return f, err
		}
		if err = announce(b.ctx, b.rdb, burstQueue, since.UnixMilli()); err != nil {
			return f, err
		}
		if w, err = b.watchRest(s); err == nil && time.Now().After(since) {
			err = errLate
		}
	}
	if err != nil {
		return f, err
	}
	h, err := s.await(u.n)
	if err != nil {
		return f, err
	}
	gone, err := b.awaitGone(burstQueue)
	if err != nil {
		return f, err
	}
	f = burstFound{
		last: time.UnixMicro(h.Last).Sub(since), gone: gone.Sub(since), own: h.CPU,
		rest: float64(h.Rest) / 1e6, peak: float64(h.Peak) / 1e6,
	}
	f.load, err = w.end(b.ctx)
	return f, err
}

// watchRest begins to measure when both sides have come to rest.
func (b *bench) watchRest(s server) (*loadWatch, error) {
	if err := s.rest(); err != nil {
		return nil, err
	}
	return watchLoad(b.ctx, b.rdb)
}

// awaitGone waits until a queue is empty in Redis and nothing of it is in flight.
func (b *bench) awaitGone(queue string) (time.Time, error) {
	timeout, _, _ := keysOf(queue)
	err := b.until(patience, 5*time.Millisecond, func() (bool, error) {
		pipe := b.rdb.Pipeline()
		left := []*redis.IntCmd{pipe.Exists(b.ctx, timeout), pipe.Exists(b.ctx, queue)}
		flying := pipe.Scan(b.ctx, 0, "duequeue:inflight:*", 10_000)
		_, err := pipe.Exec(b.ctx)
		keys, _ := flying.Val()
		return left[0].Val()+left[1].Val() == 0 && len(keys) == 0, err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("until nothing of what was handled is in Redis: %w", err)
	}
	return time.Now(), nil
}

// profileBursts runs our side once more with the profiler on where a goal is missed, or
// everywhere when profiles are to be kept.
func (b *bench) profileBursts(r *bursts) error {
	missed := map[string]bool{}
	for _, g := range r.goals(b.plan) {
		if !g.met {
			missed[g.of] = true
		}
	}
	for _, u := range r.cases {
		if u.workers != burstWorkers || u.overdue && u.view == registry.ViewOrdered || !missed[u.name()] && b.profiles == "" {
			continue
		}
		b.progress("profile of %s", u.name())
		dir := b.profiles
		if dir == "" {
			dir = b.dir
		}
		u.profile = filepath.Join(dir, fmt.Sprintf("burst-%d-%s-%v.pprof", u.n, u.view, u.overdue))
		f, err := b.burst(u)
		if err != nil {
			return err
		}
		top, err := pprofTop(b.ctx, u.profile)
		if err != nil {
			return err
		}
		r.profiles[u.name()] = fmt.Sprintf("Redis, µs per message by command (a script's own time is not among them): %s\n\n%s",
			f.load.perMessage(u.n), top)
	}
	return nil
}

func (r *bursts) goals(p plan) []goal {
	at := func(v registry.ViewMode) string {
		return burst{who: viewName(v), workers: burstWorkers, n: p.burst, overdue: r.overdue}.name()
	}
	slow := burst{who: jar, n: p.burst, overdue: r.overdue}.name()
	floor := burst{n: p.burst, overdue: r.overdue}.floor()
	var all []goal
	for _, v := range []registry.ViewMode{registry.ViewExact, registry.ViewLazy, registry.ViewOff} {
		most := 2.0
		if v == registry.ViewExact {
			most = 2.5
		}
		name := at(v)
		all = append(all, atMost(name+": last handler begins after, s", r.last.median(name), most).about(name).because(
			"a message costs %s µs of Redis and %s µs of the Go process, which share the cores of this machine; a sorted set alone, which loses what a crash interrupts, takes %s s",
			figure(r.redis.median(name)), figure(r.own.median(name)), figure(r.last.median(floor))))
	}
	exact := at(registry.ViewExact)
	all = append(all, atLeast(exact+": sooner than Redisson's last take(), ×", r.last.ratio(slow, exact), 10).about(exact))
	for _, u := range r.cases {
		if u.workers != burstWorkers {
			continue
		}
		g := longestScriptGoal(u.name(), r.longest[u.name()]).about(u.name())
		if floor := r.longest[u.floor()]; len(floor) > 0 {
			g = g.because("the short scripts of a sorted set alone take up to %s ms", figure(slices.Max(floor)))
		}
		all = append(all, g)
	}
	return all
}
