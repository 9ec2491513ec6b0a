package control

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// bubble is a miniredis with a follower of one queue in virtual time, which both share.
type bubble struct {
	t    *testing.T
	mini *miniredis.Miniredis
	rdb  *redis.Client
	k    wire.Keys
	f    *Follower
	log  *bytes.Buffer

	mu    sync.Mutex
	state State
	told  int
	away  bool // Redis is not reachable
	looks int
}

func inBubble(t *testing.T, test func(b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{t: t, mini: miniredis.NewMiniRedis(), k: wire.KeysOf("followed"), log: &bytes.Buffer{}}
		b.rdb = redis.NewClient(&redis.Options{
			Dialer: func(context.Context, string, string) (net.Conn, error) {
				b.mu.Lock()
				defer b.mu.Unlock()
				if b.away {
					return nil, errAway
				}
				return b.mini.Dial()
			},
			MaxRetries: -1, DisableIdentity: true, ContextTimeoutEnabled: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		b.rdb.AddHook(b)
		log := slog.New(slog.NewTextHandler(b.log, nil))
		b.f = NewFollower(b.rdb, []Queue{{Name: b.k.Queue, Key: b.k.Control, Log: log, Apply: b.apply}}, 5*time.Second, log)
		b.tick()
		test(b)
		_ = b.rdb.Close()
		b.mini.Close()
	})
}

// run lets the follower run beside the test.
func (b *bubble) run() (stop func()) {
	ctx, end := context.WithCancel(b.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.f.Run(ctx) }()
	return func() { end(); <-done }
}

func (b *bubble) DialHook(next redis.DialHook) redis.DialHook { return next }

func (b *bubble) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if b.refuses() {
			cmd.SetErr(errAway)
			return errAway
		}
		return next(ctx, cmd)
	}
}

func (b *bubble) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if b.refuses() {
			for _, c := range cmds {
				c.SetErr(errAway)
			}
			return errAway
		}
		return next(ctx, cmds)
	}
}

var errAway = errors.New("away")

// refuses counts a request, and reports whether Redis is away.
func (b *bubble) refuses() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looks++
	return b.away
}

func (b *bubble) apply(s State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state, b.told = s, b.told+1
}

func (b *bubble) get() (State, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state, b.looks
}

func (b *bubble) setAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

// tick gives Redis the clock of the bubble.
func (b *bubble) tick() { b.mini.SetTime(time.Now()) }

// pass lets time pass, for both.
func (b *bubble) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		<-time.After(min(100*time.Millisecond, time.Until(end)))
		b.tick()
	}
	synctest.Wait()
}

func (b *bubble) pause(length time.Duration) {
	b.t.Helper()
	if _, _, err := PauseFor(b.t.Context(), b.rdb, b.k, Pause{Reason: "test"}, length); err != nil {
		b.t.Fatal(err)
	}
}

// Without a message and without transfers a change is seen within five seconds; with a
// message, or with the version that a transfer brings, at once. The end is seen by itself.
func TestFollowerLearns(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.f.LookAll(b.t.Context())
		if s, _ := b.get(); !s.Known || s.Pause != nil {
			b.t.Fatalf("%+v", s)
		}
		stop := b.run()
		defer stop()
		b.pause(time.Minute)
		b.pass(5 * time.Second)
		if s, _ := b.get(); s.Pause == nil {
			b.t.Error("not seen within five seconds")
		}
		b.pass(55*time.Second + 200*time.Millisecond)
		if s, _ := b.get(); s.Pause != nil {
			b.t.Error("its end was not seen")
		}
		b.pause(0)
		b.f.Told(changeMark + b.k.Queue)
		synctest.Wait()
		if s, _ := b.get(); s.Pause == nil {
			b.t.Error("a message was not heard")
		}
		if _, _, err := Resume(b.t.Context(), b.rdb, b.k, ""); err != nil {
			b.t.Fatal(err)
		}
		b.f.Saw(b.k.Queue, b.mini.HGet(b.k.Control, "version"), time.Now().UnixMilli())
		synctest.Wait()
		if s, _ := b.get(); s.Pause != nil {
			b.t.Error("a version was not seen")
		}
	})
}

// What transfers confirm is not asked for.
func TestConfirmedIsNotLookedAt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.pause(0)
		b.f.LookAll(b.t.Context())
		stop := b.run()
		defer stop()
		_, before := b.get()
		version := b.mini.HGet(b.k.Control, "version")
		for range 100 {
			b.pass(4 * time.Second)
			b.f.Saw(b.k.Queue, version, time.Now().UnixMilli())
		}
		if _, looks := b.get(); looks != before {
			b.t.Errorf("%d looks", looks-before)
		}
	})
}

