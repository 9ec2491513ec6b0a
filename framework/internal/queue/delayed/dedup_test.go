package delayed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// keyed offers a payload with a key; without a delay it is overdue.
func keyed(t testing.TB, rdb *redis.Client, k wire.Keys, payload string, d Dedup, delay time.Duration) OfferResult {
	t.Helper()
	args := OfferArgs{Payload: []byte(payload), Delay: delay, Dedup: d}
	if delay == 0 {
		args.At = time.UnixMilli(queuetest.NowMs(t, rdb) - 5)
	}
	return queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, args))
}

// payloads returns those of the pending messages in the order of their due times.
func payloads(t testing.TB, rdb *redis.Client, k wire.Keys) string {
	t.Helper()
	var out []string
	for _, m := range queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 100, false)) {
		out = append(out, string(m.Payload))
	}
	if n := rdb.LLen(t.Context(), k.Pending).Val(); n != int64(len(out)) {
		t.Errorf("%d in the pending list, %d in the set", n, len(out))
	}
	return strings.Join(out, " ")
}

func TestDedupPolicies(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, c := range []struct {
		policy  DedupPolicy
		outcome DedupOutcome
		left    string
		firstID bool // the id is that of the first message
		moved   bool // the due time is the new one
	}{
		{DedupKeep, DedupKept, "first other", true, false},
		{DedupReplace, DedupReplaced, "other second", false, true},
		{DedupExtend, DedupExtended, "other first", true, true},
	} {
		k, d := queuetest.NewQueue(), Dedup{Key: "order:1", Policy: c.policy}
		first := keyed(t, rdb, k, "first", d, time.Hour)
		keyed(t, rdb, k, "other", Dedup{Key: "order:2", Policy: c.policy}, 90*time.Minute)
		second := keyed(t, rdb, k, "second", d, 2*time.Hour)
		if first.Dedup != DedupNone || second.Dedup != c.outcome || (second.ID == first.ID) != c.firstID {
			t.Errorf("%v: %+v then %+v", c.policy, first, second)
		}
		if moved := second.DueMs >= first.DueMs+3_500_000; moved != c.moved || (second.Text == first.Text) != c.firstID {
			t.Errorf("%v: due %d then %d, id %s", c.policy, first.DueMs, second.DueMs, second.Text)
		}
		if got := payloads(t, rdb, k); got != c.left {
			t.Errorf("%v: pending %q, want %q", c.policy, got, c.left)
		}
		// The id that came back names what is pending.
		queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{DueMs: second.DueMs, ID: second.ID}))
	}
}

// A message that is ready holds its key within the window alone, and keeps it from nobody who
// replaces or extends.
func TestDedupOfReadyMessages(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for _, window := range []time.Duration{0, time.Hour} {
		for policy, want := range map[DedupPolicy]DedupOutcome{DedupKeep: DedupKept, DedupReplace: DedupNone, DedupExtend: DedupNone} {
			k, d := queuetest.NewQueue(), Dedup{Key: "k", Policy: policy, Window: window}
			first := keyed(t, rdb, k, "first", d, 0)
			transferAll(t, rdb, k, TransferArgs{})
			if window == 0 {
				want = DedupNone
			}
			second := keyed(t, rdb, k, "second", d, time.Minute)
			if second.Dedup != want || (want == DedupKept) != (second.ID == first.ID) {
				t.Errorf("window %v, policy %d: %+v", window, policy, second)
			}
		}
	}
}

