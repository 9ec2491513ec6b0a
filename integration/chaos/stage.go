package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

const (
	queueName = "chaos"
	workers   = 4
	// calm is how long everything runs unharmed before the first fault and after the last.
	calm = time.Second
	// faultTimeout bounds the beginning and the healing of a fault: a failover that
	// Sentinels have to try twice takes ten seconds.
	faultTimeout = 40 * time.Second
)

// strike is one fault that struck.
type strike struct {
	what   string
	at     int64    // ms, before it
	healed int64    // ms; 0: it holds
	from   int64    // ms, the state to which the server fell back; 0: it lost nothing
	procs  []string // the processes it hit; none: the server, and with it all
	outage bool     // nothing could be handled while it held: recovery counts from its end
	loses  bool     // what was accepted since from, or while it held, may be gone
	late   bool     // what waits for its due time or for its retry waits until it is healed
	// repeats tells that what is in its reach may be handled again, see message.inReach.
	repeats bool
}

// stage is one row while it runs: a Redis, processes around it, and the ledger.
type stage struct {
	row    *row
	skewed string // the program whose clock can be wrong
	long   bool   // the full form
	java   *javaBuilds
	dir    string
	log    func(format string, args ...any)

	server   *fault.Server // nil where the row sets up something else
	proxy    *fault.Proxy  // of a row that needs one
	cluster  *fault.Cluster
	sentinel *fault.Sentinel
	pair     *fault.Pair // of a row that needs one
	poisoned []*fault.Poisoner
	redis    framework.RedisConfig
	rdb      redis.UniversalClient // to look, never through a proxy
	closers  []func()

	book  *ledger
	tally *tally
	fleet *fleet

	mu      sync.Mutex
	random  *rand.Rand
	seed    uint64
	since   int64 // ms, when everything ran
	strikes []*strike
	hits    []partitionHit
	paused  []window      // when all processes were paused by an operator
	told    string        // what the row's check has to tell beside problems
	faults  []fault.Fault // those that struck
}

func (s *stage) close() {
	s.fleet.kill()
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.book.close()
}

// serve starts the row's Redis.
func (s *stage) serve(ctx context.Context, o fault.ServerOptions) error {
	srv, err := fault.StartServer(ctx, o)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = srv.Close() })
	s.server, s.redis, s.rdb = srv, framework.RedisConfig{URL: srv.URL()}, srv.Client()
	return nil
}

// role is what all roles of this row have in common.
func (s *stage) role(kind, name string) *role {
	return &role{
		Kind: kind, Name: name, Queue: queueName, Seed: s.seed, Redis: s.redis,
		Ledger: s.book.rdb.Options().Addr, LedgerKey: s.book.key, Lease: s.row.lease, Codec: s.row.codec,
		Workers: workers, Work: 60 * time.Millisecond, Fail: 40,
		Partitions: s.row.partitions,
		Every:      s.row.every, MaxDelay: s.row.maxDelay, Await: s.row.await,
	}
}

// enlist starts n processes of a kind that play the role, changed where change is given.
func (s *stage) enlist(kind, part string, n int, change func(i int, r *role)) error {
	for i := range n {
		err := s.fleet.add(kind, fmt.Sprintf("%s%d", part, i+1), func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			if change != nil {
				change(i, r)
			}
			return r.command()
		})
		if err != nil {
			return err
		}
	}
	return nil
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

// wait lets time pass.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func nowMs() int64 { return time.Now().UnixMilli() }

