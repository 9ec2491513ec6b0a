package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// full fills a queue with what each page may read, and returns the ID of a message.
func full(t *testing.T, c *framework.Client, srv *lab.Server) (queue, id string) {
	t.Helper()
	q := framework.Bind(c, registry.Define[string]("FULL", ""))
	for i := range 30 {
		r, err := q.Offer(t.Context(), fmt.Sprint("order ", i), time.Duration(1+i%2)*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		id = string(r.ID)
		if err := q.Push(t.Context(), fmt.Sprint("ready ", i)); err != nil {
			t.Fatal(err)
		}
	}
	bury(t, srv.Client(), wire.KeysOf("FULL"))
	return "FULL", id
}

// calls counts what Redis has run but for new connections and the counting.
func calls(t *testing.T, srv *lab.Server) (n int) {
	t.Helper()
	for name, ran := range lab.Commands(t, srv.Client()) {
		switch word, _, _ := strings.Cut(name, "|"); word {
		case "info", "hello", "client", "auth", "select":
		default:
			n += ran.Calls
		}
	}
	return n
}

// questions are the queries of a page: each value of each parameter that it knows.
func questions(queue string, params []string, id string) []url.Values {
	known := map[string][]string{
		"id": {id, "19f00000000-00000000000001"}, "text": {"order", id}, "entry": {"1-1"}, "due": {"week"}, "who": {"ann"}, "all": {"1"}, "from": {"7"}, "class": {"Order"},
		"for": {"1h"}, "more": {"1h"}, "rate": {"5"}, "within": {"24h"},
	}
	queries := []url.Values{{"q": {queue}}}
	for _, name := range params {
		for _, v := range append(known[name], "x") {
			queries = append(queries, url.Values{"q": {queue}, name: {v}})
		}
	}
	return queries
}

// drained is what a console does where all budgets are used up for longer than a request waits.
func drained(console *Console) *Console {
	for _, b := range []*budget.Budget{console.looking, console.searching, console.finding, console.acting} {
		b.Spend(time.Hour)
	}
	return console
}

// All that the console asks of Redis goes through one door: where its budget is used up, no page, no
// parameter and no action sends anything.
func TestNothingPassesTheBudget(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	queue, id := full(t, c, srv)
	declared := []registry.Descriptor{registry.Define[string](queue, "")}
	for what, o := range map[string]Options{
		"a declared queue":      {OnlyDeclared: true, Queues: declared},
		"with a search":         {},
		"with another's budget": {Payloads: PayloadOptions{SearchFields: []string{"orderId"}}},
	} {
		o.History, o.Writable, o.Authorize = -1, true, as(User{Name: "ann", Role: RoleAdmin})
		console, err := New(c, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = console.Close() })
		drained(console)
		before := calls(t, srv)
		asked, refused := 0, 0
		for _, p := range console.listed {
			for _, query := range questions(queue, p.params, id) {
				for range 3 {
					status, _ := get(t, console, p.path+"?"+query.Encode())
					if asked++; status == http.StatusServiceUnavailable {
						refused++
					}
				}
				if query.Set("reason", "a test"); p.post {
					send(console, p.path, query, nil)
				}
			}
			if n := calls(t, srv) - before; n > 0 {
				t.Fatalf("%s: %s: %d commands passed", what, p.path, n)
			}
		}
		for _, a := range console.allActions() {
			for _, query := range questions(queue, a.params, id) {
				query.Set("reason", "a test")
				if a.confirm {
					query.Set("confirm", queue)
				}
				send(console, a.path, query, nil)
			}
			if n := calls(t, srv) - before; n > 0 {
				t.Fatalf("%s: %s: %d commands passed", what, a.path, n)
			}
		}
		if refused < asked/2 {
			t.Errorf("%s: %d of %d were refused", what, refused, asked)
		}
	}
}

