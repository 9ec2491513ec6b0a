package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// wantNotPending checks where a message is said to be.
func wantNotPending(t *testing.T, err error, want fault.Where, id framework.ID, key string) *fault.NotPendingError {
	t.Helper()
	var gone *fault.NotPendingError
	if !errors.As(err, &gone) || !errors.Is(err, fault.ErrGone) {
		t.Fatalf("%v", err)
	}
	if gone.Where != want || gone.ID != string(id) || gone.Key != key {
		t.Errorf("%s: %+v", want, gone)
	}
	return gone
}

// A message is found by its ID and by its key wherever it is, and a change that comes too
// late says where that is.
func TestChangesThatComeTooLateSayWhereTheMessageIs(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q, ctx := stringQueue("late", registry.MaxAttempts(1)), t.Context()
	offer := func(v string, delay time.Duration) framework.ID {
		t.Helper()
		r, err := framework.Bind(b.client, q).Offer(ctx, v, delay, framework.Key("key of "+v).Within(time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	pending := offer("pending", time.Hour)
	if err := framework.Bind(b.client, q).Reschedule(ctx, pending, time.Now().Add(2*time.Hour)); err != nil {
		t.Error(err)
	}
	if err := framework.Bind(b.client, q).CancelKey(ctx, "key of pending"); err != nil {
		t.Error(err)
	}
	started, release := make(chan string, 10), make(chan error)
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		if d.Payload == "dies" {
			return errBroken
		}
		started <- d.Payload
		return <-release
	}), framework.Workers(1), framework.Breaker(framework.BreakerConfig{Disabled: true})))
	dead := offer("dies", 0)
	lab.WaitFor(t, "one is dead", func() bool { return len(b.dead(t, q)) == 1 })
	flying := offer("flies", 0)
	await(t, started, "start")
	entry := b.dead(t, q)[0].Entry
	for name, change := range map[string]func(id framework.ID, key string) error{
		"cancel": func(id framework.ID, key string) error {
			if key != "" {
				return framework.Bind(b.client, q).CancelKey(ctx, key)
			}
			return framework.Bind(b.client, q).Cancel(ctx, id)
		},
		"reschedule": func(id framework.ID, key string) error {
			if key != "" {
				_, err := framework.Bind(b.client, q).RescheduleKey(ctx, key, time.Now())
				return err
			}
			return framework.Bind(b.client, q).Reschedule(ctx, id, time.Now())
		},
	} {
		gone := wantNotPending(t, change(dead, ""), fault.WhereDead, dead, "")
		if gone.Entry != entry || gone.Since.IsZero() {
			t.Errorf("%s, dead as %s: %+v", name, entry, gone)
		}
		gone = wantNotPending(t, change("", "key of dies"), fault.WhereDead, dead, "key of dies")
		if gone.Entry != entry {
			t.Errorf("%s, dead as %s: %+v", name, entry, gone)
		}
		for _, key := range []string{"", "key of flies"} {
			gone = wantNotPending(t, change(flying, key), fault.WhereInFlight, flying, "key of flies")
			if gone.Since.IsZero() || gone.Forbidden != (name == "cancel") {
				t.Errorf("%s: %+v", name, gone)
			}
		}
		_ = wantNotPending(t, change(pending, ""), fault.WhereUnknown, pending, "")
	}
	if n := counted(t, reader, cancellations); fmt.Sprint(n) != "map[in_flight:0 pending:1]" {
		t.Errorf("cancellations %v", n)
	}
	release <- errBroken
	lab.WaitFor(t, "it ends as cancelled", func() bool { return counted(t, reader, cancellations)["in_flight"] == 1 })
	if err := e.Stop(context.WithoutCancel(ctx)); err != nil {
		t.Error(err)
	}
	if n := len(b.dead(t, q)); n != 1 {
		t.Errorf("%d dead", n)
	}
	_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, flying), fault.WhereUnknown, flying, "")
	for _, want := range []string{
		"level=DEBUG msg=\"message rescheduled\" queue=late id=" + string(pending),
		"level=DEBUG msg=\"message cancelled\" queue=late id=" + string(pending) + " key=\"key of pending\"",
		"level=DEBUG msg=\"message cancelled while it is in flight: it is not retried if its attempt fails\" queue=late id=" + string(flying),
		"attempt failed, and the message had been cancelled: it ends as cancelled",
	} {
		if logs.count(want) == 0 {
			t.Errorf("no line with %s", want)
		}
	}
	if t.Failed() {
		t.Log(logs)
	}
}

var errLast = errors.New("no second attempt")

// blockingCodec reads strings, but "undecodable" only to refuse it, when it is let.
type blockingCodec struct {
	codecs.Codec

	started chan string
	release chan error
}

