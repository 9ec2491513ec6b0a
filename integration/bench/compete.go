package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// stopwatch times the way from the end of a warm-up, a tenth of all messages, to the last message.
// Safe for concurrent use.
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

// rate waits for the end and returns messages a second.
func (w *stopwatch) rate(ctx context.Context) (float64, error) {
	select {
	case <-w.done:
		return float64(w.all-w.warm) / w.ended.Sub(w.began).Seconds(), nil
	case <-time.After(patience):
		return 0, errors.New("not all messages came in time")
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// contestant is one way to do something n times.
type contestant struct {
	name    string
	queue   string // that is filled before; empty: it fills its own
	payload func(int) string
	n       int
	run     func(n int) (float64, error) // how many a second
}

// compete runs all contestants in each round. The round before the first one is short, and warms
// up. after, which may be nil, looks at what each has left in Redis.
func (b *bench) compete(all []contestant, after func(f figures, who string, n float64) error) (figures, error) {
	f := figures{}
	for round := range b.plan.rounds + 1 {
		b.progress("  round %d of %d", round, b.plan.rounds)
		for _, who := range all {
			if round == 0 {
				who.n = max(who.n/5, 100)
			}
			rate, redis, own, err := b.competeOnce(who)
			if err == nil && after != nil && round > 0 {
				err = after(f, who.name, float64(who.n))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", who.name, err)
			}
			if round > 0 {
				f.add("rate", who.name, rate)
				f.add("redis", who.name, redis)
				f.add("own", who.name, own)
			}
		}
	}
	return f, nil
}

// competeOnce returns how many a second and, for each, the µs of Redis and of this process.
func (b *bench) competeOnce(who contestant) (rate, redis, own float64, err error) {
	if err = b.rdb.FlushAll(b.ctx).Err(); err != nil {
		return 0, 0, 0, err
	}
	if who.queue != "" {
		if err = b.push(b.rdb, who.queue, who.n, who.payload); err != nil {
			return 0, 0, 0, err
		}
	}
	runtime.GC()
	end, err := watchLoad(b.ctx, b.rdb)
	if err != nil {
		return 0, 0, 0, err
	}
	before := ownCPU()
	if rate, err = who.run(who.n); err != nil {
		return 0, 0, 0, err
	}
	own = ownCPU() - before
	l, err := end()
	n := float64(who.n)
	return rate, l.cpu / n, own / n, err
}
