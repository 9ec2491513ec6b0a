package admin

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Names that no declaration can have are read as others are.
func TestOddNamesAreRead(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	ctx := t.Context()
	for _, name := range []string{"bad\nname", "fine", "worse\xff"} {
		pending(t, srv.Client(), wire.KeysOf(name), 1, newElement)
	}
	c := opened(t, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	names, _, err := QueueNames(ctx, c, QueuesOptions{})
	if err != nil || len(names) != 3 {
		t.Fatalf("%q %v", names, err)
	}
	found, err := StatusOfNames(ctx, c, names)
	if err != nil || len(found) != 3 {
		t.Fatalf("%+v %v", found, err)
	}
	for i, q := range found {
		if q.Queue != names[i] || q.Delayed != 1 || q.Err != nil {
			t.Errorf("%+v", q)
		}
	}
}

// With a name mapper every list names queues as the program does, so that what is done with a
// name meets the same queue; queues that the mapper does not give are left out.
func TestListsNameQueuesAsTheProgramDoes(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	toRedis := func(name string) string { return "prod." + strings.ToLower(name) + ".q" }
	fromRedis := func(raw string) string {
		return strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(raw, "prod."), ".q"))
	}
	c, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true},
		framework.WithNameMapper(toRedis, fromRedis))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })

	past := float64(time.Now().Add(-time.Minute).UnixMilli())
	for _, raw := range []string{"prod.orders.q", "test.orders.q", "ORDERS"} {
		k := wire.KeysOf(raw)
		pending(t, rdb, k, past, newElement)
		rdb.ZAdd(ctx, k.Sessions, redis.Z{Score: past, Member: "session"})
	}

	want := []string{"ORDERS"}
	found, _, err := Queues(ctx, c, QueuesOptions{})
	if got := namesOf(found); err != nil || !slices.Equal(got, want) || found[0].Delayed != 1 {
		t.Fatalf("Queues: %+v %v", found, err)
	}
	names, _, err := QueueNames(ctx, c, QueuesOptions{})
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("QueueNames: %q %v", names, err)
	}
	for what, status := range map[string]func() ([]QueueStatus, error){
		"StatusOf":      func() ([]QueueStatus, error) { return StatusOf(ctx, c, names...) },
		"StatusOfNames": func() ([]QueueStatus, error) { return StatusOfNames(ctx, c, names) },
	} {
		if got, err := status(); err != nil || len(got) != 1 || got[0].Queue != "ORDERS" || got[0].Delayed != 1 {
			t.Errorf("%s: %+v %v", what, got, err)
		}
	}
	held, err := HeldQueues(ctx, c)
	if err != nil || !slices.Equal(held, want) {
		t.Errorf("HeldQueues: %q %v", held, err)
	}
	discovered, err := pendingQueues(ctx, access.Of(c))
	if err != nil || !slices.Equal(discovered, want) {
		t.Errorf("discovered: %q %v", discovered, err)
	}
	act := Action{Who: "alice", Role: "operate", Via: "test", Action: "pause", Queue: "ORDERS", Reason: "why"}
	if err := Audited(ctx, c, act, func(context.Context) (string, error) { return "done", nil }); err != nil {
		t.Fatal(err)
	}
	log, _, err := AuditTrail(ctx, c, AuditOptions{})
	if err != nil || len(log) != 1 || log[0].Queue != "ORDERS" {
		t.Errorf("audit: %+v %v", log, err)
	}
}
