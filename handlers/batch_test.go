package handlers_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
)

var errSpoiled = errors.New("constraint violated")

// selfless has the mark of a package below, as a database driver may.
type selfless struct{}

func (selfless) Error() string   { return "syntax error" }
func (selfless) Permanent() bool { return true }

// unwrapPanics is an error of a careless package.
type unwrapPanics struct{}

func (unwrapPanics) Error() string { return "careless" }
func (unwrapPanics) Unwrap() error { panic("no") }

// What the error of a batch of three means to each of its messages.
func TestSettleBatch(t *testing.T) {
	t.Parallel()
	mixed := []error{nil, handlers.Reject("no such order"), errSpoiled}
	const done, retried, rejected, released = handlers.Done, handlers.Retried, handlers.Rejected, handlers.Released
	for name, tc := range map[string]struct {
		err   error
		cause error // why the context ended
		kinds []handlers.Kind
		alone bool
	}{
		"all done":                    {nil, nil, []handlers.Kind{done, done, done}, false},
		"per item":                    {handlers.PerItem(mixed), nil, []handlers.Kind{done, rejected, retried}, false},
		"per item, wrapped":           {fmt.Errorf("insert: %w", handlers.PerItem(mixed)), nil, []handlers.Kind{done, rejected, retried}, false},
		"per item, all done":          {handlers.PerItem(make([]error, 3)), nil, []handlers.Kind{done, done, done}, false},
		"per item at the end of time": {handlers.PerItem(mixed), handlers.ErrTimeout, []handlers.Kind{done, rejected, retried}, false},
		"per item while stopping":     {handlers.PerItem(mixed), handlers.ErrDraining, []handlers.Kind{done, rejected, released}, false},
		"too few results":             {handlers.PerItem(mixed[:1]), nil, []handlers.Kind{retried, retried, retried}, false},
		"no results":                  {handlers.PerItem(nil), nil, []handlers.Kind{retried, retried, retried}, false},
		"too many results":            {handlers.PerItem(make([]error, 4)), nil, []handlers.Kind{retried, retried, retried}, false},
		"retry":                       {handlers.Retry(errSpoiled), nil, []handlers.Kind{retried, retried, retried}, false},
		"retry after":                 {handlers.RetryAfter(time.Minute, nil), nil, []handlers.Kind{retried, retried, retried}, false},
		"reject":                      {handlers.Reject("all of them"), nil, []handlers.Kind{rejected, rejected, rejected}, false},
		"reject, per item inside":     {handlers.Reject("all", handlers.PerItem(mixed)), nil, []handlers.Kind{rejected, rejected, rejected}, false},
		"transient":                   {handlers.Transient(errSpoiled), nil, []handlers.Kind{retried, retried, retried}, false},
		"interrupted by the stop":     {context.Canceled, handlers.ErrDraining, []handlers.Kind{released, released, released}, false},
		"lease lost":                  {errSpoiled, handlers.ErrLeaseLost, []handlers.Kind{released, released, released}, false},
		"plain error":                 {err: errSpoiled, alone: true},
		"permanent":                   {err: handlers.Permanent(errSpoiled), alone: true},
		"permanent from below":        {err: fmt.Errorf("insert: %w", selfless{}), alone: true},
		"codec in the handler":        {err: &codecs.DecodeError{}, alone: true},
		"panic":                       {err: &handlers.PanicError{Value: "oops"}, alone: true},
		"panic with a decision":       {err: &handlers.PanicError{Value: handlers.Reject("no")}, alone: true},
		"timeout":                     {err: context.DeadlineExceeded, cause: handlers.ErrTimeout, alone: true},
		"panic while stopping":        {err: &handlers.PanicError{Value: "oops"}, cause: handlers.ErrDraining, alone: true},
		"results beside another":      {err: errors.Join(handlers.PerItem(mixed), errSpoiled), alone: true},
		"broken error":                {err: unwrapPanics{}, alone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tc.cause != nil {
				cancel(tc.cause)
			}
			errs, alone := handlers.SettleBatch(ctx, tc.err, 3)
			var kinds []handlers.Kind
			for _, err := range errs {
				kinds = append(kinds, handlers.Settle(ctx, err).Kind)
			}
			if alone != tc.alone || !slices.Equal(kinds, tc.kinds) {
				t.Errorf("alone %v, kinds %v; want %v, %v", alone, kinds, tc.alone, tc.kinds)
			}
			// A batch of one has no neighbours to be spared.
			if errs, alone := handlers.SettleBatch(ctx, tc.err, 1); alone || len(errs) != 1 {
				t.Errorf("of one: alone %v, %d results", alone, len(errs))
			}
		})
	}
}

func TestMissingResultsAreATypedMistake(t *testing.T) {
	t.Parallel()
	errs, _ := handlers.SettleBatch(t.Context(), handlers.PerItem(make([]error, 2)), 3)
	var mistake *handlers.BatchResultError
	for i, err := range errs {
		if !errors.As(err, &mistake) || mistake.Want != 3 || mistake.Got != 2 {
			t.Errorf("message %d: %v", i, err)
		}
		if out := handlers.Classify(err); !out.CountsForBreaker || handlers.ErrorType(err) != "batch_result" {
			t.Errorf("message %d: %+v", i, out)
		}
	}
}

// bind runs a batch handler over the values a, b, c, d.
func bind(t *testing.T, f handlers.BatchFunc[string]) error {
	t.Helper()
	var ms []*handlers.Message
	for _, v := range []string{"a", "b", "c", "d"} {
		ms = append(ms, &handlers.Message{Code: "Q", Value: v})
	}
	return handlers.ChainBatch(handlers.BindBatch(f), nil, handlers.RecoverBatch())(t.Context(), ms)
}

