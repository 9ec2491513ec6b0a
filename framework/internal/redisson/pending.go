package redisson

import (
	"context"
	"math"

	"github.com/redis/go-redis/v9"
)

// PendingMessage is one element of the timeout set.
type PendingMessage struct {
	ID      ElementID
	Text    string  // the id for users, "" where it has none; see [FormatID]
	DueMs   int64   // first whole ms at which it is due; -1 for never
	Score   float64 // as it stands in the set
	Payload []byte  // nil when Err is set
	Element []byte  // as it stands in the set
	Err     error   // a [*MalformedError], otherwise nil
}

// Pending reads up to limit pending messages in the order in which they fall
// due, from offset on, whoever offered them. emptyOK is that of [Parse]. It
// changes nothing. Errors are typed as by [Classify].
func Pending(ctx context.Context, rdb redis.Cmdable, k Keys, offset, limit int64, emptyOK bool) ([]PendingMessage, error) {
	if limit <= 0 || offset < 0 {
		return nil, nil
	}
	found, err := rdb.ZRangeWithScores(ctx, k.Timeout, offset, lastOf(offset, limit)).Result()
	if err != nil {
		return nil, classifyOn("ZRANGE", k.Timeout, "zset", err)
	}
	messages := make([]PendingMessage, len(found))
	for i, z := range found {
		element, _ := z.Member.(string)
		m := PendingMessage{Element: []byte(element), Score: z.Score, DueMs: dueOf(z.Score)}
		m.ID, m.Payload, m.Err = Parse(m.Element, emptyOK)
		m.Text = FormatID(m.DueMs, m.ID)
		messages[i] = m
	}
	return messages, nil
}

// lastOf returns the index of the last of limit entries from offset on.
func lastOf(offset, limit int64) int64 {
	if limit > math.MaxInt64-offset {
		return math.MaxInt64
	}
	return offset + limit - 1
}
