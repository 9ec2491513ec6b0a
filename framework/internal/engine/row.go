package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// deadRow remembers the dead store's entries of undecodable messages in a row,
// so that a wrong codec's row can be taken back.
type deadRow struct {
	mu      sync.Mutex
	entries []rowEntry
	any     atomic.Bool // keeps the healthy path free of the lock
	timer   *time.Timer // tells of those that nothing has followed
}

// rowSettles is how long after the last undecodable message the row is told of: until then
// more may follow, and all go back.
const rowSettles = 10 * time.Second

// rowEntry is one message of the row.
type rowEntry struct {
	seq   uint64 // its place in the queue
	entry string // in the dead store
	tell  func() // counts and logs that it is dead; nil once that was done
}

// add adds a message that lies in the dead store; tell is called once it is likely to stay
// there: when a payload could be decoded, after [rowSettles], or when the process stops.
func (d *deadRow) add(seq uint64, entry string, tell func()) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, rowEntry{seq, entry, tell})
	d.any.Store(true)
	if d.timer == nil {
		d.timer = time.AfterFunc(rowSettles, d.tell)
		return
	}
	d.timer.Reset(rowSettles)
}

// tell tells of those that are not told of yet.
func (d *deadRow) tell() {
	d.mu.Lock()
	var untold []func()
	for i := range d.entries {
		if e := &d.entries[i]; e.tell != nil {
			untold = append(untold, e.tell)
			e.tell = nil
		}
	}
	d.mu.Unlock()
	for _, f := range untold {
		f()
	}
}

// clear ends the row, whose messages stay in the dead store: a payload could be decoded, or
// the process stops.
func (d *deadRow) clear() {
	if !d.any.Load() {
		return
	}
	d.tell()
	d.take()
}

// take returns the row in the order of the queue, whatever order the workers
// buried it in, and begins a new one. told is how many were reported dead.
func (d *deadRow) take() (out []string, told int) {
	d.mu.Lock()
	found := d.entries
	d.entries = nil
	d.any.Store(false)
	if d.timer != nil {
		d.timer.Stop()
	}
	d.mu.Unlock()
	slices.SortFunc(found, func(a, b rowEntry) int { return cmp.Compare(a.seq, b.seq) })
	out = make([]string, len(found))
	for i, e := range found {
		out[i] = e.entry
		if e.tell == nil {
			told++
		}
	}
	return out, told
}
