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

// Redisson before 3.16.4 may have sent an offer twice: the list then holds the element
// twice. Draining the list's head moves it once.
func TestTransferDrainsDoubleEntriesOnce(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	queuetest.FillRandom(t, rdb, k, 600, func(int) int64 { return now - 5 })
	for _, element := range queuetest.Must[[]string](t)(rdb.LRange(t.Context(), k.Pending, 0, -1).Result()) {
		rdb.LInsertAfter(t.Context(), k.Pending, element, element)
	}
	transferAll(t, rdb, k, TransferArgs{Limit: 300})
	got := queuetest.Ready(t, rdb, k)
	slices.Sort(got)
	if n := len(slices.Compact(slices.Clone(got))); len(got) != 600 || n != 600 {
		t.Errorf("%d ready, %d different, want 600", len(got), n)
	}
}

// Due times that no Redisson writes: what an ID names is found all the same.
func TestChangeOddScores(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, score := range []string{"4000000000000.5", "-5", "-9.2233720368547e+18", "0.25"} {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, score, wire.Pack(wire.NewIDs().Next(), []byte("cancelled")))
		queuetest.Put(t, rdb, k, score, wire.Pack(wire.NewIDs().Next(), []byte("moved")))
		for _, m := range queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 10, false)) {
			var err error
			args := ChangeArgs{DueMs: m.DueMs, ID: m.ID}
			if string(m.Payload) == "moved" {
				_, err = Reschedule(t.Context(), rdb, k, args, 4_000_000_001_000)
			} else {
				_, err = Cancel(t.Context(), rdb, k, args)
			}
			if err != nil {
				t.Errorf("score %s, %s: %v", score, m.Payload, err)
			}
		}
		if got := payloads(t, rdb, k); got != "moved" {
			t.Errorf("score %s: pending %q", score, got)
		}
	}
}

// What PollPending takes is the caller's: what cannot be handed over stays.
func TestPollPendingLeavesMalformed(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, base := queuetest.NewQueue(), queuetest.NowMs(t, rdb)+3_600_000
	queuetest.Put(t, rdb, k, base, []byte("garbage"))
	for i := range 30 {
		queuetest.Put(t, rdb, k, base+int64(i), wire.Pack(wire.NewIDs().Next(), fmt.Appendf(nil, "m%02d", i)))
	}
	got := queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 20, false, false))
	for i, m := range got {
		if string(m.Payload) != fmt.Sprintf("m%02d", i) {
			t.Errorf("%d is %q %v", i, m.Payload, m.Err)
		}
	}
	if set, list := pendingOf(t, rdb, k); len(got) != 20 || len(set) != 11 || len(list) != 11 || set[0] != "garbage" {
		t.Errorf("%d polled, %d and %d left", len(got), len(set), len(list))
	}
}

// A lost reply in the middle of a poll: what was taken before is handed over with the
// error.
func TestPollPendingKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	all(t, rdb, k, numbered(50, func(int) OfferArgs { return OfferArgs{Delay: time.Hour} }))
	queuetest.Must[string](t)(rdb.ScriptLoad(t.Context(), pollPendingScript.Source()).Result())
	faulty, _ := losing(t, rdb, noLoss, noLoss, lostReply)
	got, err := PollPending(t.Context(), faulty, k, 50, false, false)
	var unknown *fault.ChangeUnknownError
	left := int(rdb.ZCard(t.Context(), k.Timeout).Val())
	if !errors.As(err, &unknown) || len(got) == 0 || len(got)+left >= 50 {
		t.Errorf("%d polled, %d left, %v", len(got), left, err)
	}
}

func TestPollPendingBoundsBytes(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	for range 6 {
		queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{
			Payload: []byte(strings.Repeat("x", pageBytes)), Delay: time.Hour, NoView: true,
		}))
	}
	r := queuetest.Must[any](t)(pollPendingScript.Run(t.Context(), rdb, []string{k.Timeout, k.Pending, k.Trace, k.Attempts, k.MessageNames, k.IDs}, 100, "", 2*pageBytes))
	if n := len(r.([]any)) / 3; n != 2 {
		t.Errorf("one script took %d", n)
	}
	if got := queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 10, true, false)); len(got) != 4 {
		t.Errorf("polled %d", len(got))
	}
}

// bury puts one entry into the dead store.
func bury(t *testing.T, rdb *redis.Client, k wire.Keys, id, body string) string {
	t.Helper()
	return queuetest.Must[string](t)(rdb.XAdd(t.Context(), &redis.XAddArgs{
		Stream: k.Dead, ID: id, Values: []any{"body", body, "reason", "rejected"},
	}).Result())
}

