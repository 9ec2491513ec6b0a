package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// asker asks Redis through a proxy that gives an answer for a while.
type asker struct {
	server *lab.Server
	proxy  *lab.Refusing
	client *framework.Client // through the proxy
	queue  *registry.Queue[string]
	answer string
}

// refuse answers the next n commands that are no part of a login.
func (a *asker) refuse(n int) {
	a.proxy.Refuse(n, a.answer, func(command string) bool {
		return !slices.Contains([]string{"hello", "auth", "client", "select"}, command)
	})
}

// refused says what is missing while not all commands were refused that are to be.
func (a *asker) refused() string {
	if left := a.proxy.Left(); left > 0 {
		return fmt.Sprintf("%d commands are still to be refused", left)
	}
	return ""
}

// open makes a client through the proxy, whose login is asked for with each connection.
func (a *asker) open(ctx context.Context) (*framework.Client, error) {
	cfg := framework.Config{Redis: framework.RedisConfig{URL: a.proxy.URL()}, StartRetryFor: time.Hour}
	return framework.Open(ctx, cfg, framework.WithLogger(slog.New(slog.DiscardHandler)),
		framework.WithLogin(func(context.Context) (user, password string, err error) { return "", "", nil }))
}

// passes reports what is wrong with an error that a caller gets for an answer that passes.
func passes(err error) error {
	if err != nil && (!rediserr.MayPass(err) || errors.As(err, new(*fault.OutcomeUnknownError))) {
		return err
	}
	return nil
}

