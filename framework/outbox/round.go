package outbox

import (
	"context"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/handlers/sqldb"
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
	if r.box.dialect == sqldb.SQLite { // a transaction would hold up all who write
		if queues, err = r.look(ctx, r.db, queues); err != nil || len(queues) == 0 {
			return 0, err
		}
	}
	tx, err := r.box.begin(ctx, r.db)
	if err != nil {
		return 0, &RelayError{Step: "begin", Err: err}
	}
	defer tx.rollback(ctx)
	if err = r.box.forbidSort(ctx, tx); err != nil {
		return 0, &RelayError{Step: "claim", Err: err}
	}
	if r.box.dialect != sqldb.SQLite {
		if queues, err = r.look(ctx, tx, queues); err != nil {
			return 0, err
		}
	}
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

// fromStart is how often a relay that is busy with a queue looks for its rows from the beginning.
const fromStart = time.Second

// passMost is how long rows that wait are passed over at most, a second at first.
const passMost = 5 * time.Minute

// wanted says where to look in a queue. Databases keep what was deleted for a while, and would look at
// all of it again in each round. So while a queue has many rows, a relay begins where it was,
// but for once a second: then it finds rows whose transaction took long to commit, and those
// that wait for another try.
func (r *Relay) wanted(code string, now time.Time) wants {
	l := r.queues[code]
	if now.Sub(l.began) > fromStart {
		l.from, l.began = 0, now
	}
	if l.waits > 0 && now.After(l.over) {
		l.waits = 0
	}
	return wants{code, max(l.from, l.waits)}
}

// passOver looks whether the first rows of a queue all wait, such as those of one key whose first row
// fails, so that claims need not read them all each time. of is where the claim began, c what it found.
// They are read again when the first of them may be tried again, and now and then before: a row among
// them may have been committed late, or taken back from those that were set aside.
func (r *Relay) passOver(ctx context.Context, in querier, of wants, c claimed) error {
	l, now := r.queues[of.queue], time.Now()
	if l.from > 0 || len(c.rows) > 0 && now.Sub(l.looked) < fromStart {
		return nil
	}
	l.looked = now
	before := int64(math.MaxInt64)
	if len(c.rows) > 0 {
		before = c.rows[0].id
	}
	w, err := r.box.waiting(ctx, in, of, before)
	switch {
	case err != nil:
		return err
	case w.next <= of.from: // none that waits
		if of.from == 0 && len(c.rows) == 0 {
			l.length = 0
		}
		return nil
	case l.waits == 0:
		l.length = min(max(2*l.length, fromStart), passMost)
		l.over = now.Add(l.length)
	}
	l.waits = w.next
	if again := now.Add(w.wait); again.Before(l.over) {
		l.over = again
	}
	return nil
}

// look returns those of the queues in which there are rows, from the beginning where there are none
// behind those that were sent.
func (r *Relay) look(ctx context.Context, in querier, codes []string) (some []string, err error) {
	const most = 500 // others have their turn in the next round
	codes = codes[:min(len(codes), most)]
	now := time.Now()
	for again := true; again; {
		again = false
		queues := make([]wants, len(codes))
		for i, code := range codes {
			queues[i] = r.wanted(code, now)
		}
		found, err := r.box.look(ctx, in, queues)
		if err != nil {
			return nil, &RelayError{Step: "read rows", Err: err}
		}
		some = some[:0]
		for _, q := range found {
			some = append(some, q.queue)
		}
		for _, q := range queues {
			if r.queues[q.queue].from > 0 && !slices.Contains(some, q.queue) {
				r.queues[q.queue].from, again = 0, true
			}
		}
	}
	return some, nil
}

// claim claims rows of these queues, of each its share.
func (r *Relay) claim(ctx context.Context, tx txn, codes []string) (all claimed, err error) {
	codes = codes[:min(len(codes), r.batch)] // others have their turn in the next round
	share, now := (r.batch+len(codes)-1)/max(len(codes), 1), time.Now()
	for _, code := range codes {
		if all.bytes >= maxClaimBytes {
			break
		}
		of := r.wanted(code, now)
		c, err := r.box.claim(ctx, tx, of, share, maxClaimBytes-all.bytes)
		if err == nil {
			err = r.passOver(ctx, tx, of, c)
		}
		if err != nil {
			return claimed{}, err
		}
		r.queues[code].from = c.next
		all.rows, all.bytes, all.now = append(all.rows, c.rows...), all.bytes+c.bytes, max(all.now, c.now)
	}
	return all, nil
}

// ready returns the queues that are not paused, each time another one first.
func (r *Relay) ready(now time.Time) (codes []string) {
	r.turn++
	for i := range r.codes {
		code := r.codes[(i+r.turn)%len(r.codes)]
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
	var sending background.Group
	for i := range c.rows {
		sending.Go(ctx, "send a row of the outbox", func() {
			of := &c.rows[i]
			err := background.Call(ctx, "send a row of the outbox", func() error { return r.send(ctx, of, c.now) })
			results[i] = result{row: of, err: err, aside: err != nil && permanent(err)}
		})
	}
	sending.Wait()
	return results
}

func (r *Relay) send(ctx context.Context, of *row, now int64) error {
	if from, ok := telemetry.ParseTraceparent(of.trace); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, from)
	}
	return r.queues[of.queue].sender.send(ctx, of, now, r.await, r.remember)
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
		r.log.WarnContext(ctx, "the outbox cannot send the rows of this queue: they wait", "queue", s.queue, "table", r.box.table, "err", s.err)
	}
}

func (r *Relay) resume(ctx context.Context, code string) {
	l := r.queues[code]
	l.failed, l.until = 0, time.Time{}
	if lasted, was := l.trouble.End(); was {
		r.log.InfoContext(ctx, "the outbox sends the rows of this queue again", "queue", code, "table", r.box.table, "after", lasted.String())
	}
}
