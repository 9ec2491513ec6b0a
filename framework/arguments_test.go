package framework_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

// A time that no score can hold is refused: none of them wraps around to one that is
// past, which would hand the message out at once.
func TestTimesOutOfRange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("times")
	for name, at := range map[string]time.Time{
		"not set": {}, "before 1970": time.Unix(-1, 0), "beyond 2^53 ms": time.UnixMilli(1 << 53),
		"2^61 s": time.Unix(1<<61, 0), "2^61 s and more": time.Unix(1<<61+4_000_000_000, 0), "-2^63 s": time.Unix(-1<<63, 0),
	} {
		var refused *fault.DelayError
		if receipt, err := framework.Bind(b.client, q).OfferAt(t.Context(), "x", at); !errors.As(err, &refused) {
			t.Errorf("offered, %s: %s %v", name, receipt.ID, err)
		}
		receipt, err := framework.Bind(b.client, q).Offer(t.Context(), name, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if err = framework.Bind(b.client, q).Reschedule(t.Context(), receipt.ID, at); !errors.As(err, &refused) {
			t.Errorf("rescheduled, %s: %s %v", name, receipt.ID, err)
		}
	}
	if n, err := framework.Bind(b.client, q).Counts(t.Context()); err != nil || n.Delayed != 6 || n.Overdue != 0 {
		t.Errorf("%+v %v", n, err)
	}
}

// The text of an id comes from a database: what it says of a wrong one fits a log.
func TestLongIDIsCutInItsError(t *testing.T) {
	t.Parallel()
	_, err := framework.ID(strings.Repeat("1", 1<<20)).Due()
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// Reading says which key is not what it should be.
func TestWrongTypeNamesTheKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("wrong")
	rdb := b.redis
	rdb.Set(t.Context(), "wrong", "x", 0)
	rdb.Set(t.Context(), "redisson_delay_queue_timeout:{wrong}", "x", 0)
	for key, call := range map[string]func(ctx context.Context) error{
		`"wrong"`: func(ctx context.Context) error {
			_, err := framework.Bind(b.client, q).Ready().Page(ctx, 0, 1)
			return err
		},
		`key "wrong"`: func(ctx context.Context) error {
			_, err := framework.Bind(b.client, q).Ready().Poll(ctx, 1)
			return err
		},
		`"redisson_delay_queue_timeout:{wrong}"`: func(ctx context.Context) error {
			_, err := framework.Bind(b.client, q).Pending().Page(ctx, 0, 1)
			return err
		},
	} {
		var wrong *fault.WrongTypeError
		if err := call(t.Context()); !errors.As(err, &wrong) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// What was not sent has no unknown outcome.
func TestPollReadyOfAnEndedContext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("shutting down")
	cancel(cause)
	if _, err := framework.Bind(b.client, stringQueue("ended")).Ready().Poll(ctx, 1); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// A limit that was counted down too far removes nothing: all is said by zero alone.
func TestNegativeLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("limits")
	b.redis.RPush(t.Context(), "limits", "x")
	if _, err := framework.Bind(b.client, q).Offer(t.Context(), "x", time.Hour); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]int{-1: 0, 0: 1} {
		ids, err := framework.Bind(b.client, q).Pending().Find(t.Context(), "x", limit)
		if err != nil || len(ids) != want {
			t.Errorf("limit %d: found %v %v", limit, ids, err)
		}
	}
	for _, limit := range []int64{-1, 0} {
		ready, err := framework.Bind(b.client, q).Ready().Remove(t.Context(), "x", limit)
		if err != nil || ready != limit+1 {
			t.Errorf("limit %d: %d ready removed %v", limit, ready, err)
		}
		pending, err := framework.Bind(b.client, q).Pending().Remove(t.Context(), "x", limit)
		if err != nil || pending != limit+1 {
			t.Errorf("limit %d: %d pending removed %v", limit, pending, err)
		}
	}
}
