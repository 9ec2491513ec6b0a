package delayed

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// resend makes one logical call of a script: it is sent again while errors may go
// away by themselves, at most tries times (0: [DefaultOfferTries]). again tells
// call that an earlier try may have been executed. It returns how often it was
// sent, and whether the outcome of an earlier try is unknown.
//
// A cluster client is bypassed by [Direct], except after an answer that says
// "elsewhere": nothing was executed then, and such answers count only towards
// [DefaultOfferTries].
func resend(ctx context.Context, rdb redis.Scripter, key string, tries int, call func(again bool) script.Call) (value any, sent int, unknown bool, err error) {
	if tries <= 0 {
		tries = DefaultOfferTries
	}
	moving := false
	for {
		if ctx.Err() != nil {
			return nil, sent, unknown, context.Cause(ctx)
		}
		client := rdb
		err = nil
		if !moving {
			if client, err = Direct(ctx, rdb, key); err != nil {
				err = &net.OpError{Op: "dial", Err: err} // nothing was sent
			}
		}
		sent++
		if err == nil {
			c := call(unknown)
			value, err = c.Script.Run(ctx, client, c.Keys, c.Args...)
			if err == nil {
				return value, sent, unknown, nil
			}
			unknown = unknown || rediserr.IsAmbiguous(err)
		}
		var server *fault.ServerError
		moving = errors.As(err, &server) && server.Kind == fault.KindCluster
		most := tries
		if moving {
			most = max(tries, DefaultOfferTries) // nothing ran: harmless also for what is sent once
		}
		if sent >= most || !rediserr.IsTransient(err) {
			return nil, sent, unknown, err
		}
		if paused := retry.Pause(ctx, retry.Backoff(sent-1, offerBackoffFirst, offerBackoffMax)); paused != nil {
			return nil, sent, unknown, paused
		}
	}
}
