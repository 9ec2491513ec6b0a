package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/trouble"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// Pauses behind failures.
const (
	pauseFirst = 100 * time.Millisecond
	pauseMost  = 5 * time.Second

	sweepEvery = time.Minute

	// roundTime bounds a round, for which rows stay locked where Redis or the database hangs;
	// sendTime the part of it that is Redis's.
	roundTime = 15 * time.Second
	sendTime  = 10 * time.Second
)

// Relay sends the rows of a box to Redis. As many as one likes may run, in any processes: each
// row has one of them at a time. Make it with [NewRelay], and start it once.
type Relay struct {
	box    *Box
	db     *sql.DB
	queues map[string]*lane
	codes  []string
	options

	meters    *meters
	trouble   trouble.State // of the database
	failed    int           // rounds in a row
	turn      int           // the queue that is first in the next round
	postponed time.Time     // when a row was
	started   atomic.Bool
	running   background.Group
	looked    chan struct{} // capacity 1: a round has found the table readable
	notes     []script.Call // that a relay looks, one for each queue
	redis     redisapi.Client
	run       context.Context //nolint:containedctx // ends with Stop
	end       context.CancelFunc
	wake      chan struct{}
}

// lane is what a relay knows of a queue. The goroutine of work owns it.
type lane struct {
	sender  sender
	trouble trouble.State
	failed  int       // rounds in a row in which no row went through
	until   time.Time // no row is sent before
	from    int64     // where the next claim begins; above 0 there are more rows
	began   time.Time // when a claim began at the beginning

	waits  int64         // rows with lower ids are passed over: all of them wait
	over   time.Time     // when they are read again
	length time.Duration // for how long they were passed over last
	looked time.Time     // when the relay looked for such rows
}

// NewRelay returns a relay of these queues. Name every queue that the box offers to: rows of other
// queues wait for a relay that knows them. NewRelay does not ask the database or Redis, and does
// not close client and db. Its error has the mistakes of all arguments.
func NewRelay(client *framework.Client, db *sql.DB, box *Box, queues []Queue, opts ...Option) (*Relay, error) {
	o, errs := apply(opts)
	r := &Relay{box: box, db: db, options: o, queues: map[string]*lane{}, wake: make(chan struct{}, 1), looked: make(chan struct{}, 1)}
	r.run, r.end = context.WithCancel(background.NewPanics(o.log).In(context.Background())) //nolint:forbidigo // ends with Stop
	if client == nil {
		errs = append(errs, errors.New("client is nil: framework.Open makes one"))
	}
	if db == nil {
		errs = append(errs, errors.New("db is nil"))
	}
	if box == nil {
		errs = append(errs, errors.New("box is nil: outbox.New makes one"))
	}
	if len(queues) == 0 {
		errs = append(errs, errors.New("there is no queue: give outbox.For of each queue that is offered to"))
	}
	var declared []registry.Descriptor
	for i, q := range queues {
		if q.of == nil {
			errs = append(errs, fmt.Errorf("queue %d is nil", i))
			continue
		}
		declared = append(declared, q.of)
		if client != nil {
			r.queues[q.of.Code()] = &lane{sender: q.bind(client)}
			r.codes = append(r.codes, q.of.Code())
			if k, err := access.Of(client).Keys(q.of.Key()); err == nil { // what is wrong with the name is told below
				r.notes = append(r.notes, control.NoteCall(k, control.OutboxRelayed))
			}
		}
	}
	errs = append(errs, registry.Validate(declared...))
	if client != nil {
		r.redis = access.Of(client).Redis
	}
	var err error
	if r.meters, err = newMeters(o.meters, o.log); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("outbox.NewRelay: %w", err)
	}
	return r, nil
}

// ErrStarted is that of a second [Relay.Start], and of one after [Relay.Stop].
var ErrStarted = errors.New("outbox: the relay was started or stopped before: make a new one")

// Start checks the table and sends rows until [Relay.Stop]. ctx bounds only the check, whose
// errors are those of [Box.Check]: then nothing runs, and Start may be tried again. Failures
// later, also deadlocks and locks that others hold, are logged, and what failed is tried again.
// Under fx:
//
//	lc.Append(fx.StartStopHook(relay.Start, relay.Stop))
func (r *Relay) Start(ctx context.Context) error {
	if err := r.box.Check(ctx, r.db); err != nil {
		return err
	}
	if r.run.Err() != nil || !r.started.CompareAndSwap(false, true) {
		return ErrStarted
	}
	r.running.Loop(r.run, "send rows of the outbox", func() { r.work(r.run) })              //nolint:contextcheck // it outlives the start
	r.running.Loop(r.run, "tell that a relay of the outbox runs", func() { r.note(r.run) }) //nolint:contextcheck // it outlives the start
	if r.listen != nil {
		r.running.Loop(r.run, "hear of new rows of the outbox", func() { r.listenUntil(r.run) }) //nolint:contextcheck // it outlives the start
	}
	return nil
}