// Names that no queue has leave nothing behind, neither in memory nor in metrics, and neither do
// queues that are looked at alone.
func TestLookingLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	queue, id := full(t, openOn(t, srv), srv)
	reader := metric.NewManualReader()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true}, framework.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(reader))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	console := start(t, c, Options{History: -1, Writable: true, Authorize: as(User{Name: "eve", Role: RoleLook})})
	for _, p := range console.listed {
		for i, query := range questions("NONE", p.params, id) {
			name := fmt.Sprintf("NONE%s%d", p.path, i)
			query.Set("q", name)
			status, body := get(t, console, p.path+"?"+query.Encode())
			if !p.past && p.role == RoleLook && (status != http.StatusNotFound || !strings.Contains(body, "no such queue")) {
				t.Errorf("%s?%s: %d", p.path, query.Encode(), status)
			}
		}
		for _, query := range questions(queue, p.params, id) {
			get(t, console, p.path+"?"+query.Encode())
		}
	}
	for _, a := range console.allActions() {
		if status := send(console, a.path, url.Values{"q": {"NONE" + a.path}, "reason": {"x"}}, nil).Code; status != http.StatusForbidden {
			t.Errorf("%s: %d", a.path, status)
		}
	}
	for _, name := range series(t, reader) {
		t.Errorf("a series of %s", name)
	}
	for _, name := range console.cache.Names() {
		if strings.Contains(name, "NONE") {
			t.Errorf("a reading %q is kept", name)
		}
	}
	if _, err := framework.Bind(c, registry.Define[string](queue, "")).Offer(t.Context(), "x", time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := series(t, reader); len(got) == 0 || got[0] != queue {
		t.Errorf("what is offered to has the series %q", got)
	}
}

// series are the queues that metrics name.
func series(t *testing.T, reader *metric.ManualReader) (queues []string) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	add := func(set attribute.Set) {
		if v, ok := set.Value("messaging.destination.name"); ok {
			queues = append(queues, v.AsString())
		}
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(p.Attributes)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(p.Attributes)
				}
			}
		}
	}
	return queues
}

// brokenLog panics for each line.
type brokenLog struct{ slog.Handler }

func (brokenLog) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenLog) Handle(context.Context, slog.Record) error { panic("the log is broken") }
func (b brokenLog) WithAttrs([]slog.Attr) slog.Handler      { return b }
func (b brokenLog) WithGroup(string) slog.Handler           { return b }

// brokenCodec panics for each payload.
type brokenCodec struct{ codecs.Codec }

func (brokenCodec) Decode([]byte) (any, error) { panic("the codec is broken") }

// Logs and codecs that panic end no request and no process, whatever the console does.
func TestWhatUsersGiveMayPanic(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	queue, id := full(t, c, srv)
	if err := srv.Client().Do(t.Context(), "ACL", "SETUSER", "noscan", "on", ">pw", "~*", "&*", "+@all", "-scan").Err(); err != nil {
		t.Fatal(err)
	}
	noscan, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: strings.Replace(srv.URL(), "//", "//noscan:pw@", 1)}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = noscan.Close() })
	broken := registry.Define[string](queue, "", registry.Codec(brokenCodec{codecs.String()}), registry.SearchField("orderId"))
	for what, client := range map[string]*framework.Client{"all is allowed": c, "no search": noscan} {
		console := start(t, client, Options{Log: slog.New(brokenLog{}), Writable: true, Queues: []registry.Descriptor{broken}})
		for _, p := range console.listed {
			for _, query := range questions(queue, p.params, id) {
				if status, body := get(t, console, p.path+"?"+query.Encode()); status == http.StatusInternalServerError || strings.Contains(body, "the log is broken") {
					t.Errorf("%s: %s?%s: %d", what, p.path, query.Encode(), status)
				}
				if p.post {
					query.Set("reason", "a test")
					send(console, p.path, query, nil)
				}
			}
		}
		for _, a := range console.allActions() {
			for _, query := range questions(queue, a.params, id) {
				query.Set("reason", "a test")
				if a.tries {
					query.Set("dry", "1")
				}
				send(console, a.path, query, nil)
			}
		}
		console.done.Go(console.ctx, "a test", func() { panic(errors.New("what goes on next to requests")) })
		if err := console.Close(); err != nil {
			t.Error(err)
		}
	}
}
