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

// trimStep is how many messages one script looks at: it reads their bytes.
const trimStep = 64

// TrimArgs bound a dead store; zero values are no bound.
type TrimArgs struct {
	Most int           // messages kept
	Age  time.Duration // since they died, by the clock of Redis

	From TrimPlace // of the result before
}

// TrimPlace is how far a look at a dead store came; the zero value is its beginning.
type TrimPlace struct {
	entry  string
	before int64 // entries before that and itself; messages that were told of meanwhile count too
}

// Trimmed is a message that was deleted from a dead store.
type Trimmed struct {
	Entry, Reason, Digest string
	Size                  int64 // bytes of the payload
	AtMs                  int64 // when it died
	Untold                bool  // nobody was told of it, see [NextLetter]
}

// TrimResult says what one [TrimDead] did.
type TrimResult struct {
	Trimmed []Trimmed
	Left    int64     // messages in the store
	More    bool      // further ones are to be looked at, from Next
	Next    TrimPlace // the beginning where there are no more
}

// TrimDead looks at some of the oldest messages of a dead store, and deletes those that are too
// many or too old. What nobody was told of, see [NextLetter], has ten times the bounds. Errors are
// those of [script.Script.Run].
func TrimDead(ctx context.Context, rdb redis.Scripter, k wire.Keys, args TrimArgs) (TrimResult, error) {
	bound := func(n int64) any {
		if n <= 0 {
			return ""
		}
		return n
	}
	value, err := trimDeadScript.Run(ctx, rdb, []string{k.Dead},
		bound(int64(args.Most)), bound(args.Age.Milliseconds()), trimStep, args.From.entry, args.From.before)
	if err != nil {
		return TrimResult{}, err
	}
	r := script.NewReader(trimDeadScript, value)
	result := TrimResult{Left: r.Integer(), More: r.Text() == "1"}
	result.Next = TrimPlace{entry: r.Text(), before: r.Integer()}
	for r.More() {
		result.Trimmed = append(result.Trimmed, Trimmed{
			Entry: r.Text(), Reason: r.Text(), Digest: r.Text(), Size: r.Integer(), AtMs: r.Integer(), Untold: r.Text() == "1",
		})
	}
	return result, r.Err()
}
