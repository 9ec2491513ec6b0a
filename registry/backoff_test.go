package registry_test

import (
	"fmt"
	"math"
	"math/big"
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
		{1, 0, 0},
		{1, 0.5, 500 * time.Millisecond},
		{2, 0.5, time.Second},
		{3, 0.25, time.Second},
		{9, 0.5, 128 * time.Second},
		{10, 0.5, 150 * time.Second}, // 512 s are over the limit
		{100, 0.5, 150 * time.Second},
		{math.MaxInt, 0.5, 150 * time.Second},
		{0, 0.5, 500 * time.Millisecond}, // no such attempt: as the first
		{-5, 0.5, 500 * time.Millisecond},
		{math.MinInt, 0.5, 500 * time.Millisecond},
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
		if got < 0 || got > limit {
			t.Fatalf("delay %v is outside 0..%v", got, limit)
		}
		ceiling := new(big.Int).Lsh(big.NewInt(int64(base)), uint(min(attempt-1, 64)))
		if ceiling.IsInt64() && int64(got) > ceiling.Int64() {
			t.Fatalf("delay %v is above base × 2^(attempt-1) = %v", got, time.Duration(ceiling.Int64()))
		}
		if next := s.Delay(attempt+1, rnd); next < got {
			t.Fatalf("the next delay %v is shorter than %v", next, got)
		}
		if more := s.Delay(attempt, rnd+(math.Nextafter(1, 0)-rnd)/2); more < got {
			t.Fatalf("a larger random number gives the shorter delay %v, not %v", more, got)
		}
	})
}

func TestEqualJitterProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "base"))
		limit := time.Duration(rapid.Int64Range(int64(base), math.MaxInt64).Draw(t, "limit"))
		attempt := rapid.IntRange(-1, 80).Draw(t, "attempt")
		rnd := rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "random")

		got := registry.EqualJitter(base, limit).Delay(attempt, rnd)
		ceiling := new(big.Int).Lsh(big.NewInt(int64(base)), uint(max(attempt, 1)-1))
		if most := big.NewInt(int64(limit)); ceiling.Cmp(most) > 0 {
			ceiling = most
		}
		if most := time.Duration(ceiling.Int64()); got < most/2 || got > most {
			t.Fatalf("delay %v is outside %v..%v", got, most/2, most)
		}
	})
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
		"Backoff(EqualJitter(1s, 1m0s))":       registry.EqualJitter(time.Second, time.Minute),
		"Backoff(Steps(1s))":                   registry.Steps(time.Second),
		"Backoff(ScheduleFunc)":                registry.ScheduleFunc(func(int, float64) time.Duration { return 0 }),
		"Backoff(registry_test.plainSchedule)": plainSchedule{},
	} {
		if got := fmt.Sprint(registry.Backoff(s)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
