package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

const (
	curveSettling = 20 * time.Second // more than the first renewal of all
	curveRate     = 100              // messages a second in all
	curveDelay    = time.Second
)

// curvePoint is a fleet: so many processes, each with the same queues.
type curvePoint struct{ processes, queues int }

// curveFound is what a fleet costs Redis.
type curveFound struct {
	curvePoint
	connections int
	idle, busy  curveLoad
	late        []float64 // ms, while busy
}

// curveLoad is what Redis does for it.
type curveLoad struct {
	kinds map[string]float64 // requests a second, by what they are for
	cpu   float64            // of one core
}

func (l curveLoad) all() (sum float64) {
	for _, n := range l.kinds {
		sum += n
	}
	return sum
}

// fleet is many light processes in one program: each has a client and an engine of its own.
type fleet struct {
	role
	engines []*framework.Engine
	clients []*framework.Client
	mu      sync.Mutex
	late    []float64
}

func (f *fleet) obey(ctx context.Context, command string) (string, error) {
	switch command {
	case "start":
		return "", f.start(ctx)
	case "late": // answers the lateness of each message since it was asked last, in ms
		f.mu.Lock()
		defer f.mu.Unlock()
		text := strings.Trim(fmt.Sprint(f.late), "[]")
		f.late = nil
		return text, nil
	case "stop":
		var errs []error
		for i := range f.engines {
			errs = append(errs, f.engines[i].Stop(ctx), f.clients[i].Close())
		}
		return "", errors.Join(errs...)
	}
	return "", fmt.Errorf("unknown command %q", command)
}

func (f *fleet) start(ctx context.Context) error {
	for range f.Fleet {
		client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: f.URL}},
			framework.WithLogger(slog.New(slog.DiscardHandler)), framework.WithMeterProvider(noop.NewMeterProvider()))
		if err != nil {
			return err
		}
		f.clients = append(f.clients, client)
		var all []framework.Consumer
		for i := range f.Many {
			q := registry.Define[string](manyName(i), "one of many", registry.Codec(codecs.String()))
			all = append(all, framework.Consume(q, handlers.Func[string](f.handle)))
		}
		engine, err := framework.New(client, all)
		if err != nil {
			return err
		}
		if err = engine.Start(ctx); err != nil {
			return err
		}
		f.engines = append(f.engines, engine)
	}
	return nil
}

func (f *fleet) handle(_ context.Context, d *handlers.Delivery[string]) error {
	if late, known := d.Lateness(); known {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.late = append(f.late, milliseconds(late))
	}
	return nil
}

// curving measures fleets of several sizes whose processes have so many queues.
func (b *bench) curving(all *[]curveFound, queues int) error {
	for _, p := range b.plan.curve {
		if p.queues != queues {
			continue
		}
		b.quiet()
		b.progress("%d processes with %d queues each", p.processes, p.queues)
		f, err := b.curveOnce(p)
		if err != nil {
			return fmt.Errorf("%d processes with %d queues: %w", p.processes, p.queues, err)
		}
		b.detail("idle %.0f/s %.1f %% %v; busy %.0f/s %.1f %% %v", f.idle.all(), 100*f.idle.cpu, f.idle.kinds, f.busy.all(), 100*f.busy.cpu, f.busy.kinds)
		*all = append(*all, f)
	}
	return nil
}

func (b *bench) curveOnce(p curvePoint) (f curveFound, err error) {
	f.curvePoint = p
	srv, err := b.startServer()
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	rdb := srv.Client()
	child, err := b.startChild(role{URL: srv.URL(), Fleet: p.processes, Many: p.queues}, 0)
	if err != nil {
		return f, err
	}
	defer child.stop()
	if _, err = child.call("start"); err != nil {
		return f, err
	}
	b.sleep(curveSettling)
	if f.idle, err = b.curveLoad(rdb, srv.Addr()); err != nil {
		return f, err
	}
	if f.connections, err = connectionsOf(b.ctx, rdb); err != nil {
		return f, err
	}
	offering, end := context.WithCancel(b.ctx)
	var offers sync.WaitGroup
	var offerErr error
	offers.Go(func() { offerErr = b.offerSteadily(offering, srv.URL(), p.queues) })
	b.sleep(2 * curveDelay)
	_, err = child.call("late")
	if err == nil {
		f.busy, err = b.curveLoad(rdb, srv.Addr())
	}
	end()
	offers.Wait()
	if err = errors.Join(err, offerErr); err != nil {
		return f, err
	}
	b.sleep(2 * curveDelay)
	text, err := child.call("late")
	if err != nil {
		return f, err
	}
	for _, field := range strings.Fields(text) {
		var ms float64
		if _, err = fmt.Sscan(field, &ms); err != nil {
			return f, err
		}
		f.late = append(f.late, ms)
	}
	slices.Sort(f.late)
	if len(f.late) == 0 {
		return f, errors.New("no message was handled")
	}
	_, err = child.call("stop")
	return f, err
}

func connectionsOf(ctx context.Context, rdb *redis.Client) (int, error) {
	clients, err := info(ctx, rdb, "connected_clients")
	if err != nil {
		return 0, err
	}
	return int(clients[0]) - 1, nil // without our own
}

// offerSteadily offers into random queues until ctx ends.
func (b *bench) offerSteadily(ctx context.Context, url string, queues int) error {
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}, NoTransfer: true},
		framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	bound := make([]*framework.Queue[string], queues)
	for i := range bound {
		bound[i] = framework.Bind(client, registry.Define[string](manyName(i), "one of many", registry.Codec(codecs.String())))
	}
	tick := time.NewTicker(time.Second / curveRate)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		_, err := bound[rand.IntN(queues)].Offer(ctx, "message", curveDelay)
		if _, unknown := errors.AsType[*fault.OutcomeUnknownError](err); err != nil && !unknown && ctx.Err() == nil {
			return err // the largest fleets want more than this machine has: some answers come too late
		}
	}
}

