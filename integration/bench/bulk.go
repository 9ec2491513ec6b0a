package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

const (
	bulkName     = "OfferAll, exact or lazy view"
	bulkOffName  = "OfferAll, view off"
	untracedName = "OfferAll, no message traced"
	tracedName   = "OfferAll, every message traced"
	asyncName    = "Redisson offerAsync"
	bareAddName  = "bare ZADD and RPUSH, pipelined"
	pipedName    = "one script per offer, pipelined"
	bulkQueue    = "bulk"
	bulkPipeline = 1000 // offers in a pipeline of the bare ones
	bulkParts    = 10   // calls of OfferAll in a measurement
)

// asyncFlights are the numbers of offers at a time that are tried with offerAsync.
var asyncFlights = []int{64, 256, 1024, 4096, 16384}

// bulks is what the series found.
type bulks struct {
	rates, redis series
	own          series          // µs of this process per offer
	memory       series          // bytes of Redis per pending message
	flights      map[int]float64 // offers a second by number at a time, of the round that warms up
	flight       int             // the best of them
	profile      string
}

func (b *bench) bulkOffers(r *bulks) []contestant {
	offerAll := func(v registry.ViewMode, traced int) func(int) (float64, error) {
		return func(n int) (float64, error) { return b.offerBulk(n, textsIn(bulkQueue, v), inAnHour, traced) }
	}
	return []contestant{
		{name: bulkName, n: b.plan.bulkOffers, run: offerAll(registry.ViewExact, 1)},
		{name: asyncName, n: b.plan.bulkOffers, run: func(n int) (float64, error) { return b.offerAsync(bulkQueue, n, r.flight) }},
		{name: bulkOffName, n: b.plan.bulkOffers, run: offerAll(registry.ViewOff, 1)},
		{name: untracedName, n: b.plan.bulkOffers, run: offerAll(registry.ViewExact, 0)},
		{name: tracedName, n: b.plan.bulkOffers, run: offerAll(registry.ViewExact, bulkParts)},
		{name: pipedName, n: b.plan.bulkOffers, run: b.offerPiped},
		{name: bareAddName, n: b.plan.bulkOffers, run: b.addPiped},
	}
}

// bulkOffering offers in bulk, on our side and on the jar's in turn. The round before the
// first one warms up, and finds how many offers at a time suit Redisson best.
func (b *bench) bulkOffering() (*bulks, error) {
	r := &bulks{rates: series{}, redis: series{}, own: series{}, memory: series{}, flights: map[int]float64{}}
	if err := b.bestFlight(r); err != nil {
		return nil, err
	}
	for round := range b.plan.bulkRounds + 1 {
		b.quiet()
		b.progress("bulk offers, round %d of %d", round, b.plan.bulkRounds)
		for _, who := range b.bulkOffers(r) {
			rate, cpu, own, err := b.compete(who)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", who.name, err)
			}
			memory, err := b.perPending(who.n)
			if err != nil {
				return nil, err
			}
			b.detail("%-32s %9.0f/s %6.2f µs of Redis", who.name, rate, cpu)
			if round > 0 {
				r.rates.add(who.name, rate)
				r.redis.add(who.name, cpu)
				r.own.add(who.name, own)
				r.memory.add(who.name, memory)
			}
		}
	}
	var err error
	if b.profiles != "" || !r.goals()[0].met {
		r.profile, err = b.profileBulk()
	}
	return r, err
}

// bestFlight finds how many offers at a time suit Redisson best. With too many its client gives up
// waiting for a connection: that is its answer.
func (b *bench) bestFlight(r *bulks) error {
	var refused []error
	for range 2 { // the first time for the compiler
		for _, flight := range asyncFlights {
			rate, _, _, err := b.compete(contestant{n: b.plan.bulkOffers / 4, run: func(n int) (float64, error) {
				rate, err := b.offerAsync(bulkQueue, n, flight)
				if err != nil {
					b.progress("%s, %d at a time: %v", asyncName, flight, err)
					refused = append(refused, err)
				}
				return rate, context.Cause(b.ctx)
			}})
			if err != nil {
				return err
			}
			b.detail("%s, %d at a time: %.0f/s", asyncName, flight, rate)
			r.flights[flight] = rate
		}
	}
	for _, flight := range asyncFlights {
		if r.flights[flight] > r.flights[r.flight] {
			r.flight = flight
		}
	}
	if r.flight == 0 {
		return errors.Join(refused...)
	}
	return nil
}

// perPending is what each of n pending messages takes of Redis's memory: the server without them
// is looked at right after.
func (b *bench) perPending(n int) (float64, error) {
	full, err := usedMemory(b.ctx, b.rdb)
	if err != nil {
		return 0, err
	}
	if err = b.clean(); err != nil {
		return 0, err
	}
	empty, err := usedMemory(b.ctx, b.rdb)
	return (full - empty) / float64(n), err
}

