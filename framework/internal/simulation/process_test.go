//go:build simulation

package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
)

// leaseTime is that of production, as block and sweep are: the defaults.
const leaseTime = framework.DefaultLease

// process is one service of the fleet: a client and an engine with all queues.
type process struct {
	w       *world
	name    string // with the number of its life
	workers int
	waits   int // queues that wait in Redis at most; 0 is no bound

	client atomic.Pointer[framework.Client]
	engine atomic.Pointer[framework.Engine]
	dead   atomic.Bool   // killed: nothing that it does counts any more
	ended  chan struct{} // closed when its goroutines are gone
	quit   chan struct{} // closed to end it
	brutal atomic.Bool

	quitOnce sync.Once
}

func (w *world) startProcess(slot int) {
	w.lives[slot]++
	p := &process{
		w: w, name: fmt.Sprintf("p%d.%d", slot, w.lives[slot]), workers: []int{2, 4, 8, 16}[draw(4, w.plan.seed, slot, w.lives[slot])],
		waits: []int{0, 3}[draw(2, "waits", w.plan.seed, slot, w.lives[slot])],
		ended: make(chan struct{}), quit: make(chan struct{}),
	}
	w.fleet[slot] = p
	go p.run()
}

// run starts it, again and again as a supervisor would, and stops it in the end.
func (p *process) run() {
	defer close(p.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-p.quit:
			if p.brutal.Load() || p.engine.Load() == nil {
				cancel()
			}
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		err := p.start(ctx)
		if err == nil {
			break
		}
		if time.Since(p.w.l.lastTrouble()) > time.Minute {
			p.w.l.find("%s does not start: %v", p.name, err)
		}
		select {
		case <-p.quit:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
	if p.engine.Load() == nil {
		return
	}
	<-p.quit
	stop, end := context.WithTimeout(context.Background(), 10*time.Second)
	if p.brutal.Load() {
		end()
	}
	defer end()
	err := p.engine.Load().Stop(stop)
	_ = p.client.Load().Close()
	if err != nil && !p.dead.Load() && time.Since(p.w.l.lastTrouble()) > time.Minute {
		p.w.l.find("%s did not stop: %v", p.name, err)
	}
}

func (p *process) start(ctx context.Context) error {
	cfg := framework.Config{Redis: framework.RedisConfig{URL: framework.EmbeddedURL, PoolSize: 1000}, BlockingWaits: p.waits}
	client, err := framework.Open(ctx, cfg, framework.WithEmbedded(line{p.w.net, p.name}),
		framework.WithLogger(p.w.logger(p.name)))
	if err != nil {
		return err
	}
	var consumers []framework.Consumer
	for _, q := range p.w.queues {
		consumers = append(consumers, framework.Consume(q.Queue, p.handler(q), framework.Workers(p.workers)))
	}
	engine, err := framework.New(client, consumers)
	if err == nil {
		err = engine.Start(ctx)
	}
	if err != nil {
		_ = client.Close()
		return err
	}
	p.client.Store(client)
	p.engine.Store(engine)
	return nil
}

// kill ends it at once: what is on its way is lost, and what its handlers still do does
// not count.
func (p *process) kill() {
	if p.dead.Swap(true) {
		return
	}
	p.w.net.kill(p.name)
	p.brutal.Store(true)
	p.quitOnce.Do(func() { close(p.quit) })
}

// stop ends it in good order.
func (p *process) stop() { p.quitOnce.Do(func() { close(p.quit) }) }

var errOnPurpose = errors.New("it fails as its kind does")

// handler does with a message what its kind says.
func (p *process) handler(q *queue) handlers.Handler[string] {
	return handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if p.dead.Load() {
			return context.Cause(ctx)
		}
		w, began := p.w, time.Now()
		word, _, _ := strings.Cut(d.Payload, " ")
		k, id := kind(word), d.ID()
		w.l.started(q, d.Payload, id, p.name)
		draw := func(n int) int {
			return draw(n, w.plan.seed, id, len(d.Payload), d.Delivered(), d.Payload[:min(len(d.Payload), 40)])
		}
		takes := time.Duration(1+draw(40)) * time.Millisecond
		switch k { //nolint:exhaustive // the others take some ms
		case slow:
			takes = time.Duration(1+draw(60)) * time.Second
		case long:
			takes = leaseTime + time.Duration(draw(60))*time.Second
		case poison:
			w.todo <- func() { w.killed(p) }
			<-ctx.Done()
			return context.Cause(ctx)
		}
		takes += time.Duration(draw(997_000)) // no two end at one moment: the seed, not the scheduler, says who is first
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			w.l.stopped(q, d.Payload, id, p.name, errors.Is(ctx.Err(), context.DeadlineExceeded))
			return context.Cause(ctx)
		}
		if p.dead.Load() {
			return context.Canceled
		}
		failing := k == fails || k == once && d.Attempt() == 1 || (k == flaky || k == tick) && draw(4) == 0
		w.l.over(q, d.Payload, id, p.name, !failing, time.Since(began))
		if failing {
			return errOnPurpose
		}
		return nil
	})
}

// logger is a process's: what it logs is shown only where a run is told to.
func (w *world) logger(name string) *slog.Logger {
	return slog.New(&logs{w.log, w.l}).With("proc", name)
}
