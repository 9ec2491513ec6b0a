package framework

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// answersCut takes out of a server's answers what they repeat of a command. A Redis
// that knows no such command, or a proxy before it, lists the first of its arguments:
// of an AUTH the password. Answers go into errors, logs and spans.
type answersCut struct{}

var _ redis.Hook = answersCut{}

// DialHook changes nothing: nothing is answered yet.
func (answersCut) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

// ProcessHook cuts the answer to one command. What its connection was told at login
// comes as the command's error, too.
func (answersCut) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if short := cutAnswer(err); short != err { //nolint:errorlint // the same or another one
			cmd.SetErr(short)
			return short
		}
		return err
	}
}

// ProcessPipelineHook cuts the answers to a batch.
func (answersCut) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if err == nil {
			return nil
		}
		for _, cmd := range cmds {
			if one := cmd.Err(); one != nil {
				cmd.SetErr(cutAnswer(one))
			}
		}
		return cutAnswer(err)
	}
}

// repeats are the words before the arguments of an unknown command: those of Redis and
// Valkey, processCommand in server.c.
const repeats = ", with args beginning with:"

// cutAnswer returns err, or an answer that ends before the arguments.
func cutAnswer(err error) error {
	var answer redis.Error
	if err == nil || errors.Is(err, redis.Nil) || !errors.As(err, &answer) {
		return err
	}
	text, _, repeated := strings.Cut(err.Error(), repeats)
	if !repeated {
		return err
	}
	return answerError(text)
}

// answerError is a server's answer without the arguments. It does not wrap the whole
// one: whoever prints an error's chain would print that.
type answerError string

// Error returns the answer.
func (e answerError) Error() string { return string(e) }

// RedisError marks it as an answer, for go-redis and for us.
func (answerError) RedisError() {}