// An entry is named by its whole id: half of one would match another.
func TestRedriveWholeIDs(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	bury(t, rdb, k, "1234-5", "x")
	for _, entry := range []string{"1234", "-", "+", "1234-05"} {
		got, err := Redrive(t.Context(), rdb, k, RedriveArgs{Entries: []RedriveEntry{{Entry: entry}}})
		if err != nil || got[0] != RedriveGone {
			t.Errorf("%q: %v %v", entry, got, err)
		}
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{0, 0, 0, 1} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

// Every command taken away: nothing is lost, and nothing doubled however often it is
// tried.
func TestRedrivePermissions(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for _, command := range []string{"TIME", "TYPE", "XRANGE", "XDEL", "RPUSH", "HEXISTS", "HSET", "EVALSHA"} {
		k := queuetest.NewQueue()
		entry := bury(t, srv.Client(), k, "*", "x")
		rdb := lab.AsUser(t, srv, "-"+strings.ToLower(command))
		var err error
		for range 3 {
			_, err = Redrive(t.Context(), rdb, k, RedriveArgs{Entries: []RedriveEntry{{Entry: entry}}})
		}
		p, ok := errors.AsType[*fault.PermissionError](err)
		if command != "HSET" && command != "HEXISTS" && (!ok || p.Command != command) {
			t.Errorf("without %s: got %v", command, err)
		}
		n := queuetest.Counts(t, srv.Client(), k)
		if n[0]+n[3] != 1 {
			t.Errorf("without %s: ready, timeout, pending, dead = %v", command, n)
		}
	}
}

// A repeat after a lost reply finds the entry gone, which its own first try may have
// done.
func TestRedriveLostReply(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	entry := bury(t, rdb, k, "*", "x")
	queuetest.Must[string](t)(rdb.ScriptLoad(t.Context(), redriveScript.Source()).Result())
	faulty, _ := losing(t, rdb, lostReply)
	got := queuetest.Must[[]RedriveStatus](t)(Redrive(t.Context(), faulty, k, RedriveArgs{Entries: []RedriveEntry{{Entry: entry}}}))
	if got[0] != RedriveUnknown {
		t.Errorf("got %v", got)
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{1, 0, 0, 0} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

// A user who may not remove: Java's view stays as it was, without marks of ours.
func TestRemoveGhostsWithoutPermission(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for _, command := range []string{"LREM", "LSET", "ZMSCORE", "LINDEX", "LLEN", "ZREM"} {
		k := queuetest.NewQueue()
		one := wire.Pack(wire.NewIDs().Next(), []byte("one"))
		srv.Client().RPush(t.Context(), k.Pending, "ghost one", "ghost two", "ghost one")
		queuetest.Put(t, srv.Client(), k, queuetest.NowMs(t, srv.Client())+3_600_000, one)
		_, err := RemoveGhosts(t.Context(), lab.AsUser(t, srv, "-"+strings.ToLower(command)), k)
		if p, ok := errors.AsType[*fault.PermissionError](err); !ok || p.Command != command {
			t.Errorf("without %s: got %v", command, err)
		}
		if _, list := pendingOf(t, srv.Client(), k); !slices.Equal(list, []string{"ghost one", "ghost two", "ghost one", string(one)}) {
			t.Errorf("without %s: left %q", command, list)
		}
	}
}

// A key without a window is taken while its message is pending, wherever that is moved to.
func TestKeyMovesWithItsMessage(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	d := Dedup{Key: "k"}
	first := keyed(t, rdb, k, "first", d, time.Minute)
	for _, ms := range []int64{3_600_000, -1} { // the last one is overdue, and still pending
		queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{Key: "k"}, queuetest.NowMs(t, rdb)+ms))
		if kept := keyed(t, rdb, k, "second", d, time.Hour); kept.Dedup != DedupKept || kept.Text != first.Text {
			t.Errorf("moved by %d ms: %+v", ms, kept)
		}
	}
	transferAll(t, rdb, k, TransferArgs{})
	if third := keyed(t, rdb, k, "third", d, time.Hour); third.Dedup != DedupNone {
		t.Errorf("ready: %+v", third)
	}
}

// Offsets and limits at the ends of their range.
func TestPendingAndReadyBounds(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	all(t, rdb, k, numbered(5, func(int) OfferArgs { return OfferArgs{Delay: time.Hour} }))
	rdb.RPush(t.Context(), k.Queue, "0", "1", "2", "3", "4")
	for _, c := range []struct{ offset, limit, want int64 }{
		{-1, 10, 0}, {-3, 2, 0}, {0, 1<<63 - 1, 5}, {3, 1<<63 - 1, 2}, {5, 1, 0}, {1<<63 - 1, 5, 0}, {0, -1, 0},
	} {
		pending := queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, c.offset, c.limit, false))
		list := 0
		for _, err := range WalkBeginnings(t.Context(), rdb, k, c.offset, c.limit, Whole) {
			if list++; err != nil {
				t.Fatal(err)
			}
		}
		if int64(len(pending)) != c.want || int64(list) != c.want {
			t.Errorf("from %d, %d: %d pending, %d ready, want %d", c.offset, c.limit, len(pending), list, c.want)
		}
	}
}

// Cancelled as a whole element: whatever its id and score are.
func TestCancelElement(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, id, due := queuetest.NewQueue(), wire.NewIDs().Next(), queuetest.NowMs(t, rdb)+3_600_000
	one, two := wire.Pack(id, []byte("one")), wire.Pack(id, []byte("two")) // ambiguous by id
	odd := append([]byte{3, 'a', 'b', 'c'}, "\x01\x00\x00\x00\x00\x00\x00\x00p"...)
	for _, e := range [][]byte{one, two} {
		queuetest.Put(t, rdb, k, due, e)
	}
	queuetest.Put(t, rdb, k, "+inf", odd)
	for _, e := range [][]byte{one, odd} {
		if _, err := Cancel(t.Context(), rdb, k, ChangeArgs{Element: e}); err != nil {
			t.Errorf("%q: %v", e, err)
		}
		if _, err := Cancel(t.Context(), rdb, k, ChangeArgs{Element: e}); !errors.Is(err, fault.ErrGone) {
			t.Errorf("%q, again: %v", e, err)
		}
	}
	if got := payloads(t, rdb, k); got != "two" {
		t.Errorf("left %q", got)
	}
}
