package lease

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// withRecords gives a payload a due record and a trace record with the same id.
func (e *env) withRecords(t testing.TB, body string, due int64) (wire.ElementID, []byte) {
	t.Helper()
	id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte{7, 1, 2, 3, 4, 5, 6, byte(due)}}
	rec := wire.DueRecord{ID: id, DueMs: due, WrittenMs: 1}
	ctx := [25]byte{1, 2, 3, byte(due)}
	tr := wire.TraceRecord{DueRecord: rec, Context: ctx, ExpiryMs: time.Now().Add(time.Hour).UnixMilli()}
	e.due(t, body, rec)
	must(t, e.rdb.ZAdd(t.Context(), e.keys.Trace, redis.Z{Member: queuetest.TraceMember(tr, []byte(body))}).Err())
	return id, ctx[:]
}

func wantRecords(t testing.TB, m Message, id wire.ElementID, ctx []byte, due int64) {
	t.Helper()
	if m.DueMs != due || m.ID != (wire.MessageID{DueMs: due, Element: id}) || string(m.Trace) != string(ctx) {
		t.Fatalf("message %+v, want due %d, id %v, trace %x", m, due, id, ctx)
	}
}

func TestRecordsTravelWithTheMessage(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"short", strings.Repeat("long", 300), strings.Repeat("very long", 900)} {
		ways := map[string]func(t *testing.T, e *env, s *Session, b Batch){
			"release": func(t *testing.T, _ *env, s *Session, b Batch) {
				_, err := s.Release(t.Context(), released(b))
				must(t, err)
			},
			"reap": func(t *testing.T, e *env, s *Session, _ Batch) { e.reap(t, s) },
			"close": func(t *testing.T, _ *env, s *Session, _ Batch) {
				_, err := s.Close(t.Context())
				must(t, err)
			},
			"dead and restore": func(t *testing.T, _ *env, s *Session, b Batch) {
				r, err := s.Dead(t.Context(), b.Messages[0].Token, DeadArgs{Reason: "undecodable"})
				must(t, err)
				_, err = s.Restore(t.Context(), []string{r.Entry})
				must(t, err)
			},
		}
		for name, back := range ways {
			t.Run(fmt.Sprintf("%s of %d bytes", name, len(body)), func(t *testing.T) {
				e := onReal(t)
				e.push(t, body)
				id, ctx := e.withRecords(t, body, 77)
				s := e.session(t, Options{})
				b := take(t, s, 1)
				wantRecords(t, b.Messages[0], id, ctx, 77)
				if n := e.rdb.Exists(t.Context(), e.keys.Due, e.keys.Trace).Val(); n != 0 {
					t.Fatal("records stayed behind")
				}
				back(t, e, s, b)
				e.wantQueue(t, body)
				b = take(t, e.session(t, Options{}), 1)
				wantRecords(t, b.Messages[0], id, ctx, 77)
			})
		}
	}
}

func TestTraceAloneCarriesDueAndID(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	e.push(t, "a")
	id, ctx := e.withRecords(t, "a", 78)
	must(t, e.rdb.Del(t.Context(), e.keys.Due).Err())
	wantRecords(t, take(t, e.session(t, Options{}), 1).Messages[0], id, ctx, 78)
}

func TestNackRetries(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	id, ctx := e.withRecords(t, "a", 79)
	b := take(t, s, 2)
	sub := e.rdb.Subscribe(t.Context(), e.keys.Channel)
	t.Cleanup(func() { _ = sub.Close() })
	_, err := sub.Receive(t.Context())
	must(t, err)

	r, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true, MaxAttempts: 3, Delay: time.Minute})
	must(t, err)
	if r.Outcome != Retried || r.Failed != 1 || r.Delivered != 1 {
		t.Fatalf("nack: %+v", r)
	}
	if ahead := r.DueMs - b.NowUs/1000; ahead < 60_000 || ahead > 62_000 {
		t.Fatalf("due %d ms ahead", ahead)
	}
	z, err := e.rdb.ZRangeWithScores(t.Context(), e.keys.Timeout, 0, -1).Result()
	must(t, err)
	want := string(wire.Pack(id, []byte("a")))
	if len(z) != 1 || int64(z[0].Score) != r.DueMs || z[0].Member != want {
		t.Fatalf("timeout set %v", z)
	}
	if l := e.rdb.LRange(t.Context(), e.keys.Pending, 0, -1).Val(); len(l) != 1 || l[0] != want {
		t.Fatalf("pending list %q", l)
	}
	if m := <-sub.Channel(); m.Payload != fmt.Sprint(r.DueMs) {
		t.Fatalf("published %q", m.Payload)
	}
	rec := wire.DueRecord{ID: id, DueMs: r.DueMs}
	begins := queuetest.TraceMember(wire.TraceRecord{DueRecord: rec}, []byte("a"))[:65]
	all := e.rdb.ZRange(t.Context(), e.keys.Trace, 0, -1).Val()
	if len(all) != 1 || all[0][:65] != begins || all[0][81:106] != string(ctx) {
		t.Fatalf("trace records %q, want %q", all, begins)
	}
	if got := e.attempts(t, "a"); got != "1,1,0" {
		t.Fatalf("attempts %q", got)
	}
	if again, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{}); err != nil || again.Outcome != Gone {
		t.Fatalf("second nack: %+v, %v", again, err)
	}
	take(t, s, 1, b.Messages[1].Token)
	e.wantKeys(t, "sessions", "attempts", "ids", "timeout", "pending", "trace")
}

