package once_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/once"
	"github.com/duequeue/duequeue/registry"
)

// quick is a queue whose marks end soon where a process dies.
var quick = registry.Define[string]("QUICK", "", registry.Codec(codecs.String()), registry.Timeout(time.Second))

func TestLease(t *testing.T) {
	t.Parallel()
	client := lab.StartRedis(t).Client()
	mw, err := once.Lease(client, quick, number)
	if err != nil {
		t.Fatal(err)
	}
	calls, result := 0, errors.New("the service is down")
	next := mw(func(context.Context, *handlers.Message) error { calls++; return result })
	refund := func() error { return next(t.Context(), &handlers.Message{Value: "refund-1"}) }
	mark := "duequeue:once:{QUICK}:refund-1"

	if err := refund(); !errors.Is(err, result) || client.Exists(t.Context(), mark).Val() != 0 {
		t.Errorf("a call that failed: %v; its mark must go", err)
	}
	result = nil
	for range 3 {
		if err := refund(); err != nil {
			t.Error(err)
		}
	}
	if calls != 2 {
		t.Errorf("the service was called %d times, want 2", calls)
	}
	if left := client.PTTL(t.Context(), mark).Val(); left < once.DefaultKeep-time.Minute || left > once.DefaultKeep {
		t.Errorf("the mark of a call that was made is kept for %v", left)
	}
	// Another process is at it, or died: the message comes again when its mark must have ended.
	client.Set(t.Context(), mark, "the token of another", 20*time.Second)
	out := handlers.Classify(refund())
	if calls != 2 || out.Kind != handlers.Retried || out.CountsForBreaker || out.Delay <= 0 || out.Delay > 20*time.Second {
		t.Errorf("while another process acts: %d calls, %+v", calls, out)
	}
	// Its mark went while the handler ran, and another process set its own: that one stays.
	other := mw(func(context.Context, *handlers.Message) error {
		return client.Set(t.Context(), "duequeue:once:{QUICK}:late", "another", 0).Err()
	})
	if err := other(t.Context(), &handlers.Message{Value: "late"}); err != nil || client.Get(t.Context(), "duequeue:once:{QUICK}:late").Val() != "another" {
		t.Errorf("the mark of another process was changed: %v", err)
	}
}

func TestLeaseAfterAPanicAndAtTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	client := lab.StartRedis(t).Client()
	mw, err := once.Lease(client, quick, number)
	if err != nil {
		t.Fatal(err)
	}
	panics := handlers.Recover()(mw(func(context.Context, *handlers.Message) error { panic("oh") }))
	if err := panics(t.Context(), &handlers.Message{Value: "P"}); handlers.PanicOf(err) == nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := mw(func(context.Context, *handlers.Message) error { cancel(); return nil })
	if err := done(ctx, &handlers.Message{Value: "D"}); err != nil {
		t.Error(err)
	}
	if client.Exists(t.Context(), "duequeue:once:{QUICK}:P").Val() != 0 || client.Get(t.Context(), "duequeue:once:{QUICK}:D").Val() != "done" {
		t.Error("the mark of the panic is there, or the one of what was done is not")
	}
}

// Of deliveries that run at once, one acts.
func TestLeaseKeepsOthersOut(t *testing.T) {
	t.Parallel()
	client := lab.StartRedis(t).Client()
	mw, err := once.Lease(client, quick, number)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	calls := map[string]int{}
	next := mw(func(_ context.Context, m *handlers.Message) error {
		mu.Lock()
		defer mu.Unlock()
		calls[m.Value.(string)]++
		return nil
	})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for _, name := range []string{"A", "B", "C", "D"} {
				if err := next(t.Context(), &handlers.Message{Value: name}); err != nil && handlers.Classify(err).Kind != handlers.Retried {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for name, n := range calls {
		if n != 1 || len(calls) != 4 {
			t.Errorf("%s: %d calls, %d names", name, n, len(calls))
		}
	}
}

// Whichever command has lost its reply and is sent again by the client, a delivery finds its own mark: it acts
// once, and is not retried.
func TestLeaseKnowsItsOwnMark(t *testing.T) {
	t.Parallel()
	server := lab.StartRedis(t)
	for command, want := range map[string]int{"set": 1, "evalsha": 1, "get": 0} {
		client := server.NewClient(nil)
		lost := &loseReply{command: command}
		client.AddHook(lost)
		mw, err := once.Lease(client, quick, number)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		next := mw(func(context.Context, *handlers.Message) error { calls++; return nil })
		for delivery := range 2 {
			if err := next(t.Context(), &handlers.Message{Value: command}); err != nil {
				t.Errorf("%s, delivery %d: %v", command, delivery, err)
			}
		}
		if calls != 1 || lost.times < want {
			t.Errorf("%s: acted %d times, %d replies lost", command, calls, lost.times)
		}
	}
}

// loseReply executes each command of a name twice, as a client does that has lost the first reply.
type loseReply struct {
	command string
	times   int
}

func (l *loseReply) DialHook(next redis.DialHook) redis.DialHook { return next }

func (l *loseReply) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *loseReply) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == l.command {
			l.times++
			_ = next(ctx, cmd)
			cmd.SetErr(nil)
		}
		return next(ctx, cmd)
	}
}

// Without Redis no call is made, and no attempt is charged.
func TestLeaseWithoutRedis(t *testing.T) {
	t.Parallel()
	server := lab.StartRedis(t)
	mw, err := once.Lease(server.Client(), quick, number)
	if err != nil {
		t.Fatal(err)
	}
	server.Kill()
	err = mw(func(context.Context, *handlers.Message) error { t.Error("called"); return nil })(t.Context(), &handlers.Message{Value: "X"})
	if !errors.As(err, new(*once.MarkError)) || !handlers.Classify(err).Transient {
		t.Error(err)
	}
}
