package script

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Ahead is a script that another request carries ahead of its own command, in the same trip
// to Redis. It belongs to the goroutine that received it from an [Offer], which must send it by
// [Ahead.Send] or refuse it: the other side waits for that. A nil one is none.
type Ahead struct {
	cmd   redis.Cmder
	ended bool          // it was sent or refused
	sent  bool          // written before over is closed
	over  chan struct{} // closed when it has ended
}

// Send sends both commands in one pipeline and returns the error of cmd. Redis answers each by
// itself; an error of the connection is one of both.
func (a *Ahead) Send(ctx context.Context, rdb Pipelined, cmd redis.Cmder) error {
	pipe := rdb.Pipeline()
	_, _ = pipe.Process(ctx, a.cmd), pipe.Process(ctx, cmd)
	if _, err := pipe.Exec(ctx); err != nil && a.cmd.Err() == nil && cmd.Err() == nil { // a hook has stopped both
		a.cmd.SetErr(err)
		cmd.SetErr(err)
	}
	a.end(true)
	return cmd.Err()
}

// Waiting reports whether it is to be sent or refused.
func (a *Ahead) Waiting() bool { return a != nil && !a.ended }

// Refuse leaves it to who offered it. After it was sent it has no effect.
func (a *Ahead) Refuse() {
	if a.Waiting() {
		a.end(false)
	}
}

func (a *Ahead) end(sent bool) {
	a.ended, a.sent = true, sent
	close(a.over)
}

// Offer is where a script is offered to a goroutine that waits to send a request of its own.
// It must have no buffer: who receives is ready now. A nil one finds no one.
type Offer chan *Ahead

// Before returns rdb for one script, which goes ahead of the next request of who waits at
// the offer. Where no one does, or Redis refused it there, rdb sends it.
func (o Offer) Before(rdb redis.Scripter) *Carried { return &Carried{Scripter: rdb, offer: o} }

// Carried is a client for one script, see [Offer.Before].
type Carried struct {
	redis.Scripter

	offer Offer
	sent  bool
}

// Sent reports whether the script ran ahead of another request or, where it has failed, may have.
func (c *Carried) Sent() bool { return c.sent }

// EvalSha is that of redis.Scripter.
func (c *Carried) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	words := make([]any, 0, 3+len(keys)+len(args))
	words = append(words, "evalsha", sha, len(keys))
	for _, k := range keys {
		words = append(words, k)
	}
	cmd := redis.NewCmd(ctx, append(words, args...)...)
	sent, err := c.offer.give(ctx, cmd)
	if err != nil { // cmd still belongs to the one who may send it
		cmd = redis.NewCmd(ctx, words...)
		cmd.SetErr(err)
		return cmd
	}
	if answer := cmd.Err(); sent && (answer == nil || errors.Is(answer, redis.Nil) || rediserr.IsAmbiguous(answer)) {
		c.sent = true
		return cmd
	}
	return c.Scripter.EvalSha(ctx, sha, keys, args...)
}

// give waits until cmd was sent. It reports false where no one sends it.
func (o Offer) give(ctx context.Context, cmd redis.Cmder) (sent bool, err error) {
	a := &Ahead{cmd: cmd, over: make(chan struct{})}
	select {
	case o <- a:
	default:
		return false, nil
	}
	select {
	case <-a.over:
		return a.sent, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
