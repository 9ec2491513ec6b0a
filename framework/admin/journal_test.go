package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// journaled is what the journal has of an order, and by what it was found.
func journaled(t *testing.T, c *framework.Client, queue, text string, o admin.SearchOptions) (out []string) {
	t.Helper()
	found, _ := searched(t, c, queue, text, o)
	for _, m := range found {
		if m.Place != admin.PlaceJournal {
			continue
		}
		r := m.Journal
		fields := []string{}
		for _, f := range r.Fields {
			fields = append(fields, f.Path+"="+f.Text)
		}
		line := fmt.Sprintf("%s by %s, attempt %d, %s", r.Outcome, m.By, r.Attempt, strings.Join(fields, " "))
		if m.Reason != "" {
			line += ", " + m.Reason
		}
		if m.Key != "" {
			line += ", with " + m.Key
		}
		out = append(out, line)
		if age := time.Since(m.Since); age < -time.Second || age > time.Minute || r.Process == "" || m.ID == "" {
			t.Errorf("%s: %+v, %+v", text, m, r)
		}
	}
	slices.Sort(out) // clocks of processes differ by some ms
	return out
}

// The journal tells how each message ended, for all who ask: by ID, key and field, in partitions too.
func TestJournal(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := opened(t, srv)
	policy := []registry.Option{
		registry.Journal(time.Hour, "orderId", "customer.name"), registry.MaxAttempts(2), registry.Backoff(registry.Steps(time.Millisecond)),
		registry.MaxLateness(time.Hour, registry.Expire), registry.MaxPayload(500),
	}
	for _, q := range []*registry.Queue[journalOrder]{
		registry.Define[journalOrder]("JOURNAL_KRYO", "", append(policy, registry.Codec(kryo5.New()))...),
		registry.Define[journalOrder]("JOURNAL_JACKSON", "", append(policy, registry.Codec(jackson.JsonJackson()), registry.Partitions(3))...),
	} {
		t.Run(q.Code(), func(t *testing.T) { journalOfAll(t, c, q) })
	}
}

type journalOrder struct {
	ID       string           `java:"orderId"`
	Customer *journalCustomer `java:"customer"`
	Rest     string           `java:"rest"`
}

type journalCustomer struct {
	Name string `java:"name"`
}

func (journalOrder) JavaClass() string    { return "com.demo.Order" }
func (journalCustomer) JavaClass() string { return "com.demo.Customer" }

