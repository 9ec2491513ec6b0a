package framework_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// logbook keeps what is logged.
type logbook struct {
	mu    sync.Mutex
	lines []logLine
	slog.Handler
}

type logLine struct {
	message string
	attrs   map[string]string
}

func newLogbook(t *testing.T) *logbook {
	return &logbook{Handler: slog.NewTextHandler(t.Output(), nil)}
}

func (b *logbook) Handle(_ context.Context, r slog.Record) error {
	l := logLine{message: r.Message, attrs: map[string]string{}}
	r.Attrs(func(a slog.Attr) bool {
		l.attrs[a.Key] = a.Value.String()
		return true
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, l)
	return nil
}

func (b *logbook) logger() *slog.Logger { return slog.New(b) }

func (b *logbook) WithAttrs([]slog.Attr) slog.Handler { return b }

// with returns the lines whose message contains a text.
func (b *logbook) with(text string) (found []logLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if strings.Contains(l.message, text) {
			found = append(found, l)
		}
	}
	return found
}

// setupLogged is setup with a log that can be read.
func setupLogged(t *testing.T, edit ...func(*framework.Config)) (*bundle, *logbook) {
	t.Helper()
	srv := lab.StartRedis(t)
	cfg := framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}}
	for _, e := range edit {
		e(&cfg)
	}
	book := newLogbook(t)
	c, err := framework.Open(t.Context(), cfg, framework.WithLogger(slog.New(book)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &bundle{server: srv, redis: srv.Client(), client: c}, book
}

// hastyQueue gives up on handlers soon, and tries again late.
func hastyQueue(code string) *registry.Queue[string] {
	return registry.Define[string](code, "", registry.Codec(codecs.String()), registry.Timeout(20*time.Millisecond),
		registry.Grace(20*time.Millisecond), registry.Backoff(registry.Steps(time.Hour)))
}

// hangsHere is what the log must show.
//
//go:noinline
func hangsHere(release <-chan struct{}) { <-release }

func TestTheLogShowsWhereAHandlerHangs(t *testing.T) {
	t.Parallel()
	b, book := setupLogged(t)
	q := stringQueue("where", registry.Timeout(200*time.Millisecond), registry.Grace(300*time.Millisecond))
	release := make(chan struct{})
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Attempt() == 1 && d.Payload == "hangs" {
			hangsHere(release)
		}
		return nil
	}), framework.Workers(64)))
	defer close(release)
	for i := range 200 {
		b.offer(t, q, fmt.Sprint("quick ", i))
	}
	b.offer(t, q, "hangs")
	lab.WaitFor(t, "a zombie", func() bool { return e.Health().Queues[0].Zombies == 1 })
	lab.WaitFor(t, "a line in the log", func() bool { return len(book.with("handler hangs")) == 1 })
	l := book.with("handler hangs")[0]
	if !strings.Contains(l.attrs["stack"], "hangsHere") || len(l.attrs["stack"]) > 8<<10 {
		t.Errorf("stack of %d bytes:\n%s", len(l.attrs["stack"]), l.attrs["stack"])
	}
	hung := e.Health().Queues[0].Hung
	if len(hung) != 1 || hung[0].ID == "" || hung[0].ID != l.attrs["id"] || hung[0].Digest != l.attrs["digest"] {
		t.Fatalf("health %+v, log %v", hung, l.attrs)
	}
	if ran := hung[0].GivenUpAt.Sub(hung[0].StartedAt); ran < 500*time.Millisecond {
		t.Errorf("given up after %v", ran)
	}
	f, err := admin.InFlightOf(t.Context(), b.client, q.Key())
	at := slices.IndexFunc(f.Messages, func(m admin.InFlightMessage) bool { return m.Hung })
	if err != nil || at < 0 || f.Messages[at].ID != hung[0].ID || f.Messages[at].Hangs != 1 || f.Messages[at].Attempt != 1 {
		t.Errorf("in flight %+v, %v: want one that hung once", f, err)
	}
}

