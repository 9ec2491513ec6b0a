package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Sizes of what is measured with many queues in one process.
const (
	manyQueues   = 1000
	fewQueues    = 1 // what a process costs by itself is measured with so many
	manyPushes   = 200
	manyPushGap  = 10 * time.Millisecond
	manySettling = 8 * time.Second // until all that a start brings is over
	manyJavaStep = 10              // the jar puts messages into each tenth: it cannot listen to the channels of all
)

func manyName(i int) string { return fmt.Sprintf("many-%03d", i) }

// crowded is what one process with many queues costs.
type crowded struct {
	queues      int
	start, stop time.Duration
	goroutines  int
	heap, stack uint64 // bytes in use
	plain       uint64 // bytes of heap in use without traces and metrics
	connections int
	commands    float64 // a second
	names       map[string]int
	late        []float64 // ms, from a push of another client to the start of the handler
	added       []float64 // the same, by the jar's RBlockingQueue.add
	pings       []float64 // ms: how late a timer and a PING were meanwhile, ascending
	offered     []float64 // from due to the start, by the jar's RDelayedQueue.offer
	moved       int       // how many of these the jar transferred
}

// many is a process that handles many queues of strings; the strings are times in µs.
type many struct {
	Queues int
	side   *side

	mu  sync.Mutex
	got manyGot
}

// manyGot is what came since that was asked last.
type manyGot struct {
	Late    []float64 // ms
	Foreign int       // messages that others than us put on the ready list
}

func (m *many) obey(ctx context.Context, command string) (string, error) {
	switch command {
	case "start": // answers the µs that it took
		var all []framework.Consumer
		for i := range m.Queues {
			q := registry.Define[string](manyName(i), "one of many", registry.Codec(codecs.String()))
			all = append(all, framework.Consume(q, handlers.Func[string](m.handle)))
		}
		began := time.Now()
		err := m.side.run(ctx, all...)
		return strconv.FormatInt(time.Since(began).Microseconds(), 10), err
	case "weigh":
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return fmt.Sprintf("%d %d %d", runtime.NumGoroutine(), s.HeapAlloc, s.StackInuse), nil
	case "late":
		m.mu.Lock()
		defer m.mu.Unlock()
		text, err := json.Marshal(m.got)
		m.got = manyGot{}
		return string(text), err
	case "stop": // answers the µs that it took
		began := time.Now()
		err := m.side.engine.Stop(ctx)
		m.side.engine = nil
		return strconv.FormatInt(time.Since(began).Microseconds(), 10), err
	}
	return "", fmt.Errorf("unknown command %q", command)
}

func (m *many) handle(_ context.Context, d *handlers.Delivery[string]) error {
	now := time.Now().UnixMicro()
	pushed, err := strconv.ParseInt(d.Payload, 10, 64)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.got.Late = append(m.got.Late, float64(now-pushed)/1000)
	if _, known := d.Due(); !known {
		m.got.Foreign++
	}
	return nil
}