type blockingBinding struct {
	codecs.Binding

	of *blockingCodec
}

func (c *blockingCodec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	b, err := c.Codec.Bind(t, opts)
	return &blockingBinding{b, c}, err
}

func (b *blockingBinding) Decode(payload []byte, target any) error {
	if string(payload) == "undecodable" {
		b.of.started <- string(payload)
		return <-b.of.release
	}
	return b.Binding.Decode(payload, target)
}

// A message that was cancelled in flight ends as cancelled, however its attempt ends: it is
// never put where somebody may redrive it.
func TestWhatWasCancelledIsNotBuried(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	ctx, started, release := t.Context(), make(chan string, 1), make(chan error)
	q := registry.Define[string]("unburied", "", registry.Codec(&blockingCodec{codecs.String(), started, release}),
		registry.MaxAttempts(2), registry.MaxAge(2*time.Hour), registry.On(registry.ErrorIs(errLast), registry.Attempts(1)))
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		started <- d.Payload
		return <-release
	}), framework.Workers(1), framework.Breaker(framework.BreakerConfig{Disabled: true})))
	ends := []struct {
		name string
		err  error
	}{
		{"rejected", handlers.Reject("no such order", errBroken)},
		{"permanent", handlers.Permanent(errBroken)},
		{"exhausted", errLast},
		{"expired", handlers.RetryAfter(24*time.Hour, errBroken)},
		{"undecodable", errBroken},
	}
	for i, end := range ends {
		receipt, err := framework.Bind(b.client, q).Offer(ctx, end.name, 0)
		if err != nil {
			t.Fatal(err)
		}
		await(t, started, end.name)
		_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereInFlight, receipt.ID, "")
		release <- end.err
		lab.WaitFor(t, end.name+" ends as cancelled", func() bool { return counted(t, reader, cancellations)["in_flight"] == int64(i+1) })
		_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereUnknown, receipt.ID, "")
		if n := logs.count("level=WARN msg=\"attempt failed, and the message had been cancelled: it ends as cancelled\" queue=unburied id=" + string(receipt.ID)); n != 1 {
			t.Errorf("%s: %d lines", end.name, n)
		}
	}
	for reason, n := range counted(t, reader, deaths) {
		if n != 0 {
			t.Errorf("%d are counted dead: %s", n, reason)
		}
	}
	if dead := b.dead(t, q); len(dead) > 0 {
		t.Errorf("dead: %+v", dead)
	}
	if n := logs.count("moved to the dead store"); n > 0 || t.Failed() {
		t.Errorf("%d lines speak of the dead store:\n%s", n, logs)
	}
}

// What was cancelled in flight does not outlive a stop, and a line and a counter tell of it.
func TestWhatWasCancelledDoesNotGoBackAtAStop(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q, ctx := stringQueue("stopped"), t.Context()
	started := make(chan string, 10)
	e := b.start(t, framework.Consume(q, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		started <- d.Payload
		<-ctx.Done()
		return ctx.Err()
	}), framework.Workers(2)))
	ids := map[string]framework.ID{}
	for _, v := range []string{"paid", "open"} {
		receipt, err := framework.Bind(b.client, q).Offer(ctx, v, 0)
		if err != nil {
			t.Fatal(err)
		}
		ids[v] = receipt.ID
		await(t, started, "start")
	}
	_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, ids["paid"]), fault.WhereInFlight, ids["paid"], "")
	stop, cancel := context.WithTimeout(ctx, time.Minute) // of which handlers have 1.2 s
	defer cancel()
	_ = e.Stop(stop) // its handlers are cut off
	if got := strings.Join(b.list(t, "stopped"), ","); got != "open" {
		t.Errorf("ready: %q", got)
	}
	if n := counted(t, reader, cancellations)["in_flight"]; n != 1 {
		t.Errorf("%d are counted", n)
	}
	if logs.count("messages were cancelled while they were in flight: they do not go back") != 1 {
		t.Error(logs)
	}
}

// Twins share a payload, and no failures: each message dies of its own alone.
func TestTwinsDoNotDieOfEachOther(t *testing.T) {
	t.Parallel()
	frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
		const twins = 400
		q := registry.Define[string]("twins", "", registry.Codec(codecs.String()),
			registry.MaxAttempts(5), registry.Backoff(registry.Steps(time.Minute)))
		calls, failures := 0, map[string]int{}
		frameworktest.HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			if d.Attempt() != failures[d.ID()]+1 {
				t.Errorf("%s: attempt %d after %d failures", d.ID(), d.Attempt(), failures[d.ID()])
			}
			calls++
			if calls%4 == 0 && failures[d.ID()] < 4 {
				failures[d.ID()]++
				return errBroken
			}
			return nil
		}, framework.Workers(1), framework.Breaker(framework.BreakerConfig{Disabled: true}))
		for range twins {
			frameworktest.Offer(k, q, "twin", time.Minute)
		}
		k.Advance(time.Hour)
		k.RequireHandled(q, twins)
		k.RequireDead(q, 0)
		if len(failures) < twins/5 {
			t.Errorf("%d messages failed", len(failures))
		}
	}, framework.WithLogger(slog.New(slog.DiscardHandler)))
}

