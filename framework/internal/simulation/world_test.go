//go:build simulation

package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// world is one run: a fleet, its server, and what happens to both.
type world struct {
	t      *testing.T
	plan   plan
	l      *ledger
	net    *network
	server *miniredis.Miniredis
	eyes   *redis.Client // past the network, for the network's goroutine alone
	queues []*queue
	fleet  []*process
	lives  []int
	log    slog.Handler
	work   sync.WaitGroup // of producers
	down   []bool         // by slot: a restart is on its way
	todo   chan func()    // what the run's own goroutine does next
	// lastDead is the newest entry of each dead store that was looked at.
	lastDead map[string]string
}

// outcome is what came of a run.
type outcome struct {
	findings []string
	faults   []string // the last ones, newest first
	sum      uint64   // of all that went over the network
	record   *record
	left     string // where a replay left its record
	handled  int
	dead     int // letters
	offered  int
	trace    []string
	took     time.Duration
}

// how a plan is played.
type how struct {
	keep    bool         // the trace
	log     slog.Handler // what processes log
	follows *record      // a replay: packets arrive as in this record
	salt    string       // other latencies
}

// play runs a plan in a bubble of its own.
func play(t *testing.T, p plan, h how) (out outcome) {
	t.Helper()
	began := time.Now()
	defer chance.Seed(p.seed)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // see collectEvery
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, p, h)
		w.run()
		out = outcome{
			findings: w.l.findings, faults: w.l.recent(8), sum: w.net.sum, handled: w.l.handled, dead: w.l.dead, offered: w.l.made, trace: w.net.trace,
			record: &record{p, w.net.record, time.Since(bubbleStart)}, left: w.net.left,
		}
	})
	out.took = time.Since(began)
	return out
}

func newWorld(t *testing.T, p plan, h how) *world {
	wire.ProcessIDs.Restart()
	server := miniredis.NewMiniRedis()
	server.ClockTTL(true)
	server.Seed(int(p.seed)) //nolint:gosec // any will do
	w := &world{
		t: t, plan: p, l: newLedger(), server: server, queues: newQueues(), log: cmp.Or[slog.Handler](h.log, slog.DiscardHandler),
		fleet: make([]*process, processes), lives: make([]int, processes), down: make([]bool, processes), todo: make(chan func(), 1000),
		lastDead: map[string]string{},
	}
	w.net = newNetwork(server, p.seed, h)
	w.eyes = redis.NewClient(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) { return w.net.look() }, MaxRetries: -1, DisableIdentity: true, PoolSize: 1000,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	return w
}

// run lives through the plan.
func (w *world) run() {
	go w.net.run()
	begin := time.Now()
	for slot := range w.fleet {
		w.startProcess(slot)
	}
	w.later(watchEvery, w.watch)
	for _, s := range w.plan.steps {
		w.until(begin.Add(s.at))
		if w.l.failed() {
			break
		}
		actions[s.what](w, s)
	}
	if !w.l.failed() {
		w.until(begin.Add(w.plan.lasts))
		w.heal()
	}
	if !w.l.failed() {
		w.settle()
	}
	w.end()
}

// until does what becomes due, until a moment.
func (w *world) until(at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	for {
		select {
		case do := <-w.todo:
			do()
		case <-timer.C:
			return
		}
	}
}

// later does something after a while, on the run's goroutine.
func (w *world) later(d time.Duration, do func()) {
	time.AfterFunc(d, func() { w.todo <- do })
}

// heal ends all faults and starts what is not running.
func (w *world) heal() {
	w.until(time.Now().Add(2 * time.Minute)) // what is under way ends by itself
	w.net.setDown(false)
	for _, q := range w.queues {
		w.resume(q)
	}
	for slot := range w.fleet {
		if w.fleet[slot].dead.Load() {
			w.startProcess(slot)
		}
	}
	if w.net.ahead != 0 {
		w.jump(0)
	}
	w.lastPoison()
}

// lastPoison offers what kills processes when nothing else does any more, among neighbours
// that must come through.
func (w *world) lastPoison() {
	w.until(time.Now().Add(between(int64(draw(1<<30, w.plan.seed, "last poison")), 10*time.Second, 2*time.Minute)))
	at := slices.IndexFunc(w.queues, func(q *queue) bool { return slices.Contains(q.kinds, poison) })
	w.offerAll(step{a: int64(at) << 8}, time.Second, []kind{plain, slow, poison, plain, once, slow, plain})
	w.l.struck("the last poison", time.Now())
}

// settle waits until all that is open was handled, and looks whether it was.
func (w *world) settle() {
	limit := time.Now().Add(longest + 30*time.Minute)
	for time.Now().Before(limit) {
		w.until(time.Now().Add(15 * time.Second))
		if w.l.failed() {
			return
		}
		if w.busy() == "" && time.Since(w.l.lastTrouble()) > 2*leaseTime {
			break // and the sessions of the dead are gone
		}
	}
	w.quietly(w.judge)
}

// quietly calls f when nothing is on its way, on the network's goroutine.
func (w *world) quietly(f func()) {
	done := make(chan struct{})
	w.net.mu.Lock()
	w.net.actions = append(w.net.actions, func() { defer close(done); f() })
	w.net.mu.Unlock()
	w.net.signal()
	<-done
}

