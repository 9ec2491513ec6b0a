package framework_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// encoded is an option of an offer whose payload is there already, as that of an outbox.
type encoded string

func (e encoded) ApplyOffer(args *delayed.OfferArgs) { args.Payload = []byte(e) }

// Whatever puts a payload into Redis keeps to the queue's MaxPayload.
func TestMaxPayloadOfEverythingThatIsWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := registry.Define[string]("maxpayload", "", registry.Codec(codecs.String()), registry.MaxPayload(10))
	bound, large := framework.Bind(b.client, q), strings.Repeat("x", 11)
	b.bury(t, q.Key(), handlers.ReasonOversized, large, large)
	var dead []string
	for _, m := range b.dead(t, q) {
		dead = append(dead, m.Entry)
	}
	for name, write := range map[string]func(ctx context.Context) error{
		"offer": func(ctx context.Context) error {
			_, err := bound.Offer(ctx, large, time.Hour)
			return err
		},
		"offer at": func(ctx context.Context) error {
			_, err := bound.OfferAt(ctx, large, time.Now().Add(time.Hour))
			return err
		},
		"offer with a key": func(ctx context.Context) error {
			_, err := bound.Offer(ctx, large, time.Hour, framework.Key("k"))
			return err
		},
		"outbox": func(ctx context.Context) error {
			_, err := bound.Offer(ctx, "", time.Hour, encoded(large))
			return err
		},
		"push": func(ctx context.Context) error { return bound.Push(ctx, large) },
		"offer all": func(ctx context.Context) error {
			_, err := bound.OfferAll(ctx, slices.Values([]framework.Item[string]{{Value: large, Delay: time.Hour}}))
			return err
		},
		"redrive": func(ctx context.Context) error {
			return bound.Dead().Redrive(ctx, dead[0], framework.RedriveOptions{})
		},
		"redrive all": func(ctx context.Context) error {
			var failed error
			_, err := bound.Dead().RedriveAll(ctx, framework.RedriveOptions{Each: func(_ framework.DeadMessage, err error) { failed = err }})
			return errors.Join(err, failed)
		},
		"redrive dry": func(ctx context.Context) error {
			var failed error
			_, err := bound.Dead().RedriveAll(ctx, framework.RedriveOptions{DryRun: true, Each: func(_ framework.DeadMessage, err error) { failed = err }})
			return errors.Join(err, failed)
		},
	} {
		var e *registry.SizeError
		if err := write(t.Context()); !errors.As(err, &e) || e.Size != 11 || e.Limit != 10 {
			t.Errorf("%s: %v", name, err)
		}
	}
	counts, err := bound.Counts(t.Context())
	if err != nil || counts.Delayed != 0 || counts.Ready != 0 || counts.Dead != 2 {
		t.Errorf("%+v, %v", counts, err)
	}
}
