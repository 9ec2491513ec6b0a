package delayed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Every command of the changing scripts taken away: either the error names it and
// nothing changed, or it is one of those that only the view or the records need and the
// change is whole. Nothing is ever lost.
func TestPermissionsOfChanges(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	admin := srv.Client()
	hour := time.Hour
	later := queuetest.NowMs(t, admin) + 7_200_000
	keyedArgs := func(policy DedupPolicy) OfferArgs {
		return OfferArgs{Payload: []byte("second"), Delay: 2 * hour, Dedup: Dedup{Key: "k", Policy: policy}}
	}
	for name, c := range map[string]struct {
		run      func(rdb *redis.Client, k wire.Keys, first OfferResult) error
		want     string // pending when it succeeded
		needs    string // commands without which nothing changes
		optional string // commands without which it succeeds all the same
	}{
		"cancel": {func(rdb *redis.Client, k wire.Keys, first OfferResult) error {
			_, err := Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: first.DueMs, ID: first.ID})
			return err
		}, "", "TIME TYPE HGET ZCOUNT ZRANGE ZREM", "LREM EXISTS ZRANGEBYLEX"},
		"cancel by key": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := Cancel(t.Context(), rdb, k, ChangeArgs{Key: "k"})
			return err
		}, "", "TIME TYPE HGET ZCOUNT ZRANGE ZREM", "LREM EXISTS ZRANGEBYLEX"},
		"reschedule": {func(rdb *redis.Client, k wire.Keys, first OfferResult) error {
			_, err := Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: first.DueMs, ID: first.ID}, later)
			return err
		}, "first", "TIME TYPE HGET ZCOUNT ZRANGE ZADD HSET PUBLISH", "ZRANK EXISTS ZRANGEBYLEX PTTL HRANDFIELD"},
		"reschedule by key": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := Reschedule(t.Context(), rdb, k, ChangeArgs{Key: "k"}, later)
			return err
		}, "first", "TIME TYPE HGET ZCOUNT ZRANGE ZADD HSET PUBLISH", "ZRANK EXISTS PTTL HRANDFIELD"},
		"keep": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := Offer(t.Context(), rdb, k, keyedArgs(DedupKeep))
			return err
		}, "first", "TIME TYPE HMGET ZCOUNT ZRANGE ZMSCORE", ""},
		"replace": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := Offer(t.Context(), rdb, k, keyedArgs(DedupReplace))
			return err
		}, "second", "TIME TYPE HMGET ZCOUNT ZRANGE ZMSCORE ZADD RPUSH HSET", "ZRANK LREM EXISTS HRANDFIELD"},
		"extend": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := Offer(t.Context(), rdb, k, keyedArgs(DedupExtend))
			return err
		}, "first", "TIME TYPE HMGET ZCOUNT ZRANGE ZMSCORE ZADD PUBLISH HSET", "ZRANK EXISTS"},
		"bulk": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			var failed error
			OfferAll(t.Context(), rdb, k, slices.Values([]OfferArgs{{Payload: []byte("x"), Delay: 3 * hour}, {Payload: []byte("y"), Delay: 4 * hour}}),
				func(_ int, _ OfferResult, err error) { failed = err })
			return failed
		}, "first x y", "TIME TYPE ZMSCORE ZADD RPUSH", "ZRANK ZRANGE"},
		"poll": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			got, err := PollPending(t.Context(), rdb, k, 1, false, false)
			if err == nil && len(got) != 1 {
				err = fmt.Errorf("polled %d", len(got))
			}
			return err
		}, "", "TYPE ZRANGE ZREM", "LREM EXISTS ZRANGEBYLEX"},
		"clear": {func(rdb *redis.Client, k wire.Keys, _ OfferResult) error {
			_, err := ClearPending(t.Context(), rdb, k)
			return err
		}, "", "TYPE ZCARD HLEN UNLINK RENAME EXISTS", "PEXPIRE HSCAN ZCOUNT HDEL"},
	} {
		for _, command := range strings.Fields(c.needs + " " + c.optional) {
			k := queuetest.NewQueue()
			first := queuetest.Must[OfferResult](t)(Offer(t.Context(), admin, k, OfferArgs{
				Payload: []byte("first"), Delay: hour, Dedup: Dedup{Key: "k"}, Trace: []byte("0123456789abcdefghijklmn\x01"),
			}))
			before := queuetest.Dump(t, admin, k)
			err := c.run(lab.AsUser(t, srv, "-"+strings.ToLower(command)), k, first)
			p, refused := errors.AsType[*fault.PermissionError](err)
			var pending []string
			for _, m := range queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), admin, k, 0, 10, false)) {
				pending = append(pending, string(m.Payload))
			}
			got := strings.Join(pending, " ")
			switch optional := slices.Contains(strings.Fields(c.optional), command); {
			case optional && (err != nil || got != c.want):
				t.Errorf("%s without %s: %v, pending %q", name, command, err, got)
			case !optional && (!refused || p.Command != command):
				t.Errorf("%s without %s: got %v", name, command, err)
			case !optional && queuetest.Dump(t, admin, k) != before:
				t.Errorf("%s without %s: changed from\n%s\nto\n%s", name, command, before, queuetest.Dump(t, admin, k))
			}
		}
	}
}

