package redisson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// javaID is the id of 8 bytes that ends with n.
func javaID(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// scored returns the timeout set: payload and score of each element, in its order;
// all of them must be universal.
func scored(t testing.TB, s server, k Keys) []string {
	t.Helper()
	var out []string
	for _, z := range must[[]redis.Z](t)(s.rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result()) {
		element, _ := z.Member.(string)
		id, payload, err := Parse([]byte(element), false)
		if err != nil || !id.Universal() {
			t.Errorf("%x is not universal: %v", element, err)
		}
		out = append(out, fmt.Sprintf("%s@%g", payload, z.Score))
	}
	return out
}

// Elements of each layout become universal: same score, same place in the list, and
// within a millisecond the order of the offers.
func TestMigrate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, ids := newQueue(), NewIDs()
		own := Pack(ids.Next(), []byte("go"))
		short := append([]byte{2, 'i', 'd', 5, 0, 0, 0, 0, 0, 0, 0}, "short"...)
		put(t, s.rdb, k, 9000, javaOld(-1234567890123456789, []byte("old")))
		put(t, s.rdb, k, 8000, own)
		put(t, s.rdb, k, 7000, javaNew(javaID(1), []byte("new")))
		put(t, s.rdb, k, "6000.5", short)
		put(t, s.rdb, k, "1e17", javaNew(javaID(2), nil))
		for i := range 40 {
			element := javaOld(int64(100-i), fmt.Appendf(nil, "same %02d", i))
			if i%2 == 0 {
				element = javaNew(javaID(100-i), fmt.Appendf(nil, "same %02d", i))
			}
			put(t, s.rdb, k, 5000, element)
		}
		want := LayoutCount{Old: 21, New: 22, Other: 1}
		dump1 := dump(t, s.rdb, k)
		got := must[LayoutCount](t)(Migrate(t.Context(), s.rdb, k, MigrateArgs{DryRun: true}))
		if got.Old != want.Old || got.New != want.New || got.Other != want.Other || got.Universal != 1 || got.Left() != 44 {
			t.Errorf("dry run: %+v", got)
		}
		if dump(t, s.rdb, k) != dump1 {
			t.Error("a dry run changed something")
		}
		got = must[LayoutCount](t)(Migrate(t.Context(), s.rdb, k, MigrateArgs{}))
		if got.Old != want.Old || got.New != want.New || got.Other != want.Other ||
			got.Rewritten != 44 || got.Universal != 45 || got.Left() != 0 || got.Ghosts != 0 {
			t.Errorf("got %+v", got)
		}
		order := []string{}
		for i := range 40 {
			order = append(order, fmt.Sprintf("same %02d@5000", i))
		}
		order = append(order, "short@6000.5", "new@7000", "go@8000", "old@9000", "@1e+17")
		if found := scored(t, s, k); !slices.Equal(found, order) {
			t.Errorf("set: %q", found)
		}
		list := must[[]string](t)(s.rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
		for i, prefix := range []string{"old", "go", "new", "short", "", "same 00"} {
			if _, payload, _ := Parse([]byte(list[i]), false); string(payload) != prefix {
				t.Errorf("list %d: %q", i, payload)
			}
		}
		if list[1] != string(own) {
			t.Error("what Go offered was touched")
		}
		again := must[LayoutCount](t)(Migrate(t.Context(), s.rdb, k, MigrateArgs{}))
		if again.Foreign() != 0 || again.Universal != 45 || again.Rewritten != 0 {
			t.Errorf("again: %+v", again)
		}
	})
}

// What is only in the set, only in the list, of no layout, or of either.
func TestMigrateOddities(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		ctx := t.Context()
		k := newQueue()
		either := unhex(t, "08a0a1a2a3a4a5a6 0100000000000000 00")
		ghost := javaOld(7, []byte("ghost"))
		put(t, s.rdb, k, 3000, []byte("garbage"))
		put(t, s.rdb, k, 1000, either)
		s.rdb.RPush(ctx, k.Pending, ghost)
		for i := range 3 {
			s.rdb.ZAdd(ctx, k.Timeout, redis.Z{Score: 2000, Member: javaNew(javaID(i), []byte("set only"))})
		}
		got := must[LayoutCount](t)(Migrate(ctx, s.rdb, k, MigrateArgs{}))
		if got.New != 3 || got.Rewritten != 3 || got.Ghosts != 1 || got.Ambiguous != 1 || got.Malformed != 1 || got.Left() != 1 {
			t.Errorf("got %+v", got)
		}
		if e := got.Examples; len(e) != 1 || e[0].DueMs != 3000 || string(e[0].Head) != "garbage" || e[0].Size != 7 || e[0].Reason == "" {
			t.Errorf("examples %+v", e)
		}
		if n := counts(t, s.rdb, k); n != [4]int64{0, 5, 3, 0} {
			t.Errorf("ready, timeout, pending, dead = %v", n)
		}
		if last := s.rdb.LIndex(ctx, k.Pending, -1).Val(); last[0] != 7 || last[16:] != "ghost" {
			t.Errorf("ghost %x", last)
		}
		// With the codec known, the one of either layout is decided.
		for emptyOK, payload := range map[bool]string{true: "", false: "\x00"} {
			k := newQueue()
			put(t, s.rdb, k, 1000, either)
			args := MigrateArgs{EmptyKnown: true, EmptyOK: emptyOK}
			got := must[LayoutCount](t)(Migrate(ctx, s.rdb, k, args))
			if found := scored(t, s, k); got.Rewritten != 1 || found[0] != payload+"@1000" {
				t.Errorf("empty %v: %+v %q", emptyOK, got, found)
			}
		}
		if none := must[LayoutCount](t)(Migrate(ctx, s.rdb, newQueue(), MigrateArgs{})); none.Left() != 0 || none.Universal != 0 {
			t.Errorf("no queue: %+v", none)
		}
	})
}

