package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

const (
	steadyQueue = "steady"
	steadyRate  = 2000 // messages that fall due in a second
	steadyLate  = 5000 // how late they may be, p99, ms
)

// steadyViews are those that are measured: the default, and those that keep no exact list.
var steadyViews = []registry.ViewMode{registry.ViewExact, registry.ViewLazy, registry.ViewOff}

// steadies is what the series found, by viewName.
type steadies struct {
	n             int    // messages that fell due in a round
	p50, p99, max series // ms late
	longest       series // script, ms
	redis         series // share of one core that Redis used
	aof, replica  series // bytes per message
	early         int
}

// keepingUp lets messages fall due steadily among very many that are not, in random order. Redis
// writes its log to disk and has a replica, as it does where messages must not be lost.
func (b *bench) keepingUp() (*steadies, error) {
	r := &steadies{
		n: steadyRate * b.plan.steadySeconds, p50: series{}, p99: series{}, max: series{}, longest: series{},
		redis: series{}, aof: series{}, replica: series{},
	}
	for round := range b.plan.steadyRounds {
		b.progress("steady among %s pending, round %d of %d", count(b.plan.steady), round+1, b.plan.steadyRounds)
		for _, v := range steadyViews {
			b.quiet()
			if err := b.intime(func() error { return b.keepUp(r, v) }); err != nil {
				return nil, fmt.Errorf("%s: %w", viewName(v), err)
			}
		}
	}
	return r, nil
}

// safeServer starts a Redis with a log on disk, which is not rewritten meanwhile, and a replica.
func (b *bench) safeServer() (srv *lab.Server, stop func(), err error) {
	srv, err = b.startServer(lab.AppendOnly(), patientScripts, lab.Args("--auto-aof-rewrite-percentage", "0", "--repl-diskless-sync-delay", "0"))
	if err != nil {
		return nil, nil, err
	}
	host, port, _ := strings.Cut(srv.Addr(), ":")
	replica, err := b.startServer(lab.Args("--replicaof", host+" "+port))
	if err != nil {
		return nil, nil, errors.Join(err, srv.Stop())
	}
	stop = func() { _, _ = replica.Stop(), srv.Stop() }
	err = b.until(patience, 50*time.Millisecond, func() (bool, error) {
		told, failed := replica.Client().InfoMap(b.ctx, "replication").Result()
		return failed == nil && told["Replication"]["master_link_status"] == "up", nil
	})
	if err != nil {
		stop()
		return nil, nil, fmt.Errorf("the replica does not follow: %w", err)
	}
	return srv, stop, nil
}

// keepUp measures one view once.
func (b *bench) keepUp(r *steadies, view registry.ViewMode) error {
	data, err := b.captured()
	if err != nil {
		return err
	}
	srv, stop, err := b.safeServer()
	if err != nil {
		return err
	}
	defer stop()
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = time.Minute })
	first := time.Now().Add(time.Second + 2*b.lead(b.plan.steady)).Truncate(time.Millisecond)
	dues, byPayload := steadyDues(data, b.plan.steady, r.n, first)
	if err = data.fill(b.ctx, rdb, steadyQueue, b.plan.steady, func(i int) int64 { return dues[i] }); err != nil {
		return err
	}
	s, err := open(b.ctx, srv.URL())
	if err != nil {
		return err
	}
	defer func() { _ = s.close(b.ctx) }()
	late := make(chan float64, r.n)
	note := handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		now := time.Now()
		due, ok := byPayload[d.Payload[:8]]
		if !ok {
			return fmt.Errorf("message %s was not due", d.Payload[:8])
		}
		late <- milliseconds(now.Sub(time.UnixMilli(due)))
		return nil
	})
	if err = s.run(b.ctx, framework.Consume(textsIn(steadyQueue, view), note)); err != nil {
		return err
	}
	return b.observeSteady(r, view, rdb, first, late)
}

// steadyDues spreads n messages of those that are pending, at random places of the list, over
// their time; all others are due hours later.
func steadyDues(data *capture, pending, n int, first time.Time) (dues []int64, byPayload map[string]int64) {
	order := make([]int, pending)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(data.delays[a] - data.delays[b]) })
	dues, byPayload = make([]int64, pending), make(map[string]int64, n)
	for rank, i := range order {
		if rank >= n {
			dues[i] = first.UnixMilli() + time.Hour.Milliseconds() + data.delays[i]
			continue
		}
		dues[i] = first.Add(time.Duration(rank) * time.Second / steadyRate).UnixMilli()
		element := data.elements[i]
		byPayload[element[len(element)-payloadBytes:][:8]] = dues[i]
	}
	return dues, byPayload
}

