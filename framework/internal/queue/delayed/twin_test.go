package delayed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Each script does on the embedded server what it does on Redis.
func TestScriptsOnTheEmbeddedServer(t *testing.T) {
	t.Parallel()
	rdb := queuetest.Twin(t)
	k, now := queuetest.NewQueue(), time.UnixMilli(4102444800000)
	trace := make([]byte, wire.TraceContextBytes)
	offer := func(payload string, due time.Duration, args OfferArgs) ChangeArgs {
		args.Payload, args.At = []byte(payload), now.Add(due)
		r, _ := Offer(t.Context(), rdb, k, args)
		return ChangeArgs{DueMs: r.DueMs, ID: r.ID}
	}
	queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("delayed"), Delay: time.Minute}))
	plain := offer("plain", time.Minute, OfferArgs{})
	traced := offer("traced", time.Hour, OfferArgs{Trace: trace})
	for _, policy := range []DedupPolicy{DedupKeep, DedupReplace, DedupExtend} {
		offer("keyed", time.Hour, OfferArgs{Dedup: Dedup{Key: "key", Policy: policy, Window: time.Hour}})
	}
	for range 2 {
		offer("once", time.Hour, OfferArgs{Nonce: Nonce{Text: "nonce", Window: time.Hour}})
	}
	bulk := func(yield func(OfferArgs) bool) {
		for range 3 {
			if !yield(OfferArgs{Payload: []byte("bulk"), Delay: time.Hour}) {
				return
			}
		}
	}
	ctx := t.Context()
	add := func(score float64, element []byte) { queuetest.Put(t, rdb, k, score, element) }
	ms := float64(now.UnixMilli())
	var dead []string
	calls := []func() (any, error){
		func() (any, error) {
			return OfferAll(ctx, rdb, k, bulk, func(int, OfferResult, error) {}), nil
		},
		func() (any, error) { return Get(ctx, rdb, k, plain, false) },
		func() (any, error) { return Get(ctx, rdb, k, ChangeArgs{Key: "key"}, false) },
		func() (any, error) { return Pending(ctx, rdb, k, 0, 5, false) },
		func() (any, error) {
			_, place, err := PagePendingFrom(ctx, rdb, k, PendingPlace{}, 4, Whole, false)
			return place, err
		},
		func() (any, error) { return slices.Collect(lists(ctx, rdb, k)), nil },
		func() (any, error) { return readyPage(ctx, rdb, k, 0, 100, Whole) },
		func() (any, error) { return PageReady(ctx, rdb, k, 1, 100, Whole) },
		func() (any, error) { return Sample(ctx, rdb, k, false) },
		func() (any, error) { return Counts(ctx, rdb, k) },
		func() (any, error) { return Reschedule(ctx, rdb, k, traced, plain.DueMs+5) },
		func() (any, error) { return Reschedule(ctx, rdb, k, ChangeArgs{Key: "key"}, plain.DueMs+6) },
		func() (any, error) {
			return RescheduleAll(ctx, rdb, k, []Move{{DueMs: plain.DueMs, ID: plain.ID, ToMs: plain.DueMs - 5}})
		},
		func() (any, error) { return Cancel(ctx, rdb, k, plain) },
		func() (any, error) { return Cancel(ctx, rdb, k, ChangeArgs{Key: "key"}) },
		func() (any, error) { return Push(ctx, rdb, k, PushArgs{Payload: []byte("pushed"), Trace: trace}) },
		func() (any, error) {
			add(ms-40, queuetest.JavaNew([]byte("javanew1"), []byte("new")))
			add(ms-30, queuetest.JavaOld(7<<40, []byte("old")))
			add(ms-20, []byte("malformed"))
			for i := range 70 {
				add(ms-float64(i%7), wire.Pack(wire.NewIDs().Next(), []byte{'m', byte(i)}))
			}
			return Transfer(ctx, rdb, k, TransferArgs{Limit: 5})
		},
		func() (any, error) { return Transfer(ctx, rdb, k, TransferArgs{Limit: 7}) },
		func() (any, error) { return Transfer(ctx, rdb, k, TransferArgs{Limit: 7, NoView: true}) },
		func() (any, error) { return Transfer(ctx, rdb, k, TransferArgs{Limit: 7, NoView: true}) },
		func() (any, error) { return Transfer(ctx, rdb, k, TransferArgs{Limit: 500, budget: patient}) },
		func() (any, error) { return Counts(ctx, rdb, k) },
		func() (any, error) {
			window := OfferArgs{Dedup: Dedup{Key: "ready", Window: time.Hour}}
			offer("of a key", -time.Millisecond, window)
			queuetest.Must[TransferResult](t)(Transfer(ctx, rdb, k, TransferArgs{}))
			offer("of the same key", time.Minute, window)
			return KeyTaken(ctx, rdb, k, "ready")
		},
		func() (any, error) {
			rdb.RPop(ctx, k.Queue)
			return KeyTaken(ctx, rdb, k, "ready")
		},
		func() (any, error) { return ForgetKey(ctx, rdb, k, "ready", atOnce) },
		func() (any, error) {
			return ForgetEntries(ctx, rdb, k, func(string, []byte) bool { return true }, atOnce)
		},
		func() (any, error) { return RemoveReady(ctx, rdb, k, []byte("old"), 1) },
		func() (any, error) { return PollReady(ctx, rdb, k, 3) },
		func() (any, error) { return PageReady(ctx, rdb, k, -1, 5, Whole) },
		func() (any, error) {
			rdb.RPush(ctx, k.Pending, "ghost")
			return RemoveGhosts(ctx, rdb, k)
		},
		func() (any, error) { return PollPending(ctx, rdb, k, 2, false, false) },
		func() (any, error) {
			for _, body := range []string{"dead", "delayed dead"} {
				dead = append(dead, rdb.XAdd(ctx, &redis.XAddArgs{Stream: k.Dead, ID: fmt.Sprintf("4102444800000-%d", 1<<50+len(dead)), Values: []any{
					"body", body, "reason", "rejected", "id", wire.FormatID(1, plain.ID), "trace", string(trace), "at", "1", "due", "1",
				}}).Val())
			}
			return Redrive(ctx, rdb, k, RedriveArgs{Entries: []RedriveEntry{{Entry: dead[0]}, {Entry: dead[1], Delay: time.Hour}, {Entry: "1-1"}}})
		},
		func() (any, error) { return nil, KeepLetters(ctx, rdb, k) },
		func() (any, error) {
			letter, ok, err := NextLetter(ctx, rdb, k, &LetterTurn{Again: time.Hour, Longest: time.Hour, WaitingFirst: true})
			if ok {
				err = ToldLetter(ctx, rdb, k, letter.ID)
			}
			return letter, err
		},
		func() (any, error) {
			rdb.XAdd(ctx, &redis.XAddArgs{Stream: k.Dead, ID: "4102444800009-0", Values: []any{"body", "refused", "at", "1"}})
			turn := LetterTurn{}
			letter, _, err := NextLetter(ctx, rdb, k, &turn)
			again, _, err2 := NextLetter(ctx, rdb, k, &turn)
			return []any{letter, again}, errors.Join(err, err2)
		},
		func() (any, error) { return TrimDead(ctx, rdb, k, TrimArgs{Most: 1}) },
		func() (any, error) { return Agree(ctx, rdb, Declared{Code: "Q", Keys: k, Spread: Spread{N: 4}}), nil },
		func() (any, error) { return NotedSpread(ctx, rdb, k) },
		func() (any, error) { return ClearPending(ctx, rdb, k) },
		func() (any, error) { return ClearReady(ctx, rdb, k) },
		func() (any, error) { return Cancel(ctx, rdb, k, ChangeArgs{Key: "of nobody"}) },
		func() (any, error) {
			rdb.Set(ctx, k.Timeout, "text", 0)
			return Counts(ctx, rdb, k)
		},
	}
	for i, call := range calls {
		// Twin compares what the scripts reply.
		if _, err := call(); err != nil && i < len(calls)-2 {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// atOnce forgets without a rest.
var atOnce = Forgotten{Rest: func(context.Context) error { return nil }}

// lists yields the entries of Java's list.
func lists(ctx context.Context, rdb *redis.Client, k wire.Keys) func(yield func(ListEntry) bool) {
	return func(yield func(ListEntry) bool) {
		for entry, err := range WalkList(ctx, rdb, k, Whole) {
			if err != nil || !yield(entry) {
				return
			}
		}
	}
}
