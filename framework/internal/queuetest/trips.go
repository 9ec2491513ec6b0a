package queuetest

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// EachTrip is a hook of a Redis client: it is called in front of each command and each pipeline, thus
// of each round trip, on the goroutine that waits for it.
type EachTrip func(ctx context.Context, cmds []redis.Cmder)

// DialHook does nothing.
func (EachTrip) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook calls f with the command.
func (f EachTrip) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		f(ctx, []redis.Cmder{cmd})
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook calls f with the commands.
func (f EachTrip) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		f(ctx, cmds)
		return next(ctx, cmds)
	}
}
