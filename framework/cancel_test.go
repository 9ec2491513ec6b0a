package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// pendingValues returns the pending messages in the order of their due times.
func pendingValues(t *testing.T, b *bundle, q *registry.Queue[string]) []string {
	t.Helper()
	ms, err := framework.Bind(b.client, q).Pending().Page(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		out = append(out, m.Payload)
	}
	return out
}

func TestCancelAndReschedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("cancel"), t.Context()
	offer := func(v string, delay time.Duration) framework.ID {
		t.Helper()
		receipt, err := framework.Bind(b.client, q).Offer(ctx, v, delay)
		if err != nil {
			t.Fatal(err)
		}
		return receipt.ID
	}
	one, two, three := offer("one", time.Hour), offer("two", 2*time.Hour), offer("three", 3*time.Hour)
	if err := framework.Bind(b.client, q).Cancel(ctx, two); err != nil {
		t.Error(err)
	}
	if err := framework.Bind(b.client, q).Cancel(ctx, two); !errors.Is(err, fault.ErrGone) {
		t.Errorf("cancelled again: %v", err)
	}
	at := time.Now().Add(4 * time.Hour).Truncate(time.Millisecond)
	if err := framework.Bind(b.client, q).Reschedule(ctx, one, at); err != nil {
		t.Fatal(err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"three", "one"}) {
		t.Errorf("pending %q", got)
	}
	if err := errors.Join(framework.Bind(b.client, q).Cancel(ctx, one), framework.Bind(b.client, q).Cancel(ctx, three)); err != nil {
		t.Error(err)
	}
	var bad *fault.IDError
	if err := framework.Bind(b.client, q).Cancel(ctx, "no id"); !errors.As(err, &bad) {
		t.Errorf("not an id: %v", err)
	}
}

func TestMessagesWithKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("keys"), t.Context()
	send := func(v string, key framework.DedupKey, delay time.Duration) framework.Receipt {
		t.Helper()
		r, err := framework.Bind(b.client, q).Offer(ctx, v, delay, key)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	key := framework.Key("order:7").Within(24 * time.Hour)
	first := send("first", key, time.Hour)
	if again := send("again", key, 2*time.Hour); again.Outcome != framework.OutcomeKept || again.ID != first.ID || !again.Due.Equal(first.Due) {
		t.Errorf("kept: %+v", again)
	}
	if later := send("later", key.Extend(), 3*time.Hour); later.Outcome != framework.OutcomeExtended || !later.Due.After(first.Due) {
		t.Errorf("extended: %+v", later)
	}
	if last := send("last", key.Replace(), time.Minute); last.Outcome != framework.OutcomeReplaced {
		t.Errorf("replaced: %+v", last)
	}
	if _, err := framework.Bind(b.client, q).RescheduleKey(ctx, "order:7", time.Now().Add(time.Minute)); err != nil {
		t.Error(err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"last"}) {
		t.Errorf("pending %q", got)
	}
	if err := framework.Bind(b.client, q).CancelKey(ctx, "order:7"); err != nil {
		t.Error(err)
	}
	if err := framework.Bind(b.client, q).CancelKey(ctx, "order:7"); !errors.Is(err, fault.ErrGone) {
		t.Errorf("again: %v", err)
	}
	var bad *fault.DedupError
	if err := framework.Bind(b.client, q).CancelKey(ctx, ""); !errors.As(err, &bad) {
		t.Errorf("no key: %v", err)
	}
}

