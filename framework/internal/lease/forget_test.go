package lease

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// over makes the counters of a payload those of a message that was due a week ago.
func (e *env) over(t testing.TB, body string) {
	t.Helper()
	field := redisson.AttemptsField([]byte(body))
	value := e.rdb.HGet(t.Context(), e.keys.Attempts, field).Val()
	counts, _, stamped := strings.Cut(value, ";")
	if !stamped {
		t.Fatalf("the counters of %q are kept for ever: %q", body, value)
	}
	must(t, e.rdb.HSet(t.Context(), e.keys.Attempts, field,
		fmt.Sprintf("%s;000000%016d", counts, time.Now().Add(-time.Minute).UnixMilli())).Err())
}

// What a message left behind that Java took while it waited for its retry, or that was
// cancelled then, does not count for an equal one that is offered later.
func TestEqualPayloadBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(t *testing.T, e *env, r NackResult){
		"cancelled": func(t *testing.T, e *env, r NackResult) {
			_, err := redisson.Cancel(t.Context(), e.rdb, e.keys, redisson.ChangeArgs{DueMs: r.DueMs, ID: r.ID})
			must(t, err)
		},
		"taken by Java": func(t *testing.T, e *env, _ NackResult) {
			must(t, e.rdb.Del(t.Context(), e.keys.Timeout, e.keys.Pending).Err())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, e *env) {
				s := e.session(t, Options{})
				once := NackArgs{Charge: true, MaxAttempts: 2}
				e.push(t, "order")
				r, err := s.Nack(t.Context(), take(t, s, 1).Messages[0].Token, once)
				must(t, err)
				goes(t, e, r)
				e.over(t, "order")
				e.push(t, "order")
				b := take(t, s, 1)
				if m := b.Messages[0]; m.Delivered+m.Failed+m.Died != 0 || m.History != "" {
					t.Fatalf("it begins with %+v", m)
				}
				r, err = s.Nack(t.Context(), b.Messages[0].Token, once)
				if must(t, err); r.Outcome != Retried || r.Failed != 1 {
					t.Fatalf("its first failure: %+v", r)
				}
			})
		})
	}
}

// Whatever writes counters says until when they count: a week beyond the time at which
// the message can be handled.
func TestCountersAreKeptForAWeek(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	for name, way := range map[string]struct {
		do   func(t *testing.T, e *env, s *Session, m Message)
		from time.Duration // now
	}{
		"nack": {func(t *testing.T, _ *env, s *Session, m Message) {
			_, err := s.Nack(t.Context(), m.Token, NackArgs{Charge: true, Delay: month})
			must(t, err)
		}, month},
		"release": {func(t *testing.T, _ *env, s *Session, m Message) {
			_, err := s.Release(t.Context(), []Released{{Token: m.Token, Started: true}})
			must(t, err)
		}, 0},
		"reap": {func(t *testing.T, e *env, s *Session, _ Message) { e.reap(t, s) }, 0},
		"restore": {func(t *testing.T, _ *env, s *Session, m Message) {
			r, err := s.Dead(t.Context(), m.Token, DeadArgs{Reason: "undecodable"})
			must(t, err)
			_, err = s.Restore(t.Context(), []string{r.Entry})
			must(t, err)
		}, 0},
		"refund": {func(t *testing.T, e *env, s *Session, m Message) {
			_, err := s.Nack(t.Context(), m.Token, NackArgs{Charge: true, Delay: month})
			must(t, err)
			_, err = Refund(t.Context(), e.rdb, e.keys, []string{redisson.AttemptsField(m.Body)})
			must(t, err)
		}, month},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, e *env) {
				e.push(t, "a")
				s := e.session(t, Options{})
				b := take(t, s, 1)
				way.do(t, e, s, b.Messages[0])
				value := e.rdb.HGet(t.Context(), e.keys.Attempts, redisson.AttemptsField([]byte("a"))).Val()
				var d, f, x int
				var redriven, until int64
				if _, err := fmt.Sscanf(value, "%d,%d,%d;%06d%016d", &d, &f, &x, &redriven, &until); err != nil || redriven != 0 {
					t.Fatalf("%q: %v", value, err)
				}
				if left := time.UnixMilli(until).Sub(time.UnixMilli(b.NowMs)) - way.from - 7*24*time.Hour; left < 0 || left > time.Minute {
					t.Errorf("%q is kept %v more or less than a week", value, left)
				}
			})
		})
	}
}

