package delayed

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var expiryScript = library.Script("expiry")

// ExpiryEvery is how often a process looks at least while it works.
const ExpiryEvery = time.Minute

// ExpiringKey is a key that Redis is going to delete with all messages in it: expire is a public
// method of Redisson's queues, and RESTORE sets an end as well.
type ExpiringKey struct {
	Name string
	// Holds says what is lost with it, in the plural.
	Holds string
	Left  time.Duration
}

// String says which key it is, what it holds and for how long.
func (k ExpiringKey) String() string {
	return fmt.Sprintf("Redis deletes key %q, which holds %s, in %v: a program has called expire on it, or RESTORE with an end", k.Name, k.Holds, k.Left)
}

// What the keys hold.
const (
	HoldsPending = "all pending messages"
	HoldsView    = "Java's view of the pending messages"
	HoldsReady   = "all ready messages"
)

// Expiring is what one look found.
type Expiring struct {
	Keys []ExpiringKey
	// Refused says that the user of this process may not ask.
	Refused bool
}

// Names are the names of the keys, each with a line end.
func (f Expiring) Names() string {
	var b strings.Builder
	for _, k := range f.Keys {
		b.WriteString(k.Name + "\n")
	}
	return b.String()
}

// WarnExpiring logs that keys of a queue have an end.
func WarnExpiring(ctx context.Context, log *slog.Logger, queue string, f Expiring) {
	for _, k := range f.Keys {
		log.WarnContext(ctx, "Redis is going to delete a key of this queue, and the messages in it", "queue", queue, "key", k.Name, "holds", k.Holds, "left", k.Left.String())
	}
}

// Due returns the key that takes a message with it which falls due after so long.
func (f Expiring) Due(after time.Duration) (ExpiringKey, bool) {
	for _, k := range f.Keys {
		if k.Holds == HoldsPending && k.Left <= after {
			return k, true
		}
	}
	return ExpiringKey{}, false
}

// ExpiryCall is a look for a pipeline; [ExpiryOf] takes its reply.
func ExpiryCall(k wire.Keys) script.Call {
	return script.Call{Script: expiryScript, Keys: []string{k.Timeout, k.Pending, k.Queue}}
}

// LookExpiry looks at one queue. Errors are those of [script.Script.Run].
func LookExpiry(ctx context.Context, rdb redis.Scripter, k wire.Keys) (Expiring, error) {
	call := ExpiryCall(k)
	value, err := expiryScript.Run(ctx, rdb, call.Keys)
	return ExpiryOf(k, script.Reply{Value: value, Err: err})
}

// ExpiryOf reads the reply of a [ExpiryCall].
func ExpiryOf(k wire.Keys, reply script.Reply) (Expiring, error) {
	if reply.Err != nil {
		return Expiring{}, reply.Err
	}
	r := script.NewReader(expiryScript, reply.Value)
	var found Expiring
	for _, key := range []ExpiringKey{{Name: k.Timeout, Holds: HoldsPending}, {Name: k.Pending, Holds: HoldsView}, {Name: k.Queue, Holds: HoldsReady}} {
		switch ms := r.Integer(); {
		case ms >= 0:
			key.Left = time.Duration(ms) * time.Millisecond
			found.Keys = append(found.Keys, key)
		case ms == -3:
			found.Refused = true
		}
	}
	return found, r.Err()
}

// KeepKeys lets Redis keep the keys. It returns of how many it has removed the end.
func KeepKeys(ctx context.Context, rdb redisapi.Client, keys []ExpiringKey) (n int64, err error) {
	for _, k := range keys {
		removed, err := rdb.Persist(ctx, k.Name).Result()
		if err != nil {
			return n, rediserr.Classify("PERSIST", err)
		}
		if removed {
			n++
		}
	}
	return n, nil
}
