package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"

	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

const (
	blpopName    = "BLPOP, one at a time"
	lpopName     = "LPOP count 100"
	takeEightStr = "Redisson take(), 8 threads, strings"
	takeEightKry = "Redisson take(), 8 threads, Kryo 5 maps"
	pollName     = "Redisson poll(100)"
	asynqName    = "asynq, 128 at a time"
	bullName     = "BullMQ, 128 at a time"
	batchName    = ours + ", strings, batches of 100, 2 workers"
)

// workerCounts are those that the goals name.
var workerCounts = []int{1, 16, 128}

func bareName(n int) string { return fmt.Sprintf("bare take script, %d at a time", n) }
func ourName(what string, n int) string {
	return fmt.Sprintf("%s, %s, %d at a time", ours, what, n)
}

var (
	texts  = textsIn("bench-text", registry.ViewExact)
	orders = registry.Define[map[string]any]("bench-map", "maps of five keys", registry.Codec(kryo5.New()))
)

// mapped is the payload of one number as Java's HashMap in Kryo 5.
func mapped(i int) string {
	payload, err := orders.Encode(map[string]any{
		"orderId": fmt.Sprintf("%08d", i), "remark": padding[:60], "amount": 12.5, "userId": int64(i), "attempts": int32(3),
	})
	if err != nil {
		panic(err) // these types can be carried
	}
	return string(payload)
}

// contestants in the order of a round: what is compared runs close together.
func (b *bench) contestants() []contestant {
	p := b.plan
	sizes := map[int]int{1: p.single, 16: p.batch, 128: p.bulk}
	java := func(command, codec string, last int) func(int) (float64, error) {
		return func(count int) (float64, error) {
			return b.javaRate(fmt.Sprintf("%s %s list %s %d %d", command, b.srv.URL(), codec, count, last))
		}
	}
	var all []contestant
	for _, n := range workerCounts {
		all = append(all,
			contestant{name: bareName(n), n: sizes[n], run: func(count int) (float64, error) { return b.bareTake(n, count) }},
			contestant{ourName("strings", n), texts.Key(), text, sizes[n], func(count int) (float64, error) { return drain(b, texts, n, count) }},
			contestant{ourName("Kryo 5 maps", n), orders.Key(), mapped, sizes[n], func(count int) (float64, error) { return drain(b, orders, n, count) }})
	}
	return append(all,
		contestant{batchName, texts.Key(), text, p.bulk, b.drainBatches},
		contestant{takeEightStr, "list", text, p.single, java("take", "string", 8)},
		contestant{takeEightKry, "list", mapped, p.single, java("take", "kryo5", 8)},
		contestant{name: asynqName, n: p.single, run: b.asynq},
		contestant{name: bullName, n: p.single, run: b.bull},
		contestant{pollName, "list", text, p.bulk, java("poll", "string", 100)},
		contestant{blpopName, "list", text, p.single, b.pop(func() (int, error) { return 1, b.rdb.BLPop(b.ctx, time.Second, "list").Err() })},
		contestant{lpopName, "list", text, p.bulk, b.pop(func() (int, error) {
			got, err := b.rdb.LPopCount(b.ctx, "list", 100).Result()
			return len(got), err
		})})
}

// consume empties full ready lists.
func (b *bench) consume() (*chapter, error) {
	all := b.contestants()
	f, err := b.compete(all, nil)
	if err != nil {
		return nil, err
	}
	c := &chapter{
		heading: "Consume",
		text:    "One queue whose ready list is full, and a handler that does nothing; timed from the end of the first tenth. The bare take script is the lease layer alone, which takes and acks. asynq and BullMQ fill their own queues.",
		columns: []string{"consumer", "messages/s", "× BLPOP", "µs of Redis per message", "µs of the Go process per message"},
	}
	for _, who := range all {
		redis, own := "–", "–"
		if who.queue != "" { // the others have another server, or fill it meanwhile
			redis = f["redis"].median(who.name)
		}
		if strings.HasPrefix(who.name, ours) || who.name == blpopName || who.name == lpopName {
			own = f["own"].median(who.name)
		}
		c.row(who.name, f["rate"].spread(who.name), figure(f["rate"].ratio(who.name, blpopName)), redis, own)
	}
	c.consumeGoals(f)
	return c, nil
}