// While Redis is away a process keeps what it knew; one that has known nothing must not take.
func TestFollowerWithoutRedis(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.setAway(true)
		b.f.LookAll(b.t.Context())
		if s, _ := b.get(); s.Known || s.Err == nil {
			b.t.Fatalf("%+v", s)
		}
		stop := b.run()
		defer stop()
		b.pass(10 * time.Second)
		b.setAway(false)
		b.pass(1100 * time.Millisecond)
		if s, _ := b.get(); !s.Known || s.Err != nil {
			b.t.Errorf("a second after it is back: %+v", s)
		}
		b.pause(20 * time.Second)
		b.f.Told(changeMark + b.k.Queue)
		synctest.Wait()
		b.setAway(true)
		b.pass(time.Minute)
		if s, _ := b.get(); !s.Known || s.Pause == nil || s.Err == nil {
			b.t.Errorf("it forgot: %+v", s)
		}
		b.setAway(false)
		b.pass(1100 * time.Millisecond)
		if s, _ := b.get(); s.Pause != nil {
			b.t.Errorf("the pause is over: %+v", s)
		}
		for _, line := range []string{"cannot read", "can be read again"} {
			if n := strings.Count(b.log.String(), line); n != 2 {
				b.t.Errorf("%d lines of %q, want one for each trouble:\n%s", n, line, b.log)
			}
		}
	})
}

// What transfers confirm says nothing of a look that failed: the error ends with the next look, a second
// after Redis is back.
func TestConfirmedIsNoLook(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.pause(0)
		b.f.LookAll(b.t.Context())
		stop := b.run()
		defer stop()
		b.setAway(true)
		b.pass(10 * time.Second)
		if s, _ := b.get(); s.Err == nil {
			b.t.Fatalf("%+v", s)
		}
		b.setAway(false)
		version := b.mini.HGet(b.k.Control, "version")
		for range 20 {
			b.f.Saw(b.k.Queue, version, time.Now().UnixMilli())
			b.pass(100 * time.Millisecond)
		}
		if s, _ := b.get(); s.Err != nil {
			b.t.Errorf("%+v", s)
		}
	})
}

// What is not understood: the process keeps what it knew, part by part, and says so once.
func TestFollowerKeepsWhatItUnderstood(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		ctx := b.t.Context()
		set := func(f ...field) {
			b.t.Helper()
			if _, _, err := change(ctx, b.rdb, b.k, f); err != nil && !isBad(err) {
				b.t.Fatal(err)
			}
			b.f.Told(changeMark + b.k.Queue)
			synctest.Wait()
		}
		b.f.LookAll(ctx)
		stop := b.run()
		defer stop()
		set(field{name: fieldRate, value: "5"})
		set(field{name: fieldRate, value: "lots"}, field{name: fieldReason, value: "now"})
		s, _ := b.get()
		var mistake *fault.ControlError
		if s.Limit.Rate != 5 || s.Pause == nil || !s.Known || !errors.As(s.Err, &mistake) || mistake.Field != fieldRate {
			b.t.Fatalf("%+v", s)
		}
		b.pass(time.Minute)
		if n := strings.Count(b.log.String(), "cannot understand"); n != 1 {
			b.t.Errorf("%d lines:\n%s", n, b.log)
		}
		b.mini.Del(b.k.Control)
		_ = b.mini.Set(b.k.Control, "text")
		_, before := b.get()
		b.f.Saw(b.k.Queue, wrongType, time.Now().UnixMilli())
		synctest.Wait()
		var wrong *fault.WrongTypeError
		if s, _ := b.get(); s.Pause == nil || s.Limit.Rate != 5 || !errors.As(s.Err, &wrong) {
			b.t.Errorf("%+v", s)
		}
		for range 50 {
			b.f.Saw(b.k.Queue, wrongType, time.Now().UnixMilli())
			b.pass(time.Second)
		}
		if _, looks := b.get(); looks != before+1 {
			b.t.Errorf("%d looks at a key of another type", looks-before)
		}
		b.mini.Del(b.k.Control)
		b.f.Saw(b.k.Queue, "", time.Now().UnixMilli())
		synctest.Wait()
		if s, _ := b.get(); s.Pause != nil || s.Limit.Any() || s.Err != nil {
			b.t.Errorf("%+v", s)
		}

		_ = b.mini.Set(b.k.Control, "text")
		fresh := NewFollower(b.rdb, []Queue{{Name: b.k.Queue, Key: b.k.Control, Log: quiet, Apply: b.apply}}, 5*time.Second, quiet)
		fresh.LookAll(ctx)
		if s, _ := b.get(); s.Known {
			b.t.Error("a new process takes though it cannot read")
		}
	})
}

// Messages of other queues, and of nobody, change nothing.
func TestFollowerIgnoresWhatIsNotForIt(t *testing.T) {
	t.Parallel()
	asked := 0
	f := NewFollower(lab.Connect(t, lab.Shared.Addr()), []Queue{{Name: "q", Key: "k", Asked: func() { asked++ }, Log: quiet, Apply: func(State) {}}}, time.Hour, quiet)
	f.queues[0].stale = false
	for _, m := range []string{"", "=", "?", "=other", "?other", "q", "\x00"} {
		f.Told(m)
	}
	f.Saw("other", "x", 0)
	if f.queues[0].stale {
		t.Error("it would look")
	}
	f.Told("?q")
	if asked != 2 || f.queues[0].stale { // "q" counts as a question
		t.Errorf("asked %d times", asked)
	}
}
