// Package unsent remembers for which queues this process has written rows into an outbox, so that its
// engines can show that: who only writes rows asks the database alone.
package unsent

import (
	"sync"
	"sync/atomic"
	"time"
)

// queues are the times of the last rows, by the names that Java gives the queues.
var queues sync.Map // string → *atomic.Int64, ns

// Note notes a row.
func Note(queue string) {
	at, found := queues.Load(queue)
	if !found {
		at, _ = queues.LoadOrStore(queue, &atomic.Int64{})
	}
	at.(*atomic.Int64).Store(time.Now().UnixNano())
}

// Since returns the queues for which rows were written since then.
func Since(then time.Time) (names []string) {
	queues.Range(func(name, at any) bool {
		if at.(*atomic.Int64).Load() > then.UnixNano() {
			names = append(names, name.(string))
		}
		return true
	})
	return names
}
