package registry_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/registry"
)

func TestExponential(t *testing.T) {
	t.Parallel()
	s := registry.Exponential(time.Second, 5*time.Minute)
	for _, c := range []struct {
		attempt int
		rnd     float64
		want    time.Duration
	}{
		{1, 0, 500 * time.Millisecond},
		{1, 0.5, 750 * time.Millisecond},
		{2, 0.5, 1500 * time.Millisecond},
		{3, 0.25, 2500 * time.Millisecond},
		{9, 0.5, 192 * time.Second},
		{10, 0.5, 225 * time.Second}, // 512 s are over the limit
		{100, 0.5, 225 * time.Second},
		{math.MaxInt, 0.5, 225 * time.Second},
		{0, 0.5, 750 * time.Millisecond}, // no such attempt: as the first
		{-5, 0.5, 750 * time.Millisecond},
		{math.MinInt, 0.5, 750 * time.Millisecond},
	} {
		if got := s.Delay(c.attempt, c.rnd); got != c.want {
			t.Errorf("attempt %d, random %v: got %v, want %v", c.attempt, c.rnd, got, c.want)
		}
	}
}

func TestExponentialProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "base"))
		limit := time.Duration(rapid.Int64Range(int64(base), math.MaxInt64).Draw(t, "limit"))
		attempt := rapid.IntRange(1, registry.Unlimited-1).Draw(t, "attempt")
		if rapid.Bool().Draw(t, "early") {
			attempt = attempt%70 + 1
		}
		rnd := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "random")

		s := registry.Exponential(base, limit)
		got := s.Delay(attempt, rnd)
		ceiling := new(big.Int).Lsh(big.NewInt(int64(base)), uint(min(attempt-1, 64)))
		if most := big.NewInt(int64(limit)); ceiling.Cmp(most) > 0 {
			ceiling = most
		}
		if most := time.Duration(ceiling.Int64()); got < most/2 || got > most {
			t.Fatalf("delay %v is outside %v..%v", got, most/2, most)
		}
		if next := s.Delay(attempt+1, rnd); next < got {
			t.Fatalf("the next delay %v is shorter than %v", next, got)
		}
		if more := s.Delay(attempt, rnd+(math.Nextafter(1, 0)-rnd)/2); more < got {
			t.Fatalf("a larger random number gives the shorter delay %v, not %v", more, got)
		}
	})
}

// The least time that the default attempts take is more than a day, which the longest
// unmarked outage may last without killing a message, and not much more.
func TestTheDefaultScheduleOutlastsADay(t *testing.T) {
	t.Parallel()
	p := registry.Define[string]("DEFAULTS", "", registry.Codec(fake)).Policy()
	sum := func(rnd float64, attempts int) (d time.Duration) {
		for n := 1; n < attempts; n++ {
			d += p.Backoff.Delay(n, rnd)
		}
		return d
	}
	if least := sum(0, p.MaxAttempts); least <= 24*time.Hour || least > 30*time.Hour {
		t.Errorf("%d attempts take at least %v", p.MaxAttempts, least)
	}
	if least := sum(0, p.MaxAttempts-1); least > 24*time.Hour {
		t.Errorf("one attempt less would do: %v", least)
	}
	if first := p.Backoff.Delay(1, 0.999); first > time.Second {
		t.Errorf("the first retry waits %v", first)
	}
	if longest := p.Backoff.Delay(p.MaxAttempts, 0.999_999); longest > 12*time.Hour {
		t.Errorf("the longest step is %v", longest)
	}
}

func TestRetriesIsATable(t *testing.T) {
	t.Parallel()
	got := registry.Retries(registry.Exponential(time.Second, 5*time.Minute), 5)
	want := `attempt   after           since the first
1         -               -
2         500ms to 1s     500ms to 1s
3         1s to 2s        1.5s to 3s
4         2s to 4s        3.5s to 7s
5         4s to 8s        7.5s to 15s
`
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s", got)
	}
	whole := fmt.Sprint(registry.Exponential(registry.DefaultBackoffBase, registry.DefaultBackoffLimit))
	if lines := strings.Split(strings.TrimSpace(whole), "\n"); len(lines) != 2+registry.DefaultMaxAttempts ||
		lines[0] != "Exponential(1s, 12h0m0s)" || strings.Join(strings.Fields(lines[21]), " ") != "20 6h to 12h 27h6m to 54h12m" {
		t.Errorf("got\n%s", whole)
	}
	if rows := strings.Count(registry.Retries(registry.Steps(time.Second), registry.Unlimited), "\n"); rows > 110 {
		t.Errorf("%d rows", rows)
	}
	if text := fmt.Sprint(registry.Exponential(0, 0)); text != "Exponential(0s, 0s)" {
		t.Errorf("a faulty schedule: %s", text)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	s := registry.Steps(time.Second, time.Minute, time.Hour)
	for attempt, want := range map[int]time.Duration{
		-1: time.Second, 0: time.Second, 1: time.Second, 2: time.Minute, 3: time.Hour, 4: time.Hour, math.MaxInt: time.Hour,
	} {
		for _, rnd := range []float64{0, 0.9} {
			if got := s.Delay(attempt, rnd); got != want {
				t.Errorf("attempt %d: got %v, want %v", attempt, got, want)
			}
		}
	}
	if got := registry.Steps().Delay(1, 0); got != 0 {
		t.Errorf("no steps: %v", got)
	}
}

// plainSchedule has no String method.
type plainSchedule struct{}

func (plainSchedule) Delay(int, float64) time.Duration { return time.Second }

func TestScheduleNames(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]registry.Schedule{
		"Backoff(Exponential(1s, 1m0s))":       registry.Exponential(time.Second, time.Minute),
		"Backoff(Steps(1s))":                   registry.Steps(time.Second),
		"Backoff(ScheduleFunc)":                registry.ScheduleFunc(func(int, float64) time.Duration { return 0 }),
		"Backoff(registry_test.plainSchedule)": plainSchedule{},
	} {
		t.Run(want, func(t *testing.T) {
			if got := fmt.Sprint(registry.Backoff(s)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