// Stop ends the relay once the round that is under way is done. That takes some milliseconds,
// or where Redis or the database is gone as long as its timeouts, at most 15 seconds. When ctx
// ends before, the error is its cause: what was sent and not deleted is sent again later, and
// adds nothing. A relay that was not started is done at once.
func (r *Relay) Stop(ctx context.Context) error {
	r.end()
	if !r.started.Load() {
		return nil
	}
	if !trouble.Bounded(ctx, r.running.Wait) {
		return context.Cause(ctx)
	}
	return nil
}

// work runs until ctx ends.
func (r *Relay) work(ctx context.Context) {
	defer r.meters.observe(r)()
	for _, code := range r.codes { // so that alerts know which queues a relay knows
		r.meters.relayed.Add(ctx, 0, ofQueue(code))
	}
	var swept time.Time
	for ctx.Err() == nil {
		began := time.Now()
		handled, err := r.round(ctx)
		took := time.Since(began)
		if now := time.Now(); err == nil && r.keep > 0 && now.Sub(swept) > min(sweepEvery, r.keep) {
			swept, err = now, r.sweep(ctx)
		}
		r.tell(ctx, err)
		if err == nil {
			select {
			case r.looked <- struct{}{}:
			default:
			}
		}
		switch {
		case err != nil:
			_ = retry.Pause(ctx, retry.Backoff(r.failed-1, pauseFirst, pauseMost))
		case handled == 0:
			r.rest(ctx)
		case r.box.dialect == sqldb.SQLite:
			// A round holds the lock for writes. Who waits for it looks now and then, and would
			// never find it free.
			_ = retry.Pause(ctx, min(took, pauseMost))
		}
	}
}

// noteEvery is how often a relay tells that it looks for rows; noteTime is for how long it tries.
const (
	noteEvery = 30 * time.Second
	noteTime  = 5 * time.Second
)

// note tells in Redis, for those who look at the queues, that a relay reads the table. Where Redis does
// not take that, rows are sent all the same, or wait.
func (r *Relay) note(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.looked:
		}
		bounded, cancel := context.WithTimeout(ctx, noteTime)
		script.RunAll(bounded, r.redis, r.notes)
		cancel()
		_ = retry.Pause(ctx, noteEvery)
	}
}

// Wake lets the relay look for rows at once, such as after a commit in the same process. It
// never blocks.
func (r *Relay) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// sweep deletes some rows that were set aside long ago.
func (r *Relay) sweep(ctx context.Context) error {
	const most = 1000
	rows, err := r.box.asideFor(ctx, r.db, r.keep, most)
	if err != nil || len(rows) == 0 {
		return err
	}
	dropped, err := r.box.Drop(ctx, r.db, rows...)
	if dropped > 0 {
		r.log.WarnContext(ctx, "deleted outbox rows that were set aside for longer than KeepAside", "table", r.box.table, "deleted", dropped, "age", r.keep.String())
	}
	return err
}

// rest waits for rows. Nobody tells when those that failed are to be tried again.
func (r *Relay) rest(ctx context.Context) {
	wait := r.poll
	if time.Since(r.postponed) < 2*retryMost || slices.ContainsFunc(r.codes, func(code string) bool { return r.queues[code].failed > 0 }) {
		wait = min(wait, time.Second)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-r.wake:
	}
}

// listenUntil calls the user's function again and again until ctx ends.
func (r *Relay) listenUntil(ctx context.Context) {
	var bad trouble.State
	var failed atomic.Int64 // in a row; the function may call wake where it likes
	for ctx.Err() == nil {
		wake := func() {
			failed.Store(0)
			if lasted, was := bad.End(); was {
				r.log.InfoContext(ctx, "notifications of new outbox rows work again", "table", r.box.table, "after", lasted.String())
			}
			r.Wake()
		}
		err := background.Try(func() error { return r.listen(ctx, wake) })
		if ctx.Err() != nil {
			return
		}
		if err != nil && bad.Begin(err) {
			r.log.WarnContext(ctx, "notifications of new outbox rows failed: polling instead", "table", r.box.table, "every", r.poll.String(), "err", err)
		}
		_ = retry.Pause(ctx, retry.Backoff(int(failed.Add(1))-1, pauseFirst, pauseMost))
	}
}

// tell logs when the database begins to fail, and when it works again.
func (r *Relay) tell(ctx context.Context, err error) {
	if err == nil {
		r.failed = 0
		if lasted, was := r.trouble.End(); was {
			r.log.InfoContext(ctx, "the outbox works again", "table", r.box.table, "after", lasted.String())
		}
		return
	}
	r.failed++
	// One alone may be a deadlock, or two transactions that met.
	if ctx.Err() == nil && r.failed > 1 && r.trouble.Begin(err) {
		r.log.ErrorContext(ctx, "the outbox cannot be read: offers wait in the database until it can", "table", r.box.table, "err", err)
	}
}
