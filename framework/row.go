package framework

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/sniff"
)

// deadRow remembers the dead store's entries of undecodable messages in a row,
// so that a wrong codec's row can be taken back.
type deadRow struct {
	mu      sync.Mutex
	entries []rowEntry
	any     atomic.Bool // keeps the healthy path free of the lock
}

// rowEntry is one message of the row.
type rowEntry struct {
	seq   uint64 // its place in the queue
	entry string // in the dead store
}

func (d *deadRow) add(seq uint64, entry string) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	d.entries = append(d.entries, rowEntry{seq, entry})
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

// take returns the row in the order of the queue, whatever order the workers
// buried it in, and begins a new one.
func (d *deadRow) take() []string {
	d.mu.Lock()
	found := d.entries
	d.entries = nil
	d.any.Store(false)
	d.mu.Unlock()
	slices.SortFunc(found, func(a, b rowEntry) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]string, len(found))
	for i, e := range found {
		out[i] = e.entry
	}
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
