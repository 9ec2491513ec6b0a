package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// consumeBLPOP is the plainest consumer there is, and what Redisson's take() does on
// the wire: pop, then work.
func consumeBLPOP(ctx context.Context, r *role, l *ledger) error {
	options, err := redis.ParseURL(r.Redis.URL)
	if err != nil {
		return err
	}
	rdb := redis.NewClient(options)
	defer func() { _ = rdb.Close() }() // nothing more to send
	var running sync.WaitGroup
	for range r.Workers {
		running.Go(func() {
			for ctx.Err() == nil {
				got, err := rdb.BLPop(context.WithoutCancel(ctx), time.Second, r.Queue).Result()
				if err == nil {
					_ = r.handle(context.WithoutCancel(ctx), l, idOf(got[1]), 2, 0) // what fails is gone
				}
			}
		})
	}
	running.Wait()
	return nil
}

const asynqType = "chaos"

func (r *role) asynqRedis() (asynq.RedisConnOpt, error) { return asynq.ParseRedisURI(r.Redis.URL) }

// consumeAsynq is asynq's server with its defaults.
func consumeAsynq(ctx context.Context, r *role, l *ledger) error {
	to, err := r.asynqRedis()
	if err != nil {
		return err
	}
	srv := asynq.NewServer(to, asynq.Config{Concurrency: r.Workers, LogLevel: asynq.FatalLevel})
	err = srv.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		retried, _ := asynq.GetRetryCount(ctx)
		return r.handle(ctx, l, idOf(string(t.Payload())), retried+2, 0) // none fails on purpose: its first retry takes half a minute
	}))
	if err != nil {
		return err
	}
	<-ctx.Done()
	srv.Shutdown()
	return nil
}

func produceAsynq(ctx context.Context, r *role, l *ledger) error {
	to, err := r.asynqRedis()
	if err != nil {
		return err
	}
	client := asynq.NewClient(to)
	defer func() { _ = client.Close() }() // nothing more to send
	p := &producer{role: r, book: l, random: r.random()}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(p.random.ExpFloat64() * float64(r.Every))):
		}
		c := p.distinct()
		id, value := c.id, c.value
		delay := p.delay()
		if err := l.note(ctx, noteOffering, id, millis(delay)); err != nil {
			return err
		}
		// Named tasks: an offer that was sent twice is found out.
		_, err := client.EnqueueContext(ctx, asynq.NewTask(asynqType, []byte(value)), asynq.ProcessIn(delay), asynq.TaskID(id))
		kind, rest := byte(noteAccepted), ""
		if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
			kind, rest = noteUnknown, err.Error()
		}
		if err := l.note(context.WithoutCancel(ctx), kind, id, rest); err != nil {
			return err
		}
	}
}
