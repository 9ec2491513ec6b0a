package delayed

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var forgetQueueScript = library.Script("forgetqueue")

// What keeps keys from being removed.
var (
	ErrServed = errors.New("a Go process serves the queue")
	ErrDead   = errors.New("the queue has dead letters")
)

// keysAtOnce is how many keys one script deletes.
const keysAtOnce = 500

// ForgetQueue deletes the keys of a queue without partitions, or of one partition, and the records
// of its nonces, which it finds by looking at every name on the node. It returns how
// many keys it has deleted, and the names of ours that are left: those of single sessions
// hold messages until the session is reaped, others came meanwhile. The error is [ErrServed],
// [ErrDead] or one of Redis; it may be called again.
func ForgetQueue(ctx context.Context, rdb redisapi.Client, k wire.Keys) (deleted int64, left []string, err error) {
	if deleted, err = forgetKeys(ctx, rdb, k, k.Own()); err != nil {
		return deleted, nil, err
	}
	var records []string
	flush := func(least int) error {
		if len(records) < least || len(records) == 0 {
			return nil
		}
		gone, failure := forgetKeys(ctx, rdb, k, records)
		deleted, records = deleted+gone, records[:0]
		return failure
	}
	err = eachKey(ctx, rdb, k, func(key string) error {
		if !strings.HasPrefix(key, k.NonceRecord("")) {
			left = append(left, key)
			return nil
		}
		records = append(records, key)
		return flush(keysAtOnce)
	})
	if err == nil {
		err = flush(0)
	}
	slices.Sort(left)
	return deleted, slices.Compact(left), err
}

// forgetKeys runs the script.
func forgetKeys(ctx context.Context, rdb redisapi.Client, k wire.Keys, keys []string) (int64, error) {
	value, err := forgetQueueScript.Run(ctx, rdb, append([]string{k.Sessions, k.Dead}, keys...))
	if err != nil {
		return 0, err
	}
	r := script.NewReader(forgetQueueScript, value)
	n := r.Integer()
	switch {
	case r.Err() != nil:
		return 0, r.Err()
	case n == -1:
		return 0, ErrServed
	case n == -2:
		return 0, ErrDead
	}
	return n, nil
}

// eachKey calls f with every key of ours that belongs to the queue.
func eachKey(ctx context.Context, rdb redisapi.Client, k wire.Keys, f func(key string) error) error {
	node, err := redisapi.Node(ctx, rdb, k.Queue)
	if err != nil {
		return rediserr.Classify("CLUSTER SLOTS", err)
	}
	p := budget.PaceOf(0.5)
	for key, err := range p.Keys(ctx, node, wire.OwnPrefix+"*:"+wire.EscapeGlob(k.Tag())+"*") {
		if err != nil {
			return err
		}
		if !belongs(key, k.Tag()) {
			continue
		}
		if err := f(key); err != nil {
			return err
		}
	}
	return nil
}

// belongs reports whether a key is of the queue with this tag: duequeue:kind:tag, or that with
// a session or a key behind it.
func belongs(key, tag string) bool {
	kind, rest, ok := strings.Cut(strings.TrimPrefix(key, wire.OwnPrefix), ":")
	if !ok || !strings.HasPrefix(rest, tag) {
		return false
	}
	if rest == tag {
		return true
	}
	return rest[len(tag)] == ':' && slices.Contains(wire.RepeatedKinds, kind)
}
