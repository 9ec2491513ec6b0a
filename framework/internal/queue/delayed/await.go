package delayed

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// DefaultAwait is how long an offer waits for replicas by default.
const DefaultAwait = time.Second

// Await makes an offer wait until replicas have it. The zero value waits for none.
type Await struct {
	Replicas int           // how many, at least
	Timeout  time.Duration // at most; defaults to [DefaultAwait]
}

var errNoConnection = errors.New("the offer went over a connection that is not known: the slot was moving")

// connection returns a connection of its own for the offer and the wait: WAIT counts
// what its own connection wrote, and a failover in between breaks that. It returns rdb
// and nil where nothing is awaited or none can be had.
func (a Await) connection(rdb script.Pipelined) (script.Pipelined, redisapi.Conn) {
	if a.Replicas > 0 {
		if conn := redisapi.Pinned(rdb); conn != nil {
			return conn, conn
		}
	}
	return rdb, nil
}

// wait waits for the replicas after an offer over conn. wrote says that the offer
// itself wrote something there. The error is a [*fault.ReplicationError].
func (a Await) wait(ctx context.Context, conn redisapi.Conn, k wire.Keys, wrote bool) error {
	if a.Replicas <= 0 {
		return nil
	}
	fail := func(err error) error { return &fault.ReplicationError{Want: a.Replicas, Err: err} }
	if conn == nil {
		return fail(errNoConnection)
	}
	timeout := a.Timeout
	if timeout <= 0 {
		timeout = DefaultAwait
	}
	timeout = max(timeout, time.Millisecond) // 0 would be for ever
	if !wrote {
		// What an earlier try, or another offer with the key, wrote over another
		// connection comes before this mark.
		if err := conn.Set(ctx, k.NonceRecord(""), "", time.Millisecond).Err(); err != nil {
			return fail(rediserr.Classify("SET", err))
		}
	}
	got, err := conn.Wait(ctx, a.Replicas, timeout).Result()
	switch {
	case err != nil:
		return fail(rediserr.Classify("WAIT", err))
	case got < int64(a.Replicas):
		return &fault.ReplicationError{Want: a.Replicas, Got: int(got)}
	}
	return nil
}

// wrote reports whether an outcome came of a write by this very try.
func (r OfferResult) wrote() bool { return !r.found && r.Dedup != DedupKept && r.Dedup != DedupHandled }
