package main

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
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

func callersName(who string, n int) string { return fmt.Sprintf("%s, %d", who, n) }

// offers are made by goroutines or threads at the same time, each one message after the other.
func (b *bench) offers() (*chapter, error) {
	f, p50, p99 := newFound(), series{}, series{}
	sides := func(n int) []string {
		if n == 64 {
			return []string{ours, jar, apart, keyed, keyedApart}
		}
		return []string{ours, jar}
	}
	var all []contestant
	var took [2]float64 // of the last measurement: p50 and p99 of one offer, ms
	for _, c := range callers {
		for _, who := range sides(c.n) {
			all = append(all, contestant{name: callersName(who, c.n), n: b.plan.offers * min(c.n, 8), run: func(n int) (rate float64, err error) {
				if who == jar {
					rate, took, err = b.offerJar(n, c.n)
				} else {
					rate, took, err = b.offerOurs(who, n, c.n)
				}
				return rate, err
			}})
		}
	}
	if err := b.compete(f, all, func(who contestant) error {
		p50.add(who.name, took[0])
		p99.add(who.name, took[1])
		return nil
	}); err != nil {
		return nil, err
	}
	c := &chapter{
		heading: "Offers",
		text:    "Goroutines, or threads of Redisson, offer to one queue through one client at the same time, each one message after the other, due in an hour; offers of one process to one queue gather. \"A client for each\" does not gather: it has one script for each offer.",
		columns: []string{"callers", "", "offers/s", "× Redisson", "p50, ms", "p99, ms", "µs of Redis per offer", "µs of the Go process per offer"},
	}
	for _, n := range callers {
		for _, who := range sides(n.n) {
			name := callersName(who, n.n)
			own := figure(f.own.median(name))
			if who == jar {
				own = "–"
			}
			c.row(strconv.Itoa(n.n), who, f.rates.spread(name), figure(f.rates.ratio(name, callersName(jar, n.n))), figure(p50.median(name)), figure(p99.median(name)), figure(f.redis.median(name)), own)
		}
		name := callersName(ours, n.n)
		c.atLeast(fmt.Sprintf("%d callers ÷ Redisson's", n.n), f.rates.ratio(name, callersName(jar, n.n)), n.want,
			fmt.Sprintf("an offer takes %s µs of the Go process and %s µs of Redis, which share the cores; Redisson's takes %s µs of Redis",
				figure(f.own.median(name)), figure(f.redis.median(name)), figure(f.redis.median(callersName(jar, n.n)))))
	}
	c.atMost("64 callers: p99 ÷ that of a client for each", p99.ratio(callersName(ours, 64), callersName(apart, 64)), 0.5, "")
	c.atMost("64 callers with keys: Redis's time per offer ÷ that of a client for each", f.redis.ratio(callersName(keyed, 64), callersName(keyedApart, 64)), 0.6, "")
	return c, nil
}

func (b *bench) offerJar(n, threads int) (rate float64, took [2]float64, err error) {
	java, err := b.java()
	if err != nil {
		return 0, took, err
	}
	answer, err := java.call("offer %s list %d %d %d", b.srv.URL(), n, payloadBytes, threads)
	if err == nil {
		_, err = fmt.Sscan(answer, &rate, &took[0], &took[1])
	}
	return rate, took, err
}

