package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// giveBackStep is how many bytes a script gives back to the queue at a time, so that it does
// not hold Redis for long.
const giveBackStep = 1 << 20

// handbackTries is how often a session that changes while it is read is read again.
const handbackTries = 10

// Handed says what the end of a session gave back.
type Handed struct {
	Session string
	Bodies  int // messages that were in flight
	Staged  int // messages from staging
	Buried  int // messages that went to the dead store as crash-loop
	// Cancelled are messages that were cancelled while they were in flight: they are gone.
	Cancelled int
}

// errLeft: nothing was done, the session is registered and its lease holds, or
// another process has ended it.
var errLeft = errors.New("nothing to do for the session")

// handback runs the script until it knows all fetches of the session. keep is how long a
// session that is closed stays registered, since what [Session.emptySince] says of it.
func handback(
	ctx context.Context, rdb redisapi.Client, k wire.Keys, session, why string, keep time.Duration, since string,
) (Handed, error) {
	h := Handed{Session: session}
	for tries := 0; tries < handbackTries; {
		nonces, err := rdb.SMembers(ctx, k.Fetches(session)).Result()
		if err != nil {
			return Handed{}, rediserr.Classify("smembers", err)
		}
		keys := []string{
			k.Queue, k.Sessions, k.Stage(session), k.Fetches(session), k.Attempts, k.Due, k.Trace, k.Dead, k.MessageNames, k.IDs, k.Leases,
		}
		for _, nonce := range nonces {
			keys = append(keys, k.Inflight(session, nonce))
		}
		reply, err := handbackScript.Run(ctx, rdb, keys, session, why, keep.Milliseconds(), giveBackStep, since)
		if err != nil {
			return Handed{}, err
		}
		words, err := texts(handbackScript, reply, 6)
		if err != nil {
			return Handed{}, err
		}
		h.Bodies, h.Staged, h.Buried = h.Bodies+atoi(words[1]), h.Staged+atoi(words[2]), h.Buried+atoi(words[3])
		h.Cancelled += atoi(words[5])
		switch words[0] {
		case "more":
		case "again":
			tries++
		case "done":
			return h, nil
		default: // alive again in between, or ended by another process
			if h.Bodies+h.Staged+h.Buried+h.Cancelled > 0 {
				return h, nil
			}
			return Handed{}, errLeft
		}
	}
	return Handed{}, fmt.Errorf("session %s took messages %d times while it was being ended", session, handbackTries)
}
