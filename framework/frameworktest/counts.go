package frameworktest

import (
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/registry"
)

// Counts says where the messages of one queue are.
type Counts struct {
	Pending int // offered, not due yet; those that wait for a retry included
	Ready   int // due, not taken yet
	Running int // a handler is at work on them
	Dead    int // in the dead store
}

// Counts returns where the messages of a queue are now.
func (k *Kit) Counts(q registry.Descriptor) Counts {
	k.t.Helper()
	n := k.wireCounts(q)
	k.mu.Lock()
	defer k.mu.Unlock()
	return Counts{Pending: int(n.Delayed), Ready: int(n.Ready), Running: k.running[q.Code()], Dead: int(n.Dead)}
}

func (k *Kit) wireCounts(q registry.Descriptor) delayed.QueueCounts {
	k.t.Helper()
	n, err := delayed.Counts(k.t.Context(), k.rdb, keysOf(q))
	k.must(q, err)
	return n
}

// must fails the test when the kit cannot see what it asks for.
func (k *Kit) must(q registry.Descriptor, err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatalf("frameworktest: look at %s: %v", q.Code(), err)
	}
}

// DeadMessage is a message that was given up.
type DeadMessage struct {
	Body   []byte // as it was offered
	Reason string // one of handlers.Reason…
	Detail string // the error, or what else is known
}

// Dead returns the dead letters of a queue, oldest first.
func (k *Kit) Dead(q registry.Descriptor) []DeadMessage {
	k.t.Helper()
	entries, err := k.rdb.XRange(k.t.Context(), keysOf(q).Dead, "-", "+").Result()
	k.must(q, err)
	var out []DeadMessage
	for _, e := range entries {
		text := func(field string) string { s, _ := e.Values[field].(string); return s }
		out = append(out, DeadMessage{Body: []byte(text("body")), Reason: text("reason"), Detail: text("detail")})
	}
	return out
}
