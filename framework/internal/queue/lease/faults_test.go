package lease

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// dropper loses replies: while armed, a connection executes what is sent to it, then
// breaks before the reply is read.
type dropper struct {
	drops atomic.Int64 // replies still to be lost
	words string       // only requests that contain this
}

type droppingConn struct {
	net.Conn
	d    *dropper
	lose bool
}

func (d *dropper) dial(next func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &droppingConn{Conn: c, d: d}, nil
	}
}

func (c *droppingConn) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.d.words) && c.d.drops.Load() > 0 {
		c.d.drops.Add(-1)
		c.lose = true
	}
	return c.Conn.Write(p)
}

func (c *droppingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.lose && err == nil {
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

// dropping returns a client like that of e whose replies get lost.
func (e *env) dropping(t *testing.T, words string) (*redis.Client, *dropper) {
	d := &dropper{words: words}
	opt := *e.rdb.(*redis.Client).Options()
	opt.Dialer = d.dial(opt.Dialer)
	opt.MaxRetries = -1
	c := redis.NewClient(&opt)
	t.Cleanup(func() { _ = c.Close() })
	return c, d
}

func TestLostTakeRepliesAreAskedAgain(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s := e.sessionOver(t, c, e.rdb, Options{})
	e.push(t, "a", "b", "c", "d")
	id, ctx := e.withRecords(t, "b", 81)
	e.setAttempts(t, "a", "1,1,0")
	b0 := take(t, s, 1)
	wantBodies(t, b0, "a")
	if b0.Messages[0].Failed != 1 {
		t.Fatal("counters")
	}
	d.drops.Store(3)
	b := take(t, s, 2, tokens(b0)...)
	wantBodies(t, b, "b", "c")
	if !b.Repeated || b.Lost || b.Stale != 0 {
		t.Fatalf("batch %+v", b)
	}
	wantRecords(t, b.Messages[0], id, ctx, 81)
	e.wantQueue(t, "d")
	e.wantKeys(t, "queue", "sessions", "fetches", "inflight")
	take(t, s, 1, tokens(b)...)
	e.wantQueue(t)
	e.reap(t, s)
	e.wantQueue(t, "d")
}

func TestSessionIsAbandonedWhenTheOutcomeStaysUnknown(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s, err := New(c, e.rdb, e.keys, Options{Repeats: 2})
	must(t, err)
	e.push(t, "a", "b", "c")
	held := take(t, s, 1)
	d.drops.Store(100)
	_, err = s.Take(t.Context(), 2, nil)
	var abandoned *AbandonedError
	if !errors.As(err, &abandoned) || !errors.Is(err, ErrAbandoned) || abandoned.Session != s.ID() {
		t.Fatalf("take: %v", err)
	}
	if _, err := s.Take(t.Context(), 2, nil); !errors.Is(err, ErrAbandoned) {
		t.Fatalf("second take: %v", err)
	}
	if _, err := s.Wait(t.Context()); !errors.Is(err, ErrAbandoned) {
		t.Fatalf("wait: %v", err)
	}
	if stale, err := s.Ack(t.Context(), tokens(held)); stale != 0 || err != nil {
		t.Fatalf("what it held cannot be settled: %d stale, %v", stale, err)
	}
	e.wantQueue(t)
	h, err := s.Close(t.Context())
	must(t, err)
	if h.Bodies != 2 {
		t.Fatalf("closed with %+v", h)
	}
	e.wantQueue(t, "b", "c")
}

func TestCancelledTakeIsAskedForAgain(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s := e.sessionOver(t, c, e.rdb, Options{Repeats: 100})
	take(t, s, 1) // from now on Redis holds the script
	e.push(t, "a", "b", "c")
	d.drops.Store(1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for d.drops.Load() > 998 { // Redis has heard of it, and the answer is lost
			runtime.Gosched()
		}
		cancel()
	}()
	if _, err := s.Take(ctx, 2, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("take: %v", err)
	}
	d.drops.Store(0)
	b := take(t, s, 2)
	wantBodies(t, b, "a", "b")
	if !b.Repeated {
		t.Fatal("not the first fetch")
	}
}

// A take that was sent twice and executed late leaves a fetch that nobody knows.
func TestStrayFetchesComeBack(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "evalsha")
	s := e.sessionOver(t, c, e.rdb, Options{})
	e.push(t, "a", "b", "c", "d")
	d.drops.Store(1)
	b := take(t, s, 1)
	late := &fetch{nonce: chance.Hex(), number: 1}
	late.key = e.keys.Inflight(s.ID(), late.nonce)
	ln, err := s.lanes.get(t.Context())
	must(t, err)
	_, err = s.callTake(t.Context(), &route{session: s, lane: ln, node: ln.take}, taking{f: late, n: 2}, true)
	must(t, err)
	e.wantQueue(t, "d")
	b2 := take(t, s, 1, tokens(b)...)
	wantBodies(t, b2, "d")
	e.wantQueue(t, "b", "c")
	wantBodies(t, take(t, s, 2, tokens(b2)...), "b", "c")
	e.wantKeys(t, "sessions", "fetches", "inflight")
}

func TestRepeatedNackAndDeadAnswerAlike(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	c, d := e.dropping(t, "duequeue:inflight")
	s := e.sessionOver(t, e.rdb, c, Options{})
	e.push(t, "a", "b", "c")
	b := take(t, s, 3)
	d.drops.Store(2)
	r, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Charge: true, Delay: time.Hour})
	must(t, err)
	if r.Outcome != Retried || r.Failed != 1 {
		t.Fatalf("nack %+v", r)
	}
	if n := e.rdb.ZCard(t.Context(), e.keys.Timeout).Val(); n != 1 {
		t.Fatalf("offered %d times", n)
	}
	d.drops.Store(1)
	r, err = s.Nack(t.Context(), b.Messages[1].Token, NackArgs{Charge: true, MaxAttempts: 1})
	must(t, err)
	if r.Outcome != Dead || r.Entry == "" {
		t.Fatalf("nack %+v", r)
	}
	d.drops.Store(1)
	if _, err := s.Dead(t.Context(), b.Messages[2].Token, DeadArgs{Reason: "rejected"}); err == nil {
		t.Fatal("the lost reply was not noticed")
	}
	again, err := s.Dead(t.Context(), b.Messages[2].Token, DeadArgs{Reason: "rejected"})
	must(t, err)
	if again.Gone || again.Entry == "" || len(e.dead(t)) != 2 {
		t.Fatalf("second dead %+v, store %v", again, e.dead(t))
	}

	e.known(t, "paid")
	paid := take(t, s, 1).Messages[0].Token
	_ = e.find(t, "paid", true)
	d.drops.Store(1)
	if _, err := s.Dead(t.Context(), paid, DeadArgs{Reason: "rejected"}); err == nil {
		t.Fatal("the lost reply was not noticed")
	}
	again, err = s.Dead(t.Context(), paid, DeadArgs{Reason: "rejected"})
	must(t, err)
	if !again.Cancelled || again.Gone || again.Entry != "" || len(e.dead(t)) != 2 {
		t.Fatalf("second end of what was cancelled: %+v, store %v", again, e.dead(t))
	}
}

