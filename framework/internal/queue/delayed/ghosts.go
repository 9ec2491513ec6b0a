package delayed

import (
	"context"
	"iter"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	// ghostsScript takes finished entries out of the pending list; see lua/ghosts.lua.
	ghostsScript   = library.Script("ghosts")
	listPageScript = library.Script("listpage")
)

// ghostStep is how many entries one script looks at.
const ghostStep = 500

// RemoveGhosts takes the entries out of the pending list that belong to no pending
// message, and returns how many. The queue may be in full use meanwhile; what a transfer puts
// from the head to the end then waits for the next call. Each step
// looks at 500 entries; one that removes something walks the list once. Errors are
// those of [script.Script.Run].
func RemoveGhosts(ctx context.Context, rdb redis.Scripter, k wire.Keys) (int64, error) {
	tomb := "duequeue:ghost:" + chance.Hex()
	removed := int64(0)
	for at := any(""); ; {
		value, _, _, err := resend(ctx, rdb, k.Queue, 0, func(bool) script.Call {
			return script.Call{Script: ghostsScript, Keys: []string{k.Timeout, k.Pending}, Args: []any{at, ghostStep, tomb}}
		})
		if err != nil {
			return removed, err
		}
		r := script.NewReader(ghostsScript, value)
		removed += r.Integer()
		next := r.Integer()
		if r.Err() != nil || next < 0 {
			return removed, r.Err()
		}
		at = next
	}
}

// ListEntry is one entry of the pending list.
type ListEntry struct {
	Element string // or its beginning
	Bytes   int    // of the whole element
	Pending bool   // it is in the timeout set, too; without that it is a ghost
}

// WalkList reads the pending list, Java's view, from its end to its head: what keeps its
// place meanwhile is met at least once. What a transfer puts from the head to the end
// meanwhile is not met: walk again to find that. Of an entry it reads so many bytes at most. It ends
// after the first error, which comes with a zero entry.
func WalkList(ctx context.Context, rdb redis.Scripter, k wire.Keys, most int) iter.Seq2[ListEntry, error] {
	return func(yield func(ListEntry, error) bool) {
		for at := any(""); ; {
			value, err := listPageScript.Run(ctx, rdb, []string{k.Timeout, k.Pending}, at, ghostStep, most)
			if err != nil {
				yield(ListEntry{}, err)
				return
			}
			r := script.NewReader(listPageScript, value)
			next := r.Integer()
			for r.More() {
				e := ListEntry{Element: r.Text(), Bytes: int(r.Integer()), Pending: r.Text() == "1"}
				if r.Err() == nil && !yield(e, nil) {
					return
				}
			}
			if r.Err() != nil {
				yield(ListEntry{}, r.Err())
				return
			}
			if next < 0 {
				return
			}
			at = next
		}
	}
}
