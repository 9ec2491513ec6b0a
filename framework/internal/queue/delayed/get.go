package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// getScript reads one pending element; see lua/get.lua.
var getScript = library.Script("get")

// Get reads one pending message by its ID or key: O(log n). It changes nothing; of args
// DueMs, ID and Key count. Errors are those of [Cancel] but [*fault.ChangeUnknownError].
func Get(ctx context.Context, rdb redis.Scripter, k wire.Keys, args ChangeArgs, emptyOK bool) (PendingMessage, error) {
	due, name := args.name()
	value, err := getScript.Run(ctx, rdb, []string{k.Timeout, k.Attempts, k.MessageNames}, due, name)
	if err != nil {
		return PendingMessage{}, err
	}
	r := script.NewReader(getScript, value)
	status, element, score := r.Text(), r.Text(), r.Text()
	told := readTold(r, k)
	switch {
	case r.Err() != nil:
		return PendingMessage{}, r.Err()
	case status != "found":
		return PendingMessage{}, changeError(r, status, args, told)
	}
	own := told.id(args)
	return pendingElement{score: score, element: element, own: wire.FormatID(own.DueMs, own.Element), bytes: len(element)}.message(k, emptyOK), nil
}