func journalOfAll(t *testing.T, c *framework.Client, q *registry.Queue[journalOrder]) {
	ctx, bound := t.Context(), framework.Bind(c, q)
	running, release := make(chan struct{}), make(chan struct{})
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(q, handlers.Func[journalOrder](func(_ context.Context, d *handlers.Delivery[journalOrder]) error {
		switch d.Payload.ID {
		case "rejected":
			return handlers.Reject("no such order")
		case "exhausted":
			return io.EOF
		case "flying":
			close(running)
			<-release
		}
		return nil
	}), framework.Breaker(framework.BreakerConfig{Disabled: true}))})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]framework.ID{}
	offer := func(id string, delay time.Duration) {
		t.Helper()
		r, err := bound.Offer(ctx, journalOrder{ID: id, Customer: &journalCustomer{Name: "Ann"}}, delay, framework.Key("key "+id).Within(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = r.ID
	}
	for _, id := range []string{"handled", "rejected", "exhausted", "flying", "forgotten"} {
		offer(id, 0)
	}
	offer("pending", time.Hour)
	offer("by tool", time.Hour)
	old, err := bound.OfferAt(ctx, journalOrder{ID: "expired"}, time.Now().Add(-2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	ids["expired"] = old.ID
	if err := engine.Start(ctx); err != nil {
		t.Fatal(err)
	}
	stop := func() { _ = engine.Stop(context.WithoutCancel(ctx)) }
	defer func() { stop() }()
	<-running
	if err := bound.CancelKey(ctx, "key flying"); err == nil {
		t.Fatal("a message in flight was cancelled")
	}
	close(release)
	if err := bound.CancelKey(ctx, "key pending"); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the engine has begun the journals", func() bool {
		for _, p := range queuetest.Must[[]admin.Partition](t)(admin.Partitions(ctx, c, q.Code())) {
			k := queuetest.Must[wire.Keys](t)(access.Of(c).Keys(p.Name))
			if access.Of(c).Redis.Exists(ctx, k.Journal).Val() == 0 {
				return false
			}
		}
		return true
	})
	tool := queuetest.Must[*framework.Queue[[]byte]](t)(admin.Queue(ctx, c, q.Code()))
	if err := tool.Cancel(ctx, ids["by tool"]); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "all messages ended", func() bool {
		n := queuetest.Must[int64](t)(records(ctx, c, q.Code()))
		return n == 9
	})

	o := admin.SearchOptions{Payloads: admin.PayloadsOf(q), Share: 1}
	fields := func(id string) string { return "orderId=" + id + " customer.name=Ann" }
	for id, want := range map[string][]string{
		"handled":   {"handled by %s, attempt 1, " + fields("handled") + ", with key handled"},
		"rejected":  {"dead by %s, attempt 1, " + fields("rejected") + ", rejected, with key rejected"},
		"exhausted": {"dead by %s, attempt 2, " + fields("exhausted") + ", exhausted, with key exhausted"},
		"expired":   {"expired by %s, attempt 1, orderId=expired, expired"},
		"pending":   {"cancelled by %s, attempt 0, " + fields("pending") + ", with key pending"},
		"flying":    {"cancelled by %s, attempt 0, , with key flying", "handled by %s, attempt 1, " + fields("flying") + ", with key flying"},
		"by tool":   {"cancelled by %s, attempt 0, , with key by tool"},
	} {
		for by, text := range map[string]string{"ID": string(ids[id]), "key": "key " + id, "orderId": id} {
			var expect []string
			for _, line := range want {
				if by == "ID" || by == "key" && strings.Contains(line, text) || strings.Contains(line, "orderId="+text) {
					expect = append(expect, fmt.Sprintf(line, by))
				}
			}
			if got := journaled(t, c, q.Code(), text, o); !slices.Equal(got, expect) {
				t.Errorf("%s by %s: %q\nwant %q", id, by, got, expect)
			}
		}
		if got := journaled(t, c, q.Code(), string(ids[id]), admin.SearchOptions{}); len(got) != len(want) {
			t.Errorf("%s, without payloads: %q", id, got)
		}
	}

	// A person is forgotten: records, dead letters and windows; not what is still to be handled.
	offer("later", time.Hour)
	o2 := admin.ForgetOptions{Payloads: admin.Payloads{Decode: admin.PayloadsOf(q).Decode, SearchFields: []string{"customer.name"}}, Share: 1, DryRun: true}
	for _, dry := range []bool{true, false, false} {
		first := dry || o2.DryRun
		o2.DryRun = dry
		got, err := admin.Forget(ctx, c, q.Code(), "Ann", o2)
		records, dead := int64(6), int64(2)
		if !first {
			records, dead = 0, 0
		}
		if err != nil || got.Records != records || got.Dead != dead || got.Unreadable != 0 || len(got.Left) != 1 || got.Left[0].ID != string(ids["later"]) {
			t.Errorf("dry %v: %+v, %v; want %d records, %d dead letters, and the pending one left", dry, got, err, records, dead)
		}
	}
	got, err := admin.Forget(ctx, c, q.Code(), "key flying", admin.ForgetOptions{Share: 1})
	if err != nil || got.Records != 1 || got.Kept == 0 {
		t.Errorf("forgotten %+v, %v", got, err)
	}
	if got, err = admin.Forget(ctx, c, q.Code(), "key later", admin.ForgetOptions{}); err != nil || got.Kept > 0 || len(got.Left) != 1 {
		t.Errorf("what is kept of a pending message: %+v, %v", got, err)
	}
	if left := queuetest.Must[int64](t)(records(ctx, c, q.Code())); left != 2 { // expired, and the tool's
		t.Errorf("%d records are left", left)
	}
}

// records counts those of all partitions.
func records(ctx context.Context, c *framework.Client, queue string) (n int64, err error) {
	parts, err := admin.Partitions(ctx, c, queue)
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		k, failed := access.Of(c).Keys(p.Name)
		one, failed2 := journal.Count(ctx, access.Of(c).Redis, k)
		n, err = n+one, errors.Join(err, failed, failed2)
	}
	return n, err
}
