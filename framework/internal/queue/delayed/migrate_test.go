package delayed

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
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// javaID is the id of 8 bytes that ends with n.
func javaID(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// unread is how many elements are still not read by every Redisson.
func unread(c LayoutCount) int64 { return c.Foreign() - c.Rewritten + c.Malformed }

// scored returns the timeout set: payload and score of each element, in its order;
// all of them must be universal.
func scored(t testing.TB, rdb *redis.Client, k wire.Keys) []string {
	t.Helper()
	var out []string
	for _, z := range queuetest.Must[[]redis.Z](t)(rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result()) {
		element, _ := z.Member.(string)
		id, payload, err := wire.Parse([]byte(element), false)
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
	rdb := lab.Shared.Client()
	k, ids := queuetest.NewQueue(), wire.NewIDs()
	own := wire.Pack(ids.Next(), []byte("go"))
	short := append([]byte{2, 'i', 'd', 5, 0, 0, 0, 0, 0, 0, 0}, "short"...)
	queuetest.Put(t, rdb, k, 9000, queuetest.JavaOld(-1234567890123456789, []byte("old")))
	queuetest.Put(t, rdb, k, 8000, own)
	queuetest.Put(t, rdb, k, 7000, queuetest.JavaNew(javaID(1), []byte("new")))
	queuetest.Put(t, rdb, k, "6000.5", short)
	queuetest.Put(t, rdb, k, "1e17", queuetest.JavaNew(javaID(2), nil))
	for i := range 40 {
		element := queuetest.JavaOld(int64(100-i), fmt.Appendf(nil, "same %02d", i))
		if i%2 == 0 {
			element = queuetest.JavaNew(javaID(100-i), fmt.Appendf(nil, "same %02d", i))
		}
		queuetest.Put(t, rdb, k, 5000, element)
	}
	want := LayoutCount{Old: 21, New: 22, Other: 1}
	dump1 := queuetest.Dump(t, rdb, k)
	got := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{DryRun: true}))
	if got.Old != want.Old || got.New != want.New || got.Other != want.Other || got.Universal != 1 || unread(got) != 44 {
		t.Errorf("dry run: %+v", got)
	}
	if queuetest.Dump(t, rdb, k) != dump1 {
		t.Error("a dry run changed something")
	}
	got = queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{}))
	if got.Old != want.Old || got.New != want.New || got.Other != want.Other ||
		got.Rewritten != 44 || got.Universal != 45 || unread(got) != 0 || got.Ghosts != 0 {
		t.Errorf("got %+v", got)
	}
	order := []string{}
	for i := range 40 {
		order = append(order, fmt.Sprintf("same %02d@5000", i))
	}
	order = append(order, "short@6000.5", "new@7000", "go@8000", "old@9000", "@1e+17")
	if found := scored(t, rdb, k); !slices.Equal(found, order) {
		t.Errorf("set: %q", found)
	}
	list := queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result())
	for i, prefix := range []string{"old", "go", "new", "short", "", "same 00"} {
		if _, payload, _ := wire.Parse([]byte(list[i]), false); string(payload) != prefix {
			t.Errorf("list %d: %q", i, payload)
		}
	}
	if list[1] != string(own) {
		t.Error("what Go offered was touched")
	}
	again := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{}))
	if again.Foreign() != 0 || again.Universal != 45 || again.Rewritten != 0 {
		t.Errorf("again: %+v", again)
	}
}

// What is only in the set, only in the list, of no layout, or of either.
func TestMigrateOddities(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	ctx := t.Context()
	k := queuetest.NewQueue()
	either := queuetest.Unhex(t, "08a0a1a2a3a4a5a6 0100000000000000 00")
	ghost := queuetest.JavaOld(7, []byte("ghost"))
	queuetest.Put(t, rdb, k, 3000, []byte("garbage"))
	queuetest.Put(t, rdb, k, 1000, either)
	rdb.RPush(ctx, k.Pending, ghost)
	for i := range 3 {
		rdb.ZAdd(ctx, k.Timeout, redis.Z{Score: 2000, Member: queuetest.JavaNew(javaID(i), []byte("set only"))})
	}
	got := queuetest.Must[LayoutCount](t)(Migrate(ctx, rdb, k, MigrateArgs{}))
	if got.New != 3 || got.Rewritten != 3 || got.Ghosts != 1 || got.Ambiguous != 1 || got.Malformed != 1 || unread(got) != 1 {
		t.Errorf("got %+v", got)
	}
	if e := got.Examples; len(e) != 1 || e[0].DueMs != 3000 || string(e[0].Head) != "garbage" || e[0].Size != 7 || e[0].Reason == "" {
		t.Errorf("examples %+v", e)
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{0, 5, 3, 0} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
	if last := rdb.LIndex(ctx, k.Pending, -1).Val(); last[0] != 7 || last[16:] != "ghost" {
		t.Errorf("ghost %x", last)
	}
	// With the codec known, the one of either layout is decided.
	for emptyOK, payload := range map[bool]string{true: "", false: "\x00"} {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, 1000, either)
		args := MigrateArgs{EmptyKnown: true, EmptyOK: emptyOK}
		got := queuetest.Must[LayoutCount](t)(Migrate(ctx, rdb, k, args))
		if found := scored(t, rdb, k); got.Rewritten != 1 || found[0] != payload+"@1000" {
			t.Errorf("empty %v: %+v %q", emptyOK, got, found)
		}
	}
	if none := queuetest.Must[LayoutCount](t)(Migrate(ctx, rdb, queuetest.NewQueue(), MigrateArgs{})); unread(none) != 0 || none.Universal != 0 {
		t.Errorf("no queue: %+v", none)
	}
}

