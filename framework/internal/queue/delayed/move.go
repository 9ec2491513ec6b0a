package delayed

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	moveClaimScript  = library.Script("moveclaim")
	movePutScript    = library.Script("moveput")
	moveSettleScript = library.Script("movesettle")
)

// Bounds of one batch.
const (
	moveMost  = 100 // messages
	moveBytes = 1 << 20
	// moveWalked bounds how many entries of Java's list a claim searches: one search for each message.
	moveWalked = 1_000_000
)

// recordKept is how long the record of a batch is kept once the batch is settled: a step that was
// sent before, and comes so late, still finds it.
const recordKept = 24 * time.Hour

// The two queues of a move may lie on different nodes, so no script reaches both. A batch of messages
// goes in three steps, and each may be repeated: moveclaim puts it aside beside its queue, with a header
// that names the batch; moveput adds it to the other queue, where a record keeps the name of the batch;
// movesettle drops what lies aside. Who finds a batch aside goes on with it. So each message is moved
// once, wherever the process that does it is killed.

// MoveArgs shape a run.
type MoveArgs struct {
	To string // the other queue, as people call it
	// Target returns the keys of the first n partitions of a queue.
	Target func(queue string, n int) ([]wire.Keys, error)
	Parts  int // partitions to which processes offer in the other queue
	// Most bounds how many messages are moved; what was aside already is moved besides.
	Most int64
	// Rest is called after each batch, to keep to a share of Redis's time. Its error ends the run.
	Rest func(ctx context.Context) error
	// Progress is called after each batch.
	Progress func(MoveCount)
}

// MoveCount is what a run did.
type MoveCount struct {
	Moved int64 // added to the other queue
	There int64 // dropped: the other queue had the same message, of the same id and bytes
	// Before counts those of Moved and There that an earlier run had put aside, and BeforeTo is where
	// that moved them to.
	Before   int64
	BeforeTo string
}

// movedBatch is what lies aside.
type movedBatch struct {
	movedHeader
	messages [][]string // six texts each, see lua/moveclaim.lua
}

// movedHeader names a batch. Its text is the first of what lies aside.
type movedHeader struct {
	text  string
	id    string
	parts int    // of the other queue
	to    string // that queue
}

func newHeader(to string, parts int) movedHeader {
	id := chance.Hex()
	return movedHeader{text: fmt.Sprintf("%s %d %s", id, parts, to), id: id, parts: parts, to: to}
}

func parseHeader(text string) (h movedHeader, ok bool) {
	id, rest, _ := strings.Cut(text, " ")
	parts, to, found := strings.Cut(rest, " ")
	n, err := strconv.Atoi(parts)
	return movedHeader{text: text, id: id, parts: n, to: to}, found && err == nil && n > 0
}

const perMessage = 6

// MoveAll moves what a queue without partitions, or one partition, has ready and pending. Java and Go may
// offer, transfer and take meanwhile. With an error, some messages may lie aside: another run goes
// on with them.
func MoveAll(ctx context.Context, rdb redisapi.Client, from wire.Keys, args MoveArgs) (MoveCount, error) {
	var done MoveCount
	targets, err := args.Target(args.To, args.Parts)
	if err != nil {
		return done, err
	}
	for _, k := range targets { // before anything is put aside
		if _, _, err := put(ctx, rdb, k, "", nil, false); err != nil {
			return done, err
		}
	}
	for left := args.Most; ; {
		own := newHeader(args.To, args.Parts)
		b, err := claim(ctx, rdb, from, own, left)
		if err != nil || len(b.messages) == 0 {
			return done, err
		}
		moved, there, err := finish(ctx, rdb, from, b, args.Target)
		if err != nil {
			return done, err
		}
		done.Moved, done.There = done.Moved+moved, done.There+there
		if b.id == own.id {
			left -= int64(len(b.messages))
		} else {
			done.Before, done.BeforeTo = done.Before+moved+there, b.to
		}
		if args.Progress != nil {
			args.Progress(done)
		}
		if err := args.Rest(ctx); err != nil || left <= 0 {
			return done, err
		}
	}
}

