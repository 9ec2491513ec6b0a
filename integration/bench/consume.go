package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// contestant is one way to empty a full list.
type contestant struct {
	name    string
	queue   string // that is filled before; empty: it fills its own
	payload func(int) []byte
	n       int
	run     func(n int) (float64, error) // messages a second
}

// prefetches are those that the goals name.
var prefetches = []int{1, 16, 128}

func ourName(codec string, prefetch int) string {
	return fmt.Sprintf("duequeue %s %d", codec, prefetch)
}
func bareName(prefetch int) string { return fmt.Sprintf("bare take script %d", prefetch) }

const (
	blpopName    = "BLPOP, one at a time"
	lpopName     = "LPOP count 100"
	takeOneName  = "Redisson take(), 1 thread"
	takeEightStr = "Redisson take(), 8 threads, String"
	takeEightKry = "Redisson take(), 8 threads, Kryo 5"
	pollName     = "Redisson poll(100)"
	asynqName    = asynqWho + ", 128 workers"
	silentName   = ours + " string 128, no telemetry"
	oneCoreName  = ours + " string 128, GOMAXPROCS=1"
	batchOneName = ours + " string, batches of 100, 1 worker"
	batchName    = ours + " string, batches of 100, 2 workers"
)

// contestants in the order of a round: what is compared runs close together.
func (b *bench) contestants() []contestant {
	p := b.plan
	sizes := map[int]int{1: p.single, 16: p.batch, 128: p.bulk}
	var all []contestant
	for _, n := range prefetches {
		all = append(all,
			contestant{name: bareName(n), n: sizes[n], run: func(count int) (float64, error) { return b.bareTake(n, count) }},
			contestant{ourName("string", n), texts.Key(), text, sizes[n], func(count int) (float64, error) { return drain(b, open, texts, n, count) }},
			contestant{ourName("kryo5 map", n), orders.Key(), mapped, sizes[n], func(count int) (float64, error) { return drain(b, open, orders, n, count) }})
	}
	java := func(command, codec string, last int) func(int) (float64, error) {
		return func(count int) (float64, error) {
			return b.java.rate("%s %s %s %s %d %d", command, b.srv.URL(), "list", codec, count, last)
		}
	}
	return append(all,
		contestant{silentName, texts.Key(), text, p.bulk, func(count int) (float64, error) { return drain(b, openSilent, texts, 128, count) }},
		contestant{oneCoreName, texts.Key(), text, p.bulk, func(count int) (float64, error) {
			return onOneCore(func() (float64, error) { return drain(b, open, texts, 128, count) })
		}},
		contestant{batchOneName, texts.Key(), text, p.bulk, func(count int) (float64, error) { return drainBatches(b, texts, 1, count) }},
		contestant{batchName, texts.Key(), text, p.bulk, func(count int) (float64, error) { return drainBatches(b, texts, 2, count) }},
		contestant{takeEightStr, "list", text, p.single, java("take", "string", 8)},
		contestant{takeEightKry, "list", mapped, p.single, java("take", "kryo5", 8)},
		contestant{name: asynqName, n: p.single, run: b.asynq},
		contestant{name: bullConcurrent, n: p.single, run: b.consumeBull},
		contestant{takeOneName, "list", text, p.single, java("take", "string", 1)},
		contestant{pollName, "list", text, p.bulk, java("poll", "string", 100)},
		contestant{blpopName, "list", text, p.single, b.blpop},
		contestant{lpopName, "list", text, p.bulk, b.lpop})
}

// consumed is what part a found.
type consumed struct {
	rates    series  // messages a second
	cpu      series  // µs of Redis per message
	own      series  // µs of this process per message
	allocs   float64 // allocations per message of 128 strings whose spans are not sampled
	profiles map[string]string
	node     string // BullMQ and what it runs on
}

// consumption runs all contestants round by round. The round before the first one
// warms up and is not counted.
func (b *bench) consumption() (*consumed, error) {
	if err := b.buildBare(); err != nil {
		return nil, err
	}
	c := &consumed{rates: series{}, cpu: series{}, own: series{}, profiles: map[string]string{}}
	if !b.check { // which compares no ratio of BullMQ
		bull, err := b.bullmq() // now, lest it be missed after minutes
		if err != nil {
			return nil, err
		}
		c.node = bull.hello
	}
	for round := range b.plan.rounds + 1 {
		b.progress("consumption, round %d of %d", round, b.plan.rounds)
		for _, who := range b.contestants() {
			if b.check && who.name == bullConcurrent {
				continue
			}
			if strings.HasPrefix(who.name, "bare") {
				b.quiet() // what comes next is compared with it
			}
			began := time.Now()
			rate, cpu, own, err := b.compete(who)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", who.name, err)
			}
			b.detail("%-36s %9.0f/s %6.1f µs %5.1f s in all", who.name, rate, cpu, time.Since(began).Seconds())
			if round > 0 {
				c.rates.add(who.name, rate)
				c.cpu.add(who.name, cpu)
				c.own.add(who.name, own)
			}
		}
	}
	var err error
	if c.allocs, err = b.allocations(128); err != nil || b.check {
		return c, err
	}
	for _, n := range []int{16, 128} {
		top, err := b.profile(n)
		if err != nil {
			return nil, err
		}
		c.profiles[ourName("string", n)] = top
	}
	return c, nil
}

