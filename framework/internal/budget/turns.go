package budget

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrCrowded says that too many wait already.
var ErrCrowded = errors.New("too many wait for their turn")

// Turns shares a few places between people, so that somebody who asks often does not shut out the
// others: a few at a time have a turn. Who waits is served in turn with the others, whatever
// number of turns each of them wants. It is safe for concurrent use.
type Turns struct {
	free           int
	mostOf, mostIn int

	mu    sync.Mutex
	lines []*line // of those who wait, the next one first
	wait  int     // all that wait
}

// line are the turns that one of them waits for, the oldest first.
type line struct {
	who  string
	wait []chan struct{} // closed when it is its turn
}

// NewTurns lets n have a turn at a time. At most so many wait of one, and in all.
func NewTurns(n, ofOne, inAll int) *Turns { return &Turns{free: n, mostOf: ofOne, mostIn: inAll} }

// Take waits for a turn. Call end when it is over. The error is [ErrCrowded] or the cause of the
// end of ctx.
func (t *Turns) Take(ctx context.Context, who string) (end func(), err error) {
	mine, err := t.join(who)
	if err != nil {
		return nil, err
	}
	if mine != nil {
		select {
		case <-mine:
		case <-ctx.Done():
			if t.leave(who, mine) {
				return nil, context.Cause(ctx)
			}
			t.next() // it was given meanwhile
			return nil, context.Cause(ctx)
		}
	}
	return sync.OnceFunc(t.next), nil
}

// Taken reports whether all turns are taken.
func (t *Turns) Taken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.free == 0
}

// join returns nil where it is the turn of who asks, else what is closed then.
func (t *Turns) join(who string) (chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil, nil
	}
	at := t.lineOf(who)
	if t.wait >= t.mostIn || at >= 0 && len(t.lines[at].wait) >= t.mostOf {
		return nil, ErrCrowded
	}
	if at < 0 {
		at = len(t.lines)
		t.lines = append(t.lines, &line{who: who})
	}
	mine := make(chan struct{})
	t.lines[at].wait = append(t.lines[at].wait, mine)
	t.wait++
	return mine, nil
}

func (t *Turns) lineOf(who string) int {
	return slices.IndexFunc(t.lines, func(l *line) bool { return l.who == who })
}

// leave gives up waiting, and reports false for what was given already.
func (t *Turns) leave(who string, mine chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.lineOf(who)
	if at < 0 {
		return false
	}
	l := t.lines[at]
	i := slices.Index(l.wait, mine)
	if i < 0 {
		return false
	}
	t.wait--
	if l.wait = slices.Delete(l.wait, i, i+1); len(l.wait) == 0 {
		t.lines = slices.Delete(t.lines, at, at+1)
	}
	return true
}

// next gives a turn that is over to the next in turn.
func (t *Turns) next() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		t.free++
		return
	}
	l := t.lines[0]
	t.lines = append(t.lines[:0:0], t.lines[1:]...)
	t.wait--
	close(l.wait[0])
	if l.wait = l.wait[1:]; len(l.wait) > 0 {
		t.lines = append(t.lines, l)
	}
}