func TestNackUncharged(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a")
	e.setAttempts(t, "a", "4,2,1")
	b := take(t, s, 1)
	r, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{MaxAttempts: 2, Delay: -time.Second})
	must(t, err)
	if r.Outcome != Retried || r.Failed != 2 || r.Delivered != 5 {
		t.Fatalf("nack: %+v", r)
	}
	if got := e.attempts(t, "a"); got != "5,2,1" {
		t.Fatalf("attempts %q", got)
	}
}

func TestNackExhausted(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a")
	id, ctx := e.withRecords(t, "a", 80)
	e.setAttemptsOf(t, id, 80, "a", "2,1,0")
	b := take(t, s, 1)
	r, err := s.Nack(t.Context(), b.Messages[0].Token,
		NackArgs{Charge: true, MaxAttempts: 2, ErrText: strings.Repeat("e", 5000)})
	must(t, err)
	if r.Outcome != Dead || r.Entry == "" || r.Failed != 2 || r.Delivered != 3 {
		t.Fatalf("nack: %+v", r)
	}
	dead := e.dead(t)
	if len(dead) != 1 {
		t.Fatalf("dead store %v", dead)
	}
	want := map[string]string{
		"body": "a", "reason": "exhausted", "detail": strings.Repeat("e", maxDetail),
		"delivered": "3", "failed": "2", "died": "0", "due": "80", "id": wire.FormatID(80, id),
		"trace": string(ctx), "digest": wire.Digest([]byte("a")),
	}
	for field, value := range want {
		if dead[0][field] != value {
			t.Errorf("%s is %q, want %q", field, dead[0][field], value)
		}
	}
	take(t, s, 1)
	e.wantKeys(t, "sessions", "dead")
}

func TestDead(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b")
	e.setAttempts(t, "b", "1,1,0")
	b := take(t, s, 2)
	r, err := s.Dead(t.Context(), b.Messages[1].Token, DeadArgs{Reason: "rejected", Detail: "no", Charge: true})
	must(t, err)
	dead := e.dead(t)
	if len(dead) != 1 || r.Entry == "" || dead[0]["body"] != "b" || dead[0]["reason"] != "rejected" ||
		dead[0]["failed"] != "2" || dead[0]["delivered"] != "2" || dead[0]["due"] != "" || dead[0]["id"] != b.Messages[1].ID.String() {
		t.Fatalf("dead store %v", dead)
	}
	if again, err := s.Dead(t.Context(), b.Messages[1].Token, DeadArgs{}); err != nil || !again.Gone {
		t.Fatalf("second dead: %+v, %v", again, err)
	}
	e.reap(t, s)
	e.wantQueue(t, "a")
	e.wantKeys(t, "queue", "due", "attempts", "ids", "dead")
}

func TestReleaseKeepsTheOrder(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c", "d", "e", "f", "z")
	b1, b2, b3 := take(t, s, 2), take(t, s, 2), take(t, s, 2)
	must(t, e.rdb.RPush(t.Context(), e.keys.Stage(s.ID()), "s1", "s2").Err())
	give := append(released(b3), released(b1)...)
	give = append(give, Released{Token: b2.Messages[1].Token, Started: true})
	give = append(give, Released{Token: Token{Nonce: "0123456789abcdef", Index: 1}})
	res, err := s.Release(t.Context(), give)
	must(t, err)
	if res != (ReleaseResult{Given: 5, Gone: 1, Staged: 2}) {
		t.Fatalf("release %+v", res)
	}
	e.wantQueue(t, "a", "b", "d", "e", "f", "s1", "s2", "z")
	if got := e.attempts(t, "d"); got != "1,0,0" {
		t.Fatalf("the started one counts %q", got)
	}
	if got := e.attempts(t, "a"); got != "" {
		t.Fatalf("an unstarted one counts %q", got)
	}
	_, err = s.Ack(t.Context(), Acks{b2.Messages[0].Token})
	must(t, err)
	e.wantKeys(t, "queue", "due", "sessions", "attempts", "ids")
	e.reap(t, s)
	e.wantQueue(t, "a", "b", "d", "e", "f", "s1", "s2", "z")
}