// compete returns messages a second and, per message, the µs of Redis and of this
// process.
func (b *bench) compete(who contestant) (rate, cpu, own float64, err error) {
	if err = b.clean(); err != nil {
		return 0, 0, 0, err
	}
	if who.queue != "" {
		if err = b.fill(who.queue, who.n, who.payload); err != nil {
			return 0, 0, 0, err
		}
	}
	runtime.GC()
	before, err := redisCPU(b.ctx, b.rdb)
	if err != nil {
		return 0, 0, 0, err
	}
	ownBefore := ownCPU()
	if rate, err = who.run(who.n); err != nil {
		return 0, 0, 0, err
	}
	after, err := redisCPU(b.ctx, b.rdb)
	n := float64(who.n)
	return rate, (after - before) / n, (ownCPU() - ownBefore) / n, err
}

// fill pushes n payloads to a ready list.
func (b *bench) fill(queue string, n int, payload func(int) []byte) error {
	const chunk = 1000
	for at := 0; at < n; at += chunk {
		values := make([]any, 0, chunk)
		for i := at; i < min(at+chunk, n); i++ {
			values = append(values, payload(i))
		}
		if err := b.rdb.RPush(b.ctx, queue, values...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// opening sets our side up, see open.
type opening func(ctx context.Context, url string) (*side, error)

// drain is our side, by its public API alone.
func drain[T any](b *bench, open opening, q *registry.Queue[T], prefetch, n int) (float64, error) {
	watch := newStopwatch(n)
	return b.handleAll(watch, open, framework.Consume(q, handlers.Func[T](func(context.Context, *handlers.Delivery[T]) error {
		watch.hit()
		return nil
	}), framework.Workers(prefetch), framework.Prefetch(prefetch)))
}

// drainBatches is drain in batches of 100. One worker takes them one after the other, as poll(100)
// does; with two the next one is taken while the last one is handled.
func drainBatches[T any](b *bench, q *registry.Queue[T], workers, n int) (float64, error) {
	watch := newStopwatch(n)
	return b.handleAll(watch, open, framework.ConsumeBatch(q, handlers.BatchFunc[T](func(_ context.Context, ds []*handlers.Delivery[T]) error {
		for range ds {
			watch.hit()
		}
		return nil
	}), framework.Workers(workers), framework.BatchSize(100)))
}

// handleAll returns messages a second.
func (b *bench) handleAll(watch *stopwatch, open opening, consumer framework.Consumer) (float64, error) {
	s, err := open(b.ctx, b.srv.URL())
	if err != nil {
		return 0, err
	}
	err = s.run(b.ctx, consumer)
	var rate float64
	if err == nil {
		rate, err = watch.rate(b.ctx)
	}
	return rate, errors.Join(err, s.close(b.ctx))
}

// onOneCore runs with one core for this process: on a machine with two the other one is Redis's.
func onOneCore(run func() (float64, error)) (float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return run()
}

// allocations returns how many a message costs whose span is not sampled.
func (b *bench) allocations(prefetch int) (float64, error) {
	var perMessage float64
	b.progress("allocations at prefetch %d", prefetch)
	_, _, _, err := b.compete(contestant{queue: texts.Key(), payload: text, n: b.plan.bulk, run: func(n int) (float64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rate, err := drain(b, openUnsampled, texts, prefetch, n)
		runtime.ReadMemStats(&after)
		perMessage = float64(after.Mallocs-before.Mallocs) / float64(n)
		return rate, err
	}})
	return perMessage, err
}

// profile runs our side once more, with the profiler on.
func (b *bench) profile(prefetch int) (string, error) {
	b.progress("profile at prefetch %d", prefetch)
	if err := b.clean(); err != nil {
		return "", err
	}
	n := 3 * b.plan.bulk
	if err := b.fill(texts.Key(), n, text); err != nil {
		return "", err
	}
	return b.cpuProfile(fmt.Sprintf("cpu-%d", prefetch), func() error {
		_, err := drain(b, open, texts, prefetch, n)
		return err
	})
}