// Thousands, also at one due time and only in the set, whose walk is ended and found
// again between scripts.
func TestMigrateThousands(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, listed := range []bool{true, false} {
		k := queuetest.NewQueue()
		const n = 3000
		pipe := rdb.Pipeline()
		for i := range n {
			e := queuetest.JavaOld(int64(i)*7919, fmt.Appendf(nil, "%d", i))
			if i%2 == 0 {
				e = queuetest.JavaNew(javaID(i*7919), fmt.Appendf(nil, "%d", i))
			}
			pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(5000 + i%3), Member: e})
			if listed {
				pipe.RPush(t.Context(), k.Pending, e)
			}
		}
		queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
		var steps int
		args := MigrateArgs{Progress: func(LayoutCount) { steps++ }}
		began := time.Now()
		got := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, args))
		t.Logf("list %v: %d in %v, %d scripts, longest %v", listed, n, time.Since(began), got.Scripts, got.Longest)
		kept := rdb.MemoryUsage(t.Context(), k.Attempts, 0).Val() + rdb.MemoryUsage(t.Context(), k.MessageNames, 0).Val()
		t.Logf("the IDs of %d take %d bytes each", n, kept/int64(n))
		want := int64(n)
		if got.Old != want/2 || got.New != want/2 || got.Rewritten != want || got.Universal != want || steps != got.Scripts || steps < 4 {
			t.Errorf("list %v: %+v, %d steps", listed, got, steps)
		}
		seen := map[string]bool{}
		for _, p := range scored(t, rdb, k) {
			seen[p] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d", len(seen), n)
		}
	}
}

// A message keeps its ID through a migration, which lists, cancels and reschedules it as
// before, also where it was rescheduled already.
func TestMigrateKeepsIDs(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	list := func() map[string]string {
		out := map[string]string{}
		for _, m := range queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 100, false)) {
			out[string(m.Payload)] = m.Text
		}
		return out
	}
	args := func(text string) ChangeArgs {
		id, err := wire.ParseID(text)
		if err != nil {
			t.Fatal(err)
		}
		return ChangeArgs{DueMs: id.DueMs, ID: id.Element}
	}
	for i := range 8 {
		body := fmt.Appendf(nil, "%d", i)
		element := queuetest.JavaOld(int64(100-i)*7919, body)
		if i%2 == 0 {
			element = queuetest.JavaNew(javaID(100-i), body)
		}
		queuetest.Put(t, rdb, k, now+3_600_000+int64(i/4), element)
		if i >= 6 { // met in the set alone
			rdb.LRem(t.Context(), k.Pending, 1, element)
		}
	}
	before := list()
	for _, body := range []string{"2", "3", "7"} {
		queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, args(before[body]), now+7_200_000))
	}
	if got := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{})); got.Rewritten != 8 {
		t.Fatalf("%+v", got)
	}
	if after := list(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("listed as\n%v, before\n%v", after, before)
	}
	for _, body := range []string{"0", "1", "2"} {
		if r := queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, args(before[body]), now+9_000_000)); r.ID.String() != before[body] {
			t.Errorf("%s is rescheduled as %s", body, r.ID)
		}
	}
	for body, id := range before {
		c, err := Cancel(t.Context(), rdb, k, args(id))
		if err != nil || c.ID.String() != id {
			t.Errorf("%s is cancelled as %s: %v", body, c.ID, err)
		}
	}
	if left := rdb.Exists(t.Context(), k.All()...).Val(); left != 0 {
		t.Errorf("%d keys are left:\n%s", left, queuetest.Dump(t, rdb, k))
	}
}

