package delayed

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Offers sends the offers of one client. While tries of one queue are under way, those that
// arrive for that queue meanwhile gather, and the next try has all of them. An offer that is
// alone waits for nobody: its caller sends it. It holds a goroutine for a queue only while
// offers wait there, and of what waits one message for each caller. Safe for concurrent use.
type Offers struct {
	rdb    redisapi.Client
	run    context.Context // of the tries; its end is the end of them
	end    context.CancelFunc
	second int // fewest messages of a second try; secondTry, fewer in tests

	mu     sync.RWMutex
	closed bool
	lanes  map[laneName]*lane
	owners sync.WaitGroup // of lanes
}

// laneName says which offers go together. Those that wait for replicas have a lane to
// themselves: nobody else waits for replicas.
type laneName struct {
	queue string
	await bool
}

// NewOffers returns those of a client, see [Offers.Close]. rdb should have MaxRetries -1, so
// that it does not repeat calls on its own.
func NewOffers(ctx context.Context, rdb redisapi.Client) *Offers {
	run, end := context.WithCancel(context.WithoutCancel(ctx)) // no caller's end may end what others wait for
	return &Offers{rdb: rdb, run: run, end: end, second: secondTry, lanes: map[laneName]*lane{}}
}

// Offer adds one message to the queue. A call whose outcome is unknown is sent again with the
// same element id and the age of the offer, so that it is neither doubled nor postponed.
//
// When ctx ends, an offer that is not under way is withdrawn; of one that is, the outcome is
// unknown. ctx does not bound a try that others share: the timeouts of the client do. The
// deadline of ctx bounds that of an offer that is alone.
//
// Errors: [*fault.DelayError] and others before anything is sent; [*fault.OutcomeUnknownError]
// when the message may or may not have been added; [*fault.ClosedError] and those of
// [script.Script.Run] when it was not. With a [*fault.ReplicationError] comes a result: the
// message is in.
func (s *Offers) Offer(ctx context.Context, keys wire.Keys, args OfferArgs) (OfferResult, error) {
	w := &waiter{}
	if err := w.offer.prepare(&keys, args); err != nil {
		return OfferResult{}, err
	}
	if ctx.Err() != nil {
		return OfferResult{}, context.Cause(ctx)
	}
	l, first, err := s.join(&keys, w) //nolint:contextcheck // a group has the context of no caller
	if err != nil {
		return OfferResult{}, err
	}
	if first && l.lead(ctx, w) {
		return w.result, w.err
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if err := l.leave(w, context.Cause(ctx)); err != nil {
			return OfferResult{}, err
		}
	}
	if w.with != nil && w.with.asleep.Add(-1) == 0 {
		l.mu.Lock()
		l.ended(w.with.n) //nolint:contextcheck // a group has the context of no caller
		l.mu.Unlock()
	}
	return w.result, w.err
}

// Offer is [Offers.Offer] for a single offer of a client.
func Offer(ctx context.Context, rdb redisapi.Client, keys wire.Keys, args OfferArgs) (OfferResult, error) {
	return NewOffers(ctx, rdb).Offer(ctx, keys, args)
}

// join lets an offer wait in its lane, unless it is the first there: then its caller leads.
func (s *Offers) join(keys *wire.Keys, w *waiter) (l *lane, first bool, err error) {
	name := laneName{queue: keys.Queue, await: w.offer.args.Await.Replicas > 0}
	s.mu.RLock()
	l = s.lanes[name]
	if l == nil {
		s.mu.RUnlock()
		l = s.open(name, keys)
		s.mu.RLock()
	}
	defer s.mu.RUnlock()
	if s.closed {
		return nil, false, &fault.ClosedError{Queue: keys.Queue}
	}
	return l, l.join(w), nil
}

// open makes a lane. It remains: queues are few.
func (s *Offers) open(name laneName, keys *wire.Keys) *lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lanes[name]
	if !ok {
		l = &lane{of: s, keys: *keys, sooner: make(chan struct{}, 1)}
		s.lanes[name] = l
	}
	return l
}

// Close refuses what is offered from now on, and waits for what was offered before until
// ctx ends. Then it ends what is not under way with a [*fault.ClosedError]; the rest ends
// with its connection.
func (s *Offers) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	idle := make(chan struct{})
	background.Go(ctx, "wait for offers", func() {
		defer close(idle)
		s.owners.Wait()
	})
	select {
	case <-idle:
	case <-ctx.Done():
	}
	s.end()
}

// While Redis executes a try, the callers of the one before get their results and offer again:
// so triesAtOnce may be under way, but a second one only with secondTry messages, since each
// try costs as much as five messages.
const (
	triesAtOnce = 2
	secondTry   = 32
)