// own starts a server of the test's own.
func own(t *testing.T, opts ...lab.Option) (*env, *lab.Server) {
	srv := lab.StartRedis(t, opts...)
	return &env{rdb: srv.Client(), keys: newKeys()}, srv
}

func TestFullRedisCanBeDrained(t *testing.T) {
	t.Parallel()
	e, _ := own(t)
	s := e.session(t, Options{Block: time.Second})
	e.push(t, numbered(10)...)
	_, err := s.Wait(t.Context())
	must(t, err)
	b := take(t, s, 6)
	wantBodies(t, b, numbered(10)[:6]...)
	e.push(t, "due")
	e.withRecords(t, "due", 5)
	must(t, e.rdb.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	must(t, e.rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	if err := e.rdb.RPush(t.Context(), "other", "x").Err(); err == nil {
		t.Fatal("the server is not full")
	}

	b2 := take(t, s, 2, b.Messages[0].Token)
	wantBodies(t, b2, numbered(10)[6:8]...)
	if lost, err := s.Renew(t.Context()); lost || err != nil {
		t.Fatalf("renew: %v, %v", lost, err)
	}
	_, err = s.Ack(t.Context(), Acks{b.Messages[1].Token, b2.Messages[1].Token})
	must(t, err)
	r, err := s.Nack(t.Context(), b.Messages[2].Token, NackArgs{Charge: true, MaxAttempts: 9})
	if must(t, err); r.Outcome != Retried {
		t.Fatalf("nack %+v", r)
	}
	r, err = s.Nack(t.Context(), b.Messages[3].Token, NackArgs{Charge: true, MaxAttempts: 1})
	if must(t, err); r.Outcome != Dead {
		t.Fatalf("nack %+v", r)
	}
	d, err := s.Dead(t.Context(), b.Messages[4].Token, DeadArgs{Reason: "rejected"})
	must(t, err)
	res, err := s.Release(t.Context(), []Released{{Token: b.Messages[5].Token, Started: true}})
	if must(t, err); res.Given != 1 {
		t.Fatalf("release %+v", res)
	}
	_, err = s.Restore(t.Context(), []string{d.Entry})
	must(t, err)
	if _, err := s.Wait(t.Context()); !errors.Is(err, ErrFull) {
		t.Fatalf("wait at full memory: %v", err)
	}
	// ZADD XX of an existing member needs room too, so expire by a fresh lease's end.
	must(t, e.rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	e.expire(t, s)
	must(t, e.rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	h, err := NewReaper(e.rdb, e.keys, ReaperOptions{}).Reap(t.Context(), s.ID())
	must(t, err)
	if h.Bodies != 1 {
		t.Fatalf("reaped %+v", h)
	}
	all := numbered(10)
	e.wantQueue(t, all[6], all[4], all[5], all[8], all[9], "due")
	b3 := take(t, s, 10)
	if !b3.Lost || len(b3.Messages) != 6 || b3.Messages[5].DueMs != 5 {
		t.Fatalf("last take %q", bodies(b3))
	}
	_, err = s.Close(t.Context())
	must(t, err)
	e.wantQueue(t, all[6], all[4], all[5], all[8], all[9], "due")
}
