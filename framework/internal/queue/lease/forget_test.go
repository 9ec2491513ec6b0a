package lease

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What a message left behind that Java took while it waited for its retry, or that was
// cancelled then, does not count for an equal one that is offered later.
func TestEqualPayloadBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(t *testing.T, e *env, id wire.MessageID){
		"cancelled": func(t *testing.T, e *env, id wire.MessageID) {
			_, err := delayed.Cancel(t.Context(), e.rdb, e.keys, delayed.ChangeArgs{DueMs: id.DueMs, ID: id.Element})
			must(t, err)
		},
		"taken by Java": func(t *testing.T, e *env, _ wire.MessageID) {
			must(t, e.rdb.Del(t.Context(), e.keys.Timeout, e.keys.Pending).Err())
			e.over(t, "order")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			s := e.session(t, Options{})
			once := NackArgs{Charge: true, MaxAttempts: 2}
			e.push(t, "order")
			b := take(t, s, 1)
			_, err := s.Nack(t.Context(), b.Messages[0].Token, once)
			must(t, err)
			goes(t, e, b.Messages[0].ID)
			e.push(t, "order")
			b = take(t, s, 1)
			if m := b.Messages[0]; m.Delivered+m.Failed+m.Died != 0 || m.History != "" {
				t.Fatalf("it begins with %+v", m)
			}
			r, err := s.Nack(t.Context(), b.Messages[0].Token, once)
			if must(t, err); r.Outcome != Retried || r.Failed != 1 {
				t.Fatalf("its first failure: %+v", r)
			}
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			e.push(t, "a")
			s := e.session(t, Options{})
			b := take(t, s, 1)
			way.do(t, e, s, b.Messages[0])
			found := e.records(t, "a")
			if len(found) != 1 {
				t.Fatalf("records %v", found)
			}
			value, until := found[0].value, found[0].kept
			if left := time.UnixMilli(until).Sub(time.UnixMilli(b.NowUs/1000)) - way.from - 7*24*time.Hour; left < 0 || left > time.Minute {
				t.Errorf("%q is kept %v more or less than a week", value, left)
			}
		})
	}
}

// However many were left behind, a nack and the reaper remove them in small steps, and
// none that counts.
func TestForgottenCounters(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	past, future := time.Now().Add(-time.Minute).UnixMilli(), time.Now().Add(time.Hour).UnixMilli()
	value := func(kept int64, key string) string {
		return fmt.Sprintf("4,3,1;%016d%016du%016d12345678%s%s%04d%s", kept, 1, 1, dashes(16), dashes(40), len(key), key)
	}
	_, err := e.rdb.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		for i := range 3000 {
			field, key := fmt.Sprintf("u%08d", i), fmt.Sprintf("key %d", i)
			p.HSet(t.Context(), e.keys.Attempts, field, value(past, key))
			p.HSet(t.Context(), e.keys.MessageNames, "k"+key, field, "u12345678", "u00000017")
		}
		for i := range 50 {
			p.HSet(t.Context(), e.keys.Attempts, fmt.Sprintf("n%08d", i), value(future, ""))
			p.HSet(t.Context(), e.keys.Attempts, fmt.Sprintf("unreadable %d", i), "4,3,1")
		}
		return nil
	})
	must(t, err)
	size := func() int64 { return e.rdb.HLen(t.Context(), e.keys.Attempts).Val() }
	s := e.session(t, Options{})
	for range 20 {
		e.push(t, "a")
		_, err := s.Nack(t.Context(), take(t, s, 1).Messages[0].Token, NackArgs{Delay: time.Hour})
		must(t, err)
	}
	if n := size(); n > 3110 || n < 3070 {
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
	if n := size(); n != 70 {
		t.Errorf("%d are left", n)
	}
	if n := e.rdb.HLen(t.Context(), e.keys.MessageNames).Val(); n != 0 {
		t.Errorf("%d names are left", n)
	}
}

func dashes(n int) string { return strings.Repeat("-", n) }
