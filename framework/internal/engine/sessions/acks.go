package sessions

import (
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/lease"
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

// NextTake is when the runner is going to take.
type NextTake uint8

// When it takes.
const (
	TakeNow  NextTake = iota // it is about to
	TakeSoon                 // as soon as a worker is free, which an ack may be the sign of
	TakeFar                  // unknown when: it rests, or the intake is closed
)

// Acks gathers the tokens of handled messages until they are sent. Whoever
// drains it owns the tokens until they are handed back by Sent or PutBack.
type Acks struct {
	mu      sync.Mutex
	tokens  []lease.Token
	spare   []lease.Token // a buffer that was sent, for reuse
	loose   bool          // a fetch was settled without acks: its list is to be deleted
	next    NextTake      // when the acks can ride
	stopped bool
	armed   bool          // the timer runs
	after   time.Duration // the pause before the next sending, 0 for the shortest
	timer   *time.Timer
	flush   func() // sends what is gathered; called on its own goroutine
}

func newAcks(flush func()) *Acks { return &Acks{flush: flush} }

// Add gathers one token.
func (b *Acks) Add(t lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = append(b.tokens, t)
	b.armLocked()
	if b.armed && b.next == TakeFar && b.after == 0 && len(b.tokens) == ackFlushCount {
		b.timer.Reset(0)
	}
}

// Loosen says that a message was settled in another way than by an ack, so that
// the list of its fetch may be finished: the next request deletes it.
func (b *Acks) Loosen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loose = true
	b.armLocked()
}

// Drain hands over all gathered tokens.
func (b *Acks) Drain() []lease.Token {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.tokens
	b.tokens, b.spare, b.loose = b.spare, nil, false
	b.disarmLocked()
	return out
}

// Sent takes drained tokens back that have reached Redis.
func (b *Acks) Sent(ts []lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.after = 0
	if cap(ts) > cap(b.spare) {
		b.spare = ts[:0]
	}
}

// PutBack takes drained tokens back whose sending failed; acks are idempotent.
func (b *Acks) PutBack(ts []lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = append(b.tokens, ts...)
	b.after = min(max(2*b.after, 2*ackFlushAfter), ackFlushMost)
	b.armLocked()
}

// Expect says when the next take can carry the acks.
func (b *Acks) Expect(n NextTake) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = n
	b.armLocked()
}

// armLocked starts the timer where there is something to send and no take is near.
// A running one is left alone: what comes later must not put the sending off.
func (b *Acks) armLocked() {
	if b.armed || b.stopped || b.next == TakeNow || len(b.tokens) == 0 && !b.loose {
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

func (b *Acks) disarmLocked() {
	if b.armed {
		b.armed = false
		b.timer.Stop()
	}
}

func (b *Acks) fire() {
	b.mu.Lock()
	b.armed = false
	ended := b.stopped
	b.mu.Unlock()
	if !ended {
		b.flush()
	}
}

// stop ends the timer for good.
func (b *Acks) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	b.disarmLocked()
}
