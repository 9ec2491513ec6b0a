package framework_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// A message that is redriven twice: its handler and its next entry know how often it
// died, when and why; its attempts begin anew each time.
func TestRedrivenMessageKeepsItsHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("history", registry.MaxAttempts(2))
	type seen struct {
		attempt, redriven int
		deaths            []handlers.Death
	}
	handled := make(chan seen, 10)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		handled <- seen{d.Attempt(), d.Redriven(), d.Deaths()}
		if d.Redriven() == 2 {
			return nil
		}
		return fmt.Errorf("failure %d of life %d", d.Attempt(), d.Redriven())
	})))
	before := time.Now().Add(-time.Minute)
	receipt, err := framework.Bind(b.client, q).Offer(t.Context(), "order", 0)
	if err != nil {
		t.Fatal(err)
	}
	for life := range 2 {
		for attempt := 1; attempt <= 2; attempt++ {
			if s := await(t, handled, "message"); s.attempt != attempt || s.redriven != life || len(s.deaths) != life {
				t.Fatalf("life %d, attempt %d: %+v", life, attempt, s)
			}
		}
		var dead []framework.DeadMessage
		lab.WaitFor(t, "the message dies", func() bool { dead = b.dead(t, q); return len(dead) == 1 })
		d := dead[0]
		if d.Redriven != life || len(d.Deaths) != life || d.Failed != 2 || d.Offered.Before(before) || d.Digest == "" {
			t.Errorf("entry of life %d: %+v", life, d)
		}
		// By way of the ready list, and of the delayed structures.
		if err := framework.Bind(b.client, q).Dead().Redrive(t.Context(), d.Entry, framework.RedriveOptions{Delay: time.Duration(life) * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
	s := await(t, handled, "redriven message")
	if s.attempt != 1 || s.redriven != 2 || len(s.deaths) != 2 {
		t.Fatalf("third life: %+v", s)
	}
	for life, d := range s.deaths {
		if d.Reason != handlers.ReasonExhausted || d.Detail != fmt.Sprintf("failure 2 of life %d", life) || d.Failed != 2 ||
			d.At.Before(before) || d.Redriven.Before(d.At) || d.Entry == "" {
			t.Errorf("death %d: %+v", life, d)
		}
	}
	if first := s.deaths[0]; first.Offered.Before(before) || first.ID != string(receipt.ID) {
		t.Errorf("first death: %+v, offered as %s", first, receipt.ID)
	}
	lab.WaitFor(t, "nothing is left", func() bool { return b.gone(t, q) && len(b.dead(t, q)) == 0 })
}

// Each option of a redrive, on one store.
func TestRedriveAllOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		o              framework.RedriveOptions
		ready, delayed int
		result         framework.RedriveResult // without Last
		failed         bool
	}{
		"all":       {framework.RedriveOptions{Rate: -1}, 4, 0, framework.RedriveResult{Redriven: 4, Skipped: 1, Matched: 5}, false},
		"malformed": {framework.RedriveOptions{Rate: -1, Malformed: true}, 5, 0, framework.RedriveResult{Redriven: 5, Matched: 5}, false},
		"filter": {
			framework.RedriveOptions{Filter: framework.DeadFilter{Reasons: []string{handlers.ReasonRejected}}},
			2, 0,
			framework.RedriveResult{Redriven: 2, Skipped: 3, Matched: 2},
			false,
		},
		"limit":   {framework.RedriveOptions{Limit: 2}, 2, 0, framework.RedriveResult{Redriven: 2, Skipped: 1, Matched: 3}, false},
		"delay":   {framework.RedriveOptions{Rate: -1, Delay: time.Hour, Spread: time.Hour}, 0, 4, framework.RedriveResult{Redriven: 4, Skipped: 1, Matched: 5}, false},
		"dry run": {framework.RedriveOptions{DryRun: true, Rate: 0.001}, 0, 0, framework.RedriveResult{Matched: 4, Skipped: 1}, false},
		"dry run, limit": {
			framework.RedriveOptions{DryRun: true, Limit: 3},
			0, 0,
			framework.RedriveResult{Matched: 3, Skipped: 1},
			false,
		},
		"dry run, malformed": {framework.RedriveOptions{DryRun: true, Malformed: true}, 0, 0, framework.RedriveResult{Matched: 5}, false},
		"rate is no number":  {framework.RedriveOptions{Rate: math.NaN()}, 0, 0, framework.RedriveResult{}, true},
		"negative delay":     {framework.RedriveOptions{Delay: -1}, 0, 0, framework.RedriveResult{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			queue := "options " + name
			q := stringQueue(queue)
			b.bury(t, queue, handlers.ReasonExhausted, "a")
			b.bury(t, queue, handlers.ReasonMalformed, "garbage")
			b.bury(t, queue, handlers.ReasonRejected, "b", "c")
			b.bury(t, queue, handlers.ReasonExhausted, "d")
			told, refused := int64(0), int64(0)
			c.o.Each = func(m framework.DeadMessage, err error) {
				if c.o.DryRun && err != nil {
					refused++
				}
				if told++; (err != nil) != (m.Reason == handlers.ReasonMalformed && !c.o.Malformed) {
					t.Errorf("%s: %v", m.Body, err)
				}
			}
			r, err := framework.Bind(b.client, q).Dead().RedriveAll(t.Context(), c.o)
			r.Last = ""
			if r != c.result || (err != nil) != c.failed || told-refused != r.Matched {
				t.Errorf("%+v %v, want %+v; told of %d", r, err, c.result, told)
			}
			n, err := framework.Bind(b.client, q).Counts(t.Context())
			if err != nil || int(n.Ready) != c.ready || int(n.Delayed) != c.delayed || int(n.Dead) != 5-c.ready-c.delayed {
				t.Errorf("%+v %v", n, err)
			}
		})
	}
}

