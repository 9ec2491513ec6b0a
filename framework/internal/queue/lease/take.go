package lease

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// Waits between repetitions of a take: 20 ms, doubled, at most 1 s, with jitter.
const (
	repeatFirst = 20 * time.Millisecond
	repeatMost  = time.Second
)

// Take settles acks and takes up to n messages (at most [MaxTake]) from the head of
// the queue, what landed in staging first. With n of 0 or less it only settles.
//
// When a reply is lost, Take asks again for the same fetch, which takes nothing twice.
// When the outcome stays unknown it returns an [*AbandonedError] and the session takes
// no more. On any error the acks are not known to be settled: pass them again. Errors
// that Redis answered are typed as in package rediserr, and nothing was taken then;
// so it is when ctx ends, where the fetch in doubt is asked for by the next Take.
func (s *Session) Take(ctx context.Context, n int, acks Acks) (Batch, error) {
	return s.TakeBehind(ctx, nil, n, acks)
}

// TakeBehind is Take that sends a script ahead of its own, in one trip, the first time that it
// asks. It refuses the script where nothing was sent.
func (s *Session) TakeBehind(ctx context.Context, ahead *script.Ahead, n int, acks Acks) (Batch, error) {
	defer ahead.Refuse()
	return s.takeUp(ctx, n, taking{ahead: ahead}, acks)
}

// Probe is Take of one message, which need not be the head: it is the first among the
// first 100 ready ones that was never handed out. Where there is none it is the head, or
// none at all with untried.
func (s *Session) Probe(ctx context.Context, untried bool, acks Acks) (Batch, error) {
	if untried {
		return s.takeUp(ctx, 1, taking{probe: "new"}, acks)
	}
	return s.takeUp(ctx, 1, taking{probe: "probe"}, acks)
}

// newNonce draws the name of a fetch. Its highest bit is set: the IDs of messages that come
// without one begin so, and are told from those that an offer made, see [wire.ElementID].
func newNonce() string {
	nonce := chance.Hex()
	if nonce[0] < '8' {
		nonce = "89abcdef"[nonce[0]-'0':][:1] + nonce[1:]
	}
	return nonce
}

func (s *Session) takeUp(ctx context.Context, n int, asked taking, acks Acks) (Batch, error) {
	if n <= 0 {
		stale, err := s.Ack(ctx, acks)
		return Batch{Stale: stale}, err
	}
	if err := s.turn.take(ctx); err != nil {
		return Batch{}, err
	}
	defer s.turn.pass()
	if err := s.usable(); err != nil {
		return Batch{}, err
	}
	f := s.pending
	if f == nil {
		s.last++
		f = &fetch{nonce: newNonce(), number: s.last, probe: asked.probe}
		f.key = s.keys.Inflight(s.opts.SessionID, f.nonce)
	}
	s.ledger.expect(f.nonce)
	groups, stale := s.ledger.plan(acks)
	asked.f, asked.n, asked.groups, asked.pages = f, min(n, MaxTake), groups, s.notes.Take()
	began := time.Now()
	b, open, err := s.takeUntilKnown(ctx, asked)
	if err != nil {
		s.ledger.undo(groups)
		s.notes.PutBack(asked.pages)
		if s.pending == nil {
			s.ledger.expect("")
		}
		return Batch{}, err
	}
	s.looked(began)
	s.ledger.confirm(groups)
	b.Stale += stale
	if b.Lost {
		s.ledger.forget()
	}
	known := s.ledger.lists()
	if len(b.Messages) > 0 {
		f.n = len(b.Messages)
		s.ledger.add(f)
	}
	s.ledger.expect("")
	if open > known {
		_ = s.returnStrays(ctx) // what fails is found by the next take
	}
	return b, nil
}

// taking is what one take asks for, and what it brings.
type taking struct {
	f      *fetch
	n      int
	groups []group
	pages  []journal.Page
	probe  string
	ahead  *script.Ahead
}

// takeUntilKnown sends the script until its outcome is known.
func (s *Session) takeUntilKnown(ctx context.Context, asked taking) (Batch, int, error) {
	began := time.Now()
	for try := 0; ; try++ {
		b, open, err := s.takeOnce(ctx, asked)
		if err == nil {
			s.pending = nil
			return b, open, nil
		}
		if rediserr.IsAmbiguous(err) {
			s.pending = asked.f
		}
		if ctx.Err() != nil {
			return Batch{}, 0, errors.Join(context.Cause(ctx), err)
		}
		if s.pending == nil && !movedAway(err) {
			return Batch{}, 0, s.explain(ctx, err)
		}
		if try >= s.opts.Repeats || time.Since(began) > s.opts.Lease/3 {
			if s.pending == nil {
				return Batch{}, 0, err
			}
			return Batch{}, 0, s.abandon(err)
		}
		if !pause(ctx, repeatAfter(try)) {
			return Batch{}, 0, errors.Join(context.Cause(ctx), err)
		}
	}
}

// movedAway reports answers that say another server has the queue now, and a
// connection that an interruption has closed before anything was sent: nothing ran.
func movedAway(err error) bool {
	var e *fault.ServerError
	return errors.Is(err, redis.ErrClosed) ||
		errors.As(err, &e) && (e.Kind == fault.KindCluster || e.Kind == fault.KindReadOnly)
}

