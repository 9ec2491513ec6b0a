package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/hibiken/asynq"
)

const (
	asynqProducers = 8               // goroutines that offer: asynq knows no offers in bulk
	asynqLooks     = 5 * time.Second // how often it looks for what is due, by default
)

// asynq fills its own queue, then empties it with a no-op handler.
func (b *bench) asynq(n int) (float64, error) {
	if err := b.enqueue(n, func() {}); err != nil {
		return 0, err
	}
	watch := newStopwatch(n)
	srv, handler := b.newAsynq(watch.hit)
	if err := srv.Start(handler); err != nil {
		return 0, fmt.Errorf("start asynq: %w", err)
	}
	defer srv.Shutdown()
	return watch.rate(b.ctx)
}

// newAsynq is a server with asynq's defaults, and a handler that calls hit and does nothing else.
func (b *bench) newAsynq(hit func()) (*asynq.Server, asynq.Handler) {
	srv := asynq.NewServer(b.asynqRedis(), asynq.Config{Concurrency: burstWorkers, LogLevel: asynq.FatalLevel})
	return srv, asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		hit()
		return nil
	})
}

func (b *bench) asynqRedis() asynq.RedisClientOpt { return asynq.RedisClientOpt{Addr: b.srv.Addr()} }

// enqueue offers n messages, and calls hit after each.
func (b *bench) enqueue(n int, hit func(), opts ...asynq.Option) error {
	client := asynq.NewClient(b.asynqRedis())
	errs := make([]error, asynqProducers)
	var running sync.WaitGroup
	for p := range asynqProducers {
		running.Go(func() {
			for i := p; i < n; i += asynqProducers {
				if _, err := client.EnqueueContext(b.ctx, asynq.NewTask("bench", text(i)), opts...); err != nil {
					errs[p] = fmt.Errorf("offer to asynq: %w", err)
					return
				}
				hit()
			}
		})
	}
	running.Wait()
	return errors.Join(errors.Join(errs...), client.Close())
}

// offerAsynq returns offers a second.
func (b *bench) offerAsynq(n int, due time.Time) (float64, error) {
	runtime.GC()
	watch := newStopwatch(n)
	if err := b.enqueue(n, watch.hit, asynq.ProcessAt(due)); err != nil {
		return 0, err
	}
	return watch.rate(b.ctx)
}

// asynqServer is a server of asynq in this process.
type asynqServer struct {
	b       *bench
	srv     *asynq.Server
	handler asynq.Handler
	began   tally
}

func (b *bench) serveAsynq(_ int, due time.Time) (server, error) {
	s := &asynqServer{b: b, began: tally{due: due.UnixMicro()}}
	s.srv, s.handler = b.newAsynq(s.began.hit)
	return s, nil
}

func (s *asynqServer) start() (time.Time, error) {
	began := time.Now()
	if err := s.srv.Start(s.handler); err != nil {
		return began, fmt.Errorf("start asynq: %w", err)
	}
	return began, nil
}

func (*asynqServer) rest() error {
	runtime.GC()
	return nil
}

func (s *asynqServer) await(n int) (h handled, err error) {
	err = s.b.until(burstLimit, 10*time.Millisecond, func() (bool, error) { return s.began.count.Load() >= int64(n), nil })
	if err != nil {
		return handled{}, err
	}
	return s.began.handled(), nil
}

func (s *asynqServer) stop() error {
	s.srv.Shutdown()
	return nil
}
