package recode

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// sharedLists is a list in a list, twice, and so on, with a value at the end.
func sharedLists(levels int, last any) *java.List {
	l := &java.List{Elements: []any{last}}
	for range levels {
		l = &java.List{Elements: []any{l, l}}
	}
	return l
}

// What is larger than the queue's MaxPayload in the new codec stays as it is, and is told.
func TestNothingAboveMaxPayloadIsWritten(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, ctx := queuetest.NewQueue(), t.Context()
	from, to := marshalling.New(), jackson.JsonJackson()
	payload := queuetest.Must[[]byte](t)(from.Encode(sharedLists(10, "x")))
	queuetest.Must[delayed.OfferResult](t)(delayed.Offer(ctx, rdb, k, delayed.OfferArgs{Payload: payload, Delay: time.Hour}))
	a := args()
	a.Convert = func(p []byte) ([]byte, error) { return Between(from, to, p) }
	a.MaxPayload = 10_000
	got, err := Run(ctx, rdb, k, a)
	if err != nil || got.Recoded != 0 || got.Failed != 1 || !strings.Contains(got.Examples[0].Err.Error(), "10000 (the queue's MaxPayload)") {
		t.Fatalf("%+v, %v", got, err)
	}
	page, _, err := delayed.PagePendingFrom(ctx, rdb, k, delayed.PendingPlace{}, 10, delayed.Whole, false)
	if err != nil || len(page) != 1 || !bytes.Equal(page[0].Payload, payload) {
		t.Errorf("%d messages, %v", len(page), err)
	}
	a.MaxPayload = 0
	if got, err := Run(ctx, rdb, k, a); err != nil || got.Recoded != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A value that is too large to be compared as a whole is refused.
func TestWhatIsNotComparedIsRefused(t *testing.T) {
	t.Parallel()
	from := marshalling.New()
	payload := queuetest.Must[[]byte](t)(from.Encode(sharedLists(21, "x")))
	if _, err := Between(from, plain{from}, payload); err == nil || !strings.Contains(err.Error(), "to compare it") {
		t.Error(err)
	}
}

// plain is a codec that writes the same values in other bytes.
type plain struct{ *marshalling.Codec }

func (p plain) Encode(v any) ([]byte, error) {
	b, err := p.Codec.Encode(v)
	return append([]byte{'+'}, b...), err
}

func (p plain) Decode(b []byte) (any, error) {
	if !bytes.HasPrefix(b, []byte{'+'}) {
		return nil, bytes.ErrTooLarge
	}
	return p.Codec.Decode(b[1:])
}
