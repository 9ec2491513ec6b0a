package delayed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestOffer(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	before := queuetest.NowMs(t, rdb)
	got := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{
		Payload: []byte("hello"), Delay: 1500*time.Millisecond + 1,
	}))
	after := queuetest.NowMs(t, rdb) + 1
	if got.DueMs < before+1501 || got.DueMs > after+1501 {
		t.Errorf("due %d, offered between %d and %d", got.DueMs, before, after)
	}
	if got.NowUs/1000 < before || got.NowUs/1000 > after || !got.Head || got.Tries != 1 || !got.ID.Universal() {
		t.Errorf("got %+v", got)
	}
	if got.Text != wire.FormatID(got.DueMs, got.ID) || got.Text == "" {
		t.Errorf("text %q", got.Text)
	}
	want := wire.Pack(got.ID, []byte("hello"))
	z := queuetest.Must[[]redis.Z](t)(rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Result())
	if len(z) != 1 || z[0].Member != string(want) || z[0].Score != float64(got.DueMs) {
		t.Errorf("timeout set: %v", z)
	}
	if l := rdb.LRange(t.Context(), k.Pending, 0, -1).Val(); len(l) != 1 || l[0] != string(want) {
		t.Errorf("pending list: %q", l)
	}
	if n := rdb.Exists(t.Context(), k.Queue, k.Trace, k.Due).Val(); n != 0 {
		t.Errorf("%d other keys were made", n)
	}
}

// The layout of spec 0: 07, seven bytes of id, u64le length, payload.
func TestOfferGoldenBytes(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	ids := wire.IDsAt(func() time.Time { return time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC) }, 5)
	at := time.UnixMilli(4102444800000)
	got := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte("\x03\x00é"), At: at, IDs: ids}))
	element := rdb.ZRange(t.Context(), k.Timeout, 0, -1).Val()[0]
	if want := "07 3d09bebc200005 0400000000000000 0300c3a9"; element != string(queuetest.Unhex(t, want)) {
		t.Errorf("element %x, want %s", element, want)
	}
	if score := rdb.Do(t.Context(), "ZSCORE", k.Timeout, element).Val(); fmtScore(score) != "4102444800000" {
		t.Errorf("score %v", score)
	}
	if got.DueMs != 4102444800000 || got.Text != "3bb2cc3d800-3d09bebc200005" {
		t.Errorf("got %+v", got)
	}
}

// fmtScore prints a score as RESP2 would carry it.
func fmtScore(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s, _ := v.(string)
	return s
}

func TestOfferPublishesOnlyAsHead(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	ps := rdb.Subscribe(t.Context(), k.Channel)
	t.Cleanup(func() { _ = ps.Close() })
	queuetest.Must[any](t)(ps.Receive(t.Context()))
	offer := func(delay time.Duration) OfferResult {
		return queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Delay: delay}))
	}
	first, later, earlier := offer(time.Hour), offer(2*time.Hour), offer(time.Minute)
	if !first.Head || later.Head || !earlier.Head {
		t.Errorf("head: %v %v %v", first.Head, later.Head, earlier.Head)
	}
	for _, want := range []OfferResult{first, earlier} {
		m := queuetest.Must[*redis.Message](t)(ps.ReceiveMessage(t.Context()))
		if m.Payload != strconv.FormatInt(want.DueMs, 10) {
			t.Errorf("published %q, want %d", m.Payload, want.DueMs)
		}
	}
}

// Messages due in the same millisecond come out in the order of their offers.
func TestOfferFIFO(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	at := time.UnixMilli(queuetest.NowMs(t, rdb) - 5)
	var want []string
	for i := range 300 {
		want = append(want, strconv.Itoa(i))
		queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{Payload: []byte(want[i]), At: at}))
	}
	transferAll(t, rdb, k, TransferArgs{})
	if got := queuetest.Ready(t, rdb, k); !slices.Equal(got, want) {
		t.Errorf("order %v", got)
	}
}

func TestOfferRefuses(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	for name, args := range map[string]OfferArgs{
		"negative delay":  {Delay: -1},
		"before 1970":     {At: time.UnixMilli(-1)},
		"due at 2^53":     {At: time.UnixMilli(wire.MaxDueMs)},
		"just below 2^53": {At: time.UnixMilli(wire.MaxDueMs - 1).Add(1)},
	} {
		var e *fault.DelayError
		if _, err := Offer(t.Context(), rdb, k, args); !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("%s: got %v, want a fault.DelayError", name, err)
		}
	}
	if _, err := Offer(t.Context(), rdb, k, OfferArgs{Trace: []byte("short")}); err == nil {
		t.Error("a short trace context was accepted")
	}
	if n := rdb.Exists(t.Context(), k.All()...).Val(); n != 0 {
		t.Errorf("%d keys were made", n)
	}
	// The script itself refuses what only Redis can know.
	i := queuetest.Must[*item](t)(newItem(k, OfferArgs{}))
	i.offer.ms = wire.MaxDueMs - 1000
	var e *fault.DelayError
	if _, err := i.try(t.Context(), rdb); !errors.As(err, &e) || e.DueMs < wire.MaxDueMs {
		t.Errorf("now + delay beyond 2^53: got %v", err)
	}
}