// A key of another type, a missing permission: a typed error, and nothing lost,
// doubled or left half done.
func TestMigrateRefusals(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, key := range []func(wire.Keys) string{
		func(k wire.Keys) string { return k.Timeout }, func(k wire.Keys) string { return k.Pending },
	} {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, 5, queuetest.JavaNew(javaID(1), []byte("x")))
		rdb.Del(t.Context(), key(k))
		rdb.Set(t.Context(), key(k), "a string", 0)
		before := queuetest.Dump(t, rdb, k)
		_, err := Migrate(t.Context(), rdb, k, MigrateArgs{})
		var wrong *fault.WrongTypeError
		if !errors.As(err, &wrong) || wrong.Key != key(k) || queuetest.Dump(t, rdb, k) != before {
			t.Errorf("got %v", err)
		}
	}
	srv := lab.StartRedis(t)
	for _, command := range []string{"TIME", "TYPE", "ZREM", "ZADD", "ZSCORE", "LSET", "LLEN", "LRANGE", "LINDEX", "LPOS", "ZRANGE"} {
		k := queuetest.NewQueue()
		queuetest.Put(t, srv.Client(), k, 5, queuetest.JavaNew(javaID(1), []byte("x")))
		srv.Client().ZAdd(t.Context(), k.Timeout, redis.Z{Score: 6, Member: queuetest.JavaOld(1, []byte("set only"))})
		_, err := Migrate(t.Context(), lab.AsUser(t, srv, "-"+strings.ToLower(command)), k, MigrateArgs{})
		if p, ok := errors.AsType[*fault.PermissionError](err); !ok || p.Command != command {
			t.Errorf("%s: got %v", command, err)
		}
		if n := queuetest.Counts(t, srv.Client(), k); n != [4]int64{0, 2, 1, 0} {
			t.Errorf("%s: ready, timeout, pending, dead = %v", command, n)
		}
		got := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), srv.Client(), k, MigrateArgs{}))
		if found := scored(t, srv.Client(), k); unread(got) != 0 || !slices.Equal(found, []string{"x@5", "set only@6"}) {
			t.Errorf("%s, granted again: %+v %q", command, got, found)
		}
	}
}

// A full Redis can be migrated.
func TestMigrateFullRedis(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k := queuetest.NewQueue()
	for i := range 50 {
		queuetest.Put(t, srv.Client(), k, i, queuetest.JavaNew(javaID(i), []byte("payload")))
	}
	srv.Client().ConfigSet(t.Context(), "maxmemory", "1")
	got := queuetest.Must[LayoutCount](t)(Migrate(t.Context(), srv.Client(), k, MigrateArgs{}))
	if got.Rewritten != 50 || len(scored(t, srv.Client(), k)) != 50 {
		t.Errorf("got %+v", got)
	}
}

// Both generations of Java's own scripts read what a migration leaves.
func TestJavaReadsMigrated(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	for _, format := range []string{queuetest.FormatOld, queuetest.FormatNew} {
		k := queuetest.NewQueue()
		past := queuetest.NowMs(t, rdb) - 1000
		queuetest.Put(t, rdb, k, past, queuetest.JavaOld(-77, []byte("old")))
		queuetest.Put(t, rdb, k, past+1, queuetest.JavaNew(javaID(1), []byte("new")))
		queuetest.Put(t, rdb, k, past+2, queuetest.JavaNew(javaID(2), []byte("gone")))
		queuetest.Must[LayoutCount](t)(Migrate(t.Context(), rdb, k, MigrateArgs{}))
		if found := queuetest.Must[any](t)(queuetest.JavaContains(format).Run(t.Context(), rdb, []string{k.Pending}, "new")); found != int64(1) {
			t.Errorf("%s: contains = %v", format, found)
		}
		if removed := queuetest.Must[any](t)(queuetest.JavaRemove(format).Run(t.Context(), rdb, []string{k.Pending, k.Timeout}, "gone")); removed != int64(1) {
			t.Errorf("%s: remove = %v", format, removed)
		}
		queuetest.Must[any](t)(queuetest.JavaTransfer(format).Run(t.Context(), rdb, queuetest.JavaKeys(k), queuetest.NowMs(t, rdb), 100))
		if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, []string{"old", "new"}) || queuetest.Counts(t, rdb, k) != [4]int64{2, 0, 0, 0} {
			t.Errorf("%s: ready %q", format, got)
		}
	}
}
