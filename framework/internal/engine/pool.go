package engine

import (
	"sync"
	"sync/atomic"
)

// pool counts the workers of one queue. A worker whose handler is given up on
// hangs: another one takes its place, until there are too many.
type pool struct {
	mu    sync.Mutex
	size  int // workers
	extra int // messages that there is room for beyond one for each worker
	busy  int // messages
	hung  map[*worker]hungHandler
	freed func() // called without the lock when a worker becomes free
	quiet chan struct{}
	slots []*worker
}

// worker is one goroutine that runs handlers; current is what it runs now. Who
// swaps current for nil, the worker or the watchdog, settles the message.
type worker struct {
	current atomic.Pointer[job]
	goid    string // number of its goroutine, set before the first job
	back    bool   // its handler was given up on and has returned; guarded by pool.mu

	decoded []decoded // of the group that it decodes; kept to be used again

	// Room reserved beside the messages it runs; of whoever swaps current, as these.
	reserved int
}

// free returns how many messages may be taken now.
func (p *pool) free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hung) >= p.maxHung() {
		return 0
	}
	return p.size + p.extra - p.busy
}

// enter counts messages that were taken.
func (p *pool) enter(n int) {
	p.mu.Lock()
	p.busy += n
	p.mu.Unlock()
}

// leave counts one message that was settled.
func (p *pool) leave() {
	p.mu.Lock()
	p.busy--
	wasFull := p.busy == p.size+p.extra-1
	if p.busy == 0 && p.quiet != nil {
		close(p.quiet)
		p.quiet = nil
	}
	p.mu.Unlock()
	if wasFull {
		p.freed()
	}
}

// reserve takes room without a message: a batch that is not full has its worker to
// itself. A negative n gives it back. It reports whether there is none left.
func (p *pool) reserve(n int) (full bool) {
	p.mu.Lock()
	was := p.busy >= p.size+p.extra
	p.extra -= n
	full = p.busy >= p.size+p.extra
	p.mu.Unlock()
	if was && !full {
		p.freed()
	}
	return full
}

// idle returns a channel that is closed once no message is being handled,
// hung ones aside.
func (p *pool) idle() <-chan struct{} {
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

// counts returns the messages that are handled, and the handlers that hang.
func (p *pool) counts() (busy, hung int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy, len(p.hung)
}

// running visits every job whose handler runs now.
func (p *pool) running(visit func(w *worker, j *job)) {
	p.mu.Lock()
	slots := p.slots
	p.mu.Unlock()
	for _, w := range slots {
		if j := w.current.Load(); j != nil {
			visit(w, j)
		}
	}
}

// start adds a worker; with old set it takes that one's place.
func (p *pool) start(old *worker, work func(*worker)) {
	w := &worker{}
	p.mu.Lock()
	next := make([]*worker, 0, len(p.slots)+1)
	for _, s := range p.slots {
		if s != old {
			next = append(next, s)
		}
	}
	p.slots = append(next, w) // copied: running reads it without the lock
	p.mu.Unlock()
	go work(w)
}
