package rlock

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
)

// line is those of this process that wait for one lock: the one that has the turn asks Redis, in
// the order in which they came.
type line struct {
	turn   chan struct{}
	notice chan struct{} // the lock may be free
	many   int           // guarded by the mutex of the locker
}

// join gets in line.
func (l *Locker) join(ctx context.Context, in names) *line {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.lines[in.channel]
	if at == nil {
		at = &line{turn: make(chan struct{}, 1), notice: make(chan struct{}, 1)}
		l.lines[in.channel] = at
		if l.notices == nil && !l.closed {
			l.notices = l.listen(context.WithoutCancel(ctx)) // until Close
		}
		if l.notices != nil {
			l.notices.sub.Join(in.channel)
		}
	}
	at.many++
	return at
}

// leave leaves it.
func (l *Locker) leave(in names, at *line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.many--; at.many > 0 {
		return
	}
	delete(l.lines, in.channel)
	if l.notices != nil {
		l.notices.sub.Leave(in.channel)
	}
}

// notify wakes the first in line.
func (l *Locker) notify(channel string) {
	l.mu.Lock()
	at := l.lines[channel]
	l.mu.Unlock()
	if at != nil {
		at.wake()
	}
}

// notifyAll wakes the first of each line: what was published meanwhile is not known.
func (l *Locker) notifyAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.lines {
		at.wake()
	}
}

func (at *line) wake() {
	select {
	case at.notice <- struct{}{}:
	default: // it looks anyway
	}
}

// notices is the subscription of a locker.
type notices struct {
	sub   *connect.Subscriber
	end   context.CancelFunc
	parts background.Group
}

// listen subscribes, without a channel at first.
func (l *Locker) listen(ctx context.Context) *notices {
	ctx, end := context.WithCancel(ctx)
	events := make(chan connect.Event, 16)
	n := &notices{sub: connect.Subscribe(l.redis.Redis, connect.SubscribeOptions{}, events), end: end}
	n.parts.Loop(ctx, "hear of free locks", func() { n.sub.Run(ctx) })
	n.parts.Loop(ctx, "wake who waits for a lock", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-events:
				switch e.Kind {
				case connect.Message, connect.Joined:
					l.notify(e.Channel)
				case connect.Up:
					l.notifyAll()
				case connect.Alive, connect.Down, connect.Denied: // waiters look from time to time
				}
			}
		}
	})
	return n
}

func (n *notices) close() {
	if n != nil {
		n.end()
		n.parts.Wait()
	}
}
