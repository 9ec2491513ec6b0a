package delayed

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// transferAll transfers until nothing more is due and returns the sums.
func transferAll(t testing.TB, rdb *redis.Client, k wire.Keys, args TransferArgs) (sum TransferResult) {
	t.Helper()
	for {
		r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, args))
		before := sum
		sum = r
		sum.Moved, sum.Bytes = before.Moved+r.Moved, before.Bytes+r.Bytes
		sum.Malformed, sum.Overflowed = before.Malformed+r.Malformed, before.Overflowed+r.Overflowed
		if !r.More() {
			return sum
		}
	}
}

// patient is a budget for tests of everything else: a busy machine does not end it.
const patient = time.Hour

func TestTransferNothing(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
	if r.Moved != 0 || r.NextDueMs != -1 || r.Ready != 0 || r.More() || r.NowUs == 0 {
		t.Errorf("got %+v", r)
	}
	if n := rdb.Exists(t.Context(), k.All()...).Val(); n != 0 {
		t.Errorf("%d keys were made", n)
	}
	offered := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Delay: time.Hour}))
	r = queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
	if r.Moved != 0 || r.NextDueMs != offered.DueMs || r.More() {
		t.Errorf("got %+v", r)
	}
}

// Every layout in one set, beside garbage: all that is good arrives in order.
func TestTransferMixedLayouts(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	now := queuetest.NowMs(t, rdb)
	queuetest.Put(t, rdb, k, now-50, wire.Pack(wire.NewIDs().Next(), []byte("universal")))
	queuetest.Put(t, rdb, k, now-40, queuetest.JavaOld(-1234567890123456789, []byte("old")))
	queuetest.Put(t, rdb, k, now-35, []byte("garbage"))
	queuetest.Put(t, rdb, k, now-30, queuetest.JavaNew([]byte("abcdefgh"), []byte("new")))
	queuetest.Put(t, rdb, k, now-20, queuetest.JavaNew([]byte("longer than eight"), []byte("other")))
	queuetest.Put(t, rdb, k, now+600_000, wire.Pack(wire.NewIDs().Next(), []byte("later")))
	// Elements that only one of the two structures holds.
	rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(now - 10), Member: queuetest.JavaNew([]byte("onlyzset"), []byte("z only"))})
	rdb.RPush(t.Context(), k.Pending, queuetest.JavaNew([]byte("onlylist"), []byte("ghost")))
	rdb.RPush(t.Context(), k.Queue, "before")
	r := transferAll(t, rdb, k, TransferArgs{})
	if r.Moved != 5 || r.Malformed != 1 || r.Ready != 6 || r.NextDueMs != now+600_000 || r.DeadErr != nil {
		t.Errorf("got %+v", r)
	}
	want := []string{"before", "universal", "old", "new", "other", "z only"}
	if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, want) {
		t.Errorf("ready %q", got)
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{6, 1, 2, 1} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

func TestTransferDueRecords(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	now := queuetest.NowMs(t, rdb)
	long := bytes.Repeat([]byte("long"), 200)
	ids := wire.NewIDs()
	first, second := ids.Next(), ids.Next()
	queuetest.Put(t, rdb, k, now-50, wire.Pack(first, []byte("same")))
	queuetest.Put(t, rdb, k, now-40, queuetest.JavaNew([]byte("abcdefgh"), long))
	queuetest.Put(t, rdb, k, fmt.Sprintf("%d.75", now-30), wire.Pack(second, []byte("same")))
	transferAll(t, rdb, k, TransferArgs{})
	got := queuetest.DueRecords(t, rdb, k, "same", string(long), "same")
	if got[0].ID != first || got[0].DueMs != now-50 || got[2].ID != second || got[2].DueMs != now-30 {
		t.Errorf("same: %+v", got)
	}
	if got[1].ID != (wire.ElementID{Kind: wire.KindJava, Raw: [8]byte([]byte("abcdefgh"))}) || got[1].WrittenMs < now {
		t.Errorf("long: %+v", got[1])
	}
	third := ids.Next()
	queuetest.Put(t, rdb, k, now-20, wire.Pack(third, []byte("same")))
	transferAll(t, rdb, k, TransferArgs{})
	if got = queuetest.DueRecords(t, rdb, k, "same", string(long), "same", "same"); got[3].ID != third {
		t.Errorf("appended: %+v", got)
	}
	// Switched off: nothing is written.
	queuetest.Put(t, rdb, k, now-10, wire.Pack(ids.Next(), []byte("untracked")))
	transferAll(t, rdb, k, TransferArgs{NoDueTracking: true})
	queuetest.DueRecords(t, rdb, k, "same", string(long), "same", "same")
}

// Scores of spec 3.1, and elements that fit no layout.
func TestTransferHazards(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		score   string
		element []byte
		place   string // where it must be afterwards
		detail  string
		body    string
	}{
		{"overflow of now + delay", "-9.22e18", queuetest.JavaNew([]byte("abcdefgh"), []byte("x")), "dead", "negative", "x"},
		{"negative", "-5", wire.Pack(wire.NewIDs().Next(), []byte("x")), "dead", "score -5 is negative", "x"},
		{"minus infinity", "-inf", wire.Pack(wire.NewIDs().Next(), []byte("x")), "dead", "negative", "x"},
		{"fractional", "1700000000000.5", wire.Pack(wire.NewIDs().Next(), []byte("x")), "ready", "", "x"},
		{"zero", "0", wire.Pack(wire.NewIDs().Next(), []byte("x")), "ready", "", "x"},
		{"huge", "1e17", wire.Pack(wire.NewIDs().Next(), []byte("x")), "pending", "", ""},
		{"infinity", "+inf", wire.Pack(wire.NewIDs().Next(), []byte("x")), "pending", "", ""},
		{"text, negative", "-5", []byte("no element"), "dead", "10 bytes with first byte 110", "no element"},
		{"text", "5", []byte("no element"), "dead", "10 bytes with first byte 110", "no element"},
		{"empty", "5", nil, "dead", "empty", ""},
		{"256-byte id", "5", append(make([]byte, 257), 1, 0, 0, 0, 0, 0, 0, 0, 'x'), "dead", "neither layout", "\x00*"},
		{"empty payload", "5", wire.Pack(wire.NewIDs().Next(), nil), "ready", "", ""},
	}
	rdb := lab.Shared.Client()
	for _, c := range cases {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, c.score, c.element)
		// A good neighbour on either side.
		queuetest.Put(t, rdb, k, 4, wire.Pack(wire.NewIDs().Next(), []byte("before")))
		queuetest.Put(t, rdb, k, 6, wire.Pack(wire.NewIDs().Next(), []byte("after")))
		r := transferAll(t, rdb, k, TransferArgs{})
		n := queuetest.Counts(t, rdb, k)
		want := map[string][4]int64{"ready": {3, 0, 0, 0}, "dead": {2, 0, 0, 1}, "pending": {2, 1, 1, 0}}[c.place]
		if n != want || r.NextDueMs != -1 {
			t.Errorf("%s: ready, timeout, pending, dead = %v, want %v; next %d", c.name, n, want, r.NextDueMs)
		}
		if c.place == "dead" {
			reason := "malformed"
			if strings.Contains(c.detail, "negative") {
				reason = "overflowed"
			}
			if (r.Overflowed > 0) != (reason == "overflowed") || r.Malformed+r.Overflowed != 1 {
				t.Errorf("%s: %+v", c.name, r)
			}
			checkDead(t, rdb, k, reason, c.body, c.detail)
		}
	}
}