// lane is the way into one queue. Who sends a try is its owner: a caller who may begin one,
// for the own offer alone, or a goroutine, for what waits.
type lane struct {
	of   *Offers
	keys wire.Keys

	mu      sync.Mutex
	waiting []*waiter     // for the next try, in the order in which they came; there is one under way
	failed  []*waiter     // to be sent again after a pause
	tries   int           // under way
	under   int           // messages of these
	resends bool          // a goroutine waits for the pauses of what failed
	sooner  chan struct{} // of one: more has failed
}

// mayBegin reports whether a try of n messages may begin now. A second one is not to be much
// smaller than the first, or they would become smaller and smaller. Caller holds mu.
func (l *lane) mayBegin(n int) bool {
	return l.tries == 0 || l.tries < triesAtOnce && n >= max(l.of.second, l.under/2)
}

// waiter is an offer whose caller waits for the outcome.
type waiter struct {
	item
	done  chan struct{} // closed once it is settled
	with  *try          // that settled it; nil where the client was closed
	after time.Time     // when it is sent again, while it is among those that failed

	// These are its lane's, under the lock.
	stage stage
	id    wire.ElementID // under which it is sent now
	tries int
}

// try is one that has been answered. It ends when all callers whose offers it has settled run
// again: those that offer again at once go together in the next try, however many there are.
type try struct {
	n      int          // messages
	asleep atomic.Int32 // callers that do not run yet
}

// stage says where an offer is.
type stage int

const (
	stageWaiting stage = iota // also for the next try
	stageSent
	stageLeft // the caller has gone: nothing is sent any more
	stageDone
)

// join lets an offer wait for the next try, or reports that its caller may begin one. Ids are
// drawn here, so that they grow in the order of a lane.
func (l *lane) join(w *waiter) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.offer.keys = &l.keys
	w.offer.draw()
	if len(l.waiting) == 0 && l.mayBegin(1) {
		l.tries++
		l.under++
		l.of.owners.Add(1)
		return true
	}
	w.done = make(chan struct{})
	l.waiting = append(l.waiting, w)
	if group := l.take(); group != nil {
		l.of.owners.Add(1)
		background.Go(l.of.run, sending, func() { l.run(group) })
	}
	return false
}

// sending is what goroutines of lanes do.
const sending = "send offers"

// lead sends the offer of a caller who may begin a try, and reports whether it is settled;
// else it waits now.
func (l *lane) lead(ctx context.Context, w *waiter) (settled bool) {
	err := background.Call(l.of.run, sending, func() error { //nolint:contextcheck // a panic is told to whom the offers belong
		newTurn(&l.keys, []*item{&w.item}).send(ctx, l.of.rdb, nil)
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		w.fail(err)
	}
	if !w.settled && ctx.Err() != nil {
		w.end(context.Cause(ctx))
	}
	if settled = w.settled; settled {
		l.closing(w)
	} else {
		w.done = make(chan struct{})
		l.again([]*waiter{w})
	}
	l.ended(1) //nolint:contextcheck // a group has the context of no caller
	return settled
}

// ended ends a try of n messages. What waits goes when this goroutine gives its processor
// away: with what it offers before that. Caller holds mu.
func (l *lane) ended(n int) {
	if len(l.waiting) > 0 {
		background.Go(l.of.run, sending, func() { l.run(l.next(n)) })
		return
	}
	l.tries--
	l.under -= n
	l.of.owners.Done()
}

// leave takes an offer back whose caller goes, and returns what the caller is told: nothing
// where it is settled meanwhile.
func (l *lane) leave(w *waiter, cause error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch w.stage {
	case stageDone:
		return nil
	case stageSent: // the owner has the rest of it
		w.stage = stageLeft
		return w.offer.doubt(w.id, w.tries, cause)
	default:
		w.stage = stageLeft
		return w.offer.failure(cause)
	}
}

// next ends a try of n messages and returns what goes in the next one, nil where none may
// begin.
func (l *lane) next(n int) []*waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries--
	l.under -= n
	return l.take()
}

// run sends a group. Its callers end the try, or where they have gone, this does.
func (l *lane) run(group []*waiter) {
	for group != nil {
		if l.send(group) {
			return
		}
		group = l.next(len(group))
	}
	l.of.owners.Done()
}

// take returns what goes together in the next try, nil where none may begin. Caller holds mu.
func (l *lane) take() (group []*waiter) {
	if l.of.run.Err() != nil {
		l.refuse()
	}
	if !l.mayBegin(len(l.waiting)) {
		return nil
	}
	bytes, left := 0, l.waiting[:0]
	for _, w := range l.waiting {
		switch {
		case w.stage == stageLeft:
		case len(group) == 0, len(group) < bulkItems && bytes < bulkBytes && w.offer.args.goesWith(&group[0].offer.args):
			group = append(group, w)
			bytes += len(w.offer.element)
			w.stage, w.id, w.tries = stageSent, w.offer.id, w.offer.tries+1
		default:
			left = append(left, w)
		}
	}
	clear(l.waiting[len(left):])
	l.waiting = left
	if len(group) > 0 {
		l.tries++
		l.under += len(group)
	}
	return group
}