func (c *chapter) consumeGoals(f figures) {
	costs := func(name string) string {
		return fmt.Sprintf("a message takes %s µs of the Go process and %s µs of Redis, which share the cores",
			f["own"].median(name), f["redis"].median(name))
	}
	least := map[int]float64{1: 0.6, 16: 0.75, 128: 0.7}
	for _, what := range []string{"strings", "Kryo 5 maps"} {
		for _, n := range workerCounts {
			name := ourName(what, n)
			c.atLeast(fmt.Sprintf("%s, %d at a time ÷ bare take script", what, n), f["rate"].ratio(name, bareName(n)), least[n], costs(name))
		}
	}
	best := ourName("strings", 128)
	safety := fmt.Sprintf("; the bare script, which keeps what it takes until it is acked, reaches %s of poll(100), which drops it", figure(f["rate"].ratio(bareName(128), pollName)))
	c.atLeast("strings, 128 at a time ÷ poll(100)", f["rate"].ratio(best, pollName), 0.9, costs(best)+safety)
	c.atLeast("batches of 100 ÷ poll(100)", f["rate"].ratio(batchName, pollName), 1, costs(batchName)+safety)
	c.atMost("strings, 128 at a time: µs of the Go process per message", median(f["own"][best]), 2.5,
		fmt.Sprintf("BLPOP, a bare call for each message, takes %s µs", f["own"].median(blpopName)))
	c.atLeast("strings, 128 at a time ÷ take() with 8 threads", f["rate"].ratio(best, takeEightStr), 6, costs(best))
	kryo := ourName("Kryo 5 maps", 128)
	c.atLeast("Kryo 5 maps, 128 at a time ÷ take() with 8 threads", f["rate"].ratio(kryo, takeEightKry), 6, costs(kryo))
	c.atLeast("strings, 128 at a time ÷ asynq", f["rate"].ratio(best, asynqName), 12, costs(best))
}

// drain is our side, by its public API alone.
func drain[T any](b *bench, q *registry.Queue[T], workers, n int) (float64, error) {
	watch := newStopwatch(n)
	return b.handleAll(watch, framework.Consume(q, handlers.Func[T](func(context.Context, *handlers.Delivery[T]) error {
		watch.hit()
		return nil
	}), framework.Workers(workers), framework.Prefetch(workers)))
}

func (b *bench) drainBatches(n int) (float64, error) {
	watch := newStopwatch(n)
	return b.handleAll(watch, framework.ConsumeBatch(texts, handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
		for range ds {
			watch.hit()
		}
		return nil
	}), framework.Workers(2), framework.BatchSize(100)))
}

// handleAll returns messages a second.
func (b *bench) handleAll(watch *stopwatch, consumer framework.Consumer) (float64, error) {
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

// pop empties the list by a bare call for some messages at a time.
func (b *bench) pop(call func() (int, error)) func(n int) (float64, error) {
	return func(n int) (float64, error) {
		watch := newStopwatch(n)
		for watch.count.Load() < int64(n) {
			got, err := call()
			if err != nil {
				return 0, err
			}
			for range got {
				watch.hit()
			}
		}
		return watch.rate(b.ctx)
	}
}

// asynq fills its own queue, then empties it with a handler that does nothing.
func (b *bench) asynq(n int) (float64, error) {
	redis := asynq.RedisClientOpt{Addr: b.srv.Addr()}
	client := asynq.NewClient(redis)
	defer func() { _ = client.Close() }()
	for i := range n {
		if _, err := client.EnqueueContext(b.ctx, asynq.NewTask("bench", []byte(text(i)))); err != nil {
			return 0, err
		}
	}
	watch := newStopwatch(n)
	srv := asynq.NewServer(redis, asynq.Config{Concurrency: 128, LogLevel: asynq.FatalLevel})
	if err := srv.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		watch.hit()
		return nil
	})); err != nil {
		return 0, err
	}
	defer srv.Shutdown()
	return watch.rate(b.ctx)
}

// bull fills a queue of BullMQ's, then empties it with a processor that does nothing.
func (b *bench) bull(n int) (float64, error) {
	node, err := b.bullmq()
	if err != nil {
		return 0, err
	}
	return node.rate(fmt.Sprintf("consume %s bench %d %d 128", b.srv.URL(), n, payloadBytes))
}

var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+([\d.]+) ns/op`)

// bareTake runs the take script's own benchmark, which starts a server like ours.
func (b *bench) bareTake(batch, n int) (float64, error) {
	const pkg = "framework/internal/queue/lease"
	root, binary := filepath.Join(here(), "..", ".."), filepath.Join(b.dir, "lease.test")
	if _, err := os.Stat(binary); err != nil {
		build := exec.CommandContext(b.ctx, "go", "test", "-vet=off", "-c", "-o", binary, "./"+pkg)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("build its benchmark: %w\n%s", err, out)
		}
	}
	run := exec.CommandContext(b.ctx, binary, "-test.run=^$", fmt.Sprintf("-test.bench=^BenchmarkTake%d$", batch), fmt.Sprintf("-test.benchtime=%dx", n))
	run.Dir = filepath.Join(root, pkg)
	out, err := run.CombinedOutput()
	m := benchmarkLine.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("its benchmark failed: %w\n%s", err, out)
	}
	ns, err := strconv.ParseFloat(string(m[1]), 64)
	return 1e9 / ns, err
}