func checkDead(t *testing.T, rdb *redis.Client, k wire.Keys, reason, body, detail string) {
	t.Helper()
	entries := queuetest.Must[[]redis.XMessage](t)(rdb.XRange(t.Context(), k.Dead, "-", "+").Result())
	if len(entries) != 1 {
		t.Fatalf("%d dead", len(entries))
	}
	text := make(map[string]string)
	for f, v := range entries[0].Values {
		text[f], _ = v.(string)
	}
	want := map[string]string{
		"reason": reason, "delivered": "0", "failed": "0", "died": "0", "id": "", "trace": "",
		"digest": wire.Digest([]byte(text["body"])),
	}
	for f, v := range want {
		if text[f] != v {
			t.Errorf("%s: %s is %q, want %q", detail, f, text[f], v)
		}
	}
	if len(text) != 11 || !strings.Contains(text["detail"], detail) {
		t.Errorf("fields %q", text)
	}
	if prefix, ok := strings.CutSuffix(body, "*"); ok && strings.HasPrefix(text["body"], prefix) {
		body = text["body"]
	}
	at, err := strconv.ParseInt(text["at"], 10, 64)
	if text["body"] != body || err != nil || math.Abs(float64(at-queuetest.NowMs(t, rdb))) > 60_000 {
		t.Errorf("%s: body %q at %d", detail, text["body"], at)
	}
}

// The shape of 17 bytes is decided by the codec.
func TestTransferEmptyOrNull(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for emptyOK, want := range map[bool]string{true: "", false: "\x00"} {
		k := queuetest.NewQueue()
		queuetest.Put(t, rdb, k, 5, queuetest.Unhex(t, "08a0a1a2a3a4a5a6 0100000000000000 00"))
		transferAll(t, rdb, k, TransferArgs{EmptyOK: emptyOK})
		if got := queuetest.Ready(t, rdb, k); len(got) != 1 || got[0] != want {
			t.Errorf("empty allowed %v: %q", emptyOK, got)
		}
	}
}