func TestOfferTrace(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	context := bytes.Repeat([]byte{0xab, 0}, 13)[:wire.TraceContextBytes]
	payload := bytes.Repeat([]byte("long "), 2000)
	var results []OfferResult
	for range 2 {
		results = append(results, queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, OfferArgs{
			Payload: payload, Delay: time.Minute, Trace: context, TraceTTL: time.Hour,
		})))
	}
	records := queuetest.TraceRecords(t, rdb, k, payload)
	if len(records) != 2 {
		t.Fatalf("%d records", len(records))
	}
	for i, r := range records {
		if r.ID != results[i].ID || r.DueMs != results[i].DueMs || !bytes.Equal(r.Context[:], context) ||
			r.ExpiryMs != r.DueMs+time.Hour.Milliseconds() {
			t.Errorf("record %d: %+v", i, r)
		}
	}
}

// A reply that is lost, a call that is lost and a dial that fails: one message.
func TestOfferResends(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		plans []loss
	}{
		{"lost reply", []loss{lostReply}},
		{"lost call", []loss{lostCall}},
		{"dial", []loss{dialLoss, dialLoss}},
		{"lost reply, then lost call", []loss{lostReply, lostCall}},
		{"lost call, then lost reply", []loss{lostCall, lostReply, dialLoss}},
	}
	rdb := lab.Shared.Client()
	for _, c := range cases {
		k := queuetest.NewQueue()
		faulty, l := losing(t, rdb, c.plans...)
		got, err := Offer(t.Context(), faulty, k, OfferArgs{Payload: []byte("x"), Delay: time.Hour})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := queuetest.Counts(t, rdb, k); n != [4]int64{0, 1, 1, 0} {
			t.Errorf("%s: ready, timeout, pending, dead = %v", c.name, n)
		}
		if got.Tries != len(c.plans)+1 || l.calls != got.Tries {
			t.Errorf("%s: %d tries, %d calls", c.name, got.Tries, l.calls)
		}
		z := rdb.ZRangeWithScores(t.Context(), k.Timeout, 0, -1).Val()[0]
		if z.Score != float64(got.DueMs) || z.Member != string(wire.Pack(got.ID, []byte("x"))) {
			t.Errorf("%s: result %+v, but the set holds %v", c.name, got, z.Score)
		}
	}
}

// A resend is not postponed by the time the first try took.
func TestOfferResendKeepsDueTime(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	i := queuetest.Must[*item](t)(newItem(k, OfferArgs{Delay: time.Hour}))
	i.offer.unknown, i.offer.firstSent = true, time.Now().Add(-10*time.Minute)
	got := queuetest.Must[OfferResult](t)(i.try(t.Context(), rdb))
	if left := got.DueMs - got.NowUs/1000; left < 3_000_000-1 || left > 3_000_001 {
		t.Errorf("due in %d ms, want 50 minutes", left)
	}
}

// The first try was executed, its message delivered, and only then resent.
func TestOfferOutcomeUnknown(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, args := range map[string]OfferArgs{
		"delay":    {Payload: []byte("x")},
		"due time": {Payload: []byte("x"), At: time.UnixMilli(queuetest.NowMs(t, rdb) - 1000)},
	} {
		k := queuetest.NewQueue()
		faulty, l := losing(t, rdb, lostReply)
		l.after = func(n int) {
			if n == 1 {
				lab.WaitFor(t, "the first try's message", func() bool {
					return queuetest.Must[TransferResult](t)(Transfer(t.Context(), rdb, k, TransferArgs{})).Moved == 1
				})
			}
		}
		_, err := Offer(t.Context(), faulty, k, args)
		var unknown *fault.OutcomeUnknownError
		if !errors.As(err, &unknown) || unknown.Tries != 2 || unknown.ErrorType() != "outcome_unknown" ||
			unknown.Payload != wire.Digest(args.Payload) {
			t.Errorf("%s: got %v, want an fault.OutcomeUnknownError", name, err)
		}
		if n := queuetest.Counts(t, rdb, k); n[0]+n[1] != 1 {
			t.Errorf("%s: ready, timeout = %v", name, n)
		}
	}
}

// What moved before the resend found it keeps its ID: that of its first due time.
func TestResentOfferKeepsItsID(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	for name, d := range map[string]Dedup{
		"plain": {}, "with a key": {Key: "a", Window: time.Hour}, "window over": {Key: "b", Window: time.Millisecond},
	} {
		args := OfferArgs{Payload: []byte("x"), Delay: time.Hour, Dedup: d}
		single := func(faulty *redis.Client, k wire.Keys) (OfferResult, error) {
			return Offer(t.Context(), faulty, k, args)
		}
		bulk := func(faulty *redis.Client, k wire.Keys) (OfferResult, error) {
			out := all(t, faulty, k, slices.Values([]OfferArgs{args}))
			return out[0].result, out[0].err
		}
		for way, offer := range map[string]func(*redis.Client, wire.Keys) (OfferResult, error){"single": single, "bulk": bulk} {
			k := queuetest.NewQueue()
			faulty, l := losing(t, rdb, lostReply)
			var first string
			var later int64
			l.after = func(n int) {
				if n > 1 {
					return
				}
				p := queuetest.Must[[]PendingMessage](t)(Pending(t.Context(), rdb, k, 0, 1, false))[0]
				first, later = wire.FormatID(p.DueMs, p.ID), p.DueMs+5000
				queuetest.Must[Rescheduled](t)(Reschedule(t.Context(), rdb, k, ChangeArgs{DueMs: p.DueMs, ID: p.ID}, later))
				<-time.After(2 * time.Millisecond) // the short window is over
			}
			r, err := offer(faulty, k)
			if err != nil || r.Tries != 2 || r.Text != first || r.DueMs != later {
				t.Errorf("%s, %s: ID %s due %d after %d tries (%v), want ID %s, due %d", name, way, r.Text, r.DueMs, r.Tries, err, first, later)
			}
		}
	}
}