// A key names the message whatever its due time became, until it is cancelled.
func TestChangeByKey(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, d := queuetest.NewQueue(), Dedup{Key: "k", Window: 24 * time.Hour}
	first := keyed(t, rdb, k, "first", d, time.Hour)
	due := first.DueMs + 1000
	moved := queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{Key: "k"}, due))
	if moved.ID.String() != first.Text || moved.DueMs != due {
		t.Errorf("%+v", moved)
	}
	// By its id, too; the key finds it afterwards.
	queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: first.DueMs, ID: first.ID}, due+1))
	if kept := keyed(t, rdb, k, "second", d, 0); kept.Dedup != DedupKept || kept.DueMs != due+1 {
		t.Errorf("%+v", kept)
	}
	gone := queuetest.Must[Cancelled](t)(Cancel(t.Context(), rdb, k, ChangeArgs{Key: "k"}))
	if gone.DueMs != due+1 || string(gone.Payload) != "first" {
		t.Errorf("%+v", gone)
	}
	for _, key := range []string{"k", "never offered"} {
		if _, err := Cancel(t.Context(), rdb, k, ChangeArgs{Key: key}); !errors.Is(err, fault.ErrGone) {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := Reschedule(t.Context(), rdb, k, ChangeArgs{Key: key}, due); !errors.Is(err, fault.ErrGone) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if again := keyed(t, rdb, k, "again", d, time.Hour); again.Dedup != DedupNone {
		t.Errorf("cancelled by its key, and offered again: %+v", again)
	}
	if got := payloads(t, rdb, k); got != "again" {
		t.Errorf("pending %q", got)
	}
}

// A resend of a keyed offer never doubles it, even after delivery: the record knows.
func TestDedupResend(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	if err := rdb.ScriptLoad(t.Context(), offerScript.Source()).Err(); err != nil {
		t.Fatal(err)
	}
	for _, policy := range []DedupPolicy{DedupKeep, DedupReplace, DedupExtend} {
		for _, taken := range []bool{false, true} {
			k, d := queuetest.NewQueue(), Dedup{Key: "k", Policy: policy, Window: time.Hour}
			want := "second"
			if taken {
				keyed(t, rdb, k, "first", d, time.Hour)
				if policy != DedupReplace {
					want = "first"
				}
			}
			faulty, l := losing(t, rdb, lostReply, lostCall, lostReply)
			if !taken {
				// Delivered before the resend.
				l.after = func(n int) {
					if n == 1 {
						transferAll(t, rdb, k, TransferArgs{})
					}
				}
			}
			delay := time.Hour
			if !taken {
				delay = 0
			}
			got := keyed(t, faulty, k, "second", d, delay)
			left := payloads(t, rdb, k)
			if !taken {
				left = strings.Join(queuetest.Ready(t, rdb, k), " ")
			}
			if got.Tries != 4 || left != want {
				t.Errorf("policy %d, key taken %v: %+v, left %q", policy, taken, got, left)
			}
		}
	}
}

// What an earlier try extended was delivered before the resend: nothing is doubled.
func TestDedupExtendedAndDelivered(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, d := queuetest.NewQueue(), Dedup{Key: "k", Policy: DedupExtend, Window: time.Hour}
	keyed(t, rdb, k, "first", d, time.Hour)
	faulty, l := losing(t, rdb, lostReply)
	l.after = func(int) { transferAll(t, rdb, k, TransferArgs{}) }
	_, err := Offer(t.Context(), faulty, k, OfferArgs{Payload: []byte("second"), Dedup: d, At: time.UnixMilli(queuetest.NowMs(t, rdb) - 5)})
	var unknown *fault.OutcomeUnknownError
	if !errors.As(err, &unknown) {
		t.Errorf("got %v", err)
	}
	if got := queuetest.Ready(t, rdb, k); fmt.Sprint(got) != "[first]" || payloads(t, rdb, k) != "" {
		t.Errorf("ready %q", got)
	}
}

func TestDedupRefuses(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]Dedup{
		"policy without key": {Policy: DedupExtend},
		"window without key": {Window: 1},
		"long key":           {Key: strings.Repeat("k", MaxKeyBytes+1)},
		"unknown policy":     {Key: "k", Policy: 9},
		"negative window":    {Key: "k", Window: -1},
	} {
		var e *fault.DedupError
		if _, err := newItem(queuetest.NewQueue(), OfferArgs{Dedup: d}); !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where a key names what is no record of ours, it is free; a hash of another type is an error.
func TestDedupForeignRecord(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, d := queuetest.NewQueue(), Dedup{Key: "k"}
	rdb.HSet(t.Context(), k.MessageNames, "kk", "something")
	rdb.HSet(t.Context(), k.Attempts, "something", "else")
	if got := keyed(t, rdb, k, "first", d, time.Hour); got.Dedup != DedupNone {
		t.Errorf("%+v", got)
	}
	rdb.Del(t.Context(), k.MessageNames)
	rdb.LPush(t.Context(), k.MessageNames, "x")
	var wrong *fault.WrongTypeError
	if _, err := Offer(t.Context(), rdb, k, OfferArgs{Dedup: d}); !errors.As(err, &wrong) || wrong.Key != k.MessageNames {
		t.Errorf("%v", err)
	}
	if payloads(t, rdb, k) != "first" {
		t.Error("something was added")
	}
}
