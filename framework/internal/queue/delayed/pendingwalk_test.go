package delayed

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A walk meets each message that stays exactly once, whatever others do meanwhile.
func TestWalkPending(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, base := queuetest.NewQueue(), queuetest.NowMs(t, rdb)+3_600_000
	const n = 3*pageItems + 50
	out := all(t, rdb, k, numbered(n, func(i int) OfferArgs { return OfferArgs{At: time.UnixMilli(base + int64(i/700))} }))
	seen := map[string]int{}
	at := 0
	for m, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		if err != nil || m.Err != nil {
			t.Fatal(err, m.Err)
		}
		seen[string(m.Payload)]++
		if at++; at%pageItems == pageItems/2 {
			// In the middle of a page: the one read last goes, others come before and behind.
			queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: m.DueMs, ID: m.ID}))
			last := out[at/pageItems*pageItems+pageItems-1].result // the last one of this page
			queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: last.DueMs, ID: last.ID}))
			queuetest.Put(t, rdb, k, base-int64(at), wire.Pack(wire.NewIDs().Next(), []byte("before")))
			queuetest.Put(t, rdb, k, base+10, wire.Pack(wire.NewIDs().Next(), fmt.Appendf(nil, "behind %d", at)))
		}
	}
	for i := range n {
		if seen[fmt.Sprint(i)] != 1 {
			t.Errorf("%d was met %d times", i, seen[fmt.Sprint(i)])
		}
	}
	if len(seen) < n+3 || seen["before"] != 0 {
		t.Errorf("%d met; before: %d", len(seen), seen["before"])
	}
}

// A page of large elements holds few of them, in the script, too.
func TestPageOfLargeElementsReadsFew(t *testing.T) {
	t.Parallel()
	const size, n = 4 << 20, 8
	rdb := lab.StartRedis(t).Client()
	k, at := queuetest.NewQueue(), queuetest.NowMs(t, rdb)+3_600_000
	for i := range n {
		queuetest.Put(t, rdb, k, at+int64(i), wire.Pack(wire.NewIDs().Next(), make([]byte, size)))
	}
	for m, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		if err != nil || len(m.Payload) != size {
			t.Fatal(len(m.Payload), err)
		}
		break
	}
	_, lua, _ := strings.Cut(rdb.Info(t.Context(), "memory").Val(), "used_memory_lua:")
	lua, _, _ = strings.Cut(lua, "\r")
	if bytes, err := strconv.Atoi(lua); err != nil || bytes > n*size/2 {
		t.Errorf("Lua holds %d bytes after one of %d (%v)", bytes, size, err)
	}
}

func TestWalkPendingEndsWithTheError(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	for m, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		t.Errorf("an empty queue has %+v %v", m, err)
	}
	rdb.Set(t.Context(), k.Timeout, "x", 0)
	n := 0
	var wrong *fault.WrongTypeError
	for _, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		if n++; !errors.As(err, &wrong) {
			t.Errorf("got %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d steps", n)
	}
}

// Large elements end a page early, and one that is larger than a page is met, too.
func TestWalkPendingLargeElements(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	for i := range 3 {
		queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{
			Payload: []byte(strings.Repeat(fmt.Sprint(i), pageBytes+1)), Delay: time.Hour,
		}))
	}
	var got []byte
	for m, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Payload[0])
	}
	if string(got) != "012" {
		t.Errorf("met %s", got)
	}
}

func TestPollAndClearPending(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	trace := []byte("0123456789abcdefghijklmn\x01")
	all(t, rdb, k, numbered(5, func(i int) OfferArgs {
		return OfferArgs{Delay: time.Duration(9-i) * time.Hour, Trace: trace}
	}))
	var got []string
	for _, m := range queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 2, false, false)) {
		got = append(got, string(m.Payload))
	}
	if !slices.Equal(got, []string{"4", "3"}) || payloads(t, rdb, k) != "2 1 0" {
		t.Errorf("polled %q", got)
	}
	if n := rdb.ZCard(t.Context(), k.Trace).Val(); n != 3 {
		t.Errorf("%d trace records", n)
	}
	if none := queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 0, false, false)); len(none) != 0 {
		t.Errorf("polled %v", none)
	}
	if n := queuetest.Must[int64](t)(ClearPending(t.Context(), rdb, k)); n != 3 || rdb.Exists(t.Context(), k.All()...).Val() != 0 {
		t.Errorf("cleared %d", n)
	}
	if n := queuetest.Must[int64](t)(ClearPending(t.Context(), rdb, k)); n != 0 {
		t.Errorf("cleared %d again", n)
	}
}

// What is known of single messages goes with them; what is known of others stays.
func TestClearPendingDropsRecords(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	offer := func(delay time.Duration) []outcome {
		return all(t, rdb, k, numbered(400, func(i int) OfferArgs {
			a := OfferArgs{Delay: delay}
			if i%2 == 0 {
				a.Dedup = Dedup{Key: fmt.Sprint(delay, i), Window: time.Hour}
			}
			return a
		}))
	}
	offer(0)
	for rdb.ZCard(t.Context(), k.Timeout).Val() > 0 {
		queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{budget: patient}))
	}
	for i, o := range offer(time.Hour)[:100] {
		queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: o.result.DueMs, ID: o.result.ID}, now+9_000_000+int64(i)))
	}
	if n := rdb.HLen(t.Context(), k.Attempts).Val(); n != 450 {
		t.Fatalf("%d records", n)
	}
	if n := queuetest.Must[int64](t)(ClearPending(t.Context(), rdb, k)); n != 400 {
		t.Errorf("cleared %d", n)
	}
	left := []int64{rdb.HLen(t.Context(), k.Attempts).Val(), rdb.HLen(t.Context(), k.MessageNames).Val(), rdb.ZCard(t.Context(), k.IDs).Val()}
	if !slices.Equal(left, []int64{200, 200, 200}) {
		t.Errorf("%d records, names and ids are left, want those of 200 ready messages with a key", left)
	}
	if n := rdb.Exists(t.Context(), k.Cleared, k.Timeout, k.Pending).Val(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// A message that was rescheduled has the ID of its offer wherever it is listed.
func TestPendingTellsTheIDOfTheOffer(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	out := all(t, rdb, k, numbered(2, func(i int) OfferArgs { return OfferArgs{At: time.UnixMilli(now + int64(i+1)*3_600_000)} }))
	first, second := out[0].result, out[1].result
	queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: first.DueMs, ID: first.ID}, now+9_000_000))
	want := []string{second.Text, first.Text} // in the order in which they are due now

	var listed, walked, polled []string
	for _, m := range queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 10, false)) {
		listed = append(listed, m.Text)
	}
	for m, err := range WalkPending(t.Context(), rdb, k, 0, math.MaxInt64, false) {
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, m.Text)
	}
	if last := queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 1, 1, false)); len(last) != 1 || last[0].Text != first.Text {
		t.Errorf("the second one: %+v", last)
	}
	for _, m := range queuetest.Must[[]PendingMessage](t)(PollPending(t.Context(), rdb, k, 10, false, false)) {
		polled = append(polled, m.Text)
	}
	for _, got := range [][]string{listed, walked, polled} {
		if !slices.Equal(got, want) {
			t.Errorf("ids %v, want %v", got, want)
		}
	}
}
