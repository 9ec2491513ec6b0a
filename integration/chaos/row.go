package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// row is one line of the table.
type row struct {
	name  string // for -only
	title string
	group string // heading of its table

	lease    time.Duration
	every    time.Duration // mean pause between the offers of one producer
	maxDelay time.Duration
	await    int    // replicas that offers wait for
	codec    string // see role

	partitions int // of the queue; 0: one

	server  fault.ServerOptions
	prepare func(ctx context.Context, s *stage) error // nil: one server
	cast    func(ctx context.Context, s *stage) error // nil: usualCast
	faults  func(ctx context.Context, s *stage) error

	check func(ctx context.Context, s *stage) []string // further problems; may be nil

	measured   string        // not judged, because
	patience   time.Duration // to drain at the end; 0: from the lease
	limit      time.Duration // of the recovery; 0: 1.2 × lease
	blurred    string        // recovery is that of messages that were begun, because
	slow       string        // recovery is not judged, because
	skewed     string        // early messages are not judged, because
	idsLost    string        // equal messages are judged by their number alone, because
	dies       string        // processes may end by themselves, because
	batches    bool          // its faults must hit batches of several
	background bool          // runs beside all others: it mostly waits
	note       string        // for the table's foot
}

// withDefaults fills in what a row leaves open.
func (r row) withDefaults() row {
	if r.lease == 0 {
		r.lease = 3 * time.Second
	}
	if r.every == 0 {
		r.every = 20 * time.Millisecond
	}
	if r.maxDelay == 0 {
		r.maxDelay = 1500 * time.Millisecond
	}
	if r.patience == 0 {
		r.patience = 4*r.lease + 10*time.Second
	}
	if r.limit == 0 {
		r.limit = r.lease * 12 / 10
	}
	if r.prepare == nil {
		r.prepare = func(ctx context.Context, s *stage) error { return s.serve(ctx, r.server) }
	}
	if r.cast == nil {
		r.cast = usualCast
	}
	if r.group == "" {
		r.group = groupOurs
	}
	return r
}

// usualCast is three producers, two transferrers and four consumers, two of them in fx.
func usualCast(ctx context.Context, s *stage) error { return castOf(workers)(ctx, s) }

// castOf is the usual cast with so many workers in each consumer.
func castOf(workers int) func(context.Context, *stage) error {
	return func(_ context.Context, s *stage) error {
		return errors.Join(
			s.enlist(producers, "produce", 3, nil),
			s.enlist(transferrers, "transfer", 2, nil),
			s.enlist(consumers, "consume", 4, func(i int, r *role) { r.FX, r.Workers = i%2 == 1, workers }),
		)
	}
}

// result is what came of a row.
type result struct {
	row      *row
	account  *account
	strikes  map[string]int // by name of the fault
	effects  map[string]int // by unit
	problems []string
	told     string // beside what all rows tell
	took     time.Duration
}

// harness is what all rows share.
type harness struct {
	ledger *fault.Server
	java   *javaBuilds
	seed   uint64
	long   bool
	log    func(format string, args ...any)
	runs   atomic.Int64
}

// run plays one row. Whatever goes wrong is a problem of the result.
func (h *harness) run(ctx context.Context, r row) result {
	began := time.Now()
	r = r.withDefaults()
	out := result{row: &r, account: &account{}, strikes: map[string]int{}, effects: map[string]int{}}
	s, err := h.stage(&r)
	if err == nil {
		defer s.close()
		err = s.play(ctx, &out)
	}
	if err != nil {
		out.problems = append(out.problems, err.Error())
	}
	out.took = time.Since(began)
	return out
}

func (h *harness) stage(r *row) (*stage, error) {
	n := h.runs.Add(1)
	dir, err := os.MkdirTemp("", "duequeue-chaos-")
	if err != nil {
		return nil, err
	}
	return &stage{
		row: r, long: h.long, java: h.java, dir: dir, seed: h.seed, tally: newTally(), fleet: &fleet{dir: dir},
		closers: []func(){func() { _ = os.RemoveAll(dir) }},
		random:  rand.New(rand.NewPCG(h.seed, hash(r.name))),
		book:    openLedger(h.ledger.Addr(), fmt.Sprintf("%d-%s", n, r.name), "harness"),
		log:     func(format string, args ...any) { h.log(r.name+": "+format, args...) },
	}, nil
}

// play is the course of every row.
func (s *stage) play(ctx context.Context, out *result) error {
	if err := s.setUp(ctx); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 6*time.Minute, errors.New("the row hangs"))
	defer cancel()
	if err := s.row.cast(ctx, s); err != nil {
		return fmt.Errorf("start the processes: %w", err)
	}
	quiet, watching := context.WithCancel(ctx)
	defer watching()
	go s.progress(quiet)
	if err := s.awaitHandled(ctx, 50, 40*time.Second); err != nil {
		return fmt.Errorf("before any fault: %w", err)
	}
	if err := s.awaitAll(ctx, 40*time.Second); err != nil {
		return fmt.Errorf("before any fault: %w", err)
	}
	s.since = nowMs()
	if err := wait(ctx, calm); err != nil {
		return err
	}
	s.log("everything runs, faults begin")
	if err := s.row.faults(ctx, s); err != nil {
		return fmt.Errorf("faults: %w", err)
	}
	if err := wait(ctx, calm); err != nil {
		return err
	}
	s.log("faults are over")
	return s.conclude(ctx, out)
}

// setUp runs the servers; it may have to build something first.
func (s *stage) setUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Minute, errors.New("it takes too long"))
	defer cancel()
	return s.row.prepare(ctx, s)
}