func (b *bench) offerOurs(who string, n, goroutines int) (rate float64, took [2]float64, err error) {
	sides := make([]*side, 1)
	if who == apart || who == keyedApart {
		sides = make([]*side, goroutines)
	}
	for i := range sides {
		s, err := open(b.ctx, b.srv.URL(), tenth)
		if err != nil {
			return 0, took, err
		}
		defer func() { err = errors.Join(err, s.close(b.ctx)) }()
		sides[i] = s
	}
	each := max(n/goroutines, 1)
	ms := make([]float64, each*goroutines)
	failed := make([]error, goroutines)
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

const (
	bulkName     = "OfferAll, exact or lazy view"
	bulkOffName  = "OfferAll, view off"
	untracedName = "OfferAll, no message traced"
	asyncName    = "Redisson offerAsync"
	bareAddName  = "bare ZADD and RPUSH, pipelined"
	bulkQueue    = "bulk"
	bulkCalls    = 10 // of OfferAll in a measurement
)

// flights are the numbers of offers at a time that are tried with offerAsync. With many more its
// client gives up waiting for a connection.
var flights = []int{256, 1024, 4096}

// bulk offers very many messages at once.
func (b *bench) bulk() (*chapter, error) {
	flight, best := 0, 0.0
	for range 2 { // the first time for the compiler
		best = 0
		for _, n := range flights {
			rate, err := b.offerAsync(b.plan.bulkOffers/4, n)
			if err != nil {
				return nil, err
			}
			if rate > best {
				flight, best = n, rate
			}
		}
	}
	offerAll := func(v registry.ViewMode, traced int) func(int) (float64, error) {
		return func(n int) (float64, error) { return b.offerAll(n, textsIn(bulkQueue, v), traced) }
	}
	n, f, memory := b.plan.bulkOffers, newFound(), series{}
	all := []contestant{
		{name: bulkName, n: n, run: offerAll(registry.ViewExact, 1)},
		{name: asyncName, n: n, run: func(n int) (float64, error) { return b.offerAsync(n, flight) }},
		{name: bulkOffName, n: n, run: offerAll(registry.ViewOff, 1)},
		{name: untracedName, n: n, run: offerAll(registry.ViewExact, 0)},
		{name: bareAddName, n: n, run: b.addPiped},
	}
	if err := b.compete(f, all, func(who contestant) error { return b.weighPending(memory, who) }); err != nil {
		return nil, err
	}
	c := &chapter{
		heading: fmt.Sprintf("Bulk: %d offers", n),
		text: fmt.Sprintf("Due in an hour; OfferAll in ten calls, of which one is traced where nothing else is said; Redisson's offerAsync with %d offers at a time, the best of %v. The pipelined commands have no results, no ids and no safety: they are what Redis and the wire cost.",
			flight, flights),
		columns: []string{"", "offers/s", "× Redisson", "µs of Redis per offer", "µs of the Go process per offer", "bytes of Redis per pending message"},
	}
	for _, who := range all {
		own := figure(f.own.median(who.name))
		if who.name == asyncName {
			own = "–"
		}
		c.row(who.name, f.rates.spread(who.name), figure(f.rates.ratio(who.name, asyncName)), figure(f.redis.median(who.name)), own, figure(memory.median(who.name)))
	}
	c.atLeast("OfferAll ÷ Redisson's best asynchronous offers", f.rates.ratio(bulkName, asyncName), 6,
		fmt.Sprintf("bare commands in pipelines reach %s", figure(f.rates.ratio(bareAddName, asyncName))))
	c.atMost("memory of Redis per pending message, not traced ÷ Redisson's", memory.ratio(untracedName, asyncName), 1.05, "")
	return c, nil
}

// weighPending adds what each of n pending messages takes of Redis's memory: it empties the server
// and looks again.
func (b *bench) weighPending(memory series, who contestant) error {
	full, err := info(b.ctx, b.rdb, "used_memory")
	if err == nil {
		err = b.rdb.FlushAll(b.ctx).Err()
	}
	if err != nil {
		return err
	}
	empty, err := info(b.ctx, b.rdb, "used_memory")
	if err == nil {
		memory.add(who.name, (full[0]-empty[0])/float64(who.n))
	}
	return err
}

// offerAll offers in ten calls of OfferAll, of which so many are traced. A call is traced or is
// not, with all its messages: left to a sampler, a tenth of the measurements would be of another
// thing than the others.
func (b *bench) offerAll(n int, queue *registry.Queue[string], traced int) (rate float64, err error) {
	s, err := open(b.ctx, b.srv.URL(), tenth)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close(b.ctx)) }()
	runtime.GC()
	watch := newStopwatch(n)
	for call := 0; call < bulkCalls && err == nil; call++ {
		// From the last one on: the first one is not timed.
		ctx := trace.ContextWithSpanContext(b.ctx, caller(call >= bulkCalls-traced))
		_, err = framework.Bind(s.client, queue).OfferAll(ctx, messages(call*n/bulkCalls, (call+1)*n/bulkCalls),
			framework.OnResult(func(int, framework.Receipt, error) { watch.hit() }))
	}
	if err != nil {
		return 0, err
	}
	return watch.rate(b.ctx)
}

// messages are the texts from first to last-1, due in an hour.
func messages(first, last int) iter.Seq[framework.Item[string]] {
	return func(yield func(framework.Item[string]) bool) {
		for i := first; i < last; i++ {
			if !yield(framework.Item[string]{Value: text(i), Delay: time.Hour}) {
				return
			}
		}
	}
}

// caller is whose trace is sampled, or is not.
func caller(sampled bool) trace.SpanContext {
	caller := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}
	return trace.NewSpanContext(caller).WithTraceFlags(trace.TraceFlags(0).WithSampled(sampled))
}

func (b *bench) offerAsync(n, flight int) (float64, error) {
	return b.javaRate("offer-async %s %s %d %d %d", b.srv.URL(), bulkQueue, n, payloadBytes, flight)
}

// addPiped is the floor of an offer: the two commands that store it, and no more.
func (b *bench) addPiped(n int) (float64, error) {
	timeout, pending, _ := keysOf(bulkQueue)
	all := elements(n)
	runtime.GC()
	watch := newStopwatch(n)
	const chunk = 1000
	for at := 0; at < n; at += chunk {
		due := float64(time.Now().Add(time.Hour).UnixMilli())
		_, err := b.rdb.Pipelined(b.ctx, func(p redis.Pipeliner) error {
			for _, element := range all[at:min(at+chunk, n)] {
				p.ZAdd(b.ctx, timeout, redis.Z{Score: due, Member: element})
				p.RPush(b.ctx, pending, element)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		for range all[at:min(at+chunk, n)] {
			watch.hit()
		}
	}
	return watch.rate(b.ctx)
}