// However many were left behind, a nack and the reaper remove them in small steps, and
// none that counts.
func TestForgottenCounters(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e *env) {
		past, future := time.Now().Add(-time.Minute).UnixMilli(), time.Now().Add(time.Hour).UnixMilli()
		_, err := e.rdb.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i := range 3000 {
				p.HSet(t.Context(), e.keys.Attempts, fmt.Sprintf("over %d", i), fmt.Sprintf("4,3,1;000000%016d", past))
			}
			for i := range 50 {
				p.HSet(t.Context(), e.keys.Attempts, fmt.Sprintf("counts %d", i), fmt.Sprintf("4,3,1;000000%016d", future))
				p.HSet(t.Context(), e.keys.Attempts, fmt.Sprintf("old %d", i), "4,3,1")
			}
			return nil
		})
		must(t, err)
		size := func() int64 { return e.rdb.HLen(t.Context(), e.keys.Attempts).Val() }
		s := e.session(t, Options{})
		for range 20 {
			e.push(t, "a")
			_, err := s.Nack(t.Context(), take(t, s, 1).Messages[0].Token, NackArgs{})
			must(t, err)
		}
		if n := size(); n > 3090 || n < 3060 {
			t.Errorf("%d are left after 20 failures", n)
		}
		r := NewReaper(e.rdb, e.keys, ReaperOptions{})
		n, err := r.Forget(t.Context())
		if must(t, err); n < 1500 || n > 2000 {
			t.Errorf("the first time removes %d", n)
		}
		for range 200 {
			_, err := r.Forget(t.Context())
			must(t, err)
		}
		if n := size(); n != 101 {
			t.Errorf("%d are left", n)
		}
		for i := range 50 {
			old := e.rdb.HGet(t.Context(), e.keys.Attempts, fmt.Sprintf("old %d", i)).Val()
			if counts, _, stamped := strings.Cut(old, ";"); counts != "4,3,1" || !stamped {
				t.Errorf("what an older version wrote: %q", old)
			}
		}
	})
}

// oldAttempts is how versions read and wrote counters that kept them for ever.
const oldAttempts = `
local counts, history = ARGV[1], ''
local at = string.find(counts, ';', 1, true)
if at then
  counts, history = string.sub(ARGV[1], 1, at - 1), string.sub(ARGV[1], at + 1)
end
local d, f, x = string.match(counts, '^(%d+),(%d+),(%d+)$')
local text = string.format('%d,%d,%d', d + 1, f + 1, x)
if history ~= '' then
  text = text .. ';' .. history
end
return text`

// During a rolling deploy processes of an older version count in the same hash.
func TestOlderVersionsCountToo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, e *env) {
		field, s := redisson.AttemptsField([]byte("a")), e.session(t, Options{})
		old := redisson.NewScript("old", oldAttempts)
		for n := 1; n < 6; n += 2 {
			e.push(t, "a")
			_, err := s.Nack(t.Context(), take(t, s, 1).Messages[0].Token, NackArgs{Charge: true})
			must(t, err)
			value := e.rdb.HGet(t.Context(), e.keys.Attempts, field).Val()
			if h := redisson.ParseHistory(strings.SplitN(value, ";", 2)[1]); h.Redriven != 0 || len(h.Deaths) != 0 {
				t.Fatalf("older versions tell of a history: %+v", h)
			}
			rewritten, err := old.Run(t.Context(), e.rdb, nil, value)
			must(t, err)
			must(t, e.rdb.HSet(t.Context(), e.keys.Attempts, field, rewritten).Err())
			if got, want := e.attempts(t, "a"), fmt.Sprintf("%d,%d,0", n+1, n+1); got != want {
				t.Fatalf("counted %s, want %s", got, want)
			}
		}
	})
}
