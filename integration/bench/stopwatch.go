package main

import (
	"context"
	"sync/atomic"
	"time"
)

// patience bounds one measurement.
const patience = time.Minute

// stopwatch times the way from the end of a warm-up, a tenth of all messages, to
// the last message. Safe for concurrent use.
type stopwatch struct {
	warm, all    int64
	count        atomic.Int64
	began, ended time.Time // written before done is closed
	done         chan struct{}
}

func newStopwatch(all int) *stopwatch {
	return &stopwatch{warm: int64(all / 10), all: int64(all), done: make(chan struct{})}
}

func (w *stopwatch) hit() {
	switch w.count.Add(1) {
	case w.warm:
		w.began = time.Now()
	case w.all:
		w.ended = time.Now()
		close(w.done)
	}
}

func (w *stopwatch) finished() bool { return w.count.Load() >= w.all }

// rate waits for the end and returns messages a second.
func (w *stopwatch) rate(ctx context.Context) (float64, error) {
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-w.done:
		return float64(w.all-w.warm) / w.ended.Sub(w.began).Seconds(), nil
	case <-t.C:
		return 0, errTooSlow
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}