func TestOfferGivesUp(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	t.Run("tries used up", func(t *testing.T) {
		t.Parallel()
		k := queuetest.NewQueue()
		faulty, l := losing(t, rdb, lostCall, lostCall, lostCall)
		_, err := Offer(t.Context(), faulty, k, OfferArgs{Delay: time.Hour, Tries: 2})
		var unknown *fault.OutcomeUnknownError
		if !errors.As(err, &unknown) || !errors.Is(err, io.ErrUnexpectedEOF) || l.calls != 2 {
			t.Errorf("got %v after %d calls", err, l.calls)
		}
	})
	t.Run("never sent", func(t *testing.T) {
		t.Parallel()
		_, err := Offer(t.Context(), lab.Connect(t, "127.0.0.1:1"), queuetest.NewQueue(), OfferArgs{Tries: 2})
		var unknown *fault.OutcomeUnknownError
		if err == nil || errors.As(err, &unknown) || !rediserr.IsTransient(err) {
			t.Errorf("got %v, want the dial's error", err)
		}
	})
	t.Run("cancelled while it waits", func(t *testing.T) {
		t.Parallel()
		why := errors.New("shutting down")
		ctx, cancel := context.WithCancelCause(t.Context())
		faulty, l := losing(t, rdb, lostCall)
		l.after = func(int) { cancel(why) }
		_, err := Offer(ctx, faulty, queuetest.NewQueue(), OfferArgs{Delay: time.Hour})
		var unknown *fault.OutcomeUnknownError
		if !errors.Is(err, why) || !errors.As(err, &unknown) || l.calls != 1 {
			t.Errorf("got %v after %d calls", err, l.calls)
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var unknown *fault.OutcomeUnknownError
		if _, err := Offer(ctx, rdb, queuetest.NewQueue(), OfferArgs{}); !errors.Is(err, context.Canceled) || errors.As(err, &unknown) {
			t.Errorf("got %v", err)
		}
	})
}

// Two processes that drew the same id and offer the same payload.
func TestOfferCollision(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	clock := func() time.Time { return time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC) }
	one, two := wire.IDsAt(clock, 5), wire.IDsAt(clock, 5)
	args := OfferArgs{Payload: []byte("same"), Delay: time.Hour, IDs: one}
	first := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, args))
	args.IDs = two
	second := queuetest.Must[OfferResult](t)(Offer(t.Context(), rdb, k, args))
	if first.ID == second.ID || second.Tries != 1 {
		t.Errorf("ids %x %x, %d tries", first.ID.Raw, second.ID.Raw, second.Tries)
	}
	if n := queuetest.Counts(t, rdb, k); n != [4]int64{0, 2, 2, 0} {
		t.Errorf("ready, timeout, pending, dead = %v", n)
	}
}

func TestOfferUnexpectedReply(t *testing.T) {
	t.Parallel()
	unchanged := []any{"1", "1", int64(0), "+", []any{"1"}, []any{}, []any{}}
	for name, change := range map[string]func(reply []any) any{
		"no array":       func([]any) any { return "x" },
		"short":          func(r []any) any { return r[:4] },
		"no text":        func(r []any) any { r[3] = int64(1); return r },
		"no number":      func(r []any) any { r[0] = "x"; return r },
		"status":         func(r []any) any { r[3] = "?"; return r },
		"a status more":  func(r []any) any { r[3] = "++"; return r },
		"no due time":    func(r []any) any { r[4] = []any{}; return r },
		"a score more":   func(r []any) any { r[5] = []any{"1"}; return r },
		"no ID":          func(r []any) any { r[3], r[5] = "p", []any{"1"}; return r },
		"no score":       func(r []any) any { r[3] = "p"; return r },
		"an ID too many": func(r []any) any { r[6] = []any{"1"}; return r },
	} {
		i := queuetest.Must[*item](t)(newItem(queuetest.NewQueue(), OfferArgs{}))
		var e *script.ReplyError
		newTurn(i.offer.keys, []*item{i}).settle(0, script.Reply{Value: change(slices.Clone(unchanged))})
		if !errors.As(i.err, &e) || e.Script != "offer" || e.Error() == "" {
			t.Errorf("%s: got %v", name, i.err)
		}
	}
}
