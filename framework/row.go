package framework

import (
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/sniff"
)

// deadRow remembers the dead store's entries of undecodable messages in a row,
// so that a wrong codec's row can be taken back.
type deadRow struct {
	mu      sync.Mutex
	entries []string
	any     atomic.Bool // keeps the healthy path free of the lock
}

func (d *deadRow) add(entry string) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	d.entries = append(d.entries, entry)
	d.any.Store(true)
	d.mu.Unlock()
}

// clear ends the row: a payload could be decoded.
func (d *deadRow) clear() {
	if !d.any.Load() {
		return
	}
	d.take()
}

func (d *deadRow) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.entries
	d.entries = nil
	d.any.Store(false)
	return out
}

// looksLike says for people what the bytes may be.
func looksLike(body []byte) string {
	guesses := sniff.Guess(body)
	if len(guesses) == 0 {
		return "unknown"
	}
	best := guesses[0]
	return best.Codec + " (" + best.Why + ")"
}
