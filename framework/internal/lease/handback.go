package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// handbackTries is how often a session that changes while it is read is read anew.
const handbackTries = 10

// Handed says what the end of a session gave back.
type Handed struct {
	Session string
	Bodies  int // messages that were in flight
	Staged  int // messages from staging
	Buried  int // messages that went to the dead store as crash-loop
}

// errLeft: nothing was done, the session is registered and its lease holds, or
// somebody else has ended it.
var errLeft = errors.New("nothing to do for the session")

// handback runs the script until it knows all fetches of the session. extra are
// nonces that were found elsewhere than in the session's set; keep is how long a session
// that is closed stays registered.
func handback(
	ctx context.Context, rdb redis.UniversalClient, k redisson.Keys, session, why string, extra []string, keep time.Duration,
) (Handed, error) {
	for range handbackTries {
		nonces, err := rdb.SMembers(ctx, k.Fetches(session)).Result()
		if err != nil {
			return Handed{}, redisson.Classify("smembers", err)
		}
		keys := []string{
			k.Queue, k.Sessions, k.Stage(session), k.Fetches(session), k.Attempts, k.Due, k.Trace, k.Dead,
		}
		seen := make(map[string]bool, len(nonces))
		for _, nonce := range append(nonces, extra...) {
			if !seen[nonce] {
				seen[nonce] = true
				keys = append(keys, k.Inflight(session, nonce))
			}
		}
		reply, err := handbackScript.Run(ctx, rdb, keys, session, why, keep.Milliseconds())
		if err != nil {
			return Handed{}, err
		}
		words, err := texts(handbackScript.Name(), reply)
		if err != nil || len(words) != 5 {
			return Handed{}, replyError(handbackScript.Name(), "%v", reply)
		}
		switch words[0] {
		case "again":
			continue
		case "alive", "gone":
			return Handed{}, errLeft
		}
		return Handed{Session: session, Bodies: atoi(words[1]), Staged: atoi(words[2]), Buried: atoi(words[3])}, nil
	}
	return Handed{}, fmt.Errorf("session %s took messages %d times while it was being ended", session, handbackTries)
}
