package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// cancelOps are the operations that are measured.
var cancelOps = []string{"Cancel", "CancelKey", "Reschedule"}

// cancel changes pending messages among very many, of which a tenth are due at one ms.
func (b *bench) cancel() (c *chapter, err error) {
	srv, err := b.startServer() // of its own: to empty the common one would take long
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	s, err := open(b.ctx, srv.URL())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(b.ctx)) }()
	var queues []canceller
	for _, v := range views {
		b.progress("  filling, %s", viewName(v))
		q, err := b.newCanceller(srv, s, v)
		if err != nil {
			return nil, err
		}
		queues = append(queues, q)
	}
	f := figures{}
	for round := range b.plan.rounds {
		b.progress("  round %d of %d", round+1, b.plan.rounds)
		for _, q := range queues {
			for _, op := range cancelOps {
				if err := q.measure(f, op); err != nil {
					return nil, fmt.Errorf("%s: %w", q.name(op), err)
				}
			}
		}
	}
	c = &chapter{
		heading: fmt.Sprintf("Cancel: among %d pending messages", b.plan.pending),
		text:    "A tenth of them are due at one ms, the others at random times; one call after the other, at random places. In the exact view Cancel walks Redisson's list.",
		columns: []string{"", "p50, ms", "p99, ms", "ms of Redis per call", "longest script, ms"},
	}
	for _, q := range queues {
		for _, op := range cancelOps {
			k := q.name(op)
			c.row(k, f["p50"].spread(k), f["p99"].spread(k), f["redis"].spread(k), figure(f["longest"].most(k)))
			if q.view != registry.ViewExact {
				c.atMost(k+": p99, ms", median(f["p99"][k]), 1, fmt.Sprintf("half of the calls take at most %s ms, and Redis %s ms of each; the others wait for a core", f["p50"].median(k), f["redis"].median(k)))
				c.atMost(k+": Redis per call, ms", median(f["redis"][k]), 1, "")
			}
		}
	}
	return c, nil
}

// canceller changes messages of one queue.
type canceller struct {
	b     *bench
	view  registry.ViewMode
	queue *framework.Queue[string]
	rdb   *redis.Client
	calls int
}

func (b *bench) newCanceller(srv *lab.Server, s *side, v registry.ViewMode) (canceller, error) {
	queue := textsIn("cancel-"+v.String(), v)
	c := canceller{b, v, framework.Bind(s.client, queue), srv.NewClient(func(o *redis.Options) { o.ReadTimeout = patience }), b.plan.calls}
	if v == registry.ViewExact {
		c.calls = max(c.calls/20, 5)
	}
	n := b.plan.pending
	return c, b.pend(c.rdb, queue.Key(), elements(n), rand.Perm(n), 0, func(i int) int64 {
		if i%10 == 0 {
			return b.began.Add(36 * time.Hour).UnixMilli()
		}
		return later(b.began, i)
	})
}

func (c canceller) name(op string) string { return viewName(c.view) + ": " + op }

// measure makes the calls of one operation.
func (c canceller) measure(f figures, op string) error {
	call, err := c.prepare(op)
	if err != nil {
		return err
	}
	var ms []float64
	end, err := watchLoad(c.b.ctx, c.rdb)
	for i := 0; i < c.calls && err == nil; i++ {
		began := time.Now()
		err = call(i)
		ms = append(ms, milliseconds(time.Since(began)))
	}
	if err != nil {
		return err
	}
	l, err := end()
	f.add("p50", c.name(op), quantile(ms, 0.5))
	f.add("p99", c.name(op), quantile(ms, 0.99))
	f.add("redis", c.name(op), l.micros/float64(c.calls)/1000)
	f.add("longest", c.name(op), l.longest)
	return err
}

// prepare makes or finds the messages of one measurement and returns what to do with each.
func (c canceller) prepare(op string) (func(i int) error, error) {
	ctx := c.b.ctx
	if op == "CancelKey" {
		for i := range c.calls {
			at := time.UnixMilli(later(c.b.began, rand.IntN(1<<30)))
			if _, err := c.queue.OfferAt(ctx, text(i), at, framework.Key(strconv.Itoa(i)).Replace()); err != nil {
				return nil, err
			}
		}
		return func(i int) error { return c.queue.CancelKey(ctx, strconv.Itoa(i)) }, nil
	}
	chosen := map[framework.ID]bool{}
	var ids []framework.ID
	for len(ids) < c.calls {
		found, err := c.queue.Pending().Page(ctx, rand.Int64N(int64(c.b.plan.pending/2)), 1)
		if err != nil {
			return nil, err
		}
		if id := found[0].ID; !chosen[id] {
			chosen[id] = true
			ids = append(ids, id)
		}
	}
	if op == "Cancel" {
		return func(i int) error { return c.queue.Cancel(ctx, ids[i]) }, nil
	}
	after := c.b.began.Add(100 * time.Hour) // later than all others, and each one at another time
	return func(i int) error { return c.queue.Reschedule(ctx, ids[i], after.Add(time.Duration(i)*time.Second)) }, nil
}
