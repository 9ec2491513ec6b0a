package lease

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// commands returns how often a server ran each command during a step, those of scripts included.
func commands(t testing.TB, rdb *redis.Client, step func()) map[string]lab.Ran {
	t.Helper()
	must(t, rdb.ConfigResetStat(t.Context()).Err())
	step()
	return lab.Commands(t, rdb)
}

// sum returns how many commands of these names ran, all of them where no name is given.
func sum(ran map[string]lab.Ran, names ...string) (n int) {
	for name, of := range ran {
		if len(names) == 0 || slices.Contains(names, name) {
			n += of.Calls
		}
	}
	return n
}

// Takes of equal payloads cost as many commands as those of distinct ones do, also where others
// took some, and a take from 20,000 equal ones costs what one from 3,000 does.
func TestTakeOfEqualPayloads(t *testing.T) {
	t.Parallel()
	_, srv := own(t)
	rdb := srv.Client()
	// takes returns the commands of the dearest take of 128.
	takes := func(n int, body func(i int) string, popped int) (most int) {
		e := &env{rdb: rdb, keys: newKeys()}
		pipe := rdb.Pipeline()
		for i := range n {
			rec := wire.DueRecord{ID: wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(i >> 16), byte(i >> 8), byte(i)}}, DueMs: int64(i), WrittenMs: int64(i)}
			pipe.RPush(t.Context(), e.keys.Queue, body(i))
			pipe.RPush(t.Context(), e.keys.Due, rec.Entry([]byte(body(i))))
		}
		_, err := pipe.Exec(t.Context())
		must(t, err)
		s := e.session(t, Options{})
		s.shared = rdb
		at := 0
		var acks []Token
		for range 20 {
			if popped > 0 {
				must(t, rdb.LPopCount(t.Context(), e.keys.Queue, popped).Err())
				at += popped
			}
			var b Batch
			most = max(most, sum(commands(t, rdb, func() { b = take(t, s, 128, acks...) })))
			acks = tokens(b)
			for _, m := range b.Messages {
				if m.DueMs != int64(at) {
					t.Fatalf("message %d came as due at %d", at, m.DueMs)
				}
				at++
			}
		}
		return most
	}
	equal := func(int) string { return "tick" }
	distinct := func(i int) string { return fmt.Sprintf("tick %d", i) }
	takes(500, equal, 0) // the script is known from now on
	alone, others := takes(3000, distinct, 0), takes(3000, distinct, 7)
	for name, row := range map[string]struct{ got, most int }{
		"distinct":                {alone, 50},
		"equal":                   {takes(3000, equal, 0), alone},
		"20,000 equal":            {takes(20_000, equal, 0), alone},
		"distinct, others take":   {others, 50 + 3*128},
		"equal ones, others take": {takes(3000, equal, 7), others},
	} {
		if row.got > row.most {
			t.Errorf("%s: %d commands, want at most %d", name, row.got, row.most)
		}
	}
}

