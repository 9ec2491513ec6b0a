package admin_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

type searchOrder struct {
	ID    string `java:"orderId"`
	Email string `java:"email"`
}

func (searchOrder) JavaClass() string { return "com.demo.Order" }

// javaMoney is a demo.Money of 1999 cents that a Java program wrote with MarshallingCodec, see
// testdata of cmd/duequeue.
const javaMoney = "0404093e0a64656d6f2e4d6f6e6579cbbb4865164ed905000000023e0563656e747324003e0863757272656e637916001600000000000007cf3e03455552"

// searched reads all pages of a search.
func searched(t *testing.T, c *framework.Client, queue, text string, o admin.SearchOptions) (matches []admin.Match, last admin.SearchResult) {
	t.Helper()
	for range 10_000 {
		var err error
		if last, err = admin.Search(t.Context(), c, queue, text, o); err != nil {
			t.Fatal(err)
		}
		if matches = append(matches, last.Matches...); last.Done() {
			return matches, last
		}
		o.Cursor = last.More
	}
	t.Fatal("the search does not end")
	return nil, last
}

func texts(matches []admin.Match) []string {
	var out []string
	for _, m := range matches {
		out = append(out, fmt.Sprintf("%s by %s: %s", m.Place, m.By, m.Summary))
	}
	return out
}

// Support asks whether an order will be cancelled: by ID, by key and by the number of the
// order, wherever it is, in every partition.
func TestSearch(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := opened(t, srv)
	for _, q := range []*registry.Queue[searchOrder]{
		registry.Define[searchOrder]("SEARCH_KRYO", "", registry.Codec(kryo5.New()), registry.SearchField("orderId"), registry.Visible("orderId")),
		registry.Define[searchOrder]("SEARCH_JACKSON", "", registry.Codec(jackson.JsonJackson()), registry.Partitions(3), registry.SearchField("orderId"), registry.Visible("orderId")),
	} {
		t.Run(q.Code(), func(t *testing.T) { searchEverywhere(t, c, q) })
	}
}

