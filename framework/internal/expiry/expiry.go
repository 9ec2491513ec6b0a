// Package expiry finds keys of a queue that Redis is going to delete with all messages in
// them: expire is a public method of Redisson's queues, and RESTORE sets an end as well.
package expiry

import (
	"context"
	"embed"
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

//go:embed lua
var luaFiles embed.FS

var lookScript = script.NewLibrary(luaFiles).Script("look")

// Scripts returns the scripts of everybody who offers or looks.
func Scripts() []*script.Script { return []*script.Script{lookScript} }

// Every is how often a process looks at least while it works.
const Every = time.Minute

// Key is a key that Redis is going to delete.
type Key struct {
	Name string
	// Holds says what is lost with it, in the plural.
	Holds string
	Left  time.Duration
}

// String says which key it is, what it holds and for how long.
func (k Key) String() string {
	return fmt.Sprintf("Redis deletes key %q, which holds %s, in %v: a program has called expire on it, or RESTORE with an end", k.Name, k.Holds, k.Left)
}

// What the keys hold.
const (
	Pending = "all pending messages"
	View    = "Java's view of the pending messages"
	Ready   = "all ready messages"
)

// Found is what one look found.
type Found struct {
	Keys []Key
	// Refused says that the user of this process may not ask.
	Refused bool
}

// Names are the names of the keys, each with a line end.
func (f Found) Names() string {
	var b strings.Builder
	for _, k := range f.Keys {
		b.WriteString(k.Name + "\n")
	}
	return b.String()
}

// Warn logs that keys of a queue have an end.
func Warn(ctx context.Context, log *slog.Logger, queue string, f Found) {
	for _, k := range f.Keys {
		log.WarnContext(ctx, "Redis is going to delete a key of this queue, and the messages in it", "queue", queue, "key", k.Name, "holds", k.Holds, "left", k.Left.String())
	}
}

// Due returns the key that takes a message with it which falls due after so long.
func (f Found) Due(after time.Duration) (Key, bool) {
	for _, k := range f.Keys {
		if k.Holds == Pending && k.Left <= after {
			return k, true
		}
	}
	return Key{}, false
}

// Call is a look for a pipeline; [Of] takes its reply.
func Call(k wire.Keys) script.Call {
	return script.Call{Script: lookScript, Keys: []string{k.Timeout, k.Pending, k.Queue}}
}

// Look looks at one queue. Errors are those of [script.Script.Run].
func Look(ctx context.Context, rdb redis.Scripter, k wire.Keys) (Found, error) {
	call := Call(k)
	value, err := lookScript.Run(ctx, rdb, call.Keys)
	return Of(k, script.Reply{Value: value, Err: err})
}

// Of reads the reply of a [Call].
func Of(k wire.Keys, reply script.Reply) (Found, error) {
	if reply.Err != nil {
		return Found{}, reply.Err
	}
	r := script.NewReader(lookScript, reply.Value)
	var found Found
	for _, key := range []Key{{Name: k.Timeout, Holds: Pending}, {Name: k.Pending, Holds: View}, {Name: k.Queue, Holds: Ready}} {
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

// Remove lets Redis keep the keys. It returns of how many it has removed the end.
func Remove(ctx context.Context, rdb redisapi.Client, keys []Key) (n int64, err error) {
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