// thousand measures one process with very many queues.
func (b *bench) thousand() ([]crowded, error) {
	var all []crowded
	for _, queues := range []int{fewQueues, manyQueues} {
		b.progress("%d queues in a process", queues)
		b.quiet()
		c, err := b.crowdedOnce(queues)
		if err != nil {
			return nil, fmt.Errorf("%d queues: %w", queues, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (b *bench) crowdedOnce(queues int) (c crowded, err error) {
	c.queues = queues
	srv, err := b.startServer()
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	p, err := b.startChild(role{URL: srv.URL(), Many: queues}, 0)
	if err != nil {
		return c, err
	}
	defer p.stop()
	took, err := p.rate("start")
	if err != nil {
		return c, err
	}
	c.start = time.Duration(took) * time.Microsecond
	b.sleep(manySettling)
	w := &idleWatch{rdb: srv.Client()}
	if w.monitor, err = net.Dial("tcp", srv.Addr()); err != nil {
		return c, err
	}
	defer func() { _ = w.monitor.Close() }()
	if _, err = w.monitor.Write([]byte("MONITOR\r\n")); err != nil {
		return c, err
	}
	go w.listen(w.monitor)
	w.begin()
	b.sleep(b.plan.idle)
	idle, err := w.end(b.ctx, b.plan.idle)
	if err != nil {
		return c, err
	}
	c.commands, c.connections, c.names = idle.commands, idle.connections, idle.names
	_ = w.monitor.Close()
	if err = c.weigh(p); err != nil {
		return c, err
	}
	pings := b.pinging(w.rdb)
	err = b.crowdedByAll(w.rdb, srv.URL(), p, &c)
	c.pings = pings()
	if err != nil {
		return c, err
	}
	took, err = p.rate("stop")
	c.stop = time.Duration(took) * time.Microsecond
	if err == nil {
		c.plain, err = b.plainHeap(srv.URL(), queues)
	}
	return c, err
}

// weigh asks the process what it holds.
func (c *crowded) weigh(p *child) error {
	text, err := p.call("weigh")
	if err == nil {
		_, err = fmt.Sscan(text, &c.goroutines, &c.heap, &c.stack)
	}
	return err
}

// plainHeap returns what the queues take of the heap without traces and metrics.
func (b *bench) plainHeap(url string, queues int) (heap uint64, err error) {
	p, err := b.startChild(role{URL: url, Many: queues, Plain: true}, 0)
	if err != nil {
		return 0, err
	}
	defer p.stop()
	if _, err = p.call("start"); err != nil {
		return 0, err
	}
	b.sleep(manySettling)
	var c crowded
	err = c.weigh(p)
	return c.heap, err
}

// crowdedByAll pushes into the queues, and lets the jar push and transfer into them.
func (b *bench) crowdedByAll(rdb *redis.Client, url string, p *child, c *crowded) (err error) {
	if err = b.pushSingly(rdb, c.queues); err != nil {
		return err
	}
	if c.late, _, err = b.manyLate(p); err != nil {
		return err
	}
	if err = b.pushFromJava(url, c.queues, "add"); err != nil {
		return err
	}
	if c.added, _, err = b.manyLate(p); err != nil {
		return err
	}
	if err = b.pushFromJava(url, c.queues, "offer"); err != nil {
		return err
	}
	c.offered, c.moved, err = b.manyLate(p)
	return err
}

// pushSingly pushes messages into random queues, as a service does that knows nothing of us.
func (b *bench) pushSingly(rdb *redis.Client, queues int) error {
	for range manyPushes {
		b.sleep(manyPushGap)
		queue := manyName(rand.IntN(queues))
		if err := rdb.RPush(b.ctx, queue, strconv.FormatInt(time.Now().UnixMicro(), 10)).Err(); err != nil {
			return err
		}
	}
	return nil
}

// pushFromJava lets a client of Redisson do so.
func (b *bench) pushFromJava(url string, queues int, how string) error {
	var names []string
	for i := 0; i < queues; i += manyJavaStep {
		names = append(names, manyName(i))
	}
	_, err := b.java.call("push %s %s %s %d %d", how, url, strings.Join(names, ","), manyPushes, manyPushGap.Milliseconds())
	return err
}

// manyLate returns the lateness of all that was pushed, ascending, and how much of it others
// than us put on the ready list.
func (b *bench) manyLate(p *child) (late []float64, foreign int, err error) {
	b.sleep(2 * time.Second)
	text, err := p.call("late")
	if err != nil {
		return nil, 0, err
	}
	var got manyGot
	if err = json.Unmarshal([]byte(text), &got); err != nil {
		return nil, 0, err
	}
	if len(got.Late) != manyPushes {
		return nil, 0, fmt.Errorf("%d of %d messages were handled", len(got.Late), manyPushes)
	}
	slices.Sort(got.Late)
	return got.Late, got.Foreign, nil
}

// writeThousand writes the section.
func writeThousand(w *strings.Builder, all []crowded, p plan) {
	fmt.Fprintf(w, "Queues of strings with all defaults, by the public API, with tracing on and metrics that are collected each minute. Commands as the client sends them (a script is one), by MONITOR over %.0f s; heap after a collection; %d messages into random queues by each of three others, one every %v: pushed by go-redis; added by the jar, RBlockingQueue.add; offered by the jar, RDelayedQueue.offer, where both sides transfer what falls due a moment later.\n\n", p.idle.Seconds(), manyPushes, manyPushGap)
	table(w, "queues", "start, ms", "stop, ms", "connections", "goroutines", "heap, kB", "stacks, kB", "commands/s per queue")
	for _, c := range all {
		row(w, strconv.Itoa(c.queues), figure(milliseconds(c.start)), figure(milliseconds(c.stop)), strconv.Itoa(c.connections), strconv.Itoa(c.goroutines),
			strconv.FormatUint(c.heap>>10, 10), strconv.FormatUint(c.stack>>10, 10), figure(c.commands/float64(c.queues)))
	}
	w.WriteString("\n")
	table(w, "queues", "messages", "until handled, ms: p50", "p99", "max")
	for _, c := range all {
		for _, by := range []struct {
			name string
			late []float64
		}{
			{"pushed by go-redis", c.late},
			{"added by the jar", c.added},
			{fmt.Sprintf("offered by the jar, which transferred %d of %d", c.moved, len(c.offered)), c.offered},
		} {
			row(w, strconv.Itoa(c.queues), by.name, figure(quantile(by.late, 0.5)), figure(quantile(by.late, 0.99)), figure(quantile(by.late, 1)))
		}
	}
	for _, c := range all {
		fmt.Fprintf(w, "\nCommands of %d queues:", c.queues)
		names := make([]string, 0, len(c.names))
		for name, n := range c.names {
			names = append(names, fmt.Sprintf(" %s %d", name, n))
		}
		slices.Sort(names)
		w.WriteString(strings.Join(names, ",") + ".\n")
	}
	w.WriteString("\n")
}

// thousandGoals judges a process with very many queues; its own cost is left out where the
// goal is one of each queue.
func thousandGoals(all []crowded) []goal {
	few, c := all[0], all[len(all)-1]
	each := float64(c.queues - few.queues)
	name := fmt.Sprintf("%d queues in a process: ", c.queues)
	late := func(what string, ms []float64) goal {
		return atMost(name+what+", ms, p99", quantile(ms, 0.99), 20).because("a timer and a PING take %s ms at p99 meanwhile", figure(quantile(c.pings, 0.99)))
	}
	return []goal{
		atMost(name+"connections", float64(c.connections), framework.DefaultBlockingWaits+4),
		atMost(name+"goroutines per queue", float64(c.goroutines-few.goroutines)/each, 3),
		atMost(name+"heap per queue, kB", (float64(c.heap)-float64(few.heap))/each/1000, 30).because(
			"%s kB without traces and metrics; the others are OpenTelemetry's, whose counters keep a set of attributes and a reservoir of exemplars for each queue", figure((float64(c.plain)-float64(few.plain))/each/1000)),
		atMost(name+"start, s", c.start.Seconds(), 1),
		atMost(name+"stop, s", c.stop.Seconds(), 1),
		atMost(name+"idle commands/s per queue", c.commands/float64(c.queues), 0.4),
		late("pushed by go-redis to handled", c.late),
		late("added by the jar to handled", c.added),
		late("offered by the jar, due to handled", c.offered),
	}
}
