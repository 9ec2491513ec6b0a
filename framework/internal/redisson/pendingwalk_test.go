package redisson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// A walk meets each message that stays exactly once, whatever others do meanwhile.
func TestWalkPending(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, base := newQueue(), nowMs(t, s.rdb)+3_600_000
		const n = 3*pageItems + 50
		out := all(t, s.rdb, k, numbered(n, func(i int) OfferArgs { return OfferArgs{At: time.UnixMilli(base + int64(i/700))} }))
		seen := map[string]int{}
		at := 0
		for m, err := range WalkPending(t.Context(), s.rdb, k, false) {
			if err != nil || m.Err != nil {
				t.Fatal(err, m.Err)
			}
			seen[string(m.Payload)]++
			if at++; at%pageItems == pageItems/2 {
				// In the middle of a page: the one read last goes, others come before and behind.
				must[Cancelled](t)(Cancel(t.Context(), s.rdb, k, ChangeArgs{DueMs: m.DueMs, ID: m.ID}))
				last := out[at/pageItems*pageItems+pageItems-1].result // the last one of this page
				must[Cancelled](t)(Cancel(t.Context(), s.rdb, k, ChangeArgs{DueMs: last.DueMs, ID: last.ID}))
				put(t, s.rdb, k, base-int64(at), Pack(NewIDs().Next(), []byte("before")))
				put(t, s.rdb, k, base+10, Pack(NewIDs().Next(), fmt.Appendf(nil, "behind %d", at)))
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
	})
}

// A page of large elements holds few of them, in the script, too.
func TestPageOfLargeElementsReadsFew(t *testing.T) {
	t.Parallel()
	const size, n = 4 << 20, 8
	rdb := redisserver.Start(t).Client()
	k, at := newQueue(), nowMs(t, rdb)+3_600_000
	for i := range n {
		put(t, rdb, k, at+int64(i), Pack(NewIDs().Next(), make([]byte, size)))
	}
	for m, err := range WalkPending(t.Context(), rdb, k, false) {
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
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		for m, err := range WalkPending(t.Context(), s.rdb, k, false) {
			t.Errorf("an empty queue has %+v %v", m, err)
		}
		s.rdb.Set(t.Context(), k.Timeout, "x", 0)
		n := 0
		var wrong *fault.WrongTypeError
		for _, err := range WalkPending(t.Context(), s.rdb, k, false) {
			if n++; !errors.As(err, &wrong) {
				t.Errorf("got %v", err)
			}
		}
		if n != 1 {
			t.Errorf("%d steps", n)
		}
	})
}

// Large elements end a page early, and one that is larger than a page is met, too.
func TestWalkPendingLargeElements(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		for i := range 3 {
			must[OfferResult](t)(Offer(t.Context(), s.rdb, k, OfferArgs{
				Payload: []byte(strings.Repeat(fmt.Sprint(i), pageBytes+1)), Delay: time.Hour,
			}))
		}
		var got []byte
		for m, err := range WalkPending(t.Context(), s.rdb, k, false) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Payload[0])
		}
		if string(got) != "012" {
			t.Errorf("met %s", got)
		}
	})
}

func TestPollAndClearPending(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k := newQueue()
		trace := []byte("0123456789abcdefghijklmn\x01")
		all(t, s.rdb, k, numbered(5, func(i int) OfferArgs {
			return OfferArgs{Delay: time.Duration(9-i) * time.Hour, Trace: trace}
		}))
		var got []string
		for _, m := range must[[]PendingMessage](t)(PollPending(t.Context(), s.rdb, k, 2, ViewExact, false)) {
			got = append(got, string(m.Payload))
		}
		if !slices.Equal(got, []string{"4", "3"}) || payloads(t, s.rdb, k) != "2 1 0" {
			t.Errorf("polled %q", got)
		}
		if n := s.rdb.ZCard(t.Context(), k.Trace).Val(); n != 3 {
			t.Errorf("%d trace records", n)
		}
		if none := must[[]PendingMessage](t)(PollPending(t.Context(), s.rdb, k, 0, ViewExact, false)); len(none) != 0 {
			t.Errorf("polled %v", none)
		}
		if n := must[int64](t)(ClearPending(t.Context(), s.rdb, k)); n != 3 || s.rdb.Exists(t.Context(), k.All()...).Val() != 0 {
			t.Errorf("cleared %d", n)
		}
		if n := must[int64](t)(ClearPending(t.Context(), s.rdb, k)); n != 0 {
			t.Errorf("cleared %d again", n)
		}
	})
}

