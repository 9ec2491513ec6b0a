package control

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// look is Look that must work.
func look(t *testing.T, rdb redis.Scripter, k wire.Keys) Settings {
	t.Helper()
	s, now, err := Look(t.Context(), rdb, k)
	if err != nil || now.IsZero() {
		t.Fatal(now, err)
	}
	return s
}

func TestPauseResumeLimit(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx, k := t.Context(), queuetest.NewQueue()
	if got := look(t, rdb, k); got != (Settings{}) {
		t.Fatalf("nothing is set: %+v", got)
	}
	heard := rdb.Subscribe(ctx, wire.ControlChannel)
	defer func() { _ = heard.Close() }()
	if _, err := heard.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	got, now, err := PauseFor(ctx, rdb, k, Pause{Reason: "provider moves", By: "alice"}, time.Hour)
	p := got.Pause
	if err != nil || p == nil || p.Reason != "provider moves" || p.By != "alice" || !p.At.Equal(now) || !p.Until.Equal(now.Add(time.Hour)) || got.Version == "" {
		t.Fatalf("%+v %+v %v", got, p, err)
	}
	for told := ""; told != changeMark+k.Queue; { // other tests tell of their queues
		told = queuetest.Must[*redis.Message](t)(heard.ReceiveMessage(ctx)).Payload
	}
	first := got.Version
	if got = look(t, rdb, k); !got.Pause.equal(p) || got.Version != first {
		t.Errorf("%+v, want what was set", got)
	}
	if got, _, err = SetLimit(ctx, rdb, k, Limit{Rate: 0.5, Workers: 3, Reason: "slow", By: "bob"}); err != nil || got.Limit.Rate != 0.5 ||
		got.Limit.Workers != 3 || got.Limit.Reason != "slow" || got.Limit.By != "bob" || got.Limit.At.IsZero() || !got.Pause.equal(p) || got.Version == first {
		t.Errorf("%+v %v", got, err)
	}
	if got, _, err = PauseFor(ctx, rdb, k, Pause{Reason: "longer", Until: now.Add(2 * time.Hour)}, 0); err != nil ||
		got.Pause.Reason != "longer" || got.Pause.By != "" || !got.Pause.Until.Equal(now.Add(2*time.Hour)) || got.Limit.Workers != 3 {
		t.Errorf("the last one counts: %+v %+v %v", got, got.Pause, err)
	}
	if got, _, err = PauseFor(ctx, rdb, k, Pause{Reason: "for ever"}, 0); err != nil || !got.Pause.Until.IsZero() {
		t.Errorf("no end: %+v %v", got.Pause, err)
	}
	if got, _, err = Resume(ctx, rdb, k, "carol"); err != nil || got.Pause != nil || got.ResumedBy != "carol" || got.ResumedAt.IsZero() || got.Limit.Workers != 3 {
		t.Errorf("%+v %v", got, err)
	}
	if got, _, err = SetLimit(ctx, rdb, k, Limit{Rate: -1}); err != nil || got.Limit.Rate != 0 || got.Limit.Workers != 3 {
		t.Errorf("%+v %v", got, err)
	}
	if got, _, err = SetLimit(ctx, rdb, k, Limit{Rate: -1, Workers: -1}); err != nil || got.Limit != (Limit{}) {
		t.Errorf("%+v %v", got, err)
	}
	if got, _, err = Resume(ctx, rdb, k, ""); err != nil || got.Pause != nil {
		t.Errorf("nothing to resume: %+v %v", got, err)
	}
	rdb.HDel(ctx, k.Control, fieldResumedAt, fieldResumedBy)
	if _, _, err = SetLimit(ctx, rdb, k, Limit{Rate: -1, Workers: -1}); err != nil || rdb.Exists(ctx, k.Control).Val() != 0 {
		t.Errorf("nothing is set, and the key is there: %v %v", rdb.HGetAll(ctx, k.Control).Val(), err)
	}
}

