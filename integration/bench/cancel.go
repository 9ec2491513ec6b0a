package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// The operations that are measured.
const (
	cancelOp      = "Cancel"
	cancelOneDue  = "Cancel, of those at one due time"
	cancelKey     = "CancelKey"
	rescheduleOp  = "Reschedule"
	rescheduleOne = "Reschedule, of those at one due time"
)

// cancel changes pending messages among very many, of which a tenth are due at one ms.
func (b *bench) cancel() (c *chapter, err error) {
	n, oneDue := b.plan.pending, time.Now().Add(36*time.Hour).UnixMilli()
	dues := make([]int64, n)
	for i := range dues {
		if dues[i] = later(b.began, i); i%10 == 0 {
			dues[i] = oneDue
		}
	}
	srv, err := b.startServer() // of its own: to empty the common one would take long
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	rdb := srv.Client()
	for _, v := range views {
		b.progress("  filling, %s", viewName(v))
		if err = b.fill(rdb, "cancel-"+v.String(), dues, true); err != nil {
			return nil, err
		}
	}
	s, err := open(b.ctx, srv.URL(), tenth)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(b.ctx)) }()
	c = &chapter{
		heading: fmt.Sprintf("Cancel: among %d pending messages", n),
		text:    "A tenth of them are due at one ms, the others at random times; one call after the other, at random places. In the exact view Cancel walks Redisson's list. Beside each round of calls as many PINGs are made: the p99 of those is the least there is.",
		columns: []string{"", "p50, ms", "p99, ms", "p99 of PING, ms", "ms of Redis per call", "longest script, ms"},
	}
	p50, p99, ping, micros, longest := series{}, series{}, series{}, series{}, series{}
	ops := []string{cancelOp, cancelOneDue, cancelKey, rescheduleOp, rescheduleOne}
	name := func(v registry.ViewMode, op string) string { return viewName(v) + ": " + op }
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, v := range views {
			queue := "cancel-" + v.String()
			q := canceller{b, framework.Bind(s.client, textsIn(queue, v)), rdb, queue, oneDue, b.plan.calls}
			if v == registry.ViewExact {
				q.calls = max(q.calls/20, 5)
			}
			for _, op := range ops {
				ms, least, l, err := q.measure(op)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name(v, op), err)
				}
				p50.add(name(v, op), quantile(ms, 0.5))
				p99.add(name(v, op), quantile(ms, 0.99))
				ping.add(name(v, op), quantile(least, 0.99))
				micros.add(name(v, op), l.micros/float64(q.calls)/1000)
				longest.add(name(v, op), l.longest)
			}
		}
	}
	for _, v := range views {
		for _, op := range ops {
			k := name(v, op)
			c.row(k, p50.spread(k), p99.spread(k), figure(ping.median(k)), micros.spread(k), figure(longest.most(k)))
			if v != registry.ViewExact {
				c.atMost(k+": p99, ms", p99.median(k), 1, fmt.Sprintf("the p99 of as many PINGs is %s ms here; half of the calls take at most %s ms", figure(ping.median(k)), figure(p50.median(k))))
				c.atMost(k+": Redis per call, ms", micros.median(k), 1, "")
			}
		}
	}
	return c, err
}

// canceller changes messages of one queue.
type canceller struct {
	b      *bench
	queue  *framework.Queue[string]
	rdb    *redis.Client
	key    string
	oneDue int64
	calls  int
}

// measure returns how many ms each call of an operation takes, and each of as many PINGs.
func (c canceller) measure(op string) (ms, least []float64, l load, err error) {
	run, err := c.prepare(op)
	if err != nil {
		return nil, nil, l, err
	}
	end, err := watchLoad(c.b.ctx, c.rdb)
	if err != nil {
		return nil, nil, l, err
	}
	if ms, err = c.times(run); err != nil {
		return nil, nil, l, err
	}
	if l, err = end(); err != nil {
		return nil, nil, l, err
	}
	least, err = c.times(func(int) error { return c.rdb.Ping(c.b.ctx).Err() })
	return ms, least, l, err
}

func (c canceller) times(call func(i int) error) ([]float64, error) {
	ms := make([]float64, c.calls)
	for i := range ms {
		began := time.Now()
		if err := call(i); err != nil {
			return nil, err
		}
		ms[i] = milliseconds(time.Since(began))
	}
	return ms, nil
}

// prepare finds the messages of one measurement and returns what to do with each.
func (c canceller) prepare(op string) (func(i int) error, error) {
	ctx := c.b.ctx
	if op == cancelKey {
		for i := range c.calls {
			at := time.UnixMilli(later(c.b.began, rand.IntN(1<<30)))
			if _, err := c.queue.OfferAt(ctx, text(i), at, framework.Key("order-"+strconv.Itoa(i)).Replace()); err != nil {
				return nil, err
			}
		}
		return func(i int) error { return c.queue.CancelKey(ctx, "order-"+strconv.Itoa(i)) }, nil
	}
	ids, err := c.ids(op == cancelOneDue || op == rescheduleOne)
	if op == cancelOp || op == cancelOneDue {
		return func(i int) error { return c.queue.Cancel(ctx, ids[i]) }, err
	}
	after := time.Now().Add(100 * time.Hour) // later than all others, and each one at another time
	return func(i int) error { return c.queue.Reschedule(ctx, ids[i], after.Add(time.Duration(i)*time.Second)) }, err
}

// ids chooses pending messages at random, all at the one due time or all before it.
func (c canceller) ids(oneDue bool) ([]framework.ID, error) {
	ctx, one := c.b.ctx, strconv.FormatInt(c.oneDue, 10)
	timeout, _, _ := keysOf(c.key)
	n, err := c.rdb.ZCount(ctx, timeout, "-inf", "("+one).Result()
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if oneDue {
		from = n
		if n, err = c.rdb.ZCount(ctx, timeout, one, one).Result(); err != nil {
			return nil, err
		}
	}
	chosen := map[framework.ID]bool{}
	var ids []framework.ID
	for len(ids) < c.calls {
		found, err := c.queue.Pending().Page(ctx, from+rand.Int64N(n), 1)
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