// Too many zombies close the intake, and open it when they return.
func TestTooManyHungHandlersCloseTheIntake(t *testing.T) {
	t.Parallel()
	b, book := setupLogged(t)
	q := hastyQueue("haunted")
	release := make(chan struct{})
	handled := make(chan string, 100)
	e := b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if strings.HasPrefix(d.Payload, "hangs") {
			<-release
			return nil
		}
		handled <- d.Payload
		return nil
	}), framework.Workers(2), framework.Breaker(framework.BreakerConfig{Disabled: true})))
	const limit = 4 // of zombies, with 2 workers
	for i := range limit {
		b.offer(t, q, fmt.Sprint("hangs ", i))
	}
	lab.WaitFor(t, "all hang", func() bool { return e.Health().Queues[0].Zombies == limit })

	// Nothing is taken, whoever brings it, and nothing stays in this process's hand.
	waiting := []string{"a", "b", "c"}
	for _, v := range waiting {
		if err := b.redis.RPush(t.Context(), "haunted", v).Err(); err != nil {
			t.Fatal(err)
		}
	}
	lab.WaitFor(t, "what had landed is back", func() bool {
		return slices.Equal(b.redis.LRange(t.Context(), "haunted", 0, -1).Val(), waiting)
	})
	h := e.Health()
	q0 := h.Queues[0]
	if h.Ready || !h.Live || !slices.Contains(h.Reasons, "haunted: intake closed (hung): 4 handlers hang") {
		t.Errorf("health %+v", h)
	}
	if q0.Intake != health.IntakeClosed || q0.Reason != health.BecauseHung || len(q0.Hung) != limit {
		t.Errorf("queue %+v", q0)
	}
	lab.WaitFor(t, "the log says so", func() bool { return len(book.with("too many handlers hang")) == 1 })
	if len(handled) != 0 {
		t.Errorf("handled %q", <-handled)
	}

	close(release)
	for range waiting {
		await(t, handled, "delivery after the return")
	}
	lab.WaitFor(t, "the log tells each return", func() bool { return len(book.with("given up on has returned")) == limit })
	lab.WaitFor(t, "ready again, and none hangs", func() bool {
		h := e.Health()
		return h.Ready && h.Queues[0].Intake == health.IntakeOpen && h.Queues[0].Reason == "" && h.Queues[0].Zombies == 0 && h.Queues[0].Hung == nil
	})
}

// The keys of the health page are what dashboards are built on.
func TestShapeOfHealthAsJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := hastyQueue("shape")
	release := make(chan struct{})
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
		<-release
		return nil
	}), framework.Workers(1)))
	b.offer(t, q, "x")
	lab.WaitFor(t, "a zombie that is settled", func() bool {
		h := e.Health().Queues[0]
		return h.Zombies == 1 && h.Running == 0 && h.LastError != ""
	})
	get := func(path string) (int, map[string]any) {
		t.Helper()
		w := httptest.NewRecorder()
		e.HealthHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v: %s", path, err, w.Body)
		}
		return w.Code, got
	}
	keys := func(v any) []string {
		m, _ := v.(map[string]any)
		var out []string
		for k := range m {
			out = append(out, k)
		}
		slices.Sort(out)
		return out
	}
	want := func(what string, v any, names ...string) {
		t.Helper()
		if got := keys(v); !slices.Equal(got, names) {
			t.Errorf("%s has %q, want %q", what, got, names)
		}
	}
	code, got := get("/readyz")
	if code != http.StatusOK || got["ready"] != true || got["live"] != true {
		t.Errorf("%d %v", code, got)
	}
	want("health", got, "live", "queues", "ready")
	queue := got["queues"].([]any)[0].(map[string]any)
	want("queue", queue, "code", "hung", "intake", "last_error", "running", "title", "transferred_at", "zombies")
	if queue["intake"] != "open" {
		t.Errorf("queue %v", queue)
	}
	want("hung", queue["hung"].([]any)[0], "digest", "given_up_at", "id", "started_at")

	close(release)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	code, got = get("/livez")
	if code != http.StatusServiceUnavailable || got["live"] != false {
		t.Errorf("%d %v", code, got)
	}
	want("stopped health", got, "drain", "live", "queues", "ready", "reasons")
	want("drain", got["drain"], "since", "until")
	queue = got["queues"].([]any)[0].(map[string]any)
	if queue["intake"] != "closed" || queue["reason"] != "draining" {
		t.Errorf("queue %v", queue)
	}
}