func (r *bulks) goals() []goal {
	return []goal{
		atLeast("OfferAll ÷ Redisson's best asynchronous offers", r.rates.ratio(bulkName, asyncName), 6),
		atMost("memory of Redis per pending message, exact view, not traced ÷ Redisson's", r.memory.ratio(untracedName, asyncName), 1.05),
	}
}

// inAnHour is a message that does not fall due meanwhile.
var inAnHour = framework.Item[string]{Delay: time.Hour}

// messages are the texts from first to last-1, else like one.
func messages(first, last int, like framework.Item[string]) iter.Seq[framework.Item[string]] {
	return func(yield func(framework.Item[string]) bool) {
		for i := first; i < last; i++ {
			like.Value = textValue(i)
			if !yield(like) {
				return
			}
		}
	}
}

// offerBulk offers in ten calls of OfferAll, of which so many are traced. A call is traced
// or is not, with all its messages, and one that is takes more than twice as long: left to
// a sampler, a tenth of the measurements would be of another thing than the others.
func (b *bench) offerBulk(n int, queue *registry.Queue[string], like framework.Item[string], traced int) (float64, error) {
	s, err := open(b.ctx, b.srv.URL())
	if err != nil {
		return 0, err
	}
	runtime.GC()
	watch := newStopwatch(n)
	for part := 0; part < bulkParts && err == nil; part++ {
		// From the last one on: the first one is not timed.
		ctx := trace.ContextWithSpanContext(b.ctx, caller(part >= bulkParts-traced))
		_, err = framework.Bind(s.client, queue).OfferAll(ctx, messages(part*n/bulkParts, (part+1)*n/bulkParts, like),
			framework.OnResult(func(int, framework.Receipt, error) { watch.hit() }))
	}
	var rate float64
	if err == nil {
		rate, err = watch.rate(b.ctx)
	}
	return rate, errors.Join(err, s.close(b.ctx))
}

// caller is whose trace is sampled, or is not.
func caller(sampled bool) trace.SpanContext {
	caller := trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}}
	return trace.NewSpanContext(caller).WithTraceFlags(trace.TraceFlags(0).WithSampled(sampled))
}

func (b *bench) offerAsync(queue string, n, flight int) (float64, error) {
	return b.java.rate("offer-async %s %s %d %d %d %d 0", b.srv.URL(), queue, n, payloadBytes, flight, time.Hour.Milliseconds())
}

// element makes what Go writes, without any library.
func element(i int) string {
	return fmt.Sprintf("\x07%07d", i) + string([]byte{payloadBytes, 0, 0, 0, 0, 0, 0, 0}) + textValue(i)
}

// addPiped is the floor of an offer: the two commands that store it, and no more.
func (b *bench) addPiped(n int) (float64, error) {
	timeout, pending, _ := keysOf(bulkQueue)
	return b.piped(n, func(p redis.Pipeliner, due float64, element string) {
		p.ZAdd(b.ctx, timeout, redis.Z{Score: due, Member: element})
		p.RPush(b.ctx, pending, element)
	})
}

// offerScript is what an offer must do at least: it also tells who waits for the head.
var offerScript = redis.NewScript(`
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[2])
if redis.call('ZRANGE', KEYS[1], 0, 0)[1] == ARGV[2] then
  redis.call('PUBLISH', KEYS[3], ARGV[1])
end
`)

func (b *bench) offerPiped(n int) (float64, error) {
	if err := offerScript.Load(b.ctx, b.rdb).Err(); err != nil {
		return 0, err
	}
	timeout, pending, channel := keysOf(bulkQueue)
	keys := []string{timeout, pending, channel}
	return b.piped(n, func(p redis.Pipeliner, due float64, element string) {
		p.EvalSha(b.ctx, offerScript.Hash(), keys, strconv.FormatInt(int64(due), 10), element)
	})
}

func (b *bench) piped(n int, add func(p redis.Pipeliner, due float64, element string)) (float64, error) {
	runtime.GC()
	watch := newStopwatch(n)
	for at := 0; at < n; at += bulkPipeline {
		pipe := b.rdb.Pipeline()
		due := float64(time.Now().Add(time.Hour).UnixMilli())
		for i := at; i < min(at+bulkPipeline, n); i++ {
			add(pipe, due, element(i))
		}
		if cmds, err := pipe.Exec(b.ctx); err != nil && !errors.Is(err, redis.Nil) {
			return 0, fmt.Errorf("%w (of %d commands)", err, len(cmds))
		}
		for i := at; i < min(at+bulkPipeline, n); i++ {
			watch.hit()
		}
	}
	return watch.rate(b.ctx)
}

// profileBulk runs OfferAll once more with the profiler on.
func (b *bench) profileBulk() (string, error) {
	b.progress("profile of OfferAll")
	n := 3 * b.plan.bulkOffers
	return b.profiled("bulk", n, func() error {
		_, err := b.offerBulk(n, textsIn(bulkQueue, registry.ViewExact), inAnHour, 1)
		return err
	})
}
