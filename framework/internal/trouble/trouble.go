// Package trouble is about what does not work now: when the log hears of it, when it is tried
// again, and how long it is waited for.
package trouble

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// State is something that does not work now. The log has a line where it begins, where
// its cause changes and where it ends; this says which of them is due. The zero value is
// no trouble. Safe for concurrent use.
type State struct {
	on    atomic.Bool // keeps what works free of the lock
	mu    sync.Mutex
	err   error
	since time.Time
}

// Begin notes why it does not work, and reports whether that is news.
func (t *State) Begin(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.err
	t.err = err
	t.on.Store(true)
	if old == nil {
		t.since = time.Now()
		return true
	}
	// Where Redis does not answer the words of the error change with each try.
	return (Answered(old) || Answered(err)) && text(old) != text(err)
}

// End notes that it works. It reports for how long it did not; was is false where there
// was no trouble.
func (t *State) End() (lasted time.Duration, was bool) {
	if !t.on.Load() {
		return 0, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		return 0, false
	}
	t.err = nil
	t.on.Store(false)
	return time.Since(t.since).Round(time.Millisecond), true
}

// Cause is why it does not work, nil where it does.
func (t *State) Cause() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Answered reports whether an error is an answer of Redis: what it refuses once it
// refuses again, until somebody has done something about it.
func Answered(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer)
}

// text is one printable line.
func text(err error) string { return errtext.Of(err, 1<<10) }
