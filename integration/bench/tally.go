package main

import (
	"sync/atomic"
	"time"
)

// tally notes when handlers begin. Safe for concurrent use.
type tally struct {
	due                       int64 // µs: a handler that begins before it is early; 0 where none can be
	count, early, first, last atomic.Int64
}

func (t *tally) hit() {
	now := time.Now().UnixMicro()
	if now < t.due {
		t.early.Add(1)
	}
	if t.first.Load() == 0 {
		t.first.CompareAndSwap(0, now)
	}
	for {
		last := t.last.Load()
		if last >= now || t.last.CompareAndSwap(last, now) {
			t.count.Add(1)
			return
		}
	}
}

func (t *tally) handled() handled {
	return handled{Count: t.count.Load(), Early: t.early.Load(), First: t.first.Load(), Last: t.last.Load()}
}