// resend waits for the pauses of what failed, until nothing has.
func (l *lane) resend() {
	defer l.of.owners.Done()
	for {
		l.mu.Lock()
		next := l.recall(time.Now())
		if group := l.take(); group != nil {
			l.of.owners.Add(1)
			background.Go(l.of.run, sending, func() { l.run(group) })
		}
		l.resends = !next.IsZero()
		l.mu.Unlock()
		if next.IsZero() {
			return
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-timer.C:
		case <-l.sooner:
		case <-l.of.run.Done(): // the client is closed: all are refused now
		}
		timer.Stop()
	}
}

// recall lets those wait for the next try whose pause is over, before all others. It returns
// when the next one's is, or the zero time.
func (l *lane) recall(now time.Time) (next time.Time) {
	var due []*waiter
	left := l.failed[:0]
	for _, w := range l.failed {
		switch {
		case w.stage == stageLeft:
		case !w.after.After(now):
			due = append(due, w)
		default:
			left = append(left, w)
			if next.IsZero() || w.after.Before(next) {
				next = w.after
			}
		}
	}
	clear(l.failed[len(left):])
	l.failed = left
	if len(due) > 0 {
		l.waiting = append(due, l.waiting...)
	}
	return next
}

// refuse ends what waits when the client is closed.
func (l *lane) refuse() {
	for _, w := range append(l.failed, l.waiting...) {
		if w.stage != stageLeft {
			w.end(&fault.ClosedError{Queue: l.keys.Queue})
			w.stage = stageDone
			close(w.done)
		}
	}
	l.failed, l.waiting = nil, nil
}

// goesWith reports whether two offers of a lane can be in one try.
func (a *OfferArgs) goesWith(b *OfferArgs) bool {
	return a.Await == b.Await && a.NoView == b.NoView && a.TraceTTL == b.TraceTTL
}

// send makes one try, and lets those go on whose outcome is known. It reports whether there
// are any: they end the try.
func (l *lane) send(group []*waiter) bool {
	open := make([]*item, len(group))
	for n, w := range group {
		open[n] = &w.item
	}
	err := background.Call(l.of.run, sending, func() error {
		newTurn(&l.keys, open).send(context.WithoutCancel(l.of.run), l.of.rdb, nil)
		return nil
	})
	if err != nil {
		for _, i := range open {
			i.fail(err)
		}
	}
	t := &try{n: len(group)}
	done := l.settled(group, t)
	for _, w := range done {
		close(w.done)
	}
	return len(done) > 0
}

// settled returns those of a group whose outcome is known after a try. The others wait again.
func (l *lane) settled(group []*waiter, t *try) (done []*waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var left []*waiter
	for _, w := range group {
		switch {
		case w.stage == stageLeft:
		case w.settled:
			l.closing(w)
			w.stage, w.with = stageDone, t
			done = append(done, w)
		default:
			left = append(left, w)
		}
	}
	if len(left) > 0 {
		l.again(left)
	}
	t.asleep.Store(int32(len(done)))
	return done
}

// closing names the cause where the client was closed before a try.
func (l *lane) closing(w *waiter) {
	if w.err != nil && !w.offer.unknown && errors.Is(w.err, redis.ErrClosed) {
		w.err = &fault.ClosedError{Queue: l.keys.Queue}
	}
}

// again lets those wait that are not settled after a try: after a pause where it failed. What
// failed together goes together again.
func (l *lane) again(group []*waiter) {
	var redrawn []*waiter
	pauses := map[int]time.Time{} // by number of tries
	for _, w := range group {
		w.stage = stageWaiting
		if !w.retrying {
			redrawn = append(redrawn, w)
			continue
		}
		after, ok := pauses[w.offer.tries]
		if !ok {
			after = time.Now().Add(retry.Backoff(w.offer.tries-1, offerBackoffFirst, offerBackoffMax))
			pauses[w.offer.tries] = after
		}
		w.after = after
		l.failed = append(l.failed, w)
	}
	if len(redrawn) > 0 {
		l.waiting = append(redrawn, l.waiting...)
	}
	switch {
	case len(l.failed) == 0:
	case l.resends:
		select {
		case l.sooner <- struct{}{}:
		default:
		}
	default:
		l.resends = true
		l.of.owners.Add(1)
		background.Go(l.of.run, sending, l.resend)
	}
}
