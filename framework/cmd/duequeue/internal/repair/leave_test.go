package repair

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// used makes a queue in use: messages that wait, with keys and without, one that waits for its
// retry, dead letters, and what a killed process held. It returns the payloads.
func used(t *testing.T, srv *lab.Server, q *registry.Queue[string]) []string {
	t.Helper()
	client := open(t, srv)
	bound := framework.Bind(client, q)
	var payloads []string
	offer := func(text string, delay time.Duration, opts ...framework.OfferOption) {
		payloads = append(payloads, text)
		if _, err := bound.Offer(t.Context(), text, delay, opts...); err != nil {
			t.Fatal(err)
		}
	}
	offer("waits", time.Hour)
	offer("waits with a key", 2*time.Hour, framework.Key("4711"))
	settled := make(chan struct{}, 8)
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		defer func() { settled <- struct{}{} }()
		if d.Payload == "fails" {
			return handlers.RetryAfter(time.Hour, errors.New("not yet"))
		}
		return handlers.Reject("refused")
	}))})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"fails", "dead 1", "dead 2", "dead 3"} {
		offer(text, 0)
		<-settled
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	k, rdb, past := wire.KeysOf(q.Key()), srv.Client(), time.Now().Add(-time.Second)
	const session, nonce = "0123456789abcdef", "fedcba9876543210"
	rdb.ZAdd(t.Context(), k.Sessions, redis.Z{Score: float64(past.UnixMilli()), Member: session})
	rdb.SAdd(t.Context(), k.Fetches(session), nonce)
	if err := rdb.RPush(t.Context(), k.Stage(session), "held 1", "held 2").Err(); err != nil {
		t.Fatal(err)
	}
	return append(payloads, "held 1", "held 2")
}

func open(t *testing.T, srv *lab.Server) *framework.Client {
	t.Helper()
	client, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func define(t *testing.T, name string) *registry.Queue[string] {
	t.Helper()
	return registry.Define[string](name, "", registry.Codec(codecs.String()))
}

// there returns the payloads that Java finds, and those in the file.
func there(t *testing.T, rdb *redis.Client, q *registry.Queue[string], file string) map[string]bool {
	t.Helper()
	k, found := wire.KeysOf(q.Key()), map[string]bool{}
	for _, e := range rdb.ZRange(t.Context(), k.Timeout, 0, -1).Val() {
		found[e[16:]] = true
	}
	for _, body := range rdb.LRange(t.Context(), k.Queue, 0, -1).Val() {
		if found[body] {
			t.Errorf("%q is there twice", body)
		}
		found[body] = true
	}
	in, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return found
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var l deadletter.Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Errorf("%s: %v", lines.Text(), err)
		}
		found[string(l.Payload)] = true
	}
	return found
}

// onlyJava fails the test where a key is left that Redisson does not have.
func onlyJava(t *testing.T, rdb *redis.Client, q *registry.Queue[string]) {
	t.Helper()
	k := wire.KeysOf(q.Key())
	for _, key := range rdb.Keys(t.Context(), "*").Val() {
		if !slices.Contains([]string{k.Queue, k.Timeout, k.Pending, wire.AuditKey}, key) && strings.Contains(key, q.Key()) {
			t.Errorf("%s is left", key)
		}
	}
}

// failing fails the call with a number, before Redis gets it or after.
type failing struct {
	at, calls int
	after     bool
}

var errCut = errors.New("the connection was cut")

func (f *failing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *failing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if f.calls++; f.calls != f.at {
			return next(ctx, cmd)
		}
		if f.after {
			_ = next(ctx, cmd)
		}
		cmd.SetErr(errCut)
		return errCut
	}
}

func (f *failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if f.calls++; f.calls != f.at {
			return next(ctx, cmds)
		}
		if f.after {
			_ = next(ctx, cmds)
		}
		for _, cmd := range cmds {
			cmd.SetErr(errCut)
		}
		return errCut
	}
}

// Wherever leave is cut off, a second run ends the work, and every message is there.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for _, way := range []string{"redrive", "export"} {
		t.Run(way, func(t *testing.T) {
			cut := true
			for at := 1; cut; at++ {
				for _, after := range []bool{false, true} {
					cut = cutOff(t, srv, way, at, after)
				}
			}
		})
	}
}

// cutOff cuts one run off at a call and runs again; false where it had fewer calls.
func cutOff(t *testing.T, srv *lab.Server, way string, at int, after bool) (cut bool) {
	t.Helper()
	q := define(t, fmt.Sprintf("%s %d %v", way, at, after))
	want := used(t, srv, q)
	file := filepath.Join(t.TempDir(), "dead.jsonl")
	leave := func(at int) error {
		client := open(t, srv)
		defer func() { _ = client.Close() }()
		l := &leaving{e: &env.Env{Stdout: io.Discard, Stderr: io.Discard}, redrive: way == "redrive", progress: screen.NewProgress(io.Discard)}
		if way == "export" {
			var err error
			if l.export, err = openExport(file); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.export.close() }()
		}
		hook := &failing{at: at, after: after}
		access.Of(client).Redis.(*redis.Client).AddHook(hook)
		err := l.leave(t.Context(), client, &line{Queue: q.Key()})
		cut = hook.calls >= at
		return err
	}
	_ = leave(at)
	fired := cut
	if err := leave(-1); err != nil {
		t.Fatalf("call %d, after %v: the second run: %v", at, after, err)
	}
	found := there(t, srv.Client(), q, file)
	for _, text := range want {
		if !found[text] {
			t.Errorf("call %d, after %v: %q is lost; there are %q", at, after, text, slices.Sorted(maps.Keys(found)))
		}
	}
	onlyJava(t, srv.Client(), q)
	return fired
}