// A message that is due and waits for a process is found by its key and its ID, and stays.
func TestChangesOfAReadyMessageSayThatItIsReady(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("due"), t.Context()
	r, err := framework.Bind(b.client, q).Offer(ctx, "paid", 0, framework.Key("order 7").Within(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it is ready", func() bool { return len(b.list(t, "due")) == 1 })
	for range 2 {
		_ = wantNotPending(t, framework.Bind(b.client, q).CancelKey(ctx, "order 7"), fault.WhereReady, r.ID, "order 7")
		_, err = framework.Bind(b.client, q).RescheduleKey(ctx, "order 7", time.Now().Add(time.Hour))
		_ = wantNotPending(t, err, fault.WhereReady, r.ID, "order 7")
		_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, r.ID), fault.WhereReady, r.ID, "order 7")
		_ = wantNotPending(t, framework.Bind(b.client, q).Reschedule(ctx, r.ID, time.Now()), fault.WhereReady, r.ID, "order 7")
	}
	if got := strings.Join(b.list(t, "due"), ","); got != "paid" {
		t.Errorf("ready: %q", got)
	}
}

// What was cancelled in the hands of a process that dies does not come back, and the reaper
// tells of it.
func TestTheReaperTellsOfWhatWasCancelled(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q, ctx := stringQueue("orphaned"), t.Context()
	receipt, err := framework.Bind(b.client, q).Offer(ctx, "paid", 0)
	if err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "it is ready", func() bool { return len(b.list(t, "orphaned")) == 1 })
	b.crashed(t, "orphaned", 1, 2*time.Second)
	if gone := wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereInFlight, receipt.ID, ""); !gone.Forbidden {
		t.Errorf("%+v", gone)
	}
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		t.Errorf("%s came again", d.Payload)
		return nil
	})))
	lab.WaitFor(t, "it ends as cancelled", func() bool { return counted(t, reader, cancellations)["in_flight"] == 1 })
	lab.WaitFor(t, "the line", func() bool {
		return logs.count("messages of a session whose lease was over were cancelled while they were in flight: they do not go back") == 1
	})
	if n := logs.count("took back the messages"); n != 0 {
		t.Errorf("%d lines speak of messages that came back", n)
	}
	_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereUnknown, receipt.ID, "")
}

// What was cancelled before its handler began does not go back either when the breaker opens.
func TestWhatTheBreakerReleasesEndsAsCancelled(t *testing.T) {
	t.Parallel()
	b, logs, reader := setupWatched(t)
	q, ctx := stringQueue("tripped"), t.Context()
	started, release := make(chan string, 9), make(chan struct{})
	b.offer(t, q, "a", "b")
	b.run(t, framework.ConsumeBatch(q, handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
		started <- ds[0].Payload
		<-release
		return errBroken
	}), framework.Workers(2), framework.BatchSize(2), framework.BatchWait(3*time.Second),
		framework.Breaker(framework.BreakerConfig{Failures: 1, OpenFor: time.Hour, MaxOpenFor: time.Hour})))
	await(t, started, "start of a batch")
	receipt, err := framework.Bind(b.client, q).Offer(ctx, "paid", 0)
	if err != nil {
		t.Fatal(err)
	}
	var gone *fault.NotPendingError // it was taken, and waits for company
	lab.WaitFor(t, "it is in flight", func() bool {
		gone = nil
		return errors.As(framework.Bind(b.client, q).Reschedule(ctx, receipt.ID, time.Now()), &gone) && gone.Where == fault.WhereInFlight
	})
	_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereInFlight, receipt.ID, "")
	close(release)
	lab.WaitFor(t, "it ends as cancelled", func() bool { return counted(t, reader, cancellations)["in_flight"] == 1 })
	_ = wantNotPending(t, framework.Bind(b.client, q).Cancel(ctx, receipt.ID), fault.WhereUnknown, receipt.ID, "")
	lab.WaitFor(t, "the line", func() bool {
		return logs.count("messages were cancelled while they were in flight: they do not go back") == 1
	})
	if left := b.list(t, "tripped"); slices.Contains(left, "paid") {
		t.Errorf("ready: %q", left)
	}
}
