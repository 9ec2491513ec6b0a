package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// cancelShare is the share of the messages that are due at one ms.
const cancelShare = 0.1

// The operations of the series.
const (
	cancelOp       = "Cancel"
	cancelOneDueOp = "Cancel, of those at one due"
	cancelKeyOp    = "CancelKey"
	rescheduleOp   = "Reschedule"
	rescheduleOne  = "Reschedule, of those at one due"
)

var cancelOps = []string{cancelOp, cancelOneDueOp, cancelKeyOp, rescheduleOp, rescheduleOne}

// cancels is what the series found, by cancelName.
type cancels struct {
	n        int    // pending
	p50, p99 series // ms, as the caller sees it
	ping     series // ms: the p99 of as many PINGs
	redis    series // ms of Redis per call
	longest  series // ms
	oneLREM  series // µs, mean
	calls    map[string]int
}

func cancelName(v registry.ViewMode, op string) string { return viewName(v) + ": " + op }

// cancelViews are those that are measured: ordered cancels as exact does.
var cancelViews = []registry.ViewMode{registry.ViewLazy, registry.ViewOff, registry.ViewExact}

// cancelling measures changes to pending messages among very many.
func (b *bench) cancelling() (*cancels, error) {
	r := &cancels{
		n: b.plan.cancelAmong, p50: series{}, p99: series{}, ping: series{}, redis: series{}, longest: series{}, oneLREM: series{}, calls: map[string]int{},
	}
	data, err := b.captured()
	if err != nil {
		return nil, err
	}
	b.progress("cancel among %s pending: filling", count(r.n))
	srv, err := b.startServer(patientScripts) // of its own: emptying this one would take long
	if err != nil {
		return nil, err
	}
	defer func() { _ = srv.Stop() }()
	rdb := srv.NewClient(func(o *redis.Options) { o.ReadTimeout = time.Minute })
	s, err := open(b.ctx, srv.URL())
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.close(b.ctx) }()
	crowd := newCancelCrowd(r.n)
	first := textsIn("cancel-"+cancelViews[0].String(), cancelViews[0])
	if err = data.fill(b.ctx, rdb, first.Key(), r.n, func(i int) int64 { return crowd.due(i, data.delays[i]) }); err != nil {
		return nil, err
	}
	for _, v := range cancelViews[1:] {
		if err = copyQueue(b, rdb, first.Key(), "cancel-"+v.String()); err != nil {
			return nil, err
		}
	}
	for round := range b.plan.cancelRounds {
		b.progress("cancel among %s pending, round %d of %d", count(r.n), round+1, b.plan.cancelRounds)
		for _, v := range cancelViews {
			c := canceller{b: b, s: s, rdb: rdb, queue: textsIn("cancel-"+v.String(), v), crowd: crowd, calls: b.plan.cancelCalls}
			if v == registry.ViewExact {
				c.calls = max(b.plan.cancelCalls/20, 5)
			}
			if err = c.round(r, v); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// cancelCrowd says when messages are due: some at one ms amid the others.
type cancelCrowd struct {
	n     int
	from  int64
	oneMs int64
}

func newCancelCrowd(n int) cancelCrowd {
	from := time.Now().Add(captureSpread).UnixMilli()
	return cancelCrowd{n: n, from: from, oneMs: from + captureSpread.Milliseconds()/2}
}

func (c cancelCrowd) due(i int, delay int64) int64 {
	if float64(i%100) < 100*cancelShare {
		return c.oneMs
	}
	return c.from + delay
}

// canceller measures one view once.
type canceller struct {
	b     *bench
	s     *side
	rdb   *redis.Client
	queue *registry.Queue[string]
	crowd cancelCrowd
	calls int
}

func (c canceller) round(r *cancels, v registry.ViewMode) error {
	for _, op := range cancelOps {
		c.b.quiet()
		run, err := c.prepare(c.b.ctx, op)
		if err != nil {
			return fmt.Errorf("%s: %w", cancelName(v, op), err)
		}
		w, err := watchLoad(c.b.ctx, c.rdb)
		if err != nil {
			return err
		}
		ms, err := c.times(run)
		if err != nil {
			return fmt.Errorf("%s: %w", cancelName(v, op), err)
		}
		l, err := w.end(c.b.ctx)
		if err != nil {
			return err
		}
		least, err := c.times(func(int) error { return c.rdb.Ping(c.b.ctx).Err() })
		if err != nil {
			return err
		}
		name := cancelName(v, op)
		r.ping.add(name, quantile(least, 0.99))
		r.p50.add(name, quantile(ms, 0.5))
		r.p99.add(name, quantile(ms, 0.99))
		r.redis.add(name, l.scripts.micros/1000/float64(c.calls))
		r.longest.add(name, milliseconds(l.longest))
		if one := l.commands["lrem"]; one.calls > 0 {
			r.oneLREM.add(name, one.micros/one.calls)
		}
		r.calls[name] += c.calls
		c.b.detail("%-54s p50 %.2f p99 %.2f ms, %.3f ms of Redis, longest %.1f ms", name,
			quantile(ms, 0.5), quantile(ms, 0.99), l.scripts.micros/1000/float64(c.calls), milliseconds(l.longest))
	}
	return nil
}

// times returns how many ms each of the calls takes, one after the other, in order of length.
func (c canceller) times(call func(i int) error) ([]float64, error) {
	ms := make([]float64, c.calls)
	for i := range ms {
		began := time.Now()
		if err := call(i); err != nil {
			return nil, err
		}
		ms[i] = milliseconds(time.Since(began))
	}
	slices.Sort(ms)
	return ms, nil
}

// prepare finds the messages of one measurement and returns what to do with each.
func (c canceller) prepare(ctx context.Context, op string) (func(i int) error, error) {
	client := c.s.client
	if op == cancelKeyOp {
		keys, err := c.offerKeys(ctx)
		return func(i int) error { return framework.Bind(client, c.queue).CancelKey(ctx, keys[i]) }, err
	}
	ids, err := c.ids(ctx, op == cancelOneDueOp || op == rescheduleOne)
	if op == cancelOp || op == cancelOneDueOp {
		return func(i int) error { return framework.Bind(client, c.queue).Cancel(ctx, ids[i]) }, err
	}
	// Later than all others, and each one at another time.
	at := time.UnixMilli(c.crowd.from).Add(2 * captureSpread)
	return func(i int) error {
		failed := framework.Bind(client, c.queue).Reschedule(ctx, ids[i], at.Add(time.Duration(i)*time.Second))
		return failed
	}, err
}

// offerKeys offers messages with keys, at random due times.
func (c canceller) offerKeys(ctx context.Context) ([]string, error) {
	keys := make([]string, c.calls)
	for i := range keys {
		keys[i] = fmt.Sprintf("order-%d", i)
		at := time.UnixMilli(c.crowd.from + rand.Int64N(captureSpread.Milliseconds()))
		if _, err := framework.Bind(c.s.client, c.queue).OfferAt(ctx, textValue(i), at, framework.Key(keys[i]).Replace()); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// ids chooses pending messages at random, all at one due or all elsewhere.
func (c canceller) ids(ctx context.Context, oneDue bool) ([]framework.ID, error) {
	timeout, _, _ := keysOf(c.queue.Key())
	one := strconv.FormatInt(c.crowd.oneMs, 10)
	before, err := c.rdb.ZCount(ctx, timeout, "-inf", "("+one).Result()
	if err != nil {
		return nil, err
	}
	there, err := c.rdb.ZCount(ctx, timeout, one, one).Result()
	if err != nil {
		return nil, err
	}
	from, n := int64(0), before // those that are due before
	if oneDue {
		from, n = before, there
	}
	chosen := map[framework.ID]bool{}
	var ids []framework.ID
	for len(ids) < c.calls {
		found, err := framework.Bind(c.s.client, c.queue).Pending().Page(ctx, from+rand.Int64N(n), 1)
		if err != nil {
			return nil, err
		}
		if id := found[0].ID; !chosen[id] {
			chosen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (r *cancels) goals() []goal {
	var all []goal
	for _, v := range cancelViews {
		if v == registry.ViewExact {
			continue
		}
		for _, op := range cancelOps {
			name := cancelName(v, op)
			all = append(all,
				atMost(fmt.Sprintf("%s among %s pending: p99, ms", name, count(r.n)), r.p99.median(name), 1).because(
					"the p99 of as many PINGs is %s ms here; half of the calls take at most %s ms", figure(r.ping.median(name)), figure(r.p50.median(name))),
				atMost(fmt.Sprintf("%s among %s pending: Redis per call, ms", name, count(r.n)), r.redis.median(name), 1))
		}
	}
	return all
}
