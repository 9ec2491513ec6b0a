package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// calm is how long everything runs unharmed before the first fault and after the last.
const calm = time.Second

// stage is one row while it runs: a Redis, processes around it, and the ledger.
type stage struct {
	tb     testing.TB
	ctx    context.Context
	row    *row
	who    string // consumes: us, redisson, blpop or asynq
	long   bool   // more faults
	shared string // a directory of all rows

	server   *lab.Server // nil where the row sets up something else
	proxy    *lab.Proxy  // of a row that needs one
	lossy    *fault.Lossy
	cluster  *lab.Cluster
	sentinel *lab.Sentinel
	clock    *fault.Clock
	poison   *fault.Poison
	redis    framework.RedisConfig
	masters  func() []*redis.Client // that may have a dead store

	book  *ledger
	tally *tally
	fleet *fleet
	seed  uint64

	mu      sync.Mutex
	random  *rand.Rand
	strikes []*strike
}

// serve starts the row's Redis.
func (s *stage) serve(opts ...lab.Option) {
	s.server = lab.StartRedis(s.tb, append([]lab.Option{lab.AppendOnly()}, opts...)...)
	s.redis = framework.RedisConfig{URL: s.server.URL()}
	s.masters = func() []*redis.Client { return []*redis.Client{s.server.Client()} }
}

// role is what all roles of this row have in common.
func (s *stage) role(kind, name string) *role {
	return &role{
		Kind: kind, Name: name, Seed: s.seed, Redis: s.redis,
		Ledger: s.book.rdb.Options().Addr, LedgerKey: s.book.key, Lease: lease, Codec: s.row.codec,
		Workers: 4, Work: 60 * time.Millisecond, Fail: 40, Partitions: s.row.partitions,
		Every: s.row.every, MaxDelay: 1500 * time.Millisecond, Await: s.row.await,
	}
}

// enlist starts n processes of a kind that play the role, changed where change is given.
func (s *stage) enlist(kind, part string, n int, change func(i int, r *role)) {
	for i := range n {
		s.fleet.add(kind, fmt.Sprintf("%s%d", part, i+1), func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			if change != nil {
				change(i, r)
			}
			return r.command()
		})
	}
}

// some is n in the long form and a fifth of it in the short one, at least two.
func (s *stage) some(n int) int {
	if s.long {
		return n
	}
	return max(2, n/5)
}

// dice returns a number below n.
func (s *stage) dice(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

// between returns a duration in a range.
func (s *stage) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(s.dice(int(hi-lo)+1))
}

// sleep lets time pass.
func (s *stage) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ctx.Done():
		s.tb.Fatal("the test ended")
	}
}

// now is the time of the ledger's Redis in ms.
func (s *stage) now() int64 {
	at, err := s.book.rdb.Time(s.ctx).Result()
	must(s.tb, err)
	return at.UnixMilli()
}

// strike lets a fault hold for a while and keeps account of it.
func (s *stage) strike(f fault.Fault, k strike, lasting time.Duration) {
	s.strikeAround(f, k, func() { s.sleep(lasting) })
}

// strikeAround is strike for as long as what happens meanwhile takes.
func (s *stage) strikeAround(f fault.Fault, k strike, meanwhile func()) {
	before := f.Effects()
	k.what, k.at = f.Name, s.now()
	s.mu.Lock()
	s.strikes = append(s.strikes, &k)
	s.mu.Unlock()
	f.Begin()
	meanwhile()
	f.End()
	healed := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	k.healed, k.effects = healed, f.Effects()-before
}

// crashed keeps account of a process that a message killed.
func (s *stage) crashed(name string) {
	at := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strikes = append(s.strikes, &strike{what: "crash", at: at, healed: at, procs: []string{name}, repeats: true, effects: 1})
}

// atOnce runs several sides of a fault beside each other.
func atOnce(sides ...func()) {
	var all sync.WaitGroup
	for _, side := range sides {
		all.Go(side)
	}
	all.Wait()
}

// killOne kills a process of the kind by kill -9 and starts the next one after a while.
// It tells whether there was one to kill.
func (s *stage) killOne(kind string, away time.Duration) bool {
	victim := s.fleet.seize(kind, s.dice(1<<16), true)
	if victim == nil {
		return false
	}
	proc, name := victim.process()
	kill := fault.Fault{Name: "kill -9 of a process", Begin: func() { must(s.tb, proc.Kill()) }, End: func() {}, Effects: func() int { return 0 }}
	s.strike(kill, strike{procs: []string{name}, repeats: true, idle: true}, 0)
	s.sleep(away)
	s.fleet.start(victim)
	return true
}