// busy tells where messages still are, the dead store aside.
func (w *world) busy() (where string) {
	w.quietly(func() {
		for _, key := range w.keys() {
			for _, prefix := range []string{"redisson_delay_queue_timeout:", "duequeue:inflight:", "duequeue:stage:"} {
				if strings.HasPrefix(key, prefix) {
					where += key + "\n"
				}
			}
			for _, q := range w.queues {
				if slices.ContainsFunc(q.parts(), func(k wire.Keys) bool { return k.Queue == key }) {
					where += key + "\n"
				}
			}
		}
	})
	return where
}

func (w *world) keys() []string {
	keys, err := w.eyes.Keys(context.Background(), "*").Result()
	w.check(err)
	slices.Sort(keys)
	return keys
}

func (w *world) check(err error) {
	if err != nil {
		w.t.Errorf("simulation: %v", err)
	}
}

// end stops the fleet and the network: nothing may be left in the bubble.
func (w *world) end() {
	for _, p := range w.fleet {
		if w.l.failed() {
			p.kill()
		} else if !p.dead.Load() {
			p.stop()
		}
	}
	w.work.Wait()
	for _, p := range w.fleet {
		<-p.ended
	}
	if !w.l.failed() {
		w.quietly(w.leftovers)
	}
	w.net.end()
	_ = w.eyes.Close()
	w.server.Close()
}

// judge looks at what is left when all is over.
func (w *world) judge() {
	dead := w.dead()
	for _, q := range w.queues {
		t := w.l.tally(q)
		if !q.equal {
			continue
		}
		if n := t.finished + t.gone + len(dead[q.Code()]); n+t.excused < t.accepted {
			w.l.find("%s: of %d accepted %d were handled, %d taken by Java or cancelled, %d are dead: %d are lost (%d excused)",
				q.Code(), t.accepted, t.finished, t.gone, len(dead[q.Code()]), t.accepted-n, t.excused)
		}
	}
	for _, m := range w.l.some((*message).open) {
		if m.q.equal && m.q.shared { // judged by number: Java may have taken any of them
			continue
		}
		if !slices.Contains(dead[m.q.Code()], m.name) && !slices.Contains(dead[m.q.Code()], string(m.id)) {
			w.l.find("%s is lost, or stuck in:\n%s", m, w.whereabouts())
			return
		}
	}
	for _, p := range w.fleet {
		e := p.engine.Load()
		if e == nil {
			w.l.find("%s has not started", p.name)
			continue
		}
		if h := e.Health(); !h.Ready {
			w.l.find("%s is not ready though all is well: %q", p.name, h.Reasons)
		}
	}
}

// dead lists what lies in the dead stores, by queue: the IDs, and the names of bodies.
func (w *world) dead() map[string][]string {
	out := map[string][]string{}
	for _, q := range w.queues {
		for _, k := range q.parts() {
			entries, err := w.eyes.XRange(context.Background(), k.Dead, "-", "+").Result()
			w.check(err)
			for _, e := range entries {
				body, _ := e.Values["body"].(string)
				id, _ := e.Values["id"].(string)
				out[q.Code()] = append(out[q.Code()], body, id)
			}
		}
	}
	return out
}

// whereabouts lists all keys and how much they hold.
func (w *world) whereabouts() string {
	var out strings.Builder
	ctx := context.Background()
	for _, key := range w.keys() {
		kind := w.eyes.Type(ctx, key).Val()
		n := int64(0)
		switch kind {
		case "list":
			n = w.eyes.LLen(ctx, key).Val()
		case "zset":
			n = w.eyes.ZCard(ctx, key).Val()
		case "set":
			n = w.eyes.SCard(ctx, key).Val()
		case "hash":
			n = w.eyes.HLen(ctx, key).Val()
		case "stream":
			n = w.eyes.XLen(ctx, key).Val()
		}
		if out.Len() < 3000 {
			fmt.Fprintf(&out, "  %s %s %d\n", key, kind, n)
		}
	}
	return out.String()
}

// leftovers: what nothing needs is gone when all processes have stopped.
func (w *world) leftovers() {
	ctx := context.Background()
	for _, key := range w.keys() {
		family, _, _ := strings.Cut(strings.TrimPrefix(key, "duequeue:"), ":")
		switch family {
		case "dead":
		case "control": // the number of partitions stays, of which version, and nothing else
			if fields := w.eyes.HKeys(ctx, key).Val(); slices.ContainsFunc(fields, func(f string) bool { return f != "partitions" && f != "version" }) {
				w.l.find("left over: %s with %q", key, fields)
			}
		case "attempts", "names", "ids", "trace", "leases", "due", "dedup", "processes", "head":
			if ttl := w.eyes.PTTL(ctx, key).Val(); ttl < 0 {
				w.l.find("left over without an end: %s", key)
			}
		default:
			w.l.find("left over: %s", key)
		}
	}
}

func isUnknown(err error) bool {
	var unknown *fault.OutcomeUnknownError
	return errors.As(err, &unknown) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