// A rate that is all but zero is no flood: the time to wait does not fit a Duration.
func TestRedriveAtATinyRate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("tiny")
	b.bury(t, "tiny", handlers.ReasonExhausted, bodies(5)...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if r, err := framework.Bind(b.client, q).Dead().RedriveAll(ctx, framework.RedriveOptions{Rate: 1e-300}); r.Redriven != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v %v", r, err)
		}
	}()
	lab.WaitFor(t, "the first one is back", func() bool { return b.redis.LLen(ctx, "tiny").Val() == 1 })
	cancel()
	await(t, ended, "end of the redrive")
}

// Two redrives of one store at once: each message comes back once. One that is broken
// off goes on where it was.
func TestRedrivesBesideEachOtherAndInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("beside")
	var bodies []string
	for i := range 400 {
		bodies = append(bodies, fmt.Sprint(i))
	}
	b.bury(t, "beside", handlers.ReasonExhausted, bodies...)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	first, err := framework.Bind(b.client, q).Dead().RedriveAll(ctx, framework.RedriveOptions{
		Rate: -1, Filter: framework.DeadFilter{Text: "WHY"}, Progress: func(framework.RedriveResult) { cancel(enough) },
	})
	if first.Redriven == 0 || first.Redriven == 400 || first.Last == "" || err == nil {
		t.Fatalf("%+v %v", first, err)
	}
	var both sync.WaitGroup
	var results [2]framework.RedriveResult
	for i := range results {
		both.Go(func() {
			var err error
			results[i], err = framework.Bind(b.client, q).Dead().RedriveAll(t.Context(), framework.RedriveOptions{
				Rate: -1, Filter: framework.DeadFilter{After: first.Last},
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	n, err := framework.Bind(b.client, q).Counts(t.Context())
	if err != nil || n.Ready != 400 || n.Dead != 0 || first.Redriven+results[0].Redriven+results[1].Redriven != 400 {
		t.Errorf("%+v %v: %+v %+v", n, err, first, results)
	}
}

// logged is a log that a test reads.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// A bounded store loses its oldest messages and the log names each; one without bounds
// keeps all and the log says that there are many.
func TestDeadStoresWithAndWithoutBounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := &logged{}
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: b.server.URL()}},
		framework.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	bounded, all := stringQueue("bounded", registry.DeadLimit(20)), stringQueue("all")
	aged := stringQueue("aged", registry.DeadAge(time.Hour))
	var bodies []string
	for i := range 1000 {
		bodies = append(bodies, fmt.Sprint(i))
	}
	b.bury(t, "bounded", handlers.ReasonRejected, bodies[:50]...)
	b.bury(t, "all", handlers.ReasonRejected, bodies...)
	old := &redis.XAddArgs{Stream: "duequeue:dead:{aged}", ID: "1700000000000-7", Values: []any{"body", "x", "reason", "rejected", "digest", "0123"}}
	if err := b.redis.XAdd(t.Context(), old).Err(); err != nil {
		t.Fatal(err)
	}
	b.bury(t, "aged", handlers.ReasonRejected, "young")
	ignore := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	(&bundle{server: b.server, client: c}).run(t,
		framework.Consume(bounded, ignore), framework.Consume(all, ignore), framework.Consume(aged, ignore))
	lab.WaitFor(t, "the bounded stores are trimmed", func() bool { return len(b.dead(t, bounded)) == 20 && len(b.dead(t, aged)) == 1 })
	if first := b.dead(t, bounded)[0]; string(first.Body) != "30" {
		t.Errorf("the oldest left is %s", first.Body)
	}
	if left := b.dead(t, aged); string(left[0].Body) != "young" {
		t.Errorf("left %+v", left)
	}
	lab.WaitFor(t, "the log tells", func() bool {
		return strings.Contains(log.String(), "1700000000000-7 rejected 0123 1 bytes") && strings.Contains(log.String(), "queue=all dead=1000")
	})
	n, err := framework.Bind(c, all).Counts(t.Context())
	if err != nil || n.Dead != 1000 {
		t.Errorf("%+v %v", n, err)
	}
}
