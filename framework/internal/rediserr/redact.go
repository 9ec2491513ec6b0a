package rediserr

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// AnswersCut is a hook that takes out of a server's answers what they repeat of a command.
// A Redis that knows no such command, or a proxy before it, lists the first of its
// arguments: of an AUTH the password. Answers go into errors, logs and spans. Every
// client has it; errors of a Pub/Sub connection pass no hook, but [Classify].
type AnswersCut struct{}

var _ redis.Hook = AnswersCut{}

// DialHook changes nothing: nothing is answered yet.
func (AnswersCut) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		return next(ctx, network, addr)
	}
}

// ProcessHook cuts the answer to one command. What its connection was told at login
// comes as the command's error, too.
func (AnswersCut) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if cut, short := cutAnswer(err); cut {
			cmd.SetErr(short)
			return short
		}
		return err
	}
}

// ProcessPipelineHook cuts the answers to a batch.
func (AnswersCut) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if err == nil {
			return nil
		}
		for _, cmd := range cmds {
			if cut, short := cutAnswer(cmd.Err()); cut {
				cmd.SetErr(short)
			}
		}
		_, short := cutAnswer(err)
		return short
	}
}

// repeats are the words before the arguments of an unknown command: those of Redis and
// Valkey, processCommand in server.c.
const repeats = ", with args beginning with:"

// cutAnswer reports whether err is an answer that repeats arguments, and returns it without
// them; any other error as it is. The short one does not wrap the whole: whoever prints an
// error's chain would print that.
func cutAnswer(err error) (cut bool, short error) {
	var answer redis.Error
	if err == nil || errors.Is(err, redis.Nil) || !errors.As(err, &answer) {
		return false, err
	}
	text, arguments, _ := strings.Cut(err.Error(), repeats)
	if strings.TrimSpace(arguments) == "" {
		return false, err
	}
	return true, Answer(text)
}

// CutAnswers takes what answers repeat of commands out of a text, such as a line of a log:
// all that follows the first such answer.
func CutAnswers(text string) string {
	text, _, _ = strings.Cut(text, repeats)
	return text
}
