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
	"github.com/duequeue/duequeue/registry"
)

// pendingValues returns the pending messages in the order of their due times.
func pendingValues(t *testing.T, b *bundle, q *registry.Queue[string]) []string {
	t.Helper()
	ms, err := framework.Pending(t.Context(), b.client, q, 0, 1000)
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
		id, err := framework.Offer(ctx, b.client, q, v, delay)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, two, three := offer("one", time.Hour), offer("two", 2*time.Hour), offer("three", 3*time.Hour)
	if err := framework.Cancel(ctx, b.client, q, two); err != nil {
		t.Error(err)
	}
	if err := framework.Cancel(ctx, b.client, q, two); !errors.Is(err, framework.ErrGone) {
		t.Errorf("cancelled again: %v", err)
	}
	at := time.Now().Add(4 * time.Hour).Truncate(time.Millisecond)
	if err := framework.Reschedule(ctx, b.client, q, one, at); err != nil {
		t.Fatal(err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"three", "one"}) {
		t.Errorf("pending %q", got)
	}
	if err := errors.Join(framework.Cancel(ctx, b.client, q, one), framework.Cancel(ctx, b.client, q, three)); err != nil {
		t.Error(err)
	}
	var bad *framework.IDError
	if err := framework.Cancel(ctx, b.client, q, "no id"); !errors.As(err, &bad) {
		t.Errorf("not an id: %v", err)
	}
	if err := framework.Cancel(ctx, b.client, nil, one); err == nil {
		t.Error("no queue, no error")
	}
}

func TestMessagesWithKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("keys"), t.Context()
	send := func(v string, policy framework.DedupPolicy, delay time.Duration) framework.Receipt {
		t.Helper()
		r, err := framework.OfferMessage(ctx, b.client, q, framework.Message[string]{
			Value: v, Delay: delay, Dedup: framework.Dedup{Key: "order:7", Policy: policy, Window: 24 * time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := send("first", framework.DedupKeep, time.Hour)
	if again := send("again", framework.DedupKeep, 2*time.Hour); again.Dedup != framework.DedupKept || again.ID != first.ID || !again.Due.Equal(first.Due) {
		t.Errorf("kept: %+v", again)
	}
	if later := send("later", framework.DedupExtend, 3*time.Hour); later.Dedup != framework.DedupExtended || !later.Due.After(first.Due) {
		t.Errorf("extended: %+v", later)
	}
	if last := send("last", framework.DedupReplace, time.Minute); last.Dedup != framework.DedupReplaced {
		t.Errorf("replaced: %+v", last)
	}
	if _, err := framework.RescheduleKey(ctx, b.client, q, "order:7", time.Now().Add(time.Minute)); err != nil {
		t.Error(err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"last"}) {
		t.Errorf("pending %q", got)
	}
	if err := framework.CancelKey(ctx, b.client, q, "order:7"); err != nil {
		t.Error(err)
	}
	if err := framework.CancelKey(ctx, b.client, q, "order:7"); !errors.Is(err, framework.ErrGone) {
		t.Errorf("again: %v", err)
	}
	var bad *framework.DedupError
	if err := framework.CancelKey(ctx, b.client, q, ""); !errors.As(err, &bad) {
		t.Errorf("no key: %v", err)
	}
}

func TestOfferAllReportsEachMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("bulk", "", registry.Codec(codecs.String()), registry.MaxPayload(8))
	messages := func(yield func(framework.Message[string]) bool) {
		for i := range 450 {
			m := framework.Message[string]{Value: fmt.Sprint(i), Delay: time.Hour}
			switch i {
			case 0, 300, 449:
				m.Value = "much too long a payload"
			case 5:
				m.Delay = -1
			case 7, 8:
				m.Dedup = framework.Dedup{Key: "k"}
			}
			if !yield(m) {
				return
			}
		}
	}
	at := 0
	var failed []int
	var progress []framework.Bulk
	n, err := framework.OfferAll(t.Context(), b.client, q, messages,
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
	if n, err := framework.OfferAll(t.Context(), b.client, q, nil); err != nil || n.Read != 0 {
		t.Errorf("nothing: %+v %v", n, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := framework.OfferAll(ended, b.client, q, messages); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("push")
	if err := framework.Push(t.Context(), b.client, q, "now"); err != nil {
		t.Fatal(err)
	}
	n, err := framework.CountsOf(t.Context(), b.client, q)
	if err != nil || n.Ready != 1 || n.Delayed != 0 {
		t.Errorf("counts %+v %v", n, err)
	}
}
