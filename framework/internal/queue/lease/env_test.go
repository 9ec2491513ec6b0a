package lease

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// env is one queue on one server.
type env struct {
	rdb  redis.UniversalClient
	keys wire.Keys
	mini *miniredis.Miniredis // nil on a real server
}

var queues atomic.Int64

func newKeys() wire.Keys {
	return wire.KeysOf(fmt.Sprintf("orders-%d-", queues.Add(1)))
}

func onReal(*testing.T) *env { return &env{rdb: lab.Shared.Client(), keys: newKeys()} }

func (e *env) session(t testing.TB, opts Options) *Session {
	t.Helper()
	return e.sessionOver(t, e.rdb, e.rdb, opts)
}

// sessionOver is session with a client of its own for takes, or for the rest.
func (e *env) sessionOver(t testing.TB, take, shared redis.UniversalClient, opts Options) *Session {
	t.Helper()
	s, err := New(take, shared, e.keys, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.lanes.close() })
	return s
}

func (e *env) push(t testing.TB, bodies ...string) {
	t.Helper()
	args := make([]any, len(bodies))
	for i, b := range bodies {
		args[i] = b
	}
	must(t, e.rdb.RPush(t.Context(), e.keys.Queue, args...).Err())
}

// due adds an entry to the due list, as a transfer does.
func (e *env) due(t testing.TB, body string, rec wire.DueRecord) {
	t.Helper()
	must(t, e.rdb.RPush(t.Context(), e.keys.Due, rec.Entry([]byte(body))).Err())
}

// queue returns the ready list.
func (e *env) queue(t testing.TB) []string {
	t.Helper()
	all, err := e.rdb.LRange(t.Context(), e.keys.Queue, 0, -1).Result()
	must(t, err)
	return all
}

func (e *env) wantQueue(t testing.TB, want ...string) {
	t.Helper()
	if got := e.queue(t); !slices.Equal(got, want) {
		t.Fatalf("queue holds %q, want %q", got, want)
	}
}

// wantKeys compares the keys of the queue, by their first words: "inflight", "due"…
func (e *env) wantKeys(t testing.TB, want ...string) {
	t.Helper()
	all, err := e.rdb.Keys(t.Context(), "*"+e.keys.Queue+"*").Result()
	must(t, err)
	var got []string
	for _, k := range all {
		switch {
		case k == e.keys.Queue:
			got = append(got, "queue")
		case k == e.keys.Timeout:
			got = append(got, "timeout")
		case k == e.keys.Pending:
			got = append(got, "pending")
		case strings.HasPrefix(k, "duequeue:"):
			got = append(got, strings.Split(k, ":")[1])
		}
	}
	if slices.Contains(got, "sessions") { // the leases stand for the same sessions
		got = slices.DeleteFunc(got, func(key string) bool { return key == "leases" })
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("keys %q, want %q (all: %q)", got, want, all)
	}
}

// clear removes all keys of the queue.
func (e *env) clear(t testing.TB) {
	t.Helper()
	all, err := e.rdb.Keys(t.Context(), "*"+e.keys.Queue+"*").Result()
	must(t, err)
	for _, k := range all {
		must(t, e.rdb.Del(t.Context(), k).Err())
	}
}

// expire ends the lease of a session by Redis's clock.
func (e *env) expire(t testing.TB, s *Session) {
	t.Helper()
	must(t, e.rdb.ZAddXX(t.Context(), e.keys.Sessions, redis.Z{Score: 1, Member: s.ID()}).Err())
}

func (e *env) reap(t testing.TB, s *Session) Handed {
	t.Helper()
	e.expire(t, s)
	h, err := NewReaper(e.rdb, e.keys, ReaperOptions{}).Reap(t.Context(), s.ID())
	must(t, err)
	return h
}

// runReaper lets the reaper of one queue run.
func runReaper(ctx context.Context, r *Reaper) error {
	all := NewReapers(r.rdb)
	all.Add(r)
	return all.Run(ctx)
}

// dead returns the entries of the dead store.
func (e *env) dead(t testing.TB) []map[string]any {
	t.Helper()
	entries, err := e.rdb.XRange(t.Context(), e.keys.Dead, "-", "+").Result()
	must(t, err)
	out := make([]map[string]any, len(entries))
	for i, m := range entries {
		out[i] = m.Values
	}
	return out
}

func take(t testing.TB, s *Session, n int, acks ...Token) Batch {
	t.Helper()
	b, err := s.Take(t.Context(), n, acks)
	must(t, err)
	return b
}

func bodies(b Batch) []string {
	out := make([]string, len(b.Messages))
	for i, m := range b.Messages {
		out[i] = string(m.Body)
	}
	return out
}

func tokens(b Batch) Acks {
	out := make(Acks, len(b.Messages))
	for i, m := range b.Messages {
		out[i] = m.Token
	}
	return out
}

func wantBodies(t testing.TB, b Batch, want ...string) {
	t.Helper()
	if got := bodies(b); !slices.Equal(got, want) {
		t.Fatalf("took %q, want %q", got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("message %06d", i)
	}
	return out
}
