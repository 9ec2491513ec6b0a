package budget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Work rests by its share, and never for long: a step may have taken time for other reasons.
func TestRest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		share      float64
		step, want time.Duration
	}{
		{0.5, 10 * time.Millisecond, 10 * time.Millisecond},
		{0.1, 10 * time.Millisecond, 90 * time.Millisecond},
		{1, time.Second, 0},
		{0.1, 10 * time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := PaceOf(row.share)
			began := time.Now()
			if _, err := Ask(t.Context(), &p, func() (int, error) { <-time.After(row.step); return 1, nil }); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(began) - row.step; got != row.want {
				t.Errorf("a step of %v at a share of %v: a rest of %v, want %v", row.step, row.share, got, row.want)
			}
		})
	}
}

func TestRestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		ctx, end := context.WithCancelCause(t.Context())
		p := PaceOf(0.5)
		<-time.After(time.Minute)
		end(over)
		if err := p.Rest(ctx); !errors.Is(err, over) {
			t.Errorf("%v", err)
		}
	})
}