// With thousands of equal payloads pending with their traces, and ready, no script walks a list more
// than a few times, and what it does for each of its messages does not grow with them: offers, a bulk
// of them, cancelling, rescheduling, redriving, looking for one and removing it, views, ghosts, and the
// take of what Java transferred.
func TestEqualPayloadsWithTraces(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	rdb := srv.Client()
	now := time.Now().UnixMilli()
	pipe := rdb.Pipeline()
	const n = 4_000
	for i := range n {
		id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, 0, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)}}
		element := wire.Pack(id, []byte("tick"))
		due := now + 3_600_000 + int64(i)
		rec := wire.TraceRecord{DueRecord: wire.DueRecord{ID: id, DueMs: due}, ExpiryMs: due + 3_600_000}
		pipe.ZAdd(t.Context(), e.keys.Timeout, redis.Z{Score: float64(due), Member: element})
		pipe.ZAdd(t.Context(), e.keys.Trace, redis.Z{Member: queuetest.TraceMember(rec, []byte("tick"))})
		pipe.RPush(t.Context(), e.keys.Pending, element)
		if i < 3_000 {
			pipe.RPush(t.Context(), e.keys.Queue, "tick")
			rec.ID.Raw[1] = 2
			pipe.RPush(t.Context(), e.keys.Due, rec.Entry([]byte("tick")))
		}
		if i%1000 == 999 {
			_, err := pipe.Exec(t.Context())
			must(t, err)
		}
	}
	s := e.session(t, Options{})
	trace := make([]byte, wire.TraceContextBytes)
	offerAll := func(size int) {
		delayed.OfferAll(t.Context(), rdb, e.keys, func(yield func(delayed.OfferArgs) bool) {
			for range size {
				if !yield(delayed.OfferArgs{Payload: []byte("tick"), Delay: time.Hour, Trace: trace}) {
					return
				}
			}
		}, func(_ int, _ delayed.OfferResult, err error) { must(t, err) })
	}
	steps := map[string]struct {
		elements int // that it may look at one by one
		do       func(i int)
	}{
		"offer": {1, func(int) {
			_, err := delayed.Offer(t.Context(), rdb, e.keys, delayed.OfferArgs{Payload: []byte("tick"), Delay: time.Hour, Trace: trace})
			must(t, err)
		}},
		"cancel": {1, func(i int) {
			id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, 0, 0, 0, 0, 0, byte(i)}}
			_, err := delayed.Cancel(t.Context(), rdb, e.keys, delayed.ChangeArgs{DueMs: now + 3_600_000 + int64(i), ID: id})
			must(t, err)
		}},
		"reschedule": {1, func(i int) {
			id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, 0, 0, 0, 0, 1, byte(i)}}
			_, err := delayed.Reschedule(t.Context(), rdb, e.keys, delayed.ChangeArgs{DueMs: now + 3_600_000 + 256 + int64(i), ID: id}, now+7_200_000)
			must(t, err)
		}},
		"take": {128, func(int) {
			e.push(t, strings.Split(strings.Repeat("tick ", 128), " ")[:128]...)
			b := take(t, s, 128)
			if len(b.Messages) != 128 || b.Messages[0].Trace != nil {
				t.Fatalf("took %d, traced %x", len(b.Messages), b.Messages[0].Trace)
			}
		}},
		"bulk offer": {0, func(int) { offerAll(800) }},
		"redrive": {100, func(int) {
			var entries []delayed.RedriveEntry
			for i := range delayed.MaxRedrive {
				entry := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: e.keys.Dead, Values: []any{
					"body", "tick", "reason", "rejected", "id", wire.FormatID(now, wire.ElementID{Kind: 'u', Raw: [8]byte{7, 3, byte(i)}}),
					"trace", string(trace), "at", now, "due", now,
				}}).Val()
				entries = append(entries, delayed.RedriveEntry{Entry: entry, Delay: time.Hour})
			}
			_, err := delayed.Redrive(t.Context(), rdb, e.keys, delayed.RedriveArgs{Entries: entries})
			must(t, err)
		}},
		"remove one that is ready": {0, func(int) {
			_, err := delayed.RemoveReady(t.Context(), rdb, e.keys, []byte("tick"), 1)
			must(t, err)
		}},
		"remove what is not ready": {0, func(int) {
			_, err := delayed.RemoveReady(t.Context(), rdb, e.keys, []byte("tock"), 1)
			must(t, err)
		}},
		"find": {0, func(int) {
			id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 9}}
			must(t, Find(t.Context(), rdb, e.keys, &delayed.NotPending{NotPendingError: &fault.NotPendingError{ID: wire.FormatID(now, id)}}, false))
		}},
		"view of pending": {n / 2, func(int) {
			for _, err := range delayed.WalkPending(t.Context(), rdb, e.keys, n/2, 2000, true) {
				must(t, err)
			}
		}},
		"view of the list": {n, func(int) {
			entries := 0
			for _, err := range delayed.WalkList(t.Context(), rdb, e.keys, delayed.Whole) {
				if must(t, err); entries > 5000 {
					break
				}
				entries++
			}
		}},
		"ghosts": {n, func(int) {
			must(t, rdb.LPush(t.Context(), e.keys.Pending, "ghost").Err())
			must(t, rdb.RPush(t.Context(), e.keys.Pending, "ghost").Err())
			_, err := delayed.RemoveGhosts(t.Context(), rdb, e.keys)
			must(t, err)
		}},
		"sample": {9, func(int) {
			_, err := delayed.Sample(t.Context(), rdb, e.keys, true)
			must(t, err)
		}},
		"counts": {0, func(int) {
			_, err := delayed.Counts(t.Context(), rdb, e.keys)
			must(t, err)
		}},
	}
	for name, s := range steps {
		s.do(0) // its script is known from now on
		ran := commands(t, rdb, func() { s.do(1) })
		scripts, walks, all := sum(ran, "eval", "evalsha"), sum(ran, "lrem", "lpos", "linsert", "zrangebylex"), sum(ran)
		if most := 50*scripts + 20*s.elements; scripts == 0 || walks > 3*scripts || all > most {
			t.Errorf("%s: %d scripts, %d walks of a list or of traces, %d commands, want at most %d: %v", name, scripts, walks, all, most, ran)
		}
	}
	if got := rdb.ZCard(t.Context(), e.keys.Trace).Val(); got < n {
		t.Errorf("%d traces", got)
	}
}