// conclude stops the producers, waits until all is handled, and makes the account.
func (s *stage) conclude(ctx context.Context, out *result) error {
	if err := errors.Join(s.fleet.end(ctx, producers), s.fleet.end(ctx, javaProducers)); err != nil {
		return err
	}
	where, err := s.drain(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.fleet.end(ctx, consumers), s.fleet.end(ctx, transferrers)); err != nil {
		return err
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	over := s.tally.pair(s.row.idsLost != "")
	s.tally.skewed = s.row.skewed != ""
	out.account = s.tally.settle(s.strikes, where, s.since, s.row.blurred != "")
	if s.row.idsLost == "" {
		s.tally.strange += over
	} else {
		out.account.duplicated += over
	}
	for _, k := range s.strikes {
		out.strikes[k.what]++
	}
	for _, f := range s.faults {
		t := f.Tally()
		out.effects[t.Unit] += t.Effects
	}
	out.problems = append(out.problems, s.problems(out.account)...)
	if s.row.check != nil {
		out.problems = append(out.problems, s.row.check(ctx, s)...)
		out.told = s.told
	}
	if len(out.problems) > 0 || len(out.account.lost) > 0 {
		s.keep(out)
	}
	return nil
}

// drain waits until each accepted message is handled or in the dead store, at most as
// long as the row's patience, and tells where the rest is.
func (s *stage) drain(ctx context.Context) (places, error) {
	giveUp := time.Now().Add(s.row.patience)
	for hopeless := 0; ; {
		open, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		if len(open) == 0 {
			return places{}, wait(ctx, calm) // zombies finish, acks leave
		}
		where, err := whereabouts(ctx, s.rdb, open)
		late := time.Now().After(giveUp)
		switch {
		case err != nil && late:
			return nil, err
		case err == nil && noneOnItsWay(open, where):
			hopeless++ // some peers hold messages in memory for a moment
		default:
			hopeless = 0
		}
		if late || hopeless == 6 {
			return where, s.look(ctx)
		}
		if err := wait(ctx, 300*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// noneOnItsWay tells that all are in the dead store or nowhere, so that none will come.
func noneOnItsWay(open []*message, where places) bool {
	return !slices.ContainsFunc(open, func(m *message) bool { return where[m.id] != placeDead && where[m.id] != "" })
}

// problems judges the account.
func (s *stage) problems(a *account) (out []string) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	r := s.row
	wrong(len(s.strikes) == 0, "no fault struck")
	for _, f := range s.faults {
		t := f.Tally()
		wrong(t.Effects == 0, "%s had no effect", f.Name())
	}
	wrong(a.accepted == 0, "nothing was accepted")
	if r.dies == "" {
		deaths := s.fleet.ownDeaths()
		wrong(len(deaths) > 0, "%d processes ended by themselves: %s", len(deaths), sample(deaths))
	}
	if r.measured != "" {
		return out
	}
	wrong(r.batches && a.struck == 0, "no batch of several was hit")
	wrong(len(a.lost) > 0, "%d lost: %s", len(a.lost), sample(a.lost))
	wrong(len(a.left) > 0, "%d not handled within %v: %s", len(a.left), r.patience, sample(a.left))
	wrong(len(a.dead) > a.buried, "%d in the dead store, of which %d were running when their process was hit: %s", len(a.dead), a.buried, sample(a.dead))
	wrong(len(a.ghosts) > 0, "%d were handled though their offer said that nothing was added: %s", len(a.ghosts), sample(a.ghosts))
	wrong(s.tally.strange > 0, "%d entries of the ledger tell of messages that nobody offered, or of more equal ones than were", s.tally.strange)
	wrong(a.duplicated > a.bound, "%d handled again, though at most %d were in the reach of a fault", a.duplicated, a.bound)
	wrong(len(a.unexplained) > 0, "%d handled more often than faults reached them: %s", len(a.unexplained), sample(a.unexplained))
	wrong(len(a.early) > 0 && r.skewed == "", "%d started early, by up to %v: %s", len(a.early), a.earliest, sample(a.early))
	wrong(a.alone > r.limit+suspectWait && r.slow == "", "a suspect recovered after %v, more than %v (message %s)", a.alone, r.limit+suspectWait, a.lonely)
	wrong(a.recovery > r.limit && r.slow == "", "recovery took %v, more than %v (message %s)", a.recovery, r.limit, a.slowest)
	return out
}

// suspectWait is how long a suspect may wait for its turn, beside the recovery of others.
const suspectWait = 10 * time.Second

// progress tells every two seconds how far it is.
func (s *stage) progress(ctx context.Context) {
	for wait(ctx, 2*time.Second) == nil {
		if s.look(ctx) != nil {
			return
		}
		s.mu.Lock()
		offered, handled, open, strikes := len(s.tally.messages), s.tally.handled(), len(s.tally.open(s.row.idsLost != "")), len(s.strikes)
		s.mu.Unlock()
		s.log("%d offered, %d handled, %d open, %d strikes", offered, handled, open, strikes)
	}
}

// keep tells the problems of a row, and what the ledger says about the messages in
// question, or that are lost where that is only measured.
func (s *stage) keep(out *result) {
	s.log("%d problems: %s", len(out.problems), strings.Join(out.problems, "; "))
	a := out.account
	const most = 20 // lost ones: a row that is only measured may lose hundreds
	for _, id := range slices.Concat(a.lost[:min(most, len(a.lost))], a.dead, a.ghosts, a.unexplained, a.early[:min(most, len(a.early))], []string{a.slowest}) {
		if m := s.tally.messages[id]; m != nil {
			s.log("%s: offered %d accepted %d due %d started %v finished %v %s", id, m.offered, m.accepted, m.due, m.starts, m.finishes, m.outcome)
		}
	}
	for _, k := range s.strikes {
		s.log("strike %s on %v from %d to %d", k.what, k.procs, k.at, k.healed)
	}
}