// askers are all who ask Redis. Who is new here gets every answer, too.
var askers = []struct {
	name string
	ask  func(t *testing.T, a *asker) error
}{
	{"engine", func(t *testing.T, a *asker) error {
		var handled atomic.Int64
		engine, err := framework.New(a.client, []framework.Consumer{framework.Consume(a.queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			handled.Add(1)
			return nil
		}))})
		if err != nil {
			return err
		}
		a.refuse(2)
		if err = engine.Start(t.Context()); err != nil {
			return fmt.Errorf("start: %w", err)
		}
		if missing := a.refused(); missing != "" {
			return errors.New(missing)
		}
		a.refuse(8)
		lab.Wait(t, a.refused)
		direct, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: a.server.URL()}, NoTransfer: true}, framework.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			return err
		}
		_, err = framework.Bind(direct, a.queue).Offer(t.Context(), "x", 0)
		lab.WaitFor(t, "the message is not handled", func() bool { return handled.Load() > 0 })
		return errors.Join(err, direct.Close(), engine.Stop(t.Context()))
	}},
	{"offer", func(t *testing.T, a *asker) error {
		q := framework.Bind(a.client, a.queue)
		a.refuse(1)
		_, err := q.Offer(t.Context(), "x", time.Hour)
		_, again := q.Offer(t.Context(), "x", time.Hour)
		return errors.Join(passes(err), again)
	}},
	{"push", func(t *testing.T, a *asker) error {
		q := framework.Bind(a.client, a.queue)
		a.refuse(1)
		return errors.Join(passes(q.Push(t.Context(), "x")), q.Push(t.Context(), "x"))
	}},
	{"admin", func(t *testing.T, a *asker) error {
		a.refuse(1)
		_, _, err := admin.QueueNames(t.Context(), a.client, admin.QueuesOptions{})
		_, _, again := admin.QueueNames(t.Context(), a.client, admin.QueuesOptions{})
		a.refuse(1)
		_, err2 := admin.StatusOfNames(t.Context(), a.client, []string{a.queue.Key()})
		_, again2 := admin.StatusOfNames(t.Context(), a.client, []string{a.queue.Key()})
		return errors.Join(passes(err), again, passes(err2), again2)
	}},
	{"console", func(t *testing.T, a *asker) error {
		console, err := web.New(a.client, web.Options{
			Queues: []registry.Descriptor{a.queue}, Log: slog.New(slog.DiscardHandler), Budget: 1, SearchBudget: 1,
			Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleAdmin}, nil },
		})
		if err != nil {
			return err
		}
		a.refuse(1)
		lab.WaitFor(t, "the page does not show the queue", func() bool {
			w := httptest.NewRecorder()
			console.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/queue?q="+a.queue.Key(), nil))
			return w.Code == http.StatusOK && a.refused() == "" && strings.Contains(w.Body.String(), "Falls due")
		})
		return console.Close()
	}},
	{"transfer daemon", func(t *testing.T, a *asker) error {
		daemon, err := admin.NewTransferer(a.client, admin.TransferOptions{Queues: []string{a.queue.Key()}, Migrate: true, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		a.refuse(3)
		go func() { ended <- daemon.Run(ctx) }()
		lab.WaitFor(t, "it is not ready", func() bool { return daemon.Health().Ready && a.refused() == "" || len(ended) > 0 })
		a.refuse(5)
		lab.Wait(t, a.refused)
		lab.Wait(t, func() string {
			return strings.Join(daemon.Health().Degraded, "; ")
		})
		end()
		return <-ended
	}},
}

// Each answer that passes by itself is given to all who ask Redis, and all go on when it has passed.
func TestEveryAnswerPasses(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	var all sync.WaitGroup
	for i, text := range rediserr.Passing() {
		a := &asker{server: srv, proxy: lab.StartRefusing(t, srv.Addr()), answer: text}
		all.Go(func() {
			a.refuse(2)
			var err error
			if a.client, err = a.open(t.Context()); err != nil || a.refused() != "" {
				t.Errorf("%s: Open: %v; %s", text, err, a.refused())
				return
			}
			for _, who := range askers {
				a.queue = stringQueue(fmt.Sprintf("passing-%d-%s", i, strings.ReplaceAll(who.name, " ", "-")))
				if err := who.ask(t, a); err != nil {
					t.Errorf("%s: %s: %v", text, who.name, err)
				}
			}
			if err := a.client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// What stays is told at once, however long the start may wait, and what passes when that time is over.
func TestAnswersThatStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"NOPERM User x has no permissions to run the 'ping' command", "ERR unknown command 'PING'", "DENIED Redis is running in protected mode",
	} {
		a := &asker{proxy: lab.StartRefusing(t, lab.StartRedis(t).Addr()), answer: text}
		a.refuse(1)
		if _, err := a.open(t.Context()); !errors.As(err, new(*fault.RefusedError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	a := &asker{proxy: lab.StartRefusing(t, lab.StartRedis(t).Addr()), answer: "BUSY Redis is busy running a script."}
	a.refuse(1000)
	_, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: a.proxy.URL()}, StartRetryFor: 150 * time.Millisecond}, framework.WithLogger(slog.New(slog.DiscardHandler)))
	if refused := (*fault.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "start_retry_for: 150ms") {
		t.Errorf("BUSY for longer than the start waits: %v", err)
	}
}

// A password that changes while a program runs is taken from the file; until then errors say what
// to do, and no outcome is unknown.
func TestPasswordsRotate(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Password("one"))
	admin := srv.Client()
	file := filepath.Join(t.TempDir(), "password")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	q, too := stringQueue("rotates"), stringQueue("rotates-too")
	var second *framework.Queue[string]
	opened := map[string]*framework.Queue[string]{}
	for name, redis := range map[string]framework.RedisConfig{
		"file": {Addrs: []string{srv.Addr()}, PasswordFile: file}, "fixed": {Addrs: []string{srv.Addr()}, Password: "one"},
	} {
		c, err := framework.Open(t.Context(), framework.Config{Redis: redis, BlockingWaits: 1}, framework.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		opened[name] = framework.Bind(c, q)
		if name != "file" {
			continue
		}
		second = framework.Bind(c, too)
		var handled atomic.Int64
		var consumers []framework.Consumer
		for _, queue := range []*registry.Queue[string]{q, too} { // one of them is polled
			consumers = append(consumers, framework.Consume(queue, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
				handled.Add(1)
				return nil
			})))
		}
		engine, err := framework.New(c, consumers)
		if err == nil {
			err = engine.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			lab.WaitFor(t, "two messages were not handled", func() bool { return handled.Load() == 2 || t.Failed() })
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}()
	}
	for _, text := range []string{"CONFIG SET requirepass two", "CLIENT KILL TYPE normal SKIPME yes", "CLIENT KILL TYPE pubsub"} {
		var words []any
		for word := range strings.FieldsSeq(text) {
			words = append(words, word)
		}
		if err := admin.Do(t.Context(), words...).Err(); err != nil {
			t.Fatal(text, err)
		}
	}
	for name, queue := range opened {
		lab.WaitFor(t, "the change is not noticed", func() bool { // a connection may not know of its end yet
			_, err := queue.Offer(t.Context(), strings.Repeat("x", 100), time.Hour)
			if errors.As(err, new(*fault.OutcomeUnknownError)) || err == nil {
				return false
			}
			if !strings.Contains(err.Error(), "check redis.username and redis.password") {
				t.Fatalf("%s: %v", name, err)
			}
			return true
		})
	}
	write("two")
	if _, err := opened["file"].Offer(t.Context(), "x", 0); err != nil {
		t.Errorf("with the new password: %v", err)
	}
	if _, err := opened["fixed"].Offer(t.Context(), "x", 0); err == nil || errors.As(err, new(*fault.OutcomeUnknownError)) {
		t.Errorf("with the old password: %v", err)
	}
	if _, err := second.Offer(t.Context(), "x", 0); err != nil {
		t.Error(err)
	}
}

// A server that begins to demand a password is told of by name, whatever words it has for that.
func TestPasswordDemandedAtWork(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	b := setupOn(t, srv)
	queue := framework.Bind(b.client, stringQueue("locked"))
	if err := srv.Client().Do(t.Context(), "config", "set", "requirepass", "two").Err(); err != nil {
		t.Fatal(err)
	}
	if err := srv.Client().Do(t.Context(), "client", "kill", "type", "normal", "skipme", "yes").Err(); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the change is not noticed", func() bool {
		_, err := queue.Offer(t.Context(), strings.Repeat("x", 20_000), time.Hour)
		if err == nil || errors.As(err, new(*fault.OutcomeUnknownError)) {
			return false
		}
		if server := (*fault.ServerError)(nil); !errors.As(err, &server) || server.Kind != fault.KindAuth || !strings.Contains(err.Error(), "check redis.username and redis.password") {
			t.Fatal(err)
		}
		return true
	})
}
