package script

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Call is one script call of a pipeline.
type Call struct {
	Script *Script
	Keys   []string
	Args   []any
}

// Reply is what one [Call] returned; Err is typed as in [Script.Run].
type Reply struct {
	Value any
	Err   error
}

// Pipelined is the part of a Redis client that [RunAll] and [Ahead.Send] need.
type Pipelined interface {
	Pipeline() redis.Pipeliner
}

// RunAll executes all calls in one pipeline and returns their replies in order.
// Calls are independent: one that fails stops no other. Those that Redis
// answered with NOSCRIPT, which ran nothing, are repeated by source in a second
// pipeline. On a Cluster, go-redis splits the pipeline by node.
func RunAll(ctx context.Context, rdb Pipelined, calls []Call) []Reply {
	replies := make([]Reply, len(calls))
	if one, ok := rdb.(redis.Scripter); ok && len(calls) == 1 { // a pipeline of one costs more
		replies[0].Value, replies[0].Err = calls[0].Script.Run(ctx, one, calls[0].Keys, calls[0].Args...)
		return replies
	}
	var missing []int
	run(ctx, rdb, calls, replies, nil, func(i int, err error) {
		if rediserr.IsNoScript(err) {
			missing = append(missing, i)
		}
	})
	if len(missing) > 0 {
		run(ctx, rdb, calls, replies, missing, nil)
	}
	return replies
}

// run sends the calls by digest, or those listed in bySource by source.
func run(ctx context.Context, rdb Pipelined, calls []Call, replies []Reply, bySource []int, failed func(int, error)) {
	pipe := rdb.Pipeline()
	cmds := make(map[int]*redis.Cmd, len(calls))
	if bySource != nil {
		for _, i := range bySource {
			cmds[i] = pipe.Eval(ctx, calls[i].Script.src, calls[i].Keys, calls[i].Args...)
		}
	} else {
		for i, c := range calls {
			cmds[i] = pipe.EvalSha(ctx, c.Script.sha, c.Keys, c.Args...)
		}
	}
	// Exec repeats the first error of the commands, which are read one by one.
	_, _ = pipe.Exec(ctx)
	for i := range calls {
		cmd, sent := cmds[i]
		if !sent {
			continue
		}
		value, err := cmd.Result()
		if err != nil && failed != nil {
			failed(i, err)
		}
		replies[i].Value, replies[i].Err = calls[i].Script.reply(value, err)
	}
}
