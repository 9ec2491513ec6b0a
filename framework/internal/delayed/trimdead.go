package delayed

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// trimDeadScript deletes what a bounded dead store has too much; see lua/trimdead.lua.
var trimDeadScript = library.Script("trimdead")

// trimStep is how many messages one script deletes: it reads their bytes.
const trimStep = 16

// TrimArgs bound a dead store; zero values are no bound.
type TrimArgs struct {
	Most int           // messages kept
	Age  time.Duration // since they died, by the clock of Redis
}

// Trimmed is a message that was deleted from a dead store.
type Trimmed struct {
	Entry, Reason, Digest string
	Size                  int64 // bytes of the payload
	AtMs                  int64 // when it died
}

// TrimResult says what one [TrimDead] did.
type TrimResult struct {
	Trimmed []Trimmed
	Left    int64 // messages in the store
	More    bool  // further ones are to be deleted
	Untold  bool  // the next one is to be deleted, and stays until somebody was told of it, see [NextLetter]
}

// TrimDead deletes the oldest messages of a dead store that are too many or too old, at
// most 16 of them. Errors are those of [script.Script.Run].
func TrimDead(ctx context.Context, rdb redis.Scripter, k wire.Keys, args TrimArgs) (TrimResult, error) {
	bound := func(n int64) any {
		if n <= 0 {
			return ""
		}
		return n
	}
	value, err := trimDeadScript.Run(ctx, rdb, []string{k.Dead},
		bound(int64(args.Most)), bound(args.Age.Milliseconds()), trimStep)
	if err != nil {
		return TrimResult{}, err
	}
	r := script.NewReader(trimDeadScript, value)
	result := TrimResult{Left: r.Integer()}
	more := r.Text()
	result.More, result.Untold = more == "1", more == "!"
	for r.More() {
		result.Trimmed = append(result.Trimmed, Trimmed{
			Entry: r.Text(), Reason: r.Text(), Digest: r.Text(), Size: r.Integer(), AtMs: r.Integer(),
		})
	}
	return result, r.Err()
}
