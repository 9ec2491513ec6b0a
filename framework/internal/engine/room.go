package engine

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// room counts for how many messages the workers of one queue have room, and lets those who take
// messages share it. A worker whose handler is given up on hangs:
// another one takes its place, until there are too many. Make it with newRoom; it is safe for
// concurrent use.
type room struct {
	mu    sync.Mutex
	size  int // workers
	extra int // messages that there is room for beyond one for each worker
	spare int // room that is not used, because operators want fewer workers
	busy  int // messages

	claimed int      // room that is about to be filled
	waiting []*claim // for room, in turn
	hung    map[*roomWorker]hungHandler
	hangs   atomic.Int32 // of these, so that nobody waits for mu where none does
	freed   func()       // called without the lock when a worker becomes free
	quiet   chan struct{}
}

// newRoom makes room for so many workers, and for extra messages beside one for each of them.
func newRoom(workers, extra int) *room {
	p := &room{size: workers, extra: extra}
	p.freed = p.WakeNext
	return p
}

// claim is the part of one who takes messages. Several share a room: each claims some of it
// before it fetches, and where there is none they wait in turn.
type claim struct {
	Wake func() // tells that there may be room
	n    int    // claimed; guarded by the room's lock
}

// roomWorker is what a room knows of a worker.
type roomWorker struct {
	back bool // its handler was given up on and has returned; guarded by the room's lock
}

// hungHandler is a handler that was given up on and has not returned: its message is offered
// again, and its goroutine holds memory and whatever it hangs on.
type hungHandler struct {
	ID, Digest string // of the message, or of a batch's first one
	Batch      bool   // with which of several messages it hangs is not known
	Attempt    int    // 1 for the first one
	Hangs      int    // times that its handler hung, this one included
	Started    time.Time
	Since      time.Time // when it was given up on

	postponed int // how often its message came to this process since
}

// Free returns how many messages may be taken now.
func (p *room) Free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hung) >= p.MaxHung() {
		return 0
	}
	return p.all() - p.busy - p.claimed
}

// all is how many messages the workers may have at once. Caller holds mu.
func (p *room) all() int { return p.size + p.extra - p.spare }

// LeaveUnused makes room for n messages unused. It reports whether there is none left.
func (p *room) LeaveUnused(n int) (full bool) {
	p.mu.Lock()
	was := p.busy >= p.all()
	p.spare = n
	full = p.busy >= p.all()
	p.mu.Unlock()
	if was && !full {
		p.freed()
	}
	return full
}

// Leave counts one message that was settled.
func (p *room) Leave() {
	p.mu.Lock()
	p.busy--
	wasFull := p.busy+p.claimed == p.all()-1
	if p.busy == 0 && p.quiet != nil {
		close(p.quiet)
		p.quiet = nil
	}
	p.mu.Unlock()
	if wasFull {
		p.freed()
	}
}

// Reserve takes room without a message: a batch that is not full has its worker to
// itself. A negative n gives it back. It reports whether there is none left.
func (p *room) Reserve(n int) (full bool) {
	p.mu.Lock()
	was := p.busy >= p.all()
	p.extra -= n
	full = p.busy >= p.all()
	p.mu.Unlock()
	if was && !full {
		p.freed()
	}
	return full
}

// Idle returns a channel that is closed once no message is being handled,
// hung ones aside.
func (p *room) Idle() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := make(chan struct{})
	if p.busy == 0 {
		close(ch)
		return ch
	}
	if p.quiet == nil {
		p.quiet = ch
	}
	return p.quiet
}

// Counts returns the messages that are handled, and the handlers that hang.
func (p *room) Counts() (busy, hung int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy, len(p.hung)
}

// MaxHung is how many hung handlers a queue may gather before it stops taking.
func (p *room) MaxHung() int { return max(4, p.size) }

// TooManyHung reports whether so many handlers hang that nothing may be taken.
func (p *room) TooManyHung() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.hung) >= p.MaxHung()
}

// GaveUp notes that the worker's handler hangs. It returns how many do, 0 where that one
// has come back meanwhile: between the moment at which it was given up on and this one.
func (p *room) GaveUp(w *roomWorker, z hungHandler) int {
	p.mu.Lock()
	n := 0
	if !w.back {
		if p.hung == nil {
			p.hung = map[*roomWorker]hungHandler{}
		}
		p.hung[w] = z
		n = len(p.hung)
		p.hangs.Store(int32(n))
	}
	p.mu.Unlock()
	p.freed()
	return n
}

// CameBack notes that a handler that had been given up on has returned after all.
func (p *room) CameBack(w *roomWorker) (z hungHandler, left int) {
	p.mu.Lock()
	w.back = true
	z = p.hung[w]
	delete(p.hung, w)
	left = len(p.hung)
	p.hangs.Store(int32(left))
	p.mu.Unlock()
	p.freed()
	return z, left
}

// Hanging returns the handlers that hang, the oldest first.
func (p *room) Hanging() []hungHandler {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(maps.Values(p.hung), func(a, b hungHandler) int { return a.Since.Compare(b.Since) })
}

// Between these a message is offered again whose handler hangs here: the delay doubles, so that
// other processes get it soon, and it costs little where there are none.
const (
	postponeFirst = time.Second
	postponeMost  = time.Minute
)

// Postpone reports whether the handler of a message hangs here, and for how long the message
// is then to be left to other processes. It is quick where no handler hangs.
func (p *room) Postpone(id func() string) (d time.Duration, hangs bool) {
	if p.hangs.Load() == 0 {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	of := id()
	for w, z := range p.hung {
		if z.ID == of && !z.Batch {
			d = min(postponeFirst<<z.postponed, postponeMost)
			z.postponed = min(z.postponed+1, 6) // that is enough for postponeMost
			p.hung[w] = z
			return d, true
		}
	}
	return 0, false
}

// Claim takes room for up to n messages before its owner fetches them.
func (p *room) Claim(c *claim, n int) int {
	p.mu.Lock()
	c.n = max(min(n, p.all()-p.busy-p.claimed), 0)
	n = c.n
	p.claimed += n
	p.mu.Unlock()
	p.WakeNext()
	return n
}

// Keep gives back what is claimed beyond n.
func (p *room) Keep(c *claim, n int) {
	p.mu.Lock()
	over := max(c.n-n, 0)
	c.n -= over
	p.claimed -= over
	p.mu.Unlock()
	if over > 0 {
		p.WakeNext()
	}
}

// Fill counts n messages that were taken into what was claimed. It reports whether no
// room is left.
func (p *room) Fill(c *claim, n int) (full bool) {
	p.mu.Lock()
	p.claimed -= c.n
	c.n = 0
	p.busy += n
	full = p.busy >= p.all()
	p.mu.Unlock()
	p.WakeNext()
	return full
}

// Await lets a taker wait for room behind those that do.
func (p *room) Await(c *claim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.waiting, c) {
		p.waiting = append(p.waiting, c)
	}
}

// Begone ends the wait of a taker.
func (p *room) Begone(c *claim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, c); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
}

// WakeNext wakes the taker whose turn it is, where there is room for it.
func (p *room) WakeNext() {
	if c := p.next(); c != nil {
		c.Wake()
	}
}

func (p *room) next() *claim {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 || p.all()-p.busy-p.claimed <= 0 || len(p.hung) >= p.MaxHung() {
		return nil
	}
	c := p.waiting[0]
	p.waiting = slices.Delete(p.waiting, 0, 1)
	return c
}
