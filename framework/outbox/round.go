package outbox

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
)

// What becomes of a row that fails while others of its queue go through.
const (
	retryFirst  = time.Second
	retryMost   = 10 * time.Minute
	maxAttempts = 20 // some two hours
)

// round claims rows, sends them, and deletes those that were sent, in one transaction. It
// returns how many of them were dealt with. The end of ctx does not end it.
func (r *Relay) round(ctx context.Context) (handled int, err error) {
	queues := r.ready(time.Now())
	if len(queues) == 0 {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), roundTime)
	defer cancel()
	some, err := r.box.waiting(ctx, r.db, queues)
	if err != nil || !some {
		return 0, err
	}
	tx, err := r.box.begin(ctx, r.db)
	if err != nil {
		return 0, &RelayError{Step: "begin", Err: err}
	}
	defer tx.rollback(ctx)
	c, err := r.claim(ctx, tx, queues)
	if err != nil {
		return 0, &RelayError{Step: "claim", Err: err}
	}
	if len(c.rows) == 0 {
		return 0, nil
	}
	sent := r.sendAll(ctx, c)
	if handled, err = r.settle(ctx, tx, sent); err != nil || handled == 0 {
		return 0, err
	}
	if err := tx.commit(ctx); err != nil {
		return 0, &RelayError{Step: "commit", Err: err}
	}
	r.meters.count(ctx, sent, c.now)
	return handled, nil
}

// fromStart is how often a relay that is busy looks for rows from the beginning.
const fromStart = time.Second

// claim claims rows. Databases keep what was deleted for a while, and would look at all of it
// again in each round. So while there are many rows, a relay begins where it was, but for once
// a second: then it finds rows whose transaction took long to commit, and those that wait for
// another try.
func (r *Relay) claim(ctx context.Context, tx txn, queues []string) (claimed, error) {
	args := claimArgs{queues: queues, limit: r.batch, from: r.from}
	now := time.Now()
	if now.Sub(r.began) > fromStart {
		args.from = 0
	}
	c, err := r.box.claim(ctx, tx, args)
	if err == nil && len(c.rows) == 0 && args.from > 0 {
		args.from = 0
		c, err = r.box.claim(ctx, tx, args)
	}
	if args.from == 0 {
		r.began = now
	}
	r.from = c.next
	return c, err
}

// ready returns the queues that are not paused.
func (r *Relay) ready(now time.Time) (codes []string) {
	for _, code := range r.codes {
		if !r.queues[code].until.After(now) {
			codes = append(codes, code)
		}
	}
	return codes
}

// result is what became of a row.
type result struct {
	*row

	err   error // with which it stays, for a later round, or
	aside bool  // was set aside
}

// sendAll sends all rows at once: offers that come at the same time go in one script. It leaves
// time for the rest of the round.
func (r *Relay) sendAll(ctx context.Context, c claimed) []result {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	results := make([]result, len(c.rows))
	var wg sync.WaitGroup
	for i := range c.rows {
		wg.Go(func() { results[i] = r.send(ctx, &c.rows[i], c.now) })
	}
	wg.Wait()
	return results
}

func (r *Relay) send(ctx context.Context, of *row, now int64) result {
	if from, ok := telemetry.ParseTraceparent(of.trace); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, from)
	}
	err := r.queues[of.queue].sender.send(ctx, of, now, r.await, r.remember)
	return result{row: of, err: err, aside: err != nil && permanent(err)}
}

// settle writes what became of the rows, and returns how many of them changed. Where none of a
// queue went through, the queue is to blame and waits; else the row is.
func (r *Relay) settle(ctx context.Context, tx txn, results []result) (changed int, err error) {
	through := map[string]bool{}
	for _, s := range results {
		through[s.queue] = through[s.queue] || s.err == nil
	}
	var sent []int64
	for i := range results {
		s := &results[i]
		switch {
		case s.err == nil:
			sent = append(sent, s.id)
		case !s.aside && !through[s.queue]:
			r.pause(ctx, s)
		case s.aside || s.attempts+1 >= maxAttempts && !passes(s.err):
			s.aside = true
			changed++
			if err := r.box.setAside(ctx, tx, s.row, s.err); err != nil {
				return 0, &RelayError{Step: "set aside", Err: err}
			}
			r.log.ErrorContext(ctx, "a row of the outbox cannot be sent and was set aside: see Box.Aside", "queue", s.queue, "table", r.box.table, "row", s.id, "op", s.op, "key", string(s.key), "err", s.err)
		default:
			changed++
			r.postponed = time.Now()
			if err := r.box.postpone(ctx, tx, s.row, retry.Backoff(int(s.attempts), retryFirst, retryMost), s.err); err != nil {
				return 0, &RelayError{Step: "postpone", Err: err}
			}
		}
	}
	for code, some := range through {
		if some {
			r.resume(ctx, code)
		}
	}
	if len(sent) == 0 {
		return changed, nil
	}
	if err := r.box.remove(ctx, tx, sent); err != nil {
		return 0, &RelayError{Step: "delete", Err: err}
	}
	return changed + len(sent), nil
}

// pause lets a queue wait whose rows do not go through, and tells so once.
func (r *Relay) pause(ctx context.Context, s *result) {
	l := r.queues[s.queue]
	now := time.Now()
	if !l.until.After(now) {
		l.failed++
		l.until = now.Add(retry.Backoff(l.failed-1, pauseFirst, pauseMost))
	}
	if l.trouble.Begin(s.err) {
		r.log.WarnContext(ctx, "the rows of a queue wait in the outbox: they cannot be sent", "queue", s.queue, "table", r.box.table, "err", s.err)
	}
}

func (r *Relay) resume(ctx context.Context, code string) {
	l := r.queues[code]
	l.failed, l.until = 0, time.Time{}
	if lasted, was := l.trouble.End(); was {
		r.log.InfoContext(ctx, "the rows of a queue go out of the outbox again", "queue", code, "table", r.box.table, "after", lasted.String())
	}
}
