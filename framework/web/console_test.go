package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/registry"
)

func TestMain(m *testing.M) { lab.Main(m) }

func open(t *testing.T, opts ...framework.ClientOption) *framework.Client {
	t.Helper()
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: lab.Shared.URL()}, NoTransfer: true}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func as(u User) func(*http.Request) (User, error) {
	return func(*http.Request) (User, error) { return u, nil }
}

func start(t *testing.T, c *framework.Client, o Options) *Console {
	t.Helper()
	if o.Authorize == nil {
		o.Authorize = as(User{Name: "ann", Role: RoleAdmin})
	}
	o.Budget, o.SearchBudget = 1, 1 // a busy machine would use up the defaults, and pages stay old for longer than a test waits
	o.searchTime = time.Minute      // so that no clock ends a search
	console, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	return console
}

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if got := w.Header().Get("Content-Security-Policy"); got != policy {
		t.Errorf("GET %s: Content-Security-Policy: %q", path, got)
	}
	return w.Code, w.Body.String()
}

func TestPagesShow(t *testing.T) {
	t.Parallel()
	c := open(t)
	name := queuetest.NewQueue().Queue
	q := registry.Define[string](name, "the <title>")
	if err := framework.Bind(c, q).Push(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{Queues: []registry.Descriptor{q}})
	for path, want := range map[string]string{
		"/":                         "the &lt;title&gt;",
		"/queue?q=" + name:          "Falls due",
		"/processes":                "Processes",
		"/static/app.css":           "--accent",
		"/queue":                    "needs a queue",
		"/nothing":                  "no such page",
		"/queue?due=week&q=" + name: "5 d 6 h",
	} {
		status, body := get(t, console, path)
		if !strings.Contains(body, want) {
			t.Errorf("GET %s: %d, without %q", path, status, want)
		}
	}
}

// The page of processes shows the version of the program, and which duequeue it was built with.
func TestProcessesShowVersions(t *testing.T) {
	t.Parallel()
	console, k := start(t, open(t), Options{}), queuetest.NewQueue()
	record := fmt.Sprintf(`%016d%010d%010d{"host":"h","pid":7,"program":"shop","build":"v1.4.2 1a2b3c4d5e6f","version":"v0.9.0"}`,
		queuetest.NowMs(t, lab.Shared.Client()), 3_600_000, 3_600_000)
	if err := lab.Shared.Client().HSet(t.Context(), k.Processes, "p", record).Err(); err != nil {
		t.Fatal(err)
	}
	if status, body := get(t, console, "/processes?q="+k.Queue); !strings.Contains(body, "shop v1.4.2 1a2b3c4d5e6f · duequeue v0.9.0") {
		t.Errorf("%d: %s", status, body)
	}
}