// claim puts a batch aside, or returns the one that lies there.
func claim(ctx context.Context, rdb redisapi.Client, k wire.Keys, h movedHeader, left int64) (movedBatch, error) {
	listed, err := rdb.LLen(ctx, k.Pending).Result()
	if err != nil {
		return movedBatch{}, moveClaimScript.Classify(err)
	}
	n := max(min(left, moveMost, moveWalked/max(listed, 1)), 1)
	value, err := moveClaimScript.Run(ctx, rdb, []string{
		k.Timeout, k.Pending, k.Queue, k.Attempts, k.MessageNames, k.IDs, k.Trace, k.Due, k.Control, k.Moving,
	}, h.text, n, moveBytes, h.to)
	if err != nil {
		return movedBatch{}, err
	}
	r := script.NewReader(moveClaimScript, value)
	if r.Len() == 0 {
		return movedBatch{}, nil
	}
	var b movedBatch
	var ok bool
	if b.movedHeader, ok = parseHeader(r.Text()); !ok || (r.Len()-1)%perMessage != 0 {
		return movedBatch{}, &script.ReplyError{Script: moveClaimScript.Name(), Reason: "the batch in " + k.Moving + " was not written by this program"}
	}
	for r.More() {
		m := make([]string, perMessage)
		for i := range m {
			m[i] = r.Text()
		}
		b.messages = append(b.messages, m)
	}
	return b, r.Err()
}

// finish adds a batch to the queue that it moves to, and drops it here. The partition of a message
// depends on the message and on the header alone: a repetition puts it there again.
func finish(ctx context.Context, rdb redisapi.Client, from wire.Keys, b movedBatch, target func(string, int) ([]wire.Keys, error)) (moved, there int64, err error) {
	targets, err := target(b.to, b.parts)
	if err != nil {
		return 0, 0, err
	}
	parts := make([][]any, len(targets))
	for _, m := range b.messages {
		i := wire.PartitionOf(spreadBy(m), len(targets))
		for _, text := range m {
			parts[i] = append(parts[i], text)
		}
	}
	for i, messages := range parts {
		if len(messages) == 0 {
			continue
		}
		var n, old int64
		n, old, err = put(ctx, rdb, targets[i], b.id, messages, false)
		if moved, there = moved+n, there+old; err != nil {
			return moved, there, err
		}
	}
	if _, err = moveSettleScript.Run(ctx, rdb, []string{from.Moving, from.Control}, b.text); err != nil {
		return moved, there, err
	}
	for i, messages := range parts {
		if len(messages) == 0 {
			continue
		}
		if _, _, err = put(ctx, rdb, targets[i], b.id, nil, true); err != nil {
			return moved, there, err
		}
	}
	return moved, there, nil
}

// spreadBy is what the partition of a message follows from: its key where it has one, as offers
// with that key do, else its bytes.
func spreadBy(m []string) string {
	if r, ok := wire.ParseMessageRecord(m[4]); ok && r.Key != "" {
		return r.Key
	}
	return m[1]
}

// put adds messages of a batch, once. Without messages it only checks that it could or, once the batch
// is settled, lets its record end.
func put(ctx context.Context, rdb redisapi.Client, k wire.Keys, id string, messages []any, settled bool) (added, there int64, err error) {
	life := ""
	if settled {
		life = strconv.FormatInt(recordKept.Milliseconds(), 10)
	}
	value, err := movePutScript.Run(ctx, rdb, []string{
		k.Timeout, k.Pending, k.Channel, k.Queue, k.Attempts, k.MessageNames, k.IDs, k.Trace, k.Due, k.NonceRecord("move" + id),
	}, append([]any{life}, messages...)...)
	if err != nil {
		return 0, 0, err
	}
	r := script.NewReader(movePutScript, value)
	added, there = r.Integer(), r.Integer()
	return added, there, r.Err()
}