func repeatAfter(try int) time.Duration {
	return chance.Jitter(min(repeatFirst<<min(try, 10), repeatMost))
}

// pause waits for d; it returns false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// abandon ends the taking: messages may be in a fetch that never gets an answer.
func (s *Session) abandon(cause error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = &AbandonedError{Session: s.opts.SessionID, Err: cause}
	return s.abandoned
}

func (s *Session) takeOnce(ctx context.Context, asked taking) (Batch, int, error) {
	if err := ctx.Err(); err != nil {
		return Batch{}, 0, &rediserr.NotSentError{Err: err}
	}
	silent := s.silent()
	via, err := s.via(ctx, silent)
	if err != nil {
		return Batch{}, 0, &rediserr.NotSentError{Err: err}
	}
	defer via.done()
	if silent {
		if unheard := via.Process(ctx, redis.NewStatusCmd(ctx, "ping")); unheard != nil {
			via.drop(ctx)
			return Batch{}, 0, &rediserr.NotSentError{Err: rediserr.Classify("PING", unheard)}
		}
	}
	s.mu.Lock()
	continuing := s.registered
	s.touched = true
	s.mu.Unlock()
	start := time.Now()
	var b Batch
	var head takeHead
	raw, err := s.callTake(ctx, &via, asked, continuing)
	if err == nil {
		b, head, err = decodeTake(raw, asked.f)
		for i := range b.Messages {
			b.Messages[i].ID.Partition = s.keys.Partition
		}
	}
	if err != nil {
		err = rediserr.Classify(takeScript.Name(), err)
		if movedAway(err) || rediserr.Leave(err) || rediserr.IsAmbiguous(err) {
			via.drop(ctx)
		}
		return Batch{}, 0, err
	}
	s.mu.Lock()
	s.registered = true
	s.epoch++
	s.renewedLocked(start)
	s.clock = serverClock{ms: head.nowMs, at: time.Now()}
	if asked.f.probe == "" && len(b.Messages)+len(b.Buried) == 0 {
		s.emptied = s.clock
	}
	s.mu.Unlock()
	return b, head.open, nil
}

// emptySince tells scripts since when what lies in the stage became ready: since the last
// take that found nothing. It is "ms ago": a time of Redis's clock, and how long ago that is,
// should that clock have gone back meanwhile.
func (s *Session) emptySince() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.emptied.at.IsZero() {
		return stageOfAnyAge
	}
	text := strconv.AppendInt(make([]byte, 0, 32), s.emptied.ms, 10)
	return string(strconv.AppendInt(append(text, ' '), time.Since(s.emptied.at).Milliseconds(), 10))
}

// stageOfAnyAge is what [Session.emptySince] is where nothing is known.
const stageOfAnyAge = "0 0"

// callTake sends the script by digest, by source when Redis does not hold it: then
// nothing ran.
func (s *Session) callTake(ctx context.Context, via *route, asked taking, continuing bool) ([]byte, error) {
	f, keys := asked.f, 13+len(asked.groups)
	if len(asked.pages) > 0 {
		keys++
	}
	a := append(s.args[:0], "evalsha", takeScript.SHA(), keys,
		s.keys.Queue, s.stage, s.keys.Sessions, s.fetches, f.key,
		s.keys.Attempts, s.keys.Due, s.keys.Trace, s.keys.Dead, s.keys.Timeout, s.keys.MessageNames, s.keys.IDs, s.keys.Leases)
	for _, g := range asked.groups {
		a = append(a, g.f.key)
	}
	if len(asked.pages) > 0 {
		a = append(a, s.keys.Journal)
	}
	var many any = asked.n
	if f.probe != "" {
		many = f.probe
	}
	a = append(a, s.opts.SessionID, f.nonce, f.number, many, s.opts.Lease.Milliseconds(),
		script.Flag(continuing), s.opts.MaxPayload, script.Flag(!s.opts.NoDue), s.opts.MaxBatch, s.emptySince())
	for _, g := range asked.groups {
		a = append(a, g.arg)
	}
	if len(asked.pages) > 0 {
		a = s.opts.Journal.Args(a, asked.pages)
	}
	s.args = a
	reply := newBuffer(s.replySize)
	err := via.send(ctx, asked.ahead, redis.NewRawWriteToCmd(ctx, reply, a...))
	if err == nil && bytes.HasPrefix(reply.data, noScript) {
		a[0], a[1] = "eval", takeScript.Source()
		reply = newBuffer(s.replySize)
		err = via.Process(ctx, redis.NewRawWriteToCmd(ctx, reply, a...))
	}
	size := len(reply.data)
	s.replySize = min(max(size+size/8+replySlack, s.replySize/2), maxReplySize)
	return reply.data, err
}

// Room for a reply that is somewhat larger than the last one, and how much is set
// aside at most before it is known to be needed.
const (
	replySlack   = 512
	maxReplySize = 256 << 10
)

var noScript = []byte("-NOSCRIPT")

func (s *Session) releaseKeys() []string {
	return []string{s.keys.Queue, s.stage, s.keys.Attempts, s.keys.Due, s.keys.Trace, s.keys.MessageNames, s.keys.IDs}
}
