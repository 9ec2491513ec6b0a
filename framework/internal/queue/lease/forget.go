package lease

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
)

// How a reaper looks for counters that are over: some at a time, chosen at random by
// Redis, and at once again while many of them were over. One look holds Redis for about
// 0.2 ms.
const (
	forgetEvery = 5 * time.Minute
	forgetAtOne = 100
	forgetAgain = forgetAtOne / 4
	forgetLooks = 20
)

// Forget removes what is of no use any more: records of messages that Java took. Those that
// have counters are over a week after such a message was due and count no longer then, removed
// or not; others as soon as nobody can have the message, see vanished.lua. It looks at a part of them,
// so that it holds Redis for less than a ms at a time however many there are, and
// returns how many it removed; whatever is left is found by later calls. Counters of a
// message that exists are over in the same way: where it waited on the ready list for
// more than a week, its counters begin at zero.
func (r *Reaper) Forget(ctx context.Context) (int, error) {
	total := 0
	for range forgetLooks {
		reply, err := forgetScript.Run(ctx, r.rdb, []string{r.keys.Attempts, r.keys.MessageNames, r.keys.IDs, r.keys.Timeout, r.keys.Queue}, forgetAtOne)
		if err != nil {
			return total, err
		}
		words, err := texts(forgetScript, reply, 2)
		if err != nil {
			return total, err
		}
		gone := atoi(words[0])
		if total += gone; gone < forgetAgain {
			break
		}
	}
	return total, nil
}

// nextForget is when to look again; processes of a deploy start together.
func nextForget() time.Time {
	return time.Now().Add(forgetEvery/2 + chance.Below(forgetEvery))
}
