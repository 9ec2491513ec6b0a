package connect

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/budget"
)

// sendOnce keeps a cluster client from repeating commands after a lost connection,
// which go-redis does on a cluster whatever MaxRetries says (v9.23, osscluster.go,
// process and pipelineReadCmds). MOVED and ASK are still followed: there, nothing ran.
type sendOnce struct {
	reload func(ctx context.Context) // asks for the cluster's slots anew, in the background
}

var _ redis.Hook = sendOnce{}

// DialHook changes nothing.
func (sendOnce) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

// ProcessHook marks the command as one that must not be repeated.
func (h sendOnce) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, onceCmd{cmd})
		h.seen(ctx, err)
		return err
	}
}

// ProcessPipelineHook marks the commands as ones that must not be repeated; one such
// command is enough for the whole batch. MULTI and EXEC stay what they are, since
// go-redis looks at their types.
func (h sendOnce) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		once := make([]redis.Cmder, len(cmds))
		for i, cmd := range cmds {
			once[i] = cmd
			if name := cmd.Name(); name != "multi" && name != "exec" {
				once[i] = onceCmd{cmd}
			}
		}
		err := next(ctx, once)
		h.seen(ctx, err)
		return err
	}
}

// seen refreshes the client's picture of the cluster after trouble with a node, which
// go-redis would otherwise do in the course of its repetitions.
func (h sendOnce) seen(ctx context.Context, err error) {
	var reply redis.Error
	var busy *budget.BusyError // it was not sent
	if err != nil && !errors.As(err, &reply) && !errors.As(err, &busy) {
		h.reload(ctx)
	}
}

// onceCmd is a command that go-redis sends at most once.
type onceCmd struct{ redis.Cmder }

// NoRetry answers go-redis's question.
func (onceCmd) NoRetry() bool { return true }
