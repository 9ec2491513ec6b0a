package delayed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Offers whose try panics end with an error that says that their outcome is unknown, and hold up
// no others.
func TestOffersSurvivePanics(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	var trips atomic.Int64
	rdb.AddHook(queuetest.EachTrip(func(context.Context, []redis.Cmder) {
		if trips.Add(1)%3 == 0 {
			panic("a test")
		}
	}))
	o, k := NewOffers(t.Context(), rdb), queuetest.NewQueue()
	var ok, unknown atomic.Int64
	count := func(err error) {
		var doubt *fault.OutcomeUnknownError
		switch {
		case err == nil:
			ok.Add(1)
		case errors.As(err, &doubt):
			unknown.Add(1)
		default:
			t.Error(err)
		}
	}
	var callers sync.WaitGroup
	for i := range 200 {
		callers.Go(func() {
			_, err := o.Offer(t.Context(), k, OfferArgs{Payload: fmt.Append(nil, i), Delay: time.Hour})
			count(err)
		})
	}
	callers.Wait()
	o.Close(t.Context())
	args := make([]OfferArgs, 4000)
	for i := range args {
		args[i] = OfferArgs{Payload: fmt.Append(nil, "all", i), Delay: time.Hour}
	}
	if read := OfferAll(t.Context(), rdb, k, slices.Values(args), func(_ int, _ OfferResult, err error) { count(err) }); read != len(args) {
		t.Errorf("%d are read", read)
	}
	if ok.Load() == 0 || unknown.Load() == 0 || ok.Load()+unknown.Load() != 200+int64(len(args)) {
		t.Errorf("%d are offered, of %d it is not known", ok.Load(), unknown.Load())
	}
}