// Thousands, also at one due time and only in the set, whose walk is ended and found
// again between scripts.
func TestMigrateThousands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		for _, listed := range []bool{true, false} {
			k := newQueue()
			n := 3000
			if s.mini != nil {
				n = 1000 // what the fake does for each grows with the list
			}
			pipe := s.rdb.Pipeline()
			for i := range n {
				e := javaOld(int64(i)*7919, fmt.Appendf(nil, "%d", i))
				if i%2 == 0 {
					e = javaNew(javaID(i*7919), fmt.Appendf(nil, "%d", i))
				}
				pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(5000 + i%3), Member: e})
				if listed {
					pipe.RPush(t.Context(), k.Pending, e)
				}
			}
			must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
			var steps int
			args := MigrateArgs{Progress: func(LayoutCount) { steps++ }}
			began := time.Now()
			got := must[LayoutCount](t)(Migrate(t.Context(), s.rdb, k, args))
			t.Logf("list %v: %d in %v, %d scripts, longest %v", listed, n, time.Since(began), got.Scripts, got.Longest)
			kept := s.rdb.MemoryUsage(t.Context(), k.Attempts, 0).Val() + s.rdb.MemoryUsage(t.Context(), k.MessageNames, 0).Val()
			t.Logf("the IDs of %d take %d bytes each", n, kept/int64(n))
			want := int64(n)
			if got.Old != want/2 || got.New != want/2 || got.Rewritten != want || got.Universal != want || steps != got.Scripts || steps < 4 {
				t.Errorf("list %v: %+v, %d steps", listed, got, steps)
			}
			seen := map[string]bool{}
			for _, p := range scored(t, s, k) {
				seen[p] = true
			}
			if len(seen) != n {
				t.Errorf("%d of %d", len(seen), n)
			}
		}
	})
}

// A message keeps its ID through a migration, which lists, cancels and reschedules it as
// before, also where it was rescheduled already.
func TestMigrateKeepsIDs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, now := newQueue(), nowMs(t, s.rdb)
		list := func() map[string]string {
			out := map[string]string{}
			for _, m := range must[[]PendingMessage](t)(Pending(t.Context(), s.rdb, k, 0, 100, false)) {
				out[string(m.Payload)] = m.Text
			}
			return out
		}
		args := func(text string) ChangeArgs {
			due, id, err := ParseID(text)
			if err != nil {
				t.Fatal(err)
			}
			return ChangeArgs{DueMs: due, ID: id}
		}
		for i := range 8 {
			body := fmt.Appendf(nil, "%d", i)
			element := javaOld(int64(100-i)*7919, body)
			if i%2 == 0 {
				element = javaNew(javaID(100-i), body)
			}
			put(t, s.rdb, k, now+3_600_000+int64(i/4), element)
			if i >= 6 { // met in the set alone
				s.rdb.LRem(t.Context(), k.Pending, 1, element)
			}
		}
		before := list()
		for _, body := range []string{"2", "3", "7"} {
			must[Rescheduled](t)(Reschedule(t.Context(), s.rdb, k, args(before[body]), now+7_200_000))
		}
		if got := must[LayoutCount](t)(Migrate(t.Context(), s.rdb, k, MigrateArgs{})); got.Rewritten != 8 {
			t.Fatalf("%+v", got)
		}
		if after := list(); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("listed as\n%v, before\n%v", after, before)
		}
		for _, body := range []string{"0", "1", "2"} {
			if r := must[Rescheduled](t)(Reschedule(t.Context(), s.rdb, k, args(before[body]), now+9_000_000)); r.ID.String() != before[body] {
				t.Errorf("%s is rescheduled as %s", body, r.ID)
			}
		}
		for body, id := range before {
			c, err := Cancel(t.Context(), s.rdb, k, args(id))
			if err != nil || c.ID.String() != id {
				t.Errorf("%s is cancelled as %s: %v", body, c.ID, err)
			}
		}
		if left := s.rdb.Exists(t.Context(), k.All()...).Val(); left != 0 {
			t.Errorf("%d keys are left:\n%s", left, dump(t, s.rdb, k))
		}
	})
}