// curveLoad measures Redis's CPU and, afterwards, which costs Redis some, what it is asked for.
func (b *bench) curveLoad(rdb *redis.Client, addr string) (l curveLoad, err error) {
	before, err := redisCPU(b.ctx, rdb)
	if err != nil {
		return l, err
	}
	began := time.Now()
	b.sleep(b.plan.curveWindow)
	after, err := redisCPU(b.ctx, rdb)
	if err != nil {
		return l, err
	}
	l.cpu = (after - before) / float64(time.Since(began).Microseconds())
	monitor, err := net.Dial("tcp", addr)
	if err != nil {
		return l, err
	}
	kinds, done := map[string]int{}, make(chan struct{})
	if _, err = monitor.Write([]byte("MONITOR\r\n")); err != nil {
		return l, err
	}
	go func() {
		defer close(done)
		lines := bufio.NewScanner(monitor)
		for lines.Scan() {
			if kind := kindOf(lines.Text()); kind != "" {
				kinds[kind]++
			}
		}
	}()
	began = time.Now()
	b.sleep(b.plan.curveWindow)
	took := time.Since(began).Seconds()
	_ = monitor.Close()
	<-done
	l.kinds = map[string]float64{}
	for kind, n := range kinds {
		l.kinds[kind] = float64(n) / took
	}
	return l, nil
}

// kindOf tells what a line of MONITOR is for; "" for what a script runs.
func kindOf(line string) string {
	_, rest, ok := strings.Cut(line, " [")
	origin, command, cut := strings.Cut(rest, "] ")
	if !ok || !cut || strings.HasSuffix(origin, " lua") {
		return ""
	}
	words := monitorWords(command, 6)
	name := strings.ToLower(words[0])
	if !strings.HasPrefix(name, "eval") || len(words) < 4 {
		return name
	}
	// A digest tells nothing; the keys do: EVALSHA digest number key.
	keys, first := words[2], words[3]
	switch {
	case strings.HasPrefix(first, "redisson_delay_queue_timeout:") && len(words) > 5 && strings.HasPrefix(words[5], "many-"): // the ready list
		return "transfer"
	case strings.HasPrefix(first, "redisson_delay_queue_timeout:"):
		return "offer"
	case strings.HasPrefix(first, "duequeue:sessions:") && keys == "2":
		return "reaper's look"
	case strings.HasPrefix(first, "duequeue:sessions:"):
		return "renewal"
	case strings.HasPrefix(first, "many-") && len(keys) > 1:
		return "take"
	case strings.HasPrefix(first, "duequeue:processes:"):
		return "presence"
	}
	return "ack and others"
}

// monitorWords returns the first words of a command as MONITOR quotes them.
func monitorWords(command string, most int) []string {
	var words []string
	for word := range strings.SplitSeq(command, "\" \"") {
		if words = append(words, strings.Trim(word, "\"")); len(words) == most {
			break
		}
	}
	return words
}

// formula is how many requests a second an idle fleet of that size makes in the long run.
func (p curvePoint) formula() float64 {
	all, each := float64(p.processes), float64(p.queues)
	waits := min(each, framework.DefaultBlockingWaits)
	pings := all / 10
	if each > waits {
		pings *= 2
	}
	return all*each*(1./5+1./30+1./60+1./20) + all*(each-waits)/15 + all*waits*2/5 + pings
}

func writeCurve(w *strings.Builder, all []curveFound, p plan) {
	kinds := map[string]bool{}
	for _, f := range all {
		for kind := range f.busy.kinds {
			kinds[kind] = true
		}
	}
	names := slices.Sorted(maps.Keys(kinds))
	fmt.Fprintf(w, "Processes are engines with clients of their own in one program, all on the same queues, with all defaults. Idle, and with %d messages a second that fall due in random queues after %v. Requests a second as clients send them (a script is one), over %.0f s; CPU of Redis before that, without MONITOR. All engines share the cores of this machine with Redis: late messages of the largest fleets are theirs to answer for, not the queues'.\n\n", curveRate, curveDelay, p.curveWindow.Seconds())
	w.WriteString("By the formula are, with P processes, Q queues each and W of these waiting in Redis (at most 12), without metrics: P·Q·(1/5 + 1/30 + 1/60 + 1/20) for sweeps, looks of the reapers and of the dead stores, and presence, P·(Q−W)/15 for renewals, P·W·2/5 for waits with theirs, P/10 for pings, twice that with Q > W. All processes start at about the same time, so what each does every 20 or 60 s falls into a window of all or of none.\n\n")
	fmt.Fprintf(w, "| processes | queues | connections | | requests/s | by the formula | CPU of a core, %% | p50, ms | p99, ms | %s |\n|%s\n", strings.Join(names, " | "), strings.Repeat("---|", 9+len(names)))
	for _, f := range all {
		for _, state := range []struct {
			name string
			load curveLoad
		}{{"idle", f.idle}, {"busy", f.busy}} {
			p50, p99, formula := "–", "–", figure(f.formula())
			if state.name == "busy" {
				formula = "–"
				p50, p99 = figure(quantile(f.late, 0.5)), figure(quantile(f.late, 0.99))
			}
			fmt.Fprintf(w, "| %d | %d | %d | %s | %s | %s | %s | %s | %s |", f.processes, f.queues, f.connections, state.name, figure(state.load.all()), formula, figure(100*state.load.cpu), p50, p99)
			for _, name := range names {
				fmt.Fprintf(w, " %s |", figure(state.load.kinds[name]))
			}
			w.WriteString("\n")
		}
	}
	w.WriteString("\n")
}