// kills ends n processes of a kind by kill -9, one after the other.
func (s *stage) kills(kind string, n int, every time.Duration) {
	if len(s.fleet.of(kind)) == 0 {
		return // other consumers have no transferrers of their own
	}
	for done := 0; done < n; {
		if s.killOne(kind, s.between(0, 2*every)) {
			done++
		}
		s.sleep(every / 4)
	}
}

// pauseOne stops a process of the kind for longer than its lease.
func (s *stage) pauseOne(kind string) bool {
	victim := s.fleet.seize(kind, s.dice(1<<16), false)
	if victim == nil {
		return false
	}
	defer victim.release()
	proc, name := victim.process()
	stop := fault.Fault{
		Name: "SIGSTOP of a process", Effects: func() int { return 0 },
		Begin: func() { must(s.tb, proc.Pause()) }, End: func() { must(s.tb, proc.Resume()) },
	}
	s.strike(stop, strike{procs: []string{name}, repeats: true, idle: true}, lease+s.between(500*time.Millisecond, 1500*time.Millisecond))
	return true
}

// look reads the ledger up to now and tells what use says of it.
func (s *stage) look(use func(t *tally)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	must(s.tb, s.tally.follow(s.ctx, s.book))
	if use != nil {
		use(s.tally)
	}
}

// await waits for what the tally lacks.
func (s *stage) await(missing func(t *tally) string) {
	defer func() {
		if s.tb.Failed() {
			s.tb.Log(s.fleet.lastWords())
		}
	}()
	lab.Wait(s.tb, func() (what string) {
		s.look(func(t *tally) { what = missing(t) })
		return what
	})
}

// awaitRunning waits until every process has written to the ledger, and messages are handled.
func (s *stage) awaitRunning() {
	s.await(func(t *tally) string {
		for _, slot := range s.fleet.of("") {
			if _, name := slot.process(); !haveClock(t, name) {
				return name + " has not started"
			}
		}
		if n := t.handled(); n < 50 {
			return fmt.Sprintf("%d of 50 messages handled", n)
		}
		return ""
	})
}

func haveClock(t *tally, name string) bool { _, known := t.clocks[name]; return known }

// drain waits until each accepted message is handled or in the dead store, or until no handler
// has begun or ended for as long as nothing can be on its way any more.
func (s *stage) drain() (dead []string) {
	events, since := 0, time.Now()
	for {
		var open []string
		moved := false
		s.look(func(t *tally) {
			open, moved, events = t.open(), t.events != events, t.events
		})
		if moved {
			since = time.Now()
		}
		dead = s.deadBodies()
		open = slices.DeleteFunc(open, func(id string) bool { return isIn(dead, id) })
		if len(open) == 0 || time.Since(since) > s.patience() {
			s.sleep(calm) // late acks leave
			return dead
		}
		s.sleep(200 * time.Millisecond)
	}
}

// patience is how long nothing may move before what is open counts as lost.
func (s *stage) patience() time.Duration {
	switch {
	case s.who == us && s.row.losses == "":
		return time.Minute
	case s.who == "asynq": // its leases of 30 s are looked for once a minute, 30 s after their end
		return 130 * time.Second
	default: // nobody looks for what they lost
		return 10 * time.Second
	}
}

// deadBodies are the bodies in the dead stores of the queue.
func (s *stage) deadBodies() (bodies []string) {
	for _, rdb := range s.masters() {
		keys := rdb.Scan(s.ctx, 0, "duequeue:dead:*", 1000).Iterator()
		for keys.Next(s.ctx) {
			entries, err := rdb.XRange(s.ctx, keys.Val(), "-", "+").Result()
			must(s.tb, err)
			for _, e := range entries {
				body, _ := e.Values["body"].(string)
				bodies = append(bodies, body)
			}
		}
		must(s.tb, keys.Err())
	}
	return bodies
}

// isIn tells whether one of the bodies is that of a message.
func isIn(bodies []string, id string) bool {
	return slices.ContainsFunc(bodies, func(body string) bool { return strings.Contains(body, id+" ") })
}
