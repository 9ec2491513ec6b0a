package connect

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// NewClient makes a client of one server as all of this module's are, and dials nothing.
func NewClient(o *redis.Options) *redis.Client { return Equip(redis.NewClient(o)) }

// Equip gives a client the hooks that each client of this module has, and returns it: answers
// repeat no arguments, an error says whether its command was sent, connections that lead to
// the wrong server are closed, and a budget of the context is kept. Call it once, before the client is used. A client made by
// WithTimeout shares the connections of the other one and none of its hooks.
func Equip(c *redis.Client) *redis.Client {
	c.AddHook(rediserr.AnswersCut{})
	c.AddHook(&watched{client: c})
	c.AddHook(budget.Hook{})
	return c
}

// watched is the hook that looks at what becomes of the commands of a client.
type watched struct {
	client   *redis.Client
	dropping sync.Mutex
}

var _ redis.Hook = (*watched)(nil)

// DialHook changes nothing.
func (w *watched) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

// ProcessHook watches one command.
func (w *watched) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		trace := &traced{Cmder: cmd}
		err := next(ctx, trace)
		if err == nil {
			return nil
		}
		err = trace.judge(err)
		w.leave(ctx, err)
		return err
	}
}

// ProcessPipelineHook watches the commands of a batch. MULTI and EXEC stay what they are,
// since go-redis looks at their types.
func (w *watched) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		traces, all := make([]traced, len(cmds)), make([]redis.Cmder, len(cmds))
		for i, cmd := range cmds {
			traces[i].Cmder, all[i] = cmd, &traces[i]
			if name := cmd.Name(); name == "multi" || name == "exec" {
				all[i] = cmd
			}
		}
		err := next(ctx, all)
		if err == nil {
			return nil
		}
		var leave error
		for i, cmd := range cmds {
			failed := cmd.Err()
			if failed == nil && !traces[i].written {
				failed = err // go-redis leaves it nil where the login was refused
			}
			if failed != nil && all[i] != cmd {
				cmd.SetErr(traces[i].judge(failed))
			}
			if rediserr.Leave(cmd.Err()) {
				leave = cmd.Err()
			}
		}
		w.leave(ctx, leave)
		if first, ok := all[0].(*traced); ok {
			return first.judge(err)
		}
		return err
	}
}

// leave closes the idle connections where one has answered that another server is to be asked:
// new ones may lead there. go-redis does so for the word READONLY alone, and not for that word
// behind the ERR of a proxy. One caller at a time does it; its own commands are no reason.
func (w *watched) leave(ctx context.Context, err error) {
	if !rediserr.Leave(err) || !w.dropping.TryLock() {
		return
	}
	defer w.dropping.Unlock()
	ctx = context.WithoutCancel(ctx)
	for range w.client.PoolStats().IdleConns {
		if !discard(ctx, w.client) {
			return
		}
	}
}

// traced is a command that knows whether go-redis has begun to write it: for that it asks for
// the arguments. Who asks for them earlier makes a command count as sent which was not, never
// the other way round.
type traced struct {
	redis.Cmder

	written bool
}

// Args returns the arguments.
func (t *traced) Args() []any {
	t.written = true
	return t.Cmder.Args()
}

// judge returns the error of the command, a [*rediserr.NotSentError] where it was not sent.
func (t *traced) judge(err error) error {
	if t.written || err == nil || errors.As(err, new(redis.Error)) || errors.As(err, new(*rediserr.NotSentError)) {
		return err
	}
	return &rediserr.NotSentError{Err: err}
}
