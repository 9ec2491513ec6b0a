package web

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/registry"
)

// commands returns how many commands Redis has run, those of scripts too.
func commands(t *testing.T, rdb *redis.Client) (sum int) {
	t.Helper()
	for _, ran := range lab.Commands(t, rdb) {
		sum += ran.Calls
	}
	return sum
}

// Viewers of a large queue share what is read for them: twenty of them cost Redis some hundred
// commands a second, not some thousand, and one for each dead message, which are read once. A million
// messages are pending and 100,000 dead in the long form. A slow machine runs fewer. They do not
// search: a search reads what a share of Redis's time allows, which is more on a fast machine.
func TestBurden(t *testing.T) {
	t.Parallel()
	pending, dead, look := 20_000, 2_000, 8*time.Second
	if lab.LongForm() {
		pending, dead, look = 1_000_000, 100_000, 40*time.Second
	}
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	client := connect(t, srv, true)
	q := registry.Define[string]("ORDERS", "many", registry.Codec(codecs.String()))
	bound := framework.Bind(client, q)
	_, err := bound.OfferAll(t.Context(), func(yield func(framework.Item[string]) bool) {
		for i := range pending {
			if !yield(framework.Item[string]{Value: fmt.Sprint("order ", i), Delay: time.Hour + time.Duration(i)*time.Millisecond}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	pipe := rdb.Pipeline()
	for i := range dead {
		pipe.XAdd(t.Context(), &redis.XAddArgs{Stream: "duequeue:dead:{ORDERS}", Values: []any{"body", fmt.Sprint("order ", i), "reason", "exhausted", "detail", fmt.Sprint("no such customer ", i)}})
		if i%10_000 == 9_999 || i == dead-1 {
			if _, err := pipe.Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	console, err := web.New(client, web.Options{
		Queues: []registry.Descriptor{q}, Log: slog.New(slog.DiscardHandler),
		Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleLook}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	server := httptest.NewServer(console)
	t.Cleanup(server.Close)
	get := func(ctx context.Context, path string) int {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
		if err != nil {
			return 0
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	paths := []string{"/", "/queue?q=ORDERS", "/queue?q=ORDERS&due=day", "/queue?q=ORDERS&due=week", "/processes", "/pending?q=ORDERS", "/dead?q=ORDERS"}
	for _, path := range paths {
		if status := get(t.Context(), path); status != http.StatusOK {
			t.Fatalf("GET %s: %d", path, status)
		}
	}
	before := commands(t, rdb)
	ctx, cancel := context.WithTimeout(t.Context(), look)
	defer cancel()
	var viewers sync.WaitGroup
	var mu sync.Mutex
	seen, slowest := 0, time.Duration(0)
	for i := range 20 {
		viewers.Go(func() {
			for ctx.Err() == nil {
				asked := time.Now()
				status := get(ctx, paths[i%len(paths)])
				mu.Lock()
				if status == http.StatusOK {
					seen++
					slowest = max(slowest, time.Since(asked))
				} else if ctx.Err() == nil {
					t.Errorf("GET %s: %d", paths[i%len(paths)], status)
				}
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
	viewers.Wait()
	ran := commands(t, rdb) - before
	t.Logf("%d pending, %d dead: 20 viewers, %d pages, the slowest in %v, %d commands", pending, dead, seen, slowest.Round(time.Millisecond), ran)
	if most := dead + 1000*int(look/time.Second); ran > most {
		t.Errorf("%d commands, want at most %d", ran, most)
	}
}
