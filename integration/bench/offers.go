package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// callers are how many offer at the same time, and how many times as fast as Redisson's threads
// ours should be.
var callers = []struct {
	n    int
	want float64
}{{1, 1.2}, {8, 2}, {64, 5}, {256, 6}}

// Who offers.
const (
	apart      = "duequeue, a client for each"             // one script for each offer, as without gathering
	keyed      = "duequeue, each with a key"               // a key of its own
	keyedApart = "duequeue, a client for each, with a key" // so one script for each
)

func callersName(n int, who string) string { return fmt.Sprintf("%d, %s", n, who) }

// offers are made by goroutines or threads at the same time, each one message after the other.
func (b *bench) offers() (*chapter, error) {
	var all []contestant
	var took [2]float64 // of the last measurement: p50 and p99 of one offer, ms
	for _, c := range callers {
		sides := []string{ours, jar}
		if c.n == 64 {
			sides = append(sides, apart, keyed, keyedApart)
		}
		for _, who := range sides {
			all = append(all, contestant{name: callersName(c.n, who), n: b.plan.offers * min(c.n, 8), run: func(n int) (rate float64, err error) {
				rate, took, err = b.offerTogether(who, n, c.n)
				return rate, err
			}})
		}
	}
	f, err := b.compete(all, func(f figures, who string, _ float64) error {
		f.add("p50", who, took[0])
		f.add("p99", who, took[1])
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &chapter{
		heading: "Offers",
		text:    "Goroutines, or threads of Redisson, offer to one queue through one client at the same time, each one message after the other, due in an hour; what one process offers to one queue gathers. \"A client for each\" does not gather: it has one script for each offer.",
		columns: []string{"callers", "offers/s", "× Redisson with as many", "p50, ms", "p99, ms", "µs of Redis per offer", "µs of the Go program per offer"},
	}
	for _, who := range all {
		var n int
		_, _ = fmt.Sscan(who.name, &n)
		c.row(who.name, f["rate"].spread(who.name), figure(f["rate"].ratio(who.name, callersName(n, jar))), f["p50"].median(who.name), f["p99"].median(who.name),
			f["redis"].median(who.name), f["own"].median(who.name))
	}
	for _, n := range callers {
		name, theirs := callersName(n.n, ours), callersName(n.n, jar)
		c.atLeast(fmt.Sprintf("offers by %d ÷ Redisson's", n.n), f["rate"].ratio(name, theirs), n.want,
			fmt.Sprintf("an offer takes %s µs of the Go process and %s µs of Redis, which share the cores; Redisson's takes %s µs of Redis",
				f["own"].median(name), f["redis"].median(name), f["redis"].median(theirs)))
	}
	c.atMost("offers by 64: p99 ÷ that of a client for each", f["p99"].ratio(callersName(64, ours), callersName(64, apart)), 0.5, "")
	c.atMost("offers by 64 with keys: Redis's time per offer ÷ that of a client for each", f["redis"].ratio(callersName(64, keyed), callersName(64, keyedApart)), 0.6, "")
	return c, nil
}

// offerTogether returns offers a second, and p50 and p99 of one offer in ms.
func (b *bench) offerTogether(who string, n, goroutines int) (rate float64, took [2]float64, err error) {
	if who == jar {
		rate, err = b.javaRate(fmt.Sprintf("offer %s list %d %d %d", b.srv.URL(), n, payloadBytes, goroutines), &took[0], &took[1])
		return rate, took, err
	}
	sides := make([]*side, 1)
	if who == apart || who == keyedApart {
		sides = make([]*side, goroutines)
	}
	for i := range sides {
		if sides[i], err = open(b.ctx, b.srv.URL()); err != nil {
			return 0, took, err
		}
		defer func() { err = errors.Join(err, sides[i].close(b.ctx)) }()
	}
	each := max(n/goroutines, 1)
	ms, failed := make([]float64, each*goroutines), make([]error, goroutines)
	runtime.GC()
	watch := newStopwatch(len(ms))
	var running sync.WaitGroup
	for g := range goroutines {
		queue := framework.Bind(sides[g%len(sides)].client, textsIn("list", registry.ViewExact))
		running.Go(func() {
			for i := g * each; i < (g+1)*each && failed[g] == nil; i++ {
				var options []framework.OfferOption
				if who == keyed || who == keyedApart {
					options = append(options, framework.Key(strconv.Itoa(i)))
				}
				began := time.Now()
				_, failed[g] = queue.Offer(b.ctx, text(i), time.Hour, options...)
				ms[i] = milliseconds(time.Since(began))
				watch.hit()
			}
		})
	}
	running.Wait()
	if err = errors.Join(failed...); err != nil {
		return 0, took, err
	}
	rate, err = watch.rate(b.ctx)
	return rate, [2]float64{quantile(ms, 0.5), quantile(ms, 0.99)}, err
}

// bulk offers very many messages at once.
func (b *bench) bulk() (*chapter, error) {
	const (
		oursName   = "OfferAll, exact view"
		off        = "OfferAll, view off"
		untraced   = "OfferAll, no message traced"
		offerAsync = "Redisson offerAsync"
		queue      = "bulk"
		flight     = 4096 // offers at a time: the best of those tried; with many more its client gives up
	)
	offerAll := func(v registry.ViewMode, traced int) func(int) (float64, error) {
		return func(n int) (float64, error) { return b.offerAll(n, textsIn(queue, v), traced) }
	}
	n := b.plan.bulkOffers
	all := []contestant{
		{name: oursName, n: n, run: offerAll(registry.ViewExact, 1)},
		{name: offerAsync, n: n, run: func(n int) (float64, error) {
			return b.javaRate(fmt.Sprintf("offer-async %s %s %d %d %d", b.srv.URL(), queue, n, payloadBytes, flight))
		}},
		{name: off, n: n, run: offerAll(registry.ViewOff, 1)},
		{name: untraced, n: n, run: offerAll(registry.ViewExact, 0)},
	}
	f, err := b.compete(all, func(f figures, who string, n float64) error { // what a message takes of memory: the server without them is the difference
		full, err := b.rdb.Info(b.ctx).Result()
		if err == nil {
			err = b.rdb.FlushAll(b.ctx).Err()
		}
		if err != nil {
			return err
		}
		empty, err := b.rdb.Info(b.ctx).Result()
		f.add("memory", who, (infoField(full, "used_memory")-infoField(empty, "used_memory"))/n)
		return err
	})
	if err != nil {
		return nil, err
	}
	c := &chapter{
		heading: fmt.Sprintf("Bulk: %d offers", n),
		text:    fmt.Sprintf("Due in an hour; OfferAll in ten calls, of which one is traced where nothing else is said; Redisson's offerAsync with %d offers at a time.", flight),
		columns: []string{"", "offers/s", "× Redisson", "µs of Redis per offer", "bytes of Redis per pending message"},
	}
	for _, who := range all {
		c.row(who.name, f["rate"].spread(who.name), figure(f["rate"].ratio(who.name, offerAsync)), f["redis"].median(who.name), f["memory"].median(who.name))
	}
	c.atLeast("OfferAll ÷ Redisson's asynchronous offers", f["rate"].ratio(oursName, offerAsync), 6,
		fmt.Sprintf("an offer takes %s µs of the Go process and %s µs of Redis, which share the cores", f["own"].median(oursName), f["redis"].median(oursName)))
	c.atMost("memory of Redis per pending message, not traced ÷ Redisson's", f["memory"].ratio(untraced, offerAsync), 1.05, "")
	return c, nil
}

// offerAll offers in ten calls of OfferAll, of which so many are traced. A call is traced or is
// not, with all its messages: left to a sampler, a tenth of the measurements would be of another
// thing than the others.
func (b *bench) offerAll(n int, queue *registry.Queue[string], traced int) (rate float64, err error) {
	s, err := open(b.ctx, b.srv.URL())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close(b.ctx)) }()
	runtime.GC()
	watch := newStopwatch(n)
	const calls = 10
	for call := range calls {
		caller := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
		ctx := trace.ContextWithSpanContext(b.ctx, caller.WithTraceFlags(trace.TraceFlags(0).WithSampled(call >= calls-traced))) // the first one is not timed
		items := func(yield func(framework.Item[string]) bool) {
			for i := call * n / calls; i < (call+1)*n/calls; i++ {
				if !yield(framework.Item[string]{Value: text(i), Delay: time.Hour}) {
					return
				}
			}
		}
		if _, err = framework.Bind(s.client, queue).OfferAll(ctx, items, framework.OnResult(func(int, framework.Receipt, error) { watch.hit() })); err != nil {
			return 0, err
		}
	}
	return watch.rate(b.ctx)
}
