package delayed

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of one transfer.
const (
	DefaultTransferLimit = 100     // elements of a first transfer; see [script.Pace]
	MaxTransferLimit     = 1000    // elements, at most
	DefaultTransferBytes = 4 << 20 // bytes

	// transferBudget is how much of Redis's time one plans to take: half of the 10 ms that
	// it may take, since machines stutter.
	transferBudget = 5 * time.Millisecond
)

// The scripts that move what is due, with and without Java's view of what is pending.
var (
	exactScript = library.Script("transfer/exact")
	offScript   = library.Script("transfer/off")
)

// TransferScript returns the script that transfers.
func TransferScript(noView bool) *script.Script {
	if noView {
		return offScript
	}
	return exactScript
}

// TransferArgs bounds and shapes one transfer. The zero value is usable.
type TransferArgs struct {
	Limit    int   // elements moved at most; defaults to [DefaultTransferLimit]
	MaxBytes int64 // bytes moved at most, give or take one chunk; defaults to [DefaultTransferBytes]

	// EmptyOK says whether the queue's codec writes empty payloads; see [wire.Parse].
	EmptyOK bool

	// NoDueTracking leaves the due records out: handlers then do not learn when a
	// message was due, and each message costs Redis a little less.
	NoDueTracking bool

	// NoView leaves Redisson's list of pending elements alone, which Java's size, contains,
	// readAll, peek, poll and remove of a delayed queue answer from: it holds what Java put there,
	// for ever. Delivery needs the set alone, on both sides. Otherwise the list holds what is
	// pending. That costs a walk of the list from its head for each message, which is short where
	// messages fall due in the order of their offers; where hundreds are overdue, passes over the
	// list move them in the order of the list, and change where it begins.
	NoView bool

	// Walks bounds the walks of the pending list, one for each message that is moved
	// by itself with a view that is kept exact. Defaults to Limit.
	Walks int

	// MaxReady is the length of the ready list up to which messages are moved; 0 for no
	// bound. Ten are moved all the same where the last one of the list is not of a
	// transfer: those who push would come first for ever.
	MaxReady int

	budget time.Duration // of Redis; defaults to transferBudget
}

// TransferResult says what one transfer did.
type TransferResult struct {
	Moved      int           // messages moved to the ready list
	Malformed  int           // elements of no known layout, moved to the dead store
	Overflowed int           // messages with a negative due time, moved to the dead store
	Ready      int64         // length of the ready list afterwards
	NextDueMs  int64         // due time of the next pending element; -1 when there is none
	NowUs      int64         // time of Redis in µs
	Bytes      int64         // bytes of the elements moved
	Elapsed    time.Duration // from call to reply, as seen by the client; also that of the take where Taken
	ServerTime time.Duration // spent in Redis; 0 where the server does not tell
	Walks      int           // walks of the pending list
	Control    string        // version of what operators have set, see package control
	Taken      bool          // it went ahead of a take, see [script.Offer]

	// DeadErr says why the dead store refused elements, which then stay pending; nil
	// otherwise.
	DeadErr error
}

// More reports whether further messages are due already.
func (r TransferResult) More() bool {
	return r.NextDueMs >= 0 && r.NextDueMs <= r.NowUs/1000 && r.Done() > 0
}

// Done returns how many elements are no longer pending.
func (r TransferResult) Done() int { return r.Moved + r.Malformed + r.Overflowed }

// Transfer moves what is due by the clock of Redis from the delayed structures to
// the ready list, of both element layouts, and what Java cannot transfer to the
// dead store. It is atomic and may be repeated and run beside any number of Java and
// Go processes. Errors are those of [script.Script.Run].
func Transfer(ctx context.Context, rdb redis.Scripter, keys wire.Keys, args TransferArgs) (TransferResult, error) {
	call := transferCall(keys, args)
	began := time.Now()
	value, err := call.Script.Run(ctx, rdb, call.Keys, call.Args...)
	if err != nil {
		return TransferResult{}, err
	}
	return parseTransfer(call.Script, value, time.Since(began))
}

// QueueTransfer is one queue's part of [TransferAll].
type QueueTransfer struct {
	Keys wire.Keys
	Args TransferArgs

	// Takes is where the transfer is offered where it is the only one. May be nil.
	Takes script.Offer
}

// TransferOutcome is what one queue's part returned.
type TransferOutcome struct {
	Result TransferResult
	Err    error
}

// TransferAll transfers several queues in one pipeline. One queue's error does
// not touch the others; the outcomes come in the order given. Elapsed is that of
// the whole pipeline.
func TransferAll(ctx context.Context, rdb redisapi.Client, queues []QueueTransfer) []TransferOutcome {
	if len(queues) == 1 {
		via := queues[0].Takes.Before(rdb)
		result, err := Transfer(ctx, via, queues[0].Keys, queues[0].Args)
		result.Taken = err == nil && via.Sent()
		return []TransferOutcome{{Result: result, Err: err}}
	}
	calls := make([]script.Call, len(queues))
	for i, q := range queues {
		calls[i] = transferCall(q.Keys, q.Args)
	}
	began := time.Now()
	replies := script.RunAll(ctx, rdb, calls)
	elapsed := time.Since(began)
	outcomes := make([]TransferOutcome, len(queues))
	for i, reply := range replies {
		if outcomes[i].Err = reply.Err; reply.Err == nil {
			outcomes[i].Result, outcomes[i].Err = parseTransfer(calls[i].Script, reply.Value, elapsed)
		}
	}
	return outcomes
}

func transferCall(k wire.Keys, args TransferArgs) script.Call {
	limit, maxBytes, walks, budget := args.Limit, args.MaxBytes, args.Walks, args.budget
	if limit <= 0 {
		limit = DefaultTransferLimit
	}
	if walks <= 0 {
		walks = limit
	}
	if maxBytes <= 0 {
		maxBytes = DefaultTransferBytes
	}
	if budget <= 0 {
		budget = transferBudget
	}
	return script.Call{
		Script: TransferScript(args.NoView),
		Keys:   []string{k.Timeout, k.Pending, k.Queue, k.Due, k.Dead, k.Control},
		Args: []any{
			min(limit, MaxTransferLimit), maxBytes, script.Flag(args.EmptyOK), script.Flag(!args.NoDueTracking), budget.Microseconds(),
			walks, max(args.MaxReady, 0),
		},
	}
}

func parseTransfer(sc *script.Script, value any, elapsed time.Duration) (TransferResult, error) {
	r := script.NewReader(sc, value)
	result := TransferResult{
		Moved:     int(r.Integer()),
		Malformed: int(r.Integer()),
		Ready:     r.Integer(),
		NextDueMs: wire.ScoreMs(r.Text()),
		NowUs:     r.Micros(),
		Bytes:     r.Integer(),
		Elapsed:   elapsed,
	}
	result.ServerTime = time.Duration(r.Integer()) * time.Microsecond
	if refused := r.Text(); refused != "" {
		result.DeadErr = sc.Classify(rediserr.Answer(refused))
	}
	result.Walks = int(r.Integer())
	result.Control = r.Text()
	result.Overflowed = int(r.Integer())
	return result, r.Err()
}