// What others keep in the hash stays, and what nobody knows hurts nobody.
func TestFieldsOfOthersStay(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx, k := t.Context(), queuetest.NewQueue()
	rdb.HSet(ctx, k.Control, "partitions", "32", "of a later version", "\x00\xff")
	if got := look(t, rdb, k); got != (Settings{}) {
		t.Errorf("%+v", got)
	}
	for _, step := range []func() error{
		func() error {
			_, _, err := PauseFor(ctx, rdb, k, Pause{Reason: "x"}, time.Millisecond)
			return err
		},
		func() error { _, _, err := Resume(ctx, rdb, k, ""); return err },
		func() error {
			_, _, err := change(ctx, rdb, k, []field{{name: "partitions", value: "64"}})
			return err
		},
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	got := rdb.HGetAll(ctx, k.Control).Val()
	if got["partitions"] != "64" || got["of a later version"] != "\x00\xff" || len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// An end is that of Redis's clock, and one that was reached does not come back with it.
func TestPauseEndsByTheClockOfRedis(t *testing.T) {
	t.Parallel()
	clock := time.UnixMilli(4102444800000)
	rdb := queuetest.WithClock(t, func() time.Time { return clock })
	ctx, k := t.Context(), queuetest.NewQueue()
	got, now, err := PauseFor(ctx, rdb, k, Pause{Reason: "x"}, 50*time.Millisecond)
	if err != nil || got.Pause == nil || !now.Equal(clock) {
		t.Fatal(got, now, err)
	}
	clock = now.Add(49 * time.Millisecond)
	if look(t, rdb, k).Pause == nil {
		t.Error("it ended before its time")
	}
	clock = now.Add(50 * time.Millisecond)
	if look(t, rdb, k).Pause != nil {
		t.Error("it did not end")
	}
	if rdb.Exists(ctx, k.Control).Val() != 0 {
		t.Errorf("left behind: %v", rdb.HGetAll(ctx, k.Control).Val())
	}
	clock = now.Add(-time.Hour)
	if look(t, rdb, k).Pause != nil {
		t.Error("it came back with the clock")
	}
	// One that is over when it is set never begins.
	if got, _, err = PauseFor(ctx, rdb, k, Pause{Reason: "x", Until: now.Add(-2 * time.Hour)}, 0); err != nil || got.Pause != nil {
		t.Errorf("%+v %v", got, err)
	}
}

func TestMistakesSetNothing(t *testing.T) {
	t.Parallel()
	rdb, k := lab.Connect(t, lab.Shared.Addr()), queuetest.NewQueue()
	pause := func(p Pause, length time.Duration) error {
		_, _, err := PauseFor(t.Context(), rdb, k, p, length)
		return err
	}
	limit := func(l Limit) error {
		_, _, err := SetLimit(t.Context(), rdb, k, l)
		return err
	}
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"no reason":       {pause(Pause{Reason: " "}, 0), []string{"pause_reason"}},
		"several":         {pause(Pause{By: "a\nb"}, -1), []string{"pause_reason", "pause_by", "pause_until"}},
		"long reason":     {pause(Pause{Reason: strings.Repeat("x", maxReason+1)}, 0), []string{"has 513 bytes"}},
		"too long":        {pause(Pause{Reason: "x"}, 11*365*24*time.Hour), []string{"ten years"}},
		"no such time":    {pause(Pause{Reason: "x", Until: time.Unix(-5, 0)}, 0), []string{"pause_until"}},
		"nothing":         {limit(Limit{}), []string{"give a rate"}},
		"rate":            {limit(Limit{Rate: math.NaN()}), []string{"rate is \"NaN\""}},
		"high rate":       {limit(Limit{Rate: math.Inf(1)}), []string{"rate is \"+Inf\""}},
		"low, and many":   {limit(Limit{Rate: 1e-9, Workers: MaxWorkers + 1}), []string{"rate is \"1e-09\"", "workers is \"4097\""}},
		"author of limit": {limit(Limit{Workers: 1, By: strings.Repeat("x", maxAuthor+1)}), []string{"limit_by"}},
		"resume":          {func() error { _, _, err := Resume(t.Context(), rdb, k, "\x00"); return err }(), []string{"resumed_by"}},
	} {
		var typed *fault.ControlError
		if !errors.As(c.err, &typed) || typed.Key != "" {
			t.Errorf("%s: %v", name, c.err)
		}
		for _, want := range c.want {
			if c.err == nil || !strings.Contains(c.err.Error(), want) {
				t.Errorf("%s: %q is missing in %v", name, want, c.err)
			}
		}
	}
	if n := rdb.Exists(t.Context(), k.Control).Val(); n != 0 {
		t.Error("something was set")
	}
}

// What somebody else wrote into the hash: each mistake names key, field, value and what to do.
func TestWhatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx := t.Context()
	for _, c := range []struct{ field, value, advice string }{
		{fieldRate, "fast", "duequeue limit"},
		{fieldRate, "-1", "duequeue limit"},
		{fieldRate, "NaN", "duequeue limit"},
		{fieldRate, "1e300", "from"},
		{fieldWorkers, "0", "from 1 to 4096"},
		{fieldWorkers, "4097", "from 1 to 4096"},
		{fieldWorkers, "two", "whole number"},
		{fieldUntil, "tomorrow", "no time"},
		{fieldUntil, "9007199254740993", "no time"},
		{fieldAt, "-5", "no time"},
	} {
		k := queuetest.NewQueue()
		rdb.HSet(ctx, k.Control, c.field, c.value, fieldReason, "why", "limit_reason", "why not")
		got, _, err := Look(ctx, rdb, k)
		var typed *fault.ControlError
		if !errors.As(err, &typed) || typed.Key != k.Control || typed.Field != c.field || typed.Value != c.value || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s %s: %v", c.field, c.value, err)
		}
		if got.Limit.Reason != "why not" {
			t.Errorf("%s: what is right was not read: %+v", c.field, got)
		}
	}
	k := queuetest.NewQueue()
	rdb.HSet(ctx, k.Control, fieldUntil, queuetest.NowMs(t, rdb)+60_000)
	if _, _, err := Look(ctx, rdb, k); err == nil || !strings.Contains(err.Error(), "needs a reason") {
		t.Errorf("a pause without a reason: %v", err)
	}
	rdb.Del(ctx, k.Control)
	rdb.Set(ctx, k.Control, "text", 0)
	for _, f := range []func() error{
		func() error { _, _, err := Look(ctx, rdb, k); return err },
		func() error { _, _, err := Resume(ctx, rdb, k, "x"); return err },
	} {
		var wrong *fault.WrongTypeError
		if err := f(); !errors.As(err, &wrong) || wrong.Key != k.Control || wrong.Want != "hash" {
			t.Errorf("got %v", err)
		}
	}
}

// A full Redis takes a pause: it may be what helps.
func TestPauseOfAFullRedis(t *testing.T) {
	t.Parallel()
	srv := startFull(t)
	rdb, k := srv, queuetest.NewQueue()
	if err := rdb.Set(t.Context(), "more", "x", 0).Err(); err == nil {
		t.Fatal("it is not full")
	}
	if got, _, err := PauseFor(t.Context(), rdb, k, Pause{Reason: "full"}, time.Hour); err != nil || got.Pause == nil {
		t.Errorf("%+v %v", got, err)
	}
	if got, _, err := Resume(context.WithoutCancel(t.Context()), rdb, k, ""); err != nil || got.Pause != nil {
		t.Errorf("%+v %v", got, err)
	}
}
