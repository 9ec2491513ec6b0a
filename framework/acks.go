package framework

import (
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lease"
)

// Acks ride on the next take. When none is near, they are sent alone after
// ackFlushAfter or once ackFlushCount have gathered: the fewer acks are
// outstanding, the fewer messages are repeated after a crash.
const (
	ackFlushAfter = 20 * time.Millisecond
	ackFlushCount = 32
)

// ackBuffer gathers the tokens of handled messages until they are sent.
type ackBuffer struct {
	mu      sync.Mutex
	tokens  []lease.Token
	spare   []lease.Token // the buffer given out last time, for reuse
	loose   bool          // a fetch was settled without acks: its list is to be deleted
	waiting bool          // the runner is not about to take
	timer   *time.Timer
	flush   func() // sends what is gathered; called on its own goroutine
}

func newAckBuffer(flush func()) *ackBuffer { return &ackBuffer{flush: flush} }

// add gathers one token.
func (b *ackBuffer) add(t lease.Token) {
	b.mu.Lock()
	b.tokens = append(b.tokens, t)
	now := b.waiting && len(b.tokens) == ackFlushCount
	if b.waiting && len(b.tokens) == 1 {
		b.armLocked()
	}
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
	if b.waiting {
		b.armLocked()
	}
}

// drain hands over all gathered tokens. The slice is valid until the next but
// one drain.
func (b *ackBuffer) drain() []lease.Token {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.tokens
	b.tokens, b.spare = b.spare[:0], out
	b.loose = false
	if b.timer != nil {
		b.timer.Stop()
	}
	return out
}

// putBack returns tokens whose sending failed; acks are idempotent.
func (b *ackBuffer) putBack(ts []lease.Token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = append(b.tokens, ts...)
	if b.waiting && len(b.tokens) > 0 {
		b.armLocked()
	}
}

// setWaiting says whether the runner rests, so that no take will carry the acks.
func (b *ackBuffer) setWaiting(w bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = w
	if w && (len(b.tokens) > 0 || b.loose) {
		b.armLocked()
	}
}

func (b *ackBuffer) armLocked() {
	if b.timer == nil {
		b.timer = time.AfterFunc(ackFlushAfter, b.flush)
		return
	}
	b.timer.Reset(ackFlushAfter)
}

func (b *ackBuffer) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
}