// A key of another type, a missing permission: a typed error, and nothing lost,
// doubled or left half done.
func TestMigrateRefusals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		for _, key := range []func(Keys) string{
			func(k Keys) string { return k.Timeout }, func(k Keys) string { return k.Pending },
		} {
			k := newQueue()
			put(t, s.rdb, k, 5, javaNew(javaID(1), []byte("x")))
			s.rdb.Del(t.Context(), key(k))
			s.rdb.Set(t.Context(), key(k), "a string", 0)
			before := dump(t, s.rdb, k)
			_, err := Migrate(t.Context(), s.rdb, k, MigrateArgs{})
			var wrong *fault.WrongTypeError
			if !errors.As(err, &wrong) || wrong.Key != key(k) || dump(t, s.rdb, k) != before {
				t.Errorf("got %v", err)
			}
		}
	})
	srv := redisserver.Start(t)
	for _, command := range []string{"TIME", "TYPE", "ZREM", "ZADD", "ZSCORE", "LSET", "LLEN", "LRANGE", "LINDEX", "LPOS", "ZRANGE"} {
		k := newQueue()
		put(t, srv.Client(), k, 5, javaNew(javaID(1), []byte("x")))
		srv.Client().ZAdd(t.Context(), k.Timeout, redis.Z{Score: 6, Member: javaOld(1, []byte("set only"))})
		_, err := Migrate(t.Context(), asUser(t, srv, "-"+strings.ToLower(command)), k, MigrateArgs{})
		if p, ok := errors.AsType[*fault.PermissionError](err); !ok || p.Command != command {
			t.Errorf("%s: got %v", command, err)
		}
		if n := counts(t, srv.Client(), k); n != [4]int64{0, 2, 1, 0} {
			t.Errorf("%s: ready, timeout, pending, dead = %v", command, n)
		}
		got := must[LayoutCount](t)(Migrate(t.Context(), srv.Client(), k, MigrateArgs{}))
		if found := scored(t, server{rdb: srv.Client()}, k); got.Left() != 0 || !slices.Equal(found, []string{"x@5", "set only@6"}) {
			t.Errorf("%s, granted again: %+v %q", command, got, found)
		}
	}
}

// A full Redis can be migrated.
func TestMigrateFullRedis(t *testing.T) {
	t.Parallel()
	srv := redisserver.Start(t)
	k := newQueue()
	for i := range 50 {
		put(t, srv.Client(), k, i, javaNew(javaID(i), []byte("payload")))
	}
	srv.Client().ConfigSet(t.Context(), "maxmemory", "1")
	got := must[LayoutCount](t)(Migrate(t.Context(), srv.Client(), k, MigrateArgs{}))
	if got.Rewritten != 50 || len(scored(t, server{rdb: srv.Client()}, k)) != 50 {
		t.Errorf("got %+v", got)
	}
}

// Both generations of Java's own scripts read what a migration leaves.
func TestJavaReadsMigrated(t *testing.T) {
	t.Parallel()
	rdb := connect(t, realServer.Addr())
	for _, format := range []string{formatOld, formatNew} {
		k := newQueue()
		past := nowMs(t, rdb) - 1000
		put(t, rdb, k, past, javaOld(-77, []byte("old")))
		put(t, rdb, k, past+1, javaNew(javaID(1), []byte("new")))
		put(t, rdb, k, past+2, javaNew(javaID(2), []byte("gone")))
		must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{}))
		if found := must[any](t)(javaContains(format).Run(t.Context(), rdb, []string{k.Pending}, "new")); found != int64(1) {
			t.Errorf("%s: contains = %v", format, found)
		}
		if removed := must[any](t)(javaRemove(format).Run(t.Context(), rdb, []string{k.Pending, k.Timeout}, "gone")); removed != int64(1) {
			t.Errorf("%s: remove = %v", format, removed)
		}
		must[any](t)(javaTransfer(format).Run(t.Context(), rdb, javaKeys(k), nowMs(t, rdb), 100))
		if got := ready(t, rdb, k); !slices.Equal(got, []string{"old", "new"}) || counts(t, rdb, k) != [4]int64{2, 0, 0, 0} {
			t.Errorf("%s: ready %q", format, got)
		}
	}
}