func opened(t *testing.T, srv *lab.Server) *framework.Client {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func searchEverywhere(t *testing.T, c *framework.Client, q *registry.Queue[searchOrder]) {
	ctx, bound := t.Context(), framework.Bind(c, q)
	held, release := make(chan struct{}), make(chan struct{})
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(q, handlers.Func[searchOrder](func(_ context.Context, d *handlers.Delivery[searchOrder]) error {
		if d.Payload.ID == "dead" {
			return handlers.Reject("no such order")
		}
		held <- struct{}{}
		<-release
		return nil
	}), framework.Workers(2))})
	if err != nil {
		t.Fatal(err)
	}
	offer := func(id string, delay time.Duration, opts ...framework.OfferOption) framework.Receipt {
		t.Helper()
		r, err := bound.Offer(ctx, searchOrder{ID: id, Email: "secret@example.com"}, delay, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	offer("dead", 0)
	flying := offer("flying", 0, framework.Key("key of flying"))
	if err := engine.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() {
		close(release)
		_ = engine.Stop(context.WithoutCancel(ctx))
	}()
	<-held
	lab.WaitFor(t, "the dead letter", func() bool {
		n, err := bound.Counts(ctx)
		return err == nil && n.Dead == 1
	})
	waiting := offer("4711", time.Hour, framework.Key("key of 4711"))
	for i := range 20 {
		offer(fmt.Sprint("other", i), time.Hour)
	}
	o := admin.SearchOptions{Payloads: admin.PayloadsOf(q), Share: 1}
	for text, want := range map[string][]string{
		"4711":               {"pending by orderId: Order orderId=4711"},
		string(waiting.ID):   {"pending by ID: Order orderId=4711"},
		"key of 4711":        {"pending by key: Order orderId=4711"},
		"flying":             {"in flight by orderId: Order orderId=flying"},
		string(flying.ID):    {"in flight by ID: "},
		"key of flying":      {"in flight by key: "},
		"dead":               {"dead by orderId: Order orderId=dead"},
		"secret@example.com": nil,
		"471":                nil,
	} {
		found, last := searched(t, c, q.Code(), text, o)
		if got := texts(found); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if !last.Looked[0].Done || last.Looked[0].Seen != 21 || last.Looked[2].Seen != 1 || last.Looked[3].Seen != 1 || last.Looked[3].Unreadable != 0 || last.Cut {
			t.Errorf("%s: looked %+v", text, last.Looked)
		}
	}
	found, _ := searched(t, c, q.Code(), "4711", o)
	if m := found[0]; m.ID != string(waiting.ID) || m.Key != "key of 4711" || !m.Due.Equal(waiting.Due) {
		t.Errorf("%+v, want %+v", m, waiting)
	}
	found, _ = searched(t, c, q.Code(), "flying", o)
	if m := found[0]; m.ID != string(flying.ID) || m.Key != "key of flying" || !m.Due.Equal(flying.Due) || m.Since.IsZero() {
		t.Errorf("%+v, want %+v", m, flying)
	}
	found, _ = searched(t, c, q.Code(), "dead", o)
	if m := found[0]; m.Entry == "" || m.Reason != handlers.ReasonRejected || m.ID == "" {
		t.Errorf("%+v", m)
	}
}

// A search that needs many calls finds each message once, while messages move.
func TestSearchInPages(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := opened(t, srv)
	q := registry.Define[map[string]any]("PAGES", "", registry.Codec(jackson.JsonJackson()), registry.Partitions(2), registry.SearchField("n"))
	bound := framework.Bind(c, q)
	const n = 3000
	items := make([]framework.Item[map[string]any], n)
	for i := range items {
		items[i] = framework.Item[map[string]any]{Value: map[string]any{"n": i % 3}, Delay: time.Hour + time.Duration(i)*time.Millisecond}
	}
	if _, err := bound.OfferAll(t.Context(), slices.Values(items)); err != nil {
		t.Fatal(err)
	}
	o := admin.SearchOptions{Payloads: admin.PayloadsOf(q), Share: 1, Time: time.Nanosecond}
	calls, seen := 0, map[string]bool{}
	o.Progress = func(admin.SearchResult) { calls++ }
	found, last := searched(t, c, "PAGES", "1", o)
	for _, m := range found {
		if seen[m.ID] {
			t.Fatalf("%s was found twice", m.ID)
		}
		seen[m.ID] = true
	}
	if len(found) != n/3 || calls < 8 || last.Looked[0].Seen != n || last.Looked[0].Of != n {
		t.Errorf("%d found in %d calls; %+v", len(found), calls, last.Looked)
	}

	first, err := admin.Search(t.Context(), c, "PAGES", "1", o)
	if err != nil || first.Done() {
		t.Fatal(first, err)
	}
	o.Cursor = first.More
	var wrong *fault.CursorError
	if _, err := admin.Search(t.Context(), c, "PAGES", "2", o); !errors.As(err, &wrong) {
		t.Errorf("a cursor of another text: %v", err)
	}
	for _, cursor := range []string{"x", "!", first.More[:len(first.More)-4], "e30"} {
		o.Cursor = cursor
		if _, err := admin.Search(t.Context(), c, "PAGES", "1", o); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	if _, err := admin.Search(t.Context(), c, "PAGES", "  ", admin.SearchOptions{}); err == nil {
		t.Error("an empty text is searched for")
	}
	if r, err := admin.Search(t.Context(), c, "PAGES", "1", admin.SearchOptions{}); err != nil || !r.Done() || !r.ByKey || r.ByID || r.Looked != nil {
		t.Errorf("without fields: %+v %v", r, err)
	}
}

// Java's messages are found too, pending and ready, and what cannot be read is counted.
func TestSearchJava(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, ctx := opened(t, srv), srv.Client(), t.Context()
	money, err := hex.DecodeString(javaMoney)
	if err != nil {
		t.Fatal(err)
	}
	k, due := wire.KeysOf("MONEY"), time.Now().Add(time.Hour)
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaNew([]byte("12345678"), money))
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaOld(7, money))
	queuetest.Put(t, rdb, k, due.UnixMilli(), queuetest.JavaNew([]byte("87654321"), []byte("no such thing")))
	rdb.RPush(ctx, k.Queue, money, money[:20], money, strings.Repeat("x", 3<<20))
	p := admin.Payloads{Decode: marshalling.New().Decode, SearchFields: []string{"cents"}, VisibleFields: []string{"cents"}}
	found, last := searched(t, c, "MONEY", "1999", admin.SearchOptions{Payloads: p, Share: 1})
	want := []string{"pending by cents: Money cents=1999", "pending by cents: Money cents=1999", "ready by cents: Money cents=1999", "ready by cents: Money cents=1999"}
	if got := texts(found); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if l := last.Looked; l[0].Seen != 3 || l[0].Unreadable != 1 || l[1].Seen != 4 || l[1].Unreadable != 2 {
		t.Errorf("%+v", l)
	}
	if found[0].ID == "" || found[0].ID == found[1].ID || !found[0].Due.Equal(due.Truncate(time.Millisecond)) || found[2].ID != "" {
		t.Errorf("%+v", found)
	}
}