// A handler may sort what it gets: results go by the order it leaves behind.
func TestResultsFollowTheOrderOfTheHandler(t *testing.T) {
	t.Parallel()
	err := bind(t, func(_ context.Context, ds []*handlers.Delivery[string]) error {
		slices.SortFunc(ds, func(a, b *handlers.Delivery[string]) int { return cmp.Compare(b.Payload, a.Payload) })
		errs := make([]error, len(ds))
		for i, d := range ds {
			if d.Payload != "b" {
				errs[i] = errors.New(d.Payload)
			}
		}
		return handlers.PerItem(errs)
	})
	errs, _ := handlers.SettleBatch(t.Context(), err, 4)
	if got := fmt.Sprint(errs); got != "[a <nil> c d]" {
		t.Errorf("results %s", got)
	}
}

func TestBatchThatIsNoPermutation(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(ds []*handlers.Delivery[string]){
		"one deleted":  func(ds []*handlers.Delivery[string]) { copy(ds[1:], ds[2:]); ds[3] = nil },
		"one twice":    func(ds []*handlers.Delivery[string]) { ds[0] = ds[1] },
		"one replaced": func(ds []*handlers.Delivery[string]) { ds[3] = handlers.NewDelivery("e", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			err := bind(t, func(_ context.Context, ds []*handlers.Delivery[string]) error {
				spoil(ds)
				return handlers.PerItem(make([]error, len(ds)))
			})
			errs, alone := handlers.SettleBatch(t.Context(), err, 4)
			var mistake *handlers.BatchResultError
			if alone || len(errs) != 4 || !errors.As(errs[0], &mistake) || !mistake.Shuffled {
				t.Errorf("alone %v, %v; want four times that the handler changed the slice", alone, errs)
			}
		})
	}
}

func TestBindBatchRefusesForeignValues(t *testing.T) {
	t.Parallel()
	next := handlers.BindBatch(handlers.BatchFunc[string](func(context.Context, []*handlers.Delivery[string]) error { return nil }))
	var wrong *handlers.ValueError
	if err := next(t.Context(), []*handlers.Message{{Value: "a"}, {Value: 7}}); !errors.As(err, &wrong) {
		t.Errorf("error %v", err)
	}
	open := handlers.BindBatch(handlers.BatchFunc[any](func(_ context.Context, ds []*handlers.Delivery[any]) error {
		if ds[0].Payload != nil {
			return errSpoiled
		}
		return nil
	}))
	if err := open(t.Context(), []*handlers.Message{{Value: nil}}); err != nil {
		t.Errorf("nil for an interface: %v", err)
	}
}

func TestRecoverBatch(t *testing.T) {
	t.Parallel()
	err := bind(t, func(context.Context, []*handlers.Delivery[string]) error { panic("oops") })
	var p *handlers.PanicError
	if !errors.As(err, &p) || p.Value != "oops" || len(p.Stack) == 0 {
		t.Errorf("error %v", err)
	}
}

func TestChainBatchOrder(t *testing.T) {
	t.Parallel()
	var got []string
	layer := func(name string) handlers.BatchMiddleware {
		return func(next handlers.BatchNext) handlers.BatchNext {
			return func(ctx context.Context, ms []*handlers.Message) error {
				got = append(got, name)
				return next(ctx, ms)
			}
		}
	}
	inner := func(context.Context, []*handlers.Message) error { got = append(got, "handler"); return nil }
	if err := handlers.ChainBatch(inner, layer("outer"), nil, layer("inner"))(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != "[outer inner handler]" {
		t.Errorf("order %v", got)
	}
}

func TestItemsErrorSaysWhatFailed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		errs           []error
		text, typeName string
	}{
		{[]error{nil, nil}, "all 2 done", "partial"},
		{[]error{nil, errSpoiled, errSpoiled}, "2 of 3 not done, the first: constraint violated", "partial"},
		{[]error{context.Canceled, context.Canceled}, "2 of 2 not done, the first: context canceled", "canceled"},
		{[]error{context.Canceled, handlers.Reject("x")}, "2 of 2 not done, the first: context canceled", "partial"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			err := handlers.PerItem(tc.errs)
			if err.Error() != tc.text || handlers.ErrorType(err) != tc.typeName {
				t.Errorf("%q, %q; want %q, %q", err, handlers.ErrorType(err), tc.text, tc.typeName)
			}
		})
	}
	errs := []error{nil, errSpoiled}
	err := handlers.PerItem(errs)
	errs[1] = nil
	var items *handlers.ItemsError
	if !errors.Is(err, errSpoiled) || !errors.As(err, &items) || len(items.Results()) != 2 {
		t.Errorf("%v: the results of the caller are not copied", err)
	}
}

func ExamplePerItem() {
	handle := func(_ context.Context, ds []*handlers.Delivery[Order]) error {
		errs := make([]error, len(ds))
		for i, d := range ds {
			if d.Payload.ID == "404" {
				errs[i] = handlers.Reject("no such order")
			}
		}
		return handlers.PerItem(errs)
	}
	ds := []*handlers.Delivery[Order]{{Payload: Order{ID: "100"}}, {Payload: Order{ID: "404"}}, {Payload: Order{ID: "102"}}}

	ctx := context.Background()
	errs, _ := handlers.SettleBatch(ctx, handle(ctx, ds), len(ds))
	for i, err := range errs {
		fmt.Println("order", ds[i].Payload.ID, handlers.Classify(err).Kind)
	}
	// Output:
	// order 100 done
	// order 404 rejected
	// order 102 done
}
