package frameworktest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// What a failed assertion tells must be enough to see what happened.
func TestStory(t *testing.T) {
	t.Parallel()
	q := registry.Define[string]("STORY", "a story", registry.Codec(codecs.String()), registry.MaxAttempts(2))
	Run(t, func(t *testing.T, k *Kit) {
		HandleFunc(k, q, func(_ context.Context, d *handlers.Delivery[string]) error {
			if d.Payload == "bad" {
				return errors.New("no stock")
			}
			return nil
		})
		Offer(k, q, "good", 90*time.Minute)
		Offer(k, q, "bad", 2*time.Hour)
		Offer(k, q, "later", 5*time.Hour)
		k.Advance(3 * time.Hour)
		got := k.story(q)
		for _, want := range []string{
			"1 pending, 0 ready, 0 running, 1 dead", "Jan 1 01:30:00.000 attempt 1 of good: handled",
			"attempt 2 of bad: retried: no stock", "dead (exhausted): no stock",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("the story lacks %q:%s", want, got)
			}
		}
	})
}