// A day of 100/s that Go transfers and Java takes, in short: bursts, of which Java takes
// all. Our keys stay below 1 MB, and end by themselves.
func TestRecordsThatNobodyFetches(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	rdb := srv.Client()
	trace := make([]byte, wire.TraceContextBytes)
	most := int64(0)
	for round := range 60 {
		args := make([]delayed.OfferArgs, 400)
		for i := range args {
			args[i] = delayed.OfferArgs{Payload: fmt.Appendf(nil, "%d %d %s", round, i, strings.Repeat("x", 200))}
			if i%10 == 0 {
				args[i].Trace = trace
			}
		}
		delayed.OfferAll(t.Context(), rdb, e.keys, func(yield func(delayed.OfferArgs) bool) {
			for _, a := range args {
				if !yield(a) {
					return
				}
			}
		}, func(_ int, _ delayed.OfferResult, err error) { must(t, err) })
		for {
			r, err := delayed.Transfer(t.Context(), rdb, e.keys, delayed.TransferArgs{})
			must(t, err)
			if n := rdb.LLen(t.Context(), e.keys.Due).Val(); n > r.Ready+1000 {
				t.Fatalf("%d due records of %d ready messages", n, r.Ready)
			}
			if r.Moved == 0 && r.NextDueMs < 0 {
				break
			}
		}
		must(t, rdb.LPopCount(t.Context(), e.keys.Queue, 1000).Err())
		size := int64(0)
		for _, key := range rdb.Keys(t.Context(), "duequeue:*").Val() {
			size += rdb.MemoryUsage(t.Context(), key, 0).Val()
			if ttl := rdb.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > 72*time.Hour {
				t.Errorf("%s lives for %v", key, ttl)
			}
		}
		most = max(most, size)
	}
	t.Logf("at most %d bytes, %d traces at the end", most, rdb.ZCard(t.Context(), e.keys.Trace).Val())
	if most > 1_000_000 {
		t.Errorf("our keys hold %d bytes", most)
	}
}

// A punctual message never gets the due time of an equal one that others took.
func TestPunctualBesideOrphans(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	clock := e.rdb.Time(t.Context()).Val().UnixMilli()
	transfer := func(due int64) {
		id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 0, 0, byte(due >> 32), byte(due >> 24), byte(due >> 16), byte(due >> 8), byte(due)}}
		element := wire.Pack(id, []byte("tick"))
		must(t, e.rdb.ZAdd(t.Context(), e.keys.Timeout, redis.Z{Score: float64(due), Member: element}).Err())
		_, err := delayed.Transfer(t.Context(), e.rdb, e.keys, delayed.TransferArgs{NoView: true})
		must(t, err)
	}
	s := e.session(t, Options{})
	for i := range int64(20) {
		transfer(clock - 7300 + i)
		must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err()) // Java's take
	}
	transfer(clock - 300)
	if m := take(t, s, 1).Messages[0]; m.DueMs != clock-300 {
		t.Errorf("late by %d ms", clock-m.DueMs)
	}
	// The same for what a blocking move brought in.
	transfer(clock - 7000)
	must(t, e.rdb.LPop(t.Context(), e.keys.Queue).Err())
	transfer(clock - 200)
	e.landed(t, s)
	if m := take(t, s, 1).Messages[0]; m.DueMs != clock-200 {
		t.Errorf("late by %d ms", clock-m.DueMs)
	}
}
