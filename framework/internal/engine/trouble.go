package engine

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// trouble is something that does not work now. The log has a line where it begins, where
// its cause changes and where it ends; this says which of them is due. The zero value is
// no trouble. Safe for concurrent use.
type trouble struct {
	on    atomic.Bool // keeps what works free of the lock
	mu    sync.Mutex
	err   error
	since time.Time
}

// begin notes why it does not work, and reports whether that is news.
func (t *trouble) begin(err error) bool {
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
	return (answered(old) || answered(err)) && errText(old) != errText(err)
}

// end notes that it works. It reports for how long it did not; was is false where there
// was no trouble.
func (t *trouble) end() (lasted time.Duration, was bool) {
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

// cause is why it does not work, nil where it does.
func (t *trouble) cause() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// answered reports whether an error is an answer of Redis: what it refuses once it
// refuses again, until somebody has done something about it.
func answered(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer)
}