func TestTransferLimits(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	fill := func(n, size int) wire.Keys {
		k, ids := queuetest.NewQueue(), wire.NewIDs()
		for i := range n {
			queuetest.Put(t, rdb, k, i+1, wire.Pack(ids.Next(), bytes.Repeat([]byte{byte(i)}, size)))
		}
		return k
	}
	k := fill(30, 10)
	for _, want := range []int{1, 7, 20, 2} {
		r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: want, budget: patient}))
		if r.Moved != want || r.More() != (want != 2) {
			t.Errorf("limit %d: moved %d, more %v", want, r.Moved, r.More())
		}
	}
	k = fill(40, 10_000)
	r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{MaxBytes: 150_000, budget: patient}))
	if r.Moved < 8 || r.Moved > 16 || r.Bytes != int64(r.Moved)*10_016 || !r.More() {
		t.Errorf("150 kB: moved %d, %d bytes", r.Moved, r.Bytes)
	}
	if r = transferAll(t, rdb, k, TransferArgs{MaxBytes: 1}); r.Ready != 40 {
		t.Errorf("one byte at a time: %d ready", r.Ready)
	}
}

func TestTransferThousands(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, ids := queuetest.NewQueue(), wire.NewIDs()
	pipe := rdb.Pipeline()
	var want []string
	for i := range 5000 {
		payload := strconv.Itoa(i)
		want = append(want, payload)
		element := wire.Pack(ids.Next(), []byte(payload))
		pipe.ZAdd(t.Context(), k.Timeout, redis.Z{Score: 1000, Member: element})
		pipe.RPush(t.Context(), k.Pending, element)
	}
	queuetest.Must[[]redis.Cmder](t)(pipe.Exec(t.Context()))
	r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{Limit: 5000}))
	// At least one chunk: a busy machine ends the script's time budget early.
	if r.Moved > MaxTransferLimit || r.Moved < 8 {
		t.Errorf("moved %d at once", r.Moved)
	}
	t.Logf("%d messages took %v of Redis", r.Moved, r.ServerTime)
	transferAll(t, rdb, k, TransferArgs{Limit: 1000})
	if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, want) {
		t.Errorf("%d ready, or out of order", len(got))
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{5000, 0, 0, 0} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

// A transfer that has no time moves a little, whatever the view and however long the list,
// and the next ones go on from there.
func TestTransferKeepsToItsTime(t *testing.T) {
	t.Parallel()
	rdb := queuetest.WithSlowClock(t, lab.Shared.Addr(), time.Millisecond)
	now := queuetest.NowMs(t, rdb)
	apart := func(i int) int64 { return now - 5 - int64(i*7919%1009) }
	for name, c := range map[string]struct {
		noView bool
		due    func(i int) int64
		want   int // the first chunk
	}{
		"walks of a long list": {false, func(i int) int64 { return apart(i) + int64(i/300)<<43 }, 1},
		"pass over the list":   {false, apart, 64},
		"one instant":          {false, func(int) int64 { return now - 5 }, 64},
		"off":                  {true, apart, 8},
	} {
		k := queuetest.NewQueue()
		queuetest.FillRandom(t, rdb, k, 1200, c.due)
		for round := range 3 {
			args := TransferArgs{Limit: 1000, NoView: c.noView, budget: time.Microsecond}
			r := queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, args))
			if r.Moved != c.want || !r.More() {
				t.Errorf("%s, round %d: %+v", name, round, r)
			}
		}
		transferAll(t, rdb, k, TransferArgs{Limit: 1000, NoView: c.noView, budget: patient})
		if due := rdb.ZCount(t.Context(), k.Timeout, "-inf", fmt.Sprint(now)).Val(); due != 0 {
			t.Errorf("%s: %d are left", name, due)
		}
	}
}

func TestTransferAll(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	var queues []QueueTransfer
	for i := range 5 {
		k := queuetest.NewQueue()
		for j := range i {
			queuetest.Put(t, rdb, k, j+1, wire.Pack(wire.NewIDs().Next(), []byte("x")))
		}
		queues = append(queues, QueueTransfer{Keys: k, Args: TransferArgs{budget: patient}})
	}
	rdb.Set(t.Context(), queues[2].Keys.Queue, "no list", 0)
	for i, o := range TransferAll(t.Context(), rdb, queues) {
		if i == 2 {
			if o.Err == nil {
				t.Error("queue 2: no error")
			}
			continue
		}
		if o.Err != nil || o.Result.Moved != i || o.Result.Elapsed <= 0 {
			t.Errorf("queue %d: %+v", i, o)
		}
	}
}
