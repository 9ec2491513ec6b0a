package engine

import (
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lease"
)

// Acks ride on the next take. When none is near, they are sent alone after
// ackFlushAfter, or once ackFlushCount have gathered while the runner rests: the fewer acks are
// outstanding, the fewer messages are repeated after a crash. While Redis does not
// answer the pause grows to ackFlushMost.
const (
	ackFlushAfter = 20 * time.Millisecond
	ackFlushMost  = 5 * time.Second
	ackFlushCount = 32
)

// nextTake is when the runner is going to take.
type nextTake uint8

const (
	takeNow  nextTake = iota // it is about to
	takeSoon                 // as soon as a worker is free, which an ack may be the sign of
	takeFar                  // nobody knows: it rests, or the intake is closed
)

// ackBuffer gathers the tokens of handled messages until they are sent. Whoever
// drains it owns the tokens until they are handed back by sent or putBack.
type ackBuffer struct {
	mu      sync.Mutex
	tokens  []lease.Token
	spare   []lease.Token // a buffer that was sent, for reuse
	loose   bool          // a fetch was settled without acks: its list is to be deleted
	next    nextTake      // when the acks can ride
	stopped bool
	armed   bool          // the timer runs
	after   time.Duration // the pause before the next sending, 0 for the shortest
	timer   *time.Timer
	flush   func() // sends what is gathered; called on its own goroutine
}

func newAckBuffer(flush func()) *ackBuffer { return &ackBuffer{flush: flush} }

// add gathers one token.
func (b *ackBuffer) add(t lease.Token) {
	b.mu.Lock()
	b.tokens = append(b.tokens, t)
	now := b.next == takeFar && b.after == 0 && !b.stopped && len(b.tokens) == ackFlushCount
	b.armLocked()
	b.mu.Unlock()
	if now {
		go b.flush()
	}
}

// loosen says that a message was settled in another way than by an ack, so that
// the list of its fetch may be finished: the next request deletes it.
func (b *ackBuffer) loosen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loose = true
	b.armLocked()
}

// drain hands over all gathered tokens.
func (b *ackBuffer) drain() []lease.Token {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.tokens
	b.tokens, b.spare, b.loose = b.spare, nil, false
	b.disarmLocked()
	return out
}

// sent takes drained tokens back that have reached Redis.
func (b *ackBuffer) sent(ts []lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.after = 0
	if cap(ts) > cap(b.spare) {
		b.spare = ts[:0]
	}
}

// putBack takes drained tokens back whose sending failed; acks are idempotent.
func (b *ackBuffer) putBack(ts []lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = append(b.tokens, ts...)
	b.after = min(max(2*b.after, 2*ackFlushAfter), ackFlushMost)
	b.armLocked()
}

// expect says when the next take can carry the acks.
func (b *ackBuffer) expect(n nextTake) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = n
	b.armLocked()
}

// armLocked starts the timer where there is something to send and no take is near.
// A running one is left alone: what comes later must not put the sending off.
func (b *ackBuffer) armLocked() {
	if b.armed || b.stopped || b.next == takeNow || len(b.tokens) == 0 && !b.loose {
		return
	}
	b.armed = true
	after := max(b.after, ackFlushAfter)
	if b.timer == nil {
		b.timer = time.AfterFunc(after, b.fire)
		return
	}
	b.timer.Reset(after)
}

func (b *ackBuffer) disarmLocked() {
	if b.armed {
		b.armed = false
		b.timer.Stop()
	}
}

func (b *ackBuffer) fire() {
	b.mu.Lock()
	b.armed = false
	ended := b.stopped
	b.mu.Unlock()
	if !ended {
		b.flush()
	}
}

// stop ends the timer for good.
func (b *ackBuffer) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.disarmLocked()
}