// What is known of single messages goes with them; what is known of others stays.
func TestClearPendingDropsRecords(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, now := newQueue(), nowMs(t, s.rdb)
		offer := func(delay time.Duration) []outcome {
			return all(t, s.rdb, k, numbered(400, func(i int) OfferArgs {
				a := OfferArgs{Delay: delay}
				if i%2 == 0 {
					a.Dedup = Dedup{Key: fmt.Sprint(delay, i), Window: time.Hour}
				}
				return a
			}))
		}
		offer(0)
		for s.rdb.ZCard(t.Context(), k.Timeout).Val() > 0 {
			must[TransferResult](t)(Transfer(t.Context(), s.rdb, k, TransferArgs{budget: patient}))
		}
		for i, o := range offer(time.Hour)[:100] {
			must[Rescheduled](t)(Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: o.result.DueMs, ID: o.result.ID}, now+9_000_000+int64(i)))
		}
		if n := s.rdb.HLen(t.Context(), k.Attempts).Val(); n != 450 {
			t.Fatalf("%d records", n)
		}
		if n := must[int64](t)(ClearPending(t.Context(), s.rdb, k)); n != 400 {
			t.Errorf("cleared %d", n)
		}
		left := []int64{s.rdb.HLen(t.Context(), k.Attempts).Val(), s.rdb.HLen(t.Context(), k.MessageNames).Val(), s.rdb.ZCard(t.Context(), k.IDs).Val()}
		if !slices.Equal(left, []int64{200, 200, 200}) {
			t.Errorf("%d records, names and ids are left, want those of 200 ready messages with a key", left)
		}
		if n := s.rdb.Exists(t.Context(), k.Cleared, k.Timeout, k.Pending).Val(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

// A message that was rescheduled has the ID of its offer wherever it is listed.
func TestPendingTellsTheIDOfTheOffer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s server) {
		k, now := newQueue(), nowMs(t, s.rdb)
		out := all(t, s.rdb, k, numbered(2, func(i int) OfferArgs { return OfferArgs{At: time.UnixMilli(now + int64(i+1)*3_600_000)} }))
		first, second := out[0].result, out[1].result
		must[Rescheduled](t)(Reschedule(t.Context(), s.rdb, k, ChangeArgs{DueMs: first.DueMs, ID: first.ID}, now+9_000_000))
		want := []string{second.Text, first.Text} // in the order in which they are due now

		var listed, walked, polled []string
		for _, m := range must[[]PendingMessage](t)(Pending(t.Context(), s.rdb, k, 0, 10, false)) {
			listed = append(listed, m.Text)
		}
		for m, err := range WalkPending(t.Context(), s.rdb, k, false) {
			if err != nil {
				t.Fatal(err)
			}
			walked = append(walked, m.Text)
		}
		if last := must[[]PendingMessage](t)(Pending(t.Context(), s.rdb, k, 1, 1, false)); len(last) != 1 || last[0].Text != first.Text {
			t.Errorf("the second one: %+v", last)
		}
		for _, m := range must[[]PendingMessage](t)(PollPending(t.Context(), s.rdb, k, 10, ViewExact, false)) {
			polled = append(polled, m.Text)
		}
		for _, got := range [][]string{listed, walked, polled} {
			if !slices.Equal(got, want) {
				t.Errorf("ids %v, want %v", got, want)
			}
		}
	})
}