// A key is free at once after its message was cancelled by its ID, or was handled.
func TestAKeyIsFreeAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("free"), t.Context()
	bound := framework.Bind(b.client, q)
	done := make(chan string, 9)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		done <- d.Payload
		return nil
	})))
	offer := func(v string, delay time.Duration, key framework.DedupKey) framework.Receipt {
		t.Helper()
		r, err := bound.Offer(ctx, v, delay, key)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := offer("cancelled", time.Hour, framework.Key("o1"))
	if err := bound.Cancel(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	second := offer("second", time.Hour, framework.Key("o1"))
	if second.Outcome != framework.OutcomeAdded || second.ID == first.ID {
		t.Fatalf("after the cancellation: %+v", second)
	}
	if err := bound.Reschedule(ctx, second.ID, time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	await(t, done, "handler")
	if third := offer("third", time.Hour, framework.Key("o1")); third.Outcome != framework.OutcomeAdded {
		t.Errorf("after it was handled: %+v", third)
	}

	window := framework.Key("o2").Within(time.Hour)
	fourth := offer("fourth", 0, window)
	await(t, done, "handler")
	lab.WaitFor(t, "its end is in Redis", func() bool { return offer("again", time.Hour, window).Outcome == framework.OutcomeHandled })
	if again := offer("again", time.Hour, window); again.ID != fourth.ID || !again.Due.Equal(fourth.Due) {
		t.Errorf("handled as %+v, and the offer is told %+v", fourth, again)
	}
	items := []framework.Item[string]{{Value: "again", Key: window}, {Value: "again", Key: framework.Key("o1")}, {Value: "other", Delay: time.Hour, Key: framework.Key("o3")}}
	if n, err := bound.OfferAll(ctx, slices.Values(items)); err != nil || n != (framework.Bulk{Read: 3, Added: 1, Kept: 1, Handled: 1}) {
		t.Errorf("in bulk: %+v, %v", n, err)
	}
	err := bound.CancelKey(ctx, "o2")
	if gone, ok := errors.AsType[*fault.NotPendingError](err); !ok || gone.Where != fault.WhereHandled || time.Since(gone.Since) > time.Minute {
		t.Errorf("cancelled after it was handled: %v", err)
	}
}

// A queue with a journal tells what became of a message that is gone, by key and by ID.
func TestCancelTellsWhatBecameOfTheMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("ended", "", registry.Codec(codecs.String()), registry.Journal(time.Hour), registry.Partitions(3))
	ctx, bound := t.Context(), framework.Bind(b.client, q)
	done := make(chan string, 9)
	b.run(t, framework.Consume(q, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		defer func() { done <- d.Payload }()
		if d.Payload == "dead" {
			return handlers.Reject("no such order")
		}
		return nil
	})))
	for payload, want := range map[string]fault.Where{"handled": fault.WhereHandled, "cancelled": fault.WhereCancelled, "dead": fault.WhereDead} {
		delay := time.Duration(0)
		if payload == "cancelled" {
			delay = time.Hour
		}
		r, err := bound.Offer(ctx, payload, delay, framework.Key(payload))
		if err != nil {
			t.Fatal(err)
		}
		if payload == "cancelled" {
			if err := bound.Cancel(ctx, r.ID); err != nil {
				t.Fatal(err)
			}
		} else {
			await(t, done, "handler")
		}
		told := func(err error) *fault.NotPendingError {
			gone, _ := errors.AsType[*fault.NotPendingError](err)
			return gone
		}
		lab.WaitFor(t, payload+" is told of", func() bool {
			gone := told(bound.CancelKey(ctx, payload))
			return gone != nil && gone.Where == want
		})
		if payload == "dead" { // an operator drops it: the journal knows it still
			entry := told(bound.CancelKey(ctx, payload)).Entry
			if n, err := bound.Dead().Drop(ctx, entry); err != nil || n != 1 {
				t.Errorf("dropped %d, %v", n, err)
			}
			lab.WaitFor(t, "the journal tells of the death", func() bool { return told(bound.CancelKey(ctx, payload)).Where == want })
		}
		_, err = bound.RescheduleKey(ctx, payload, time.Now())
		for by, err := range map[string]error{
			"key": bound.CancelKey(ctx, payload), "ID": bound.Cancel(ctx, r.ID),
			"reschedule by key": err, "reschedule": bound.Reschedule(ctx, r.ID, time.Now()),
		} {
			gone := told(err)
			if gone == nil || gone.Where != want || gone.ID != string(r.ID) || gone.Entry != "" || time.Since(gone.Since) > time.Minute || !errors.Is(err, fault.ErrGone) {
				t.Errorf("%s by %s: %v", payload, by, err)
			}
		}
	}
	err := bound.CancelKey(ctx, "of nobody")
	if gone, ok := errors.AsType[*fault.NotPendingError](err); !ok || gone.Where != fault.WhereUnknown {
		t.Errorf("a key of nobody: %v", err)
	}
}

func TestOfferAllReportsEachMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("bulk", "", registry.Codec(codecs.String()), registry.MaxPayload(8))
	messages := func(yield func(framework.Item[string]) bool) {
		for i := range 450 {
			m := framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Hour}
			switch i {
			case 0, 300, 449:
				m.Value = "much too long a payload"
			case 5:
				m.Delay = -1
			case 7, 8:
				m.Key = framework.Key("k")
			}
			if !yield(m) {
				return
			}
		}
	}
	at := 0
	var failed []int
	var progress []framework.Bulk
	n, err := framework.Bind(b.client, q).OfferAll(t.Context(), messages,
		framework.OnResult(func(i int, r framework.Receipt, err error) {
			if i != at {
				t.Errorf("reported %d in the place of %d", i, at)
			}
			at++
			if err != nil {
				failed = append(failed, i)
			} else if r.ID == "" || r.Due.IsZero() {
				t.Errorf("%d: %+v", i, r)
			}
		}),
		framework.OnProgress(0, func(b framework.Bulk) { progress = append(progress, b) }))
	var some *framework.BulkError
	var size *registry.SizeError
	if !errors.As(err, &some) || some.Index != 0 || !errors.As(err, &size) {
		t.Errorf("error %v", err)
	}
	if want := (framework.Bulk{Read: 450, Added: 445, Kept: 1, Failed: 4}); n != want || some.Bulk != want || progress[len(progress)-1] != want {
		t.Errorf("got %+v, want %+v", n, want)
	}
	if !slices.Equal(failed, []int{0, 5, 300, 449}) || len(progress) != 451 {
		t.Errorf("failed %v, %d reports of progress", failed, len(progress))
	}
	if got := pendingValues(t, b, q); len(got) != 445 {
		t.Errorf("%d pending", len(got))
	}
	if n, err := framework.Bind(b.client, q).OfferAll(t.Context(), nil); err != nil || n.Read != 0 {
		t.Errorf("nothing: %+v %v", n, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := framework.Bind(b.client, q).OfferAll(ended, messages); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("push")
	if err := framework.Bind(b.client, q).Push(t.Context(), "now"); err != nil {
		t.Fatal(err)
	}
	n, err := framework.Bind(b.client, q).Counts(t.Context())
	if err != nil || n.Ready != 1 || n.Delayed != 0 {
		t.Errorf("counts %+v %v", n, err)
	}
}
