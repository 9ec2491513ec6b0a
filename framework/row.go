package framework

import (
	"sync"
	"sync/atomic"
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
