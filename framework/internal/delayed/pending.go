package delayed

import (
	"context"
	"math"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// PendingMessage is one element of the timeout set.
type PendingMessage struct {
	ID      wire.ElementID
	Text    string  // the ID of the message, "" where it has none; see [wire.FormatID]
	DueMs   int64   // first whole ms at which it is due; -1 for never
	Score   float64 // as it stands in the set
	Payload []byte  // nil when Err is set
	Element []byte  // as it stands in the set
	Bytes   int     // of the whole payload, where only its beginning was read

	ElementBytes int   // of the whole element
	Err          error // a [*wire.MalformedError], otherwise nil

	score string // as Redis spells it; of messages of a walk
}

// Pending reads up to limit pending messages in the order in which they fall
// due, from offset on, whoever offered them. emptyOK is that of [wire.Parse]. It
// changes nothing. Errors are typed as by [rediserr.Classify].
func Pending(ctx context.Context, rdb redis.Scripter, k wire.Keys, offset, limit int64, emptyOK bool) ([]PendingMessage, error) {
	if offset < 0 || offset > math.MaxUint32 { // more than a sorted set can hold in any memory
		return nil, nil
	}
	var messages []PendingMessage
	for m, err := range WalkPendingFrom(ctx, rdb, k, offset, limit, emptyOK) {
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, nil
}
