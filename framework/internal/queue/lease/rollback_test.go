package lease

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// snapshot is the state of all keys of a queue at one moment.
type snapshot []func(ctx context.Context, p redis.Pipeliner)

// snapshot copies all keys of the queue.
func (e *env) snapshot(t testing.TB) snapshot {
	return e.copyKeys(t.Context(), func(err error) { must(t, err) })
}

func (e *env) copyKeys(ctx context.Context, check func(error)) snapshot {
	all, err := e.rdb.Keys(ctx, "*"+e.keys.Queue+"*").Result()
	check(err)
	slices.Sort(all)
	var s snapshot
	for _, key := range all {
		kind, err := e.rdb.Type(ctx, key).Result()
		check(err)
		switch kind {
		case "list":
			values, err := e.rdb.LRange(ctx, key, 0, -1).Result()
			check(err)
			s = append(s, func(ctx context.Context, p redis.Pipeliner) { p.RPush(ctx, key, anys(values)...) })
		case "set":
			values, err := e.rdb.SMembers(ctx, key).Result()
			check(err)
			s = append(s, func(ctx context.Context, p redis.Pipeliner) { p.SAdd(ctx, key, anys(values)...) })
		case "hash":
			values, err := e.rdb.HGetAll(ctx, key).Result()
			check(err)
			s = append(s, func(ctx context.Context, p redis.Pipeliner) { p.HSet(ctx, key, values) })
		case "zset":
			values, err := e.rdb.ZRangeWithScores(ctx, key, 0, -1).Result()
			check(err)
			s = append(s, func(ctx context.Context, p redis.Pipeliner) { p.ZAdd(ctx, key, values...) })
		case "stream":
			values, err := e.rdb.XRange(ctx, key, "-", "+").Result()
			check(err)
			for _, m := range values {
				s = append(s, func(ctx context.Context, p redis.Pipeliner) {
					p.XAdd(ctx, &redis.XAddArgs{Stream: key, ID: m.ID, Values: m.Values})
				})
			}
		}
	}
	return s
}

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// rollback puts the state of a snapshot in the place of what is there: what a failover to
// a replica that lags does, and a restart from an older file.
func (e *env) rollback(t testing.TB, s snapshot) {
	t.Helper()
	e.putBack(t.Context(), s, func(err error) { must(t, err) })
}

func (e *env) putBack(ctx context.Context, s snapshot, check func(error)) {
	all, err := e.rdb.Keys(ctx, "*"+e.keys.Queue+"*").Result()
	check(err)
	_, err = e.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, append(all, "none")...)
		for _, put := range s {
			put(ctx, p)
		}
		return nil
	})
	check(err)
}

// What a process has settled may come back by a rollback of Redis. The end of its
// neighbours must not delete it.
func TestRollbackKeepsTheNeighbour(t *testing.T) {
	t.Parallel()
	settle := map[string]func(t *testing.T, s *Session, m Message){
		"nack": func(t *testing.T, s *Session, m Message) {
			r, err := s.Nack(t.Context(), m.Token, NackArgs{Charge: true, MaxAttempts: 9, Delay: time.Hour})
			if must(t, err); r.Outcome != Retried {
				t.Fatalf("nack %+v", r)
			}
		},
		"dead": func(t *testing.T, s *Session, m Message) {
			r, err := s.Dead(t.Context(), m.Token, DeadArgs{Reason: "rejected"})
			if must(t, err); r.Gone {
				t.Fatal("gone")
			}
		},
		"release": func(t *testing.T, s *Session, m Message) {
			r, err := s.Release(t.Context(), []Released{{Token: m.Token}})
			if must(t, err); r.Given != 1 {
				t.Fatalf("release %+v", r)
			}
		},
	}
	ends := map[string]func(t *testing.T, s *Session, acks Acks){
		"ack alone": func(t *testing.T, s *Session, acks Acks) {
			stale, err := s.Ack(t.Context(), acks)
			if must(t, err); stale != 0 {
				t.Fatalf("%d stale", stale)
			}
		},
		"ack by a take": func(t *testing.T, s *Session, acks Acks) {
			b := take(t, s, 1, acks...)
			_, err := s.Release(t.Context(), released(b))
			must(t, err)
		},
	}
	for how, settle := range settle {
		for end, finish := range ends {
			t.Run(how+", "+end, func(t *testing.T) {
				t.Parallel()
				e := onReal(t)
				s := e.session(t, Options{})
				e.push(t, "a", "b")
				id, trace := e.withRecords(t, "a", 81)
				b := take(t, s, 2)
				before := e.snapshot(t)
				settle(t, s, b.Messages[0])
				e.rollback(t, before)
				finish(t, s, tokens(b)[1:])
				e.wantQueue(t, "a")
				again := take(t, s, 1)
				wantBodies(t, again, "a")
				wantRecords(t, again.Messages[0], id, trace, 81)
				take(t, s, 1, tokens(again)...)
				_, err := s.Close(t.Context())
				must(t, err)
				e.wantQueue(t)
			})
		}
	}
}