// begin strikes and keeps account of it.
func (s *stage) begin(ctx context.Context, f fault.Fault, repeats bool, procs ...string) (*strike, error) {
	k := &strike{what: f.Name(), at: nowMs(), procs: procs, repeats: repeats}
	ctx, cancel := context.WithTimeoutCause(ctx, faultTimeout, errors.New("it did not take hold"))
	defer cancel()
	if err := f.Strike(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strikes = append(s.strikes, k)
	known := false
	for _, old := range s.faults {
		known = known || old == f
	}
	if !known {
		s.faults = append(s.faults, f)
	}
	return k, nil
}

// finish heals.
func (s *stage) finish(ctx context.Context, f fault.Fault, k *strike) error {
	ctx, cancel := context.WithTimeoutCause(ctx, faultTimeout, errors.New("it did not heal"))
	defer cancel()
	err := f.Heal(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	k.healed = nowMs()
	return err
}

// harm strikes the server, or what stands before it, for a while. outage tells that
// nobody can be expected to handle anything meanwhile, and that what was in hand may be
// handled again.
func (s *stage) harm(ctx context.Context, f fault.Fault, lasting time.Duration, outage bool) error {
	return s.harmFrom(ctx, f, lasting, outage, 0)
}

// harmFrom is the same for a fault after which the server is as it was at from.
func (s *stage) harmFrom(ctx context.Context, f fault.Fault, lasting time.Duration, outage bool, from int64) error {
	k, err := s.begin(ctx, f, outage)
	if err != nil {
		return err
	}
	k.outage, k.from = outage, from
	err = wait(ctx, lasting)
	if healed := s.finish(context.WithoutCancel(ctx), f, k); healed != nil {
		return healed
	}
	return err
}

// killOne kills a process of the kind by kill -9 and starts the next one after a while.
// It tells whether there was one to kill.
func (s *stage) killOne(ctx context.Context, kind string, away time.Duration) (bool, error) {
	victim := s.fleet.seize(kind, s.dice(1<<16), true)
	if victim == nil {
		return false, nil
	}
	f := fault.Kill("kill -9 of "+kind+"s", victim.target, nil)
	k, err := s.begin(ctx, f, true, victim.processName())
	if err == nil {
		k.healed = nowMs()
		err = wait(ctx, away)
	}
	if err != nil {
		return false, err
	}
	return true, s.fleet.start(victim)
}

// pauseOne stops a process of the kind for a while.
func (s *stage) pauseOne(ctx context.Context, kind string, lasting time.Duration) (bool, error) {
	victim := s.fleet.seize(kind, s.dice(1<<16), false)
	if victim == nil {
		return false, nil
	}
	defer victim.release()
	f := fault.Pause("SIGSTOP of "+kind+"s", victim.target)
	k, err := s.begin(ctx, f, true, victim.processName())
	if err != nil {
		return false, err
	}
	err = wait(ctx, lasting)
	if healed := s.finish(context.WithoutCancel(ctx), f, k); healed != nil {
		return true, healed
	}
	return true, err
}

// look reads the ledger up to now.
func (s *stage) look(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally.follow(ctx, s.book)
}

// handled counts what is handled by now.
func (s *stage) handled(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.tally.follow(ctx, s.book)
	return s.tally.handled(), err
}

// open lists what is accepted and not handled.
func (s *stage) open(ctx context.Context) ([]*message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.tally.follow(ctx, s.book)
	return s.tally.open(s.row.idsLost != ""), err
}

// awaitHandled waits until so many more messages are handled.
func (s *stage) awaitHandled(ctx context.Context, n int, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not %d messages handled within %v", n, limit))
	defer cancel()
	first := -1
	for {
		have, err := s.handled(ctx)
		if err != nil {
			return err
		}
		if first < 0 {
			first = have
		}
		if have-first >= n {
			return nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%w; %s", err, s.fleet.lastWords())
		}
	}
}

// awaitAll waits until every process has written to the ledger.
func (s *stage) awaitAll(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not all processes started within %v", limit))
	defer cancel()
	for {
		if err := s.look(ctx); err != nil {
			return err
		}
		silent := ""
		s.mu.Lock()
		for _, name := range s.fleet.names() {
			if _, known := s.tally.clocks[name]; !known {
				silent = name
			}
		}
		s.mu.Unlock()
		if silent == "" {
			return nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%w: %s; %s", err, silent, s.fleet.lastWords())
		}
	}
}

// lastWords is what the first process that complained said.
func (f *fleet) lastWords() string {
	logs, _ := filepath.Glob(filepath.Join(f.dir, "*.log"))
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && info.Size() > 0 {
			return filepath.Base(log) + ": " + tailOf(log)
		}
	}
	return "no process said anything"
}