func TestReapOrder(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	all := numbered(40)
	e.push(t, all...)
	for range 12 { // more than nine, so that order by text would differ
		take(t, s, 3)
	}
	e.landed(t, s)
	h := e.reap(t, s)
	if h.Bodies != 36 || h.Staged != 1 {
		t.Fatalf("handed back %+v", h)
	}
	e.wantQueue(t, all...)
	if got := e.attempts(t, all[36]); got != "" {
		t.Fatalf("the staged message was charged %q", got)
	}
	if got := e.attempts(t, all[35]); got != "1,0,1" {
		t.Fatalf("a message in flight was charged %q", got)
	}
	e.wantKeys(t, "queue", "due", "attempts", "ids")
}

func TestReapLeavesTheLiving(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a")
	take(t, s, 1)
	r := NewReaper(e.rdb, e.keys, ReaperOptions{OnReap: func(h Handed) { t.Errorf("reaped %+v", h) }})
	for _, session := range []string{s.ID(), "nobody"} {
		h, err := r.Reap(t.Context(), session)
		if err != nil || h != (Handed{}) {
			t.Fatalf("%s: %+v, %v", session, h, err)
		}
	}
	e.wantQueue(t)
}

func TestRestoreTenInOrder(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	all := numbered(12)
	e.push(t, all...)
	b := take(t, s, 10)
	entries := make([]string, 0, len(b.Messages)+1)
	for _, m := range b.Messages {
		r, err := s.Dead(t.Context(), m.Token, DeadArgs{Reason: "undecodable"})
		must(t, err)
		entries = append(entries, r.Entry)
	}
	r, err := s.Restore(t.Context(), append(entries, "1-1"))
	must(t, err)
	if r != (RestoreResult{Restored: 10, Missing: 1}) {
		t.Fatalf("restored %+v", r)
	}
	e.wantQueue(t, all...)
	if n := e.rdb.XLen(t.Context(), e.keys.Dead).Val(); n != 0 {
		t.Fatalf("%d entries stayed in the dead store", n)
	}
	r, err = s.Restore(t.Context(), entries)
	if err != nil || r.Restored != 0 {
		t.Fatalf("repeated: %+v, %v", r, err)
	}
	e.wantQueue(t, all...)
}

func TestClose(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c", "d")
	b := take(t, s, 2)
	take(t, s, 1, b.Messages[0].Token)
	must(t, e.rdb.RPush(t.Context(), e.keys.Stage(s.ID()), "s").Err())
	h, err := s.Close(t.Context())
	must(t, err)
	if h.Bodies != 2 || h.Staged != 1 {
		t.Fatalf("closed with %+v", h)
	}
	e.wantQueue(t, "b", "c", "s", "d")
	e.wantKeys(t, "queue", "due")
	if _, err := s.Take(t.Context(), 1, nil); !errors.Is(err, ErrClosed) {
		t.Fatalf("take after close: %v", err)
	}
	if _, err := s.Wait(t.Context()); !errors.Is(err, ErrClosed) {
		t.Fatalf("wait after close: %v", err)
	}
	if h, err := s.Close(t.Context()); err != nil || h.Bodies != 0 {
		t.Fatalf("second close: %+v, %v", h, err)
	}
}

func TestCloseOfAnUnusedSession(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	_, err := e.session(t, Options{}).Close(t.Context())
	must(t, err)
	e.wantKeys(t)
}

func TestScriptsSurviveFlush(t *testing.T) {
	t.Parallel()
	e, _ := own(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c", "d", "e")
	flush := func() { must(t, e.rdb.ScriptFlush(t.Context()).Err()) }
	flush()
	b := take(t, s, 4)
	flush()
	_, err := s.Ack(t.Context(), tokens(b)[:1])
	must(t, err)
	flush()
	_, err = s.Nack(t.Context(), b.Messages[1].Token, NackArgs{})
	must(t, err)
	flush()
	_, err = s.Dead(t.Context(), b.Messages[2].Token, DeadArgs{Reason: "rejected"})
	must(t, err)
	flush()
	lost, err := s.Renew(t.Context())
	if must(t, err); lost {
		t.Fatal("lost")
	}
	flush()
	_, err = s.Release(t.Context(), released(b)[3:])
	must(t, err)
	e.wantQueue(t, "d", "e")
	flush()
	wantBodies(t, take(t, s, 2), "d", "e")
	flush()
	e.reap(t, s)
	e.wantQueue(t, "d", "e")
}
