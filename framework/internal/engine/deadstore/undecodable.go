package deadstore

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Undecodable remembers the entries of messages that could not be decoded, one after the
// other, so that what a wrong codec has buried can be taken back. The zero value is empty.
type Undecodable struct {
	mu      sync.Mutex
	entries []undecodable
	any     atomic.Bool // keeps the healthy path free of the lock
	timer   *time.Timer // tells of those that nothing has followed
}

// settlesAfter is how long after the last one they are told of: until then
// more may follow, and all go back.
const settlesAfter = 10 * time.Second

// undecodable is one message.
type undecodable struct {
	seq   uint64 // its place in the queue
	entry string // in the dead store
	tell  func() // counts and logs that it is dead; nil once that was done
}

// Add adds a message that lies in the dead store; tell is called once it is likely to stay
// there: when a payload could be decoded, after [settlesAfter], or when the process stops.
func (d *Undecodable) Add(seq uint64, entry string, tell func()) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, undecodable{seq, entry, tell})
	d.any.Store(true)
	if d.timer == nil {
		d.timer = time.AfterFunc(settlesAfter, d.tell)
		return
	}
	d.timer.Reset(settlesAfter)
}

// tell tells of those that are not told of yet.
func (d *Undecodable) tell() {
	d.mu.Lock()
	untold := untold(d.entries)
	d.mu.Unlock()
	for _, f := range untold {
		f()
	}
}

// untold returns how to tell of entries, and marks them as told of.
func untold(entries []undecodable) (out []func()) {
	for i := range entries {
		if e := &entries[i]; e.tell != nil {
			out = append(out, e.tell)
			e.tell = nil
		}
	}
	return out
}

// Clear forgets all, which stay in the dead store, and tells of them: a payload could be
// decoded, or the process stops.
func (d *Undecodable) Clear() {
	if !d.any.Load() {
		return
	}
	for _, f := range untold(d.forget()) {
		f()
	}
}

// Take returns the entries in the order of the queue, whatever order the workers
// buried them in, and forgets them. told is how many were reported dead.
func (d *Undecodable) Take() (out []string, told int) {
	found := d.forget()
	slices.SortFunc(found, func(a, b undecodable) int { return cmp.Compare(a.seq, b.seq) })
	out = make([]string, len(found))
	for i, e := range found {
		out[i] = e.entry
		if e.tell == nil {
			told++
		}
	}
	return out, told
}

func (d *Undecodable) forget() []undecodable {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := d.entries
	d.entries = nil
	d.any.Store(false)
	if d.timer != nil {
		d.timer.Stop()
	}
	return found
}