// observeSteady measures from the moment at which the first message is due.
func (b *bench) observeSteady(r *steadies, view registry.ViewMode, rdb *redis.Client, first time.Time, late <-chan float64) error {
	name, n := viewName(view), r.n
	if time.Until(first) < time.Second/2 {
		return errLate
	}
	b.sleep(time.Until(first) - 100*time.Millisecond)
	before, err := b.written(rdb)
	if err != nil {
		return err
	}
	w, err := watchLoad(b.ctx, rdb)
	if err != nil {
		return err
	}
	began := time.Now()
	ms := make([]float64, 0, n)
	limit := time.After(time.Duration(b.plan.steadySeconds)*time.Second + 2*patience)
	for len(ms) < n {
		select {
		case v := <-late:
			ms = append(ms, v)
		case <-limit:
			return fmt.Errorf("%d of %d messages were handled: %w", len(ms), n, errTooSlow)
		case <-b.ctx.Done():
			return context.Cause(b.ctx)
		}
	}
	took := time.Since(began)
	b.sleep(100 * time.Millisecond) // the last acks
	l, err := w.end(b.ctx)
	if err != nil {
		return err
	}
	after, err := b.written(rdb)
	if err != nil {
		return err
	}
	slices.Sort(ms)
	r.p50.add(name, quantile(ms, 0.5))
	r.p99.add(name, quantile(ms, 0.99))
	r.max.add(name, quantile(ms, 1))
	r.longest.add(name, milliseconds(l.longest))
	r.redis.add(name, l.cpu/float64(took.Microseconds()))
	r.aof.add(name, (after.aof-before.aof)/float64(n))
	r.replica.add(name, (after.replica-before.replica)/float64(n))
	for _, v := range ms {
		if v < 0 {
			r.early++
		}
	}
	b.detail("%-18s p50 %.1f p99 %.1f max %.1f ms, longest script %.1f ms, %.0f bytes to the log", name, quantile(ms, 0.5), quantile(ms, 0.99), quantile(ms, 1), milliseconds(l.longest), r.aof[name][len(r.aof[name])-1])
	return nil
}

// written is how many bytes Redis has sent to its log and to its replica.
type written struct{ aof, replica float64 }

func (b *bench) written(rdb *redis.Client) (w written, err error) {
	got, err := info(b.ctx, rdb, "aof_current_size", "master_repl_offset", "connected_slaves")
	if err == nil && got[2] != 1 {
		err = errors.New("the replica is gone")
	}
	if err != nil {
		return w, err
	}
	return written{aof: got[0], replica: got[1]}, nil
}

func (r *steadies) goals(p plan) []goal {
	var all []goal
	what := fmt.Sprintf("%s pending, %d/s due, ", count(p.steady), steadyRate)
	for _, v := range steadyViews {
		name := viewName(v)
		all = append(all,
			atMost(what+name+": lateness p99, ms", r.p99.median(name), steadyLate).because(
				"Redis is busy %s %% of the time here, for each message %s µs; a pass of the exact view reads each element that is pending, and what falls due meanwhile waits for the next one",
				figure(100*r.redis.median(name)), figure(1e6*r.redis.median(name)/steadyRate)),
			longestScriptGoal(what+name, r.longest[name]))
	}
	return append(all, atMost(what+"early", float64(r.early), 0))
}

func (r *steadies) write(w *strings.Builder, p plan) {
	fmt.Fprintf(w, `%s messages are pending, in random order; %d of them fall due each second for %d s, and one process with its default of 8 workers handles them. Redis writes its log (appendfsync everysec, not rewritten meanwhile) and has a replica. Redisson is not run: what it takes to transfer one message, see above, is more than the time in which the next one falls due. Median of %d rounds (lowest … highest); the longest script of all.

`, count(p.steady), steadyRate, p.steadySeconds, p.steadyRounds)
	table(w, "", "lateness p50, ms", "p99, ms", "max, ms", "longest script, ms", "Redis, % of a core", "bytes to the log per message", "bytes to the replica per message")
	for _, v := range steadyViews {
		name := viewName(v)
		row(w, name, r.p50.spread(name), r.p99.spread(name), r.max.most(name), r.longest.most(name), figure(100*r.redis.median(name)),
			figure(r.aof.median(name)), figure(r.replica.median(name)))
	}
	w.WriteString("\n")
}