// Replacing without the right to remove adds nothing.
func TestReplaceWithoutRemoval(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k, d := queuetest.NewQueue(), Dedup{Key: "k", Policy: DedupReplace}
	keyed(t, srv.Client(), k, "first", d, time.Hour)
	_, err := Offer(t.Context(), lab.AsUser(t, srv, "-zrem"), k, OfferArgs{Payload: []byte("second"), Delay: 2 * time.Hour, Dedup: d})
	if p, ok := errors.AsType[*fault.PermissionError](err); !ok || p.Command != "ZREM" {
		t.Errorf("got %v", err)
	}
	if got := payloads(t, srv.Client(), k); got != "first" {
		t.Errorf("pending %q", got)
	}
}

// A full Redis: what adds is refused as a whole, what takes out works.
func TestFullRedisAndChanges(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, k := srv.Client(), queuetest.NewQueue()
	offer := func(payload, key string, policy DedupPolicy) (OfferResult, error) {
		return Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(payload), Delay: time.Hour, Dedup: Dedup{Key: key, Policy: policy}})
	}
	one := queuetest.Must[OfferResult](t)(offer("one", "1", DedupKeep))
	queuetest.Must[OfferResult](t)(offer("two", "2", DedupKeep))
	queuetest.Must[OfferResult](t)(offer("three", "3", DedupKeep))
	entry := bury(t, rdb, k, "*", "x")
	if err := rdb.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	before := queuetest.Dump(t, rdb, k)
	_, replace := offer("other", "1", DedupReplace)
	_, extend := offer("other", "1", DedupExtend)
	_, fresh := offer("other", "4", DedupKeep)
	_, moved := Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: one.DueMs, ID: one.ID}, one.DueMs+1)
	_, pushed := Push(t.Context(), rdb, k, PushArgs{Payload: []byte("x")})
	var bulk error
	OfferAll(t.Context(), rdb, k, slices.Values([]OfferArgs{{}}), func(_ int, _ OfferResult, err error) { bulk = err })
	for what, err := range map[string]any{"replace": replace, "extend": extend, "new key": fresh, "reschedule": moved, "push": pushed, "bulk": bulk} {
		if full, ok := err.(*fault.ServerError); !ok || full.Kind != fault.KindOutOfMemory {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if after := queuetest.Dump(t, rdb, k); after != before {
		t.Errorf("changed from\n%s\nto\n%s", before, after)
	}
	if kept, err := offer("other", "1", DedupKeep); err != nil || kept.Dedup != DedupKept {
		t.Errorf("keep: %+v %v", kept, err)
	}
	queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: one.DueMs, ID: one.ID}))
	queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{Key: "2"}))
	queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 1, false, false))
	got := queuetest.Must[[]RedriveStatus](t)(Redrive(t.Context(), rdb, k, RedriveArgs{Entries: []RedriveEntry{{Entry: entry}}}))
	if got[0] != Redriven {
		t.Errorf("redrive: %v", got)
	}
	queuetest.Must[int64](t)(RemoveReady(t.Context(), rdb, k, []byte("x"), 0))
	queuetest.Must[int64](t)(ClearPending(t.Context(), rdb, k))
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}
