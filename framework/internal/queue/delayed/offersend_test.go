package delayed

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A context that ends withdraws what is not under way; of what is, the outcome is unknown,
// and the error has the ID under which it may be found.
func TestOffersCancelled(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	o, h := holding(t, rdb)
	h.holds = 2
	first := inTurnFrom(t, o, k, -1, "first")
	<-h.arrived
	why := errors.New("the customer has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan outcome, 2)
	offer := func(payload string) {
		r, err := o.Offer(ctx, k, OfferArgs{Payload: []byte(payload), Delay: time.Hour})
		ended <- outcome{result: r, err: err}
	}
	go offer("under way")
	waitsIn(t, o, k, 1)
	with := inTurnFrom(t, o, k, 1, "with it")
	h.let <- struct{}{}
	<-h.arrived
	go offer("waits")
	waitsIn(t, o, k, 1)
	stays := inTurnFrom(t, o, k, 1, "stays")
	cancel(why)
	var unknown *fault.OutcomeUnknownError
	id := ""
	for range 2 { // while the try is held: nobody waits for it
		switch got := <-ended; {
		case !errors.Is(got.err, why):
			t.Errorf("error %v", got.err)
		case errors.As(got.err, &unknown):
			if unknown.Tries != 1 || unknown.Payload != wire.Digest([]byte("under way")) {
				t.Errorf("%+v", unknown)
			}
			id = unknown.ID
		}
	}
	close(h.let)
	for _, wait := range []func() outcome{first, with, stays} {
		if out := wait(); out.err != nil {
			t.Error(out.err)
		}
	}
	if got := payloads(t, rdb, k); got != "first under way with it stays" {
		t.Errorf("pending %q", got)
	}
	if element := rdb.ZRange(t.Context(), k.Timeout, 1, 1).Val()[0]; hex.EncodeToString([]byte(element[:8])) != id {
		t.Errorf("the unknown one has the ID %q, the error says %q", hex.EncodeToString([]byte(element[:8])), id)
	}
	o.mustBeIdle(t)
}

// inTurnFrom offers one more, which waits behind n others; -1: it is the first.
func inTurnFrom(t *testing.T, s *Offers, k wire.Keys, n int, payload string) (wait func() outcome) {
	t.Helper()
	ended := make(chan outcome, 1)
	go func() {
		r, err := s.Offer(t.Context(), k, OfferArgs{Payload: []byte(payload), Delay: time.Hour})
		ended <- outcome{result: r, err: err}
	}()
	if n >= 0 {
		waitsIn(t, s, k, n+1)
	}
	return func() outcome { return <-ended }
}

// The deadline of one caller is not that of the others who are in the same try.
func TestOffersDeadlineIsNotShared(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	o, h := holding(t, rdb)
	h.holds = 2
	first := inTurnFrom(t, o, k, -1, "first")
	<-h.arrived
	ctx, cancel := context.WithCancel(t.Context())
	deadline := &deadlined{Context: ctx}
	impatient := make(chan error, 1)
	go func() {
		_, err := o.Offer(deadline, k, OfferArgs{Payload: []byte("impatient"), Delay: time.Hour})
		impatient <- err
	}()
	waitsIn(t, o, k, 1)
	patient := inTurnFrom(t, o, k, 1, "patient")
	h.let <- struct{}{}
	<-h.arrived
	cancel()
	var unknown *fault.OutcomeUnknownError
	if err := <-impatient; !errors.As(err, &unknown) {
		t.Errorf("error %v", err)
	}
	close(h.let)
	for _, wait := range []func() outcome{first, patient} {
		if out := wait(); out.err != nil {
			t.Error(out.err)
		}
	}
	o.mustBeIdle(t)
	if got := payloads(t, rdb, k); got != "first impatient patient" {
		t.Errorf("pending %q", got)
	}
}

// deadlined is a context whose deadline is over: a client that looks at it does not wait.
type deadlined struct{ context.Context }

func (*deadlined) Deadline() (time.Time, bool) { return time.Now().Add(-time.Second), true }

// A client that is closed refuses offers, and waits for those that came before.
func TestOffersClose(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, patient := range map[string]bool{"drained": true, "refused": false} {
		k := queuetest.NewQueue()
		o, h := holding(t, rdb)
		ended := make(chan error, 1)
		go func() {
			_, err := o.Offer(t.Context(), k, OfferArgs{Payload: []byte("first"), Delay: time.Hour})
			ended <- err
		}()
		<-h.arrived
		waits := inTurnFrom(t, o, k, 0, "second")
		ctx, cancel := context.WithCancel(t.Context())
		closed := make(chan struct{})
		go func() {
			o.Close(ctx)
			close(closed)
		}()
		var refused *fault.ClosedError
		lab.WaitFor(t, "a refusal", func() bool {
			short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err := o.Offer(short, k, OfferArgs{Payload: []byte("third"), Delay: time.Hour})
			return errors.As(err, &refused)
		})
		if refused.Queue != k.Queue || refused.Error() == "" || refused.ErrorType() == "" {
			t.Errorf("%+v", refused)
		}
		if !patient {
			cancel()
			<-closed
		}
		close(h.let)
		if err := <-ended; err != nil {
			t.Errorf("%s: what was under way: %v", name, err)
		}
		switch out := waits(); {
		case patient && out.err != nil:
			t.Errorf("%s: %v", name, out.err)
		case !patient && !errors.As(out.err, &refused):
			t.Errorf("%s: %v, want a fault.ClosedError", name, out.err)
		}
		cancel()
		<-closed
		want := "first"
		if patient {
			want = "first second"
		}
		if got := payloads(t, rdb, k); got != want {
			t.Errorf("%s: pending %q", name, got)
		}
		o.mustBeIdle(t)
	}
}
