package framework_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// A queue that was never defined is a mistake to be told, and no crash: also where a nil
// *registry.Queue stands in a registry.Descriptor.
func TestNilQueuesAreMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var none *registry.Queue[string]
	for name, q := range map[string]registry.Descriptor{"nil": nil, "nil pointer": none} {
		_, err := framework.New(b.client, []framework.Consumer{framework.TransferOnly(q), framework.TransferOnly(stringQueue("other"))})
		if err == nil || !strings.Contains(err.Error(), "queue is nil") || !strings.Contains(err.Error(), "nilqueue_test.go:") {
			t.Errorf("%s: transfer only: %v", name, err)
		}
	}
}

// What is bound to no queue, or to no client, says so in every method.
func TestMethodsOfAnUnboundQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	calls := map[string]func(ctx context.Context, q *framework.Queue[string]) error{
		"Offer": func(ctx context.Context, q *framework.Queue[string]) error { _, err := q.Offer(ctx, "", 0); return err },
		"OfferAt": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.OfferAt(ctx, "", time.Now())
			return err
		},
		"OfferAll": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.OfferAll(ctx, nil)
			return err
		},
		"Push":       func(ctx context.Context, q *framework.Queue[string]) error { return q.Push(ctx, "") },
		"Cancel":     func(ctx context.Context, q *framework.Queue[string]) error { return q.Cancel(ctx, "x") },
		"CancelKey":  func(ctx context.Context, q *framework.Queue[string]) error { return q.CancelKey(ctx, "x") },
		"Reschedule": func(ctx context.Context, q *framework.Queue[string]) error { return q.Reschedule(ctx, "x", time.Now()) },
		"RescheduleKey": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.RescheduleKey(ctx, "x", time.Now())
			return err
		},
		"Counts": func(ctx context.Context, q *framework.Queue[string]) error { _, err := q.Counts(ctx); return err },

		"Pending.Page": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Page(ctx, 0, 1)
			return err
		},
		"Pending.All": func(ctx context.Context, q *framework.Queue[string]) error { return firstError(q.Pending().All(ctx)) },
		"Pending.Get": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Get(ctx, "x")
			return err
		},
		"Pending.GetKey": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().GetKey(ctx, "x")
			return err
		},
		"Pending.Find": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Find(ctx, "", 1)
			return err
		},
		"Pending.Remove": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Remove(ctx, "", 1)
			return err
		},
		"Pending.Poll": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Poll(ctx, 1)
			return err
		},
		"Pending.Clear": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Pending().Clear(ctx)
			return err
		},

		"Ready.Page": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Ready().Page(ctx, 0, 1)
			return err
		},
		"Ready.All": func(ctx context.Context, q *framework.Queue[string]) error { return firstError(q.Ready().All(ctx)) },
		"Ready.Remove": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Ready().Remove(ctx, "", 1)
			return err
		},
		"Ready.Poll": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Ready().Poll(ctx, 1)
			return err
		},
		"Ready.Clear": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Ready().Clear(ctx)
			return err
		},

		"Dead.Page": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Dead().Page(ctx, "", 1)
			return err
		},
		"Dead.All": func(ctx context.Context, q *framework.Queue[string]) error {
			return firstError(q.Dead().All(ctx, framework.DeadFilter{}))
		},
		"Dead.Get": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Dead().Get(ctx, "1-1")
			return err
		},
		"Dead.Redrive": func(ctx context.Context, q *framework.Queue[string]) error {
			return q.Dead().Redrive(ctx, "1-1", framework.RedriveOptions{})
		},
		"Dead.RedriveAll": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Dead().RedriveAll(ctx, framework.RedriveOptions{})
			return err
		},
		"Dead.Drop": func(ctx context.Context, q *framework.Queue[string]) error {
			_, err := q.Dead().Drop(ctx, "1-1")
			return err
		},
	}
	for what, q := range map[string]*framework.Queue[string]{
		"queue is nil": framework.Bind[string](b.client, nil), "client is nil": framework.Bind(nil, stringQueue("q")),
	} {
		for name, call := range calls {
			t.Run(what+"/"+name, func(t *testing.T) {
				if err := call(t.Context(), q); err == nil || !strings.Contains(err.Error(), what) {
					t.Errorf("error %v, want %q in it", err, what)
				}
			})
		}
	}
}

// firstError returns the first error of a walk.
func firstError[M any](walk iter.Seq2[M, error]) error {
	for _, err := range walk {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestNewNeedsAClient(t *testing.T) {
	t.Parallel()
	if _, err := framework.New(nil, []framework.Consumer{framework.TransferOnly(stringQueue("q"))}); err == nil || !strings.Contains(err.Error(), "client is nil") {
		t.Errorf("a nil client: %v", err)
	}
}
