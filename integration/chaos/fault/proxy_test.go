package fault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// line is a server, a proxy before it, and a client through that.
type line struct {
	srv   *fault.Server
	proxy *fault.Proxy
	rdb   *redis.Client // through the proxy; gives up after 300 ms
	truth *redis.Client // past it
}

func startLine(t *testing.T, change func(*redis.Options)) *line {
	t.Helper()
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	proxy, err := fault.StartProxy(srv.Addr(), 1)
	noError(t, err)
	t.Cleanup(func() { closed(t, proxy) })
	rdb := srv.NewClient(func(o *redis.Options) {
		o.Addr, o.ReadTimeout = proxy.Addr(), 300*time.Millisecond
		if change != nil {
			change(o)
		}
	})
	t.Cleanup(func() { closed(t, rdb) })
	return &line{srv, proxy, rdb, srv.Client()}
}

// TestProxyIsTransparent: without a fault all forms of the protocol pass unchanged.
func TestProxyIsTransparent(t *testing.T) {
	t.Parallel()
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			l := startLine(t, func(o *redis.Options) { o.Protocol, o.ReadTimeout = protocol, 5*time.Second })
			binary := strings.Repeat("\r\n$5\r\n*2\x00\xff", 20_000)
			noError(t, l.rdb.Set(ctx, "k", binary, 0).Err())
			if got := l.rdb.Get(ctx, "k").Val(); got != binary {
				t.Errorf("%d bytes came back, of %d", len(got), len(binary))
			}
			if err := l.rdb.Get(ctx, "none").Err(); !errors.Is(err, redis.Nil) {
				t.Errorf("a missing key: %v", err)
			}
			pipe := l.rdb.TxPipeline()
			for i := range 100 {
				pipe.RPush(ctx, "list", i)
			}
			pipe.HSet(ctx, "hash", "a", 1, "b", 2)
			all := pipe.HGetAll(ctx, "hash")
			if _, err := pipe.Exec(ctx); err != nil || len(all.Val()) != 2 {
				t.Errorf("transaction: %v, %v", err, all.Val())
			}
			if got := l.rdb.LRange(ctx, "list", 0, -1).Val(); len(got) != 100 {
				t.Errorf("list of %d", len(got))
			}
			if err := l.rdb.RPush(ctx, "hash", 1).Err(); err == nil {
				t.Error("no WRONGTYPE came through")
			}
			sub := l.rdb.Subscribe(ctx, "channel")
			defer closed(t, sub)
			_, err := sub.Receive(ctx)
			noError(t, err, sub.Ping(ctx, "x"), l.rdb.Publish(ctx, "channel", "hello").Err())
			for {
				got, err := sub.Receive(ctx)
				noError(t, err)
				if m, ok := got.(*redis.Message); ok && m.Payload == "hello" {
					break
				}
			}
		})
	}
}

func TestProxyPassesLines(t *testing.T) {
	t.Parallel()
	l := startLine(t, nil)
	conn, err := net.Dial("tcp", l.proxy.Addr())
	noError(t, err)
	defer closed(t, conn)
	_, err = conn.Write([]byte("PING\r\n"))
	noError(t, err, conn.SetDeadline(time.Now().Add(5*time.Second)))
	var answer [7]byte
	if _, err := conn.Read(answer[:]); err != nil || string(answer[:]) != "+PONG\r\n" {
		t.Errorf("%q, %v", answer, err)
	}
}

// TestLoseReplies: the server has popped, the client does not learn what.
func TestLoseReplies(t *testing.T) {
	t.Parallel()
	pop := redis.NewScript("return redis.call('LPOP', KEYS[1], 2)")
	for _, how := range []fault.How{fault.Broken, fault.Hanging, fault.CutOff} {
		t.Run(how.String(), func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			l := startLine(t, nil)
			noError(t, l.rdb.RPush(ctx, "q", "msg-1", "msg-2", "msg-3", "other", "msg-4", "msg-5").Err())
			noError(t, pop.Load(ctx, l.rdb).Err())
			f := fault.LoseReplies(l.proxy, fault.Loss{
				When: fault.All(fault.AnswerTo("EVALSHA"), fault.Carrying("msg-"), fault.Naming("q")), Most: 1, How: how,
			})
			strike(t, f)
			noError(t, l.rdb.LRange(ctx, "q", 0, -1).Err()) // another command: passes
			if got, err := pop.EvalSha(ctx, l.rdb, []string{"q"}).StringSlice(); err == nil {
				t.Errorf("the reply came: %v", got)
			}
			if n := l.truth.LLen(ctx, "q").Val(); n != 4 {
				t.Errorf("%d on the list: the server did not pop", n)
			}
			if got, err := pop.EvalSha(ctx, l.rdb, []string{"q"}).StringSlice(); err != nil || fmt.Sprint(got) != "[msg-3 other]" {
				t.Errorf("the next reply, after the only one to lose: %v, %v", got, err)
			}
			heal(t, f)
			if got, err := pop.EvalSha(ctx, l.rdb, []string{"q"}).StringSlice(); err != nil || len(got) != 2 {
				t.Errorf("after it: %v, %v", got, err)
			}
			wantTally(t, f, 1, 1)
		})
	}
}

// TestChanceFollowsTheSeed: the same seed loses the same replies.
func TestChanceFollowsTheSeed(t *testing.T) {
	t.Parallel()
	srv := startServer(t, fault.ServerOptions{Fsync: fault.Nothing})
	pattern := func(seed uint64) string {
		proxy, err := fault.StartProxy(srv.Addr(), seed)
		noError(t, err)
		defer closed(t, proxy)
		rdb := srv.NewClient(func(o *redis.Options) { o.Addr = proxy.Addr() })
		defer closed(t, rdb)
		f := fault.LoseReplies(proxy, fault.Loss{When: fault.AnswerTo("ECHO"), Chance: 0.5})
		strike(t, f)
		var made strings.Builder
		for range 40 {
			if rdb.Echo(bounded(t), "x").Err() == nil {
				made.WriteByte('.')
			} else {
				made.WriteByte('x')
			}
		}
		heal(t, f)
		wantTally(t, f, 1, strings.Count(made.String(), "x"))
		return made.String()
	}
	first := pattern(7)
	if again := pattern(7); again != first {
		t.Errorf("%s and %s of one seed", first, again)
	}
	if other := pattern(8); other == first || !strings.Contains(first, "x.") {
		t.Errorf("%s and %s of two seeds", first, other)
	}
}

func TestSlow(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	l := startLine(t, func(o *redis.Options) { o.ReadTimeout = 10 * time.Second })
	noError(t, l.rdb.Set(ctx, "k", bytes.Repeat([]byte("x"), 20_000), 0).Err())
	took := func() time.Duration {
		began := time.Now()
		noError(t, l.rdb.Get(ctx, "k").Err())
		return time.Since(began)
	}
	f := fault.Slow(l.proxy, 100*time.Millisecond, 100_000)
	strike(t, f)
	if d := took(); d < 300*time.Millisecond {
		t.Errorf("100 ms and 20 kB at 100 kB/s took %v", d)
	}
	heal(t, f)
	// A busy machine is slow once; what is slowed by the proxy is slow each time.
	for again := 0; took() > 250*time.Millisecond; again++ {
		if again == 20 {
			t.Fatal("slow after it, each of 20 times")
		}
	}
	wantTally(t, f, 1, 1)
}

func TestHalfOpen(t *testing.T) {
	t.Parallel()
	for _, ways := range []fault.Direction{fault.ToServer, fault.ToClient, fault.BothWays} {
		t.Run(ways.String(), func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			l := startLine(t, func(o *redis.Options) { o.PoolSize = 1 })
			noError(t, l.rdb.Ping(ctx).Err())
			f := fault.HalfOpen(l.proxy, ways)
			strike(t, f)
			wantTimeout(t, l.rdb.RPush(ctx, "list", "a").Err())
			if n := l.truth.LLen(ctx, "list").Val(); (n == 1) != (ways == fault.ToClient) {
				t.Errorf("the server got %d", n)
			}
			wantTimeout(t, l.rdb.Ping(ctx).Err()) // on a new connection
			heal(t, f)
			noError(t, l.rdb.Ping(ctx).Err())
			if got := f.Tally(); got.Effects < 2 {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestHalfOpenHidesTheEnd: nor does the client learn that the server dies.
func TestHalfOpenHidesTheEnd(t *testing.T) {
	t.Parallel()
	l := startLine(t, nil)
	conn, err := net.Dial("tcp", l.proxy.Addr())
	noError(t, err)
	defer closed(t, conn)
	awaitField(t, l.srv, "clients", "connected_clients", "2") // this one and the asking one
	f := fault.HalfOpen(l.proxy, fault.BothWays)
	strike(t, f)
	noError(t, l.srv.Kill(), conn.SetDeadline(time.Now().Add(300*time.Millisecond)))
	_, err = conn.Read(make([]byte, 1))
	wantTimeout(t, err)
	heal(t, f)
}

func wantTimeout(t *testing.T, err error) {
	t.Helper()
	var network net.Error
	if !errors.As(err, &network) || !network.Timeout() {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestStall(t *testing.T) {
	t.Parallel()
	for _, ways := range []fault.Direction{fault.ToServer, fault.ToClient, fault.BothWays} {
		t.Run(ways.String(), func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			l := startLine(t, func(o *redis.Options) { o.ReadTimeout = 10 * time.Second })
			noError(t, l.rdb.Ping(ctx).Err())
			f := fault.Stall(l.proxy, ways)
			strike(t, f)
			pushed := make(chan error, 1)
			go func() { pushed <- l.rdb.RPush(ctx, "list", "a").Err() }()
			awaitEffects(t, f, 1)
			select {
			case err := <-pushed:
				t.Errorf("passed: %v", err)
			default:
			}
			heal(t, f)
			noError(t, <-pushed)
			if n := l.truth.LLen(ctx, "list").Val(); n != 1 {
				t.Errorf("pushed %d", n)
			}
		})
	}
}

func awaitEffects(t *testing.T, f fault.Fault, n int) {
	t.Helper()
	ctx := bounded(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for f.Tally().Effects < n {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", f.Name(), f.Tally())
		case <-tick.C:
		}
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	ctx := bounded(t)
	l := startLine(t, nil)
	f := fault.Reset(l.proxy)
	if err := f.Strike(ctx); !errors.Is(err, fault.ErrNoTarget) {
		t.Errorf("no connection: %v, want ErrNoTarget", err)
	}
	conn, err := net.Dial("tcp", l.proxy.Addr())
	noError(t, err)
	defer closed(t, conn)
	_, err = conn.Write([]byte("BLPOP list 0\r\n"))
	noError(t, err, conn.SetDeadline(time.Now().Add(5*time.Second)))
	awaitField(t, l.srv, "clients", "blocked_clients", "1")
	noError(t, f.Strike(ctx))
	if _, err = conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client read %v", err)
	}
	awaitField(t, l.srv, "clients", "blocked_clients", "0")
	noError(t, l.rdb.Ping(ctx).Err())
	wantTally(t, f, 1, 1)
}

// TestMuteSubscriptions: the subscription answers pings, and no message comes.
func TestMuteSubscriptions(t *testing.T) {
	t.Parallel()
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			t.Parallel()
			ctx := bounded(t)
			l := startLine(t, func(o *redis.Options) { o.Protocol = protocol })
			sub := l.rdb.Subscribe(ctx, "channel")
			defer closed(t, sub)
			_, err := sub.Receive(ctx)
			noError(t, err)
			f := fault.MuteSubscriptions(l.proxy)
			strike(t, f)
			noError(t, l.truth.Publish(ctx, "channel", "unheard").Err())
			awaitEffects(t, f, 1)
			noError(t, sub.Ping(ctx))
			if got := receive(ctx, t, sub); !strings.HasPrefix(got, "Pong") {
				t.Errorf("a ping: %s", got)
			}
			heal(t, f)
			noError(t, l.truth.Publish(ctx, "channel", "heard").Err())
			if got := receive(ctx, t, sub); got != "Message<channel: heard>" {
				t.Errorf("after it: %s", got)
			}
			wantTally(t, f, 1, 1)
		})
	}
}

func receive(ctx context.Context, t *testing.T, sub *redis.PubSub) string {
	t.Helper()
	got, err := sub.Receive(ctx)
	noError(t, err)
	switch got := got.(type) {
	case *redis.Pong:
		return "Pong<" + got.Payload + ">"
	case *redis.Message:
		return got.String()
	}
	return fmt.Sprint(got)
}

func TestOneOfAKindAtATime(t *testing.T) {
	t.Parallel()
	l := startLine(t, nil)
	for _, makeOne := range []func() fault.Fault{
		func() fault.Fault { return fault.Slow(l.proxy, time.Millisecond, 0) },
		func() fault.Fault { return fault.Stall(l.proxy, fault.ToServer) },
		func() fault.Fault { return fault.HalfOpen(l.proxy, fault.ToServer) },
		func() fault.Fault { return fault.MuteSubscriptions(l.proxy) },
	} {
		first, second := makeOne(), makeOne()
		strike(t, first)
		if err := second.Strike(bounded(t)); err == nil {
			t.Errorf("%s struck twice by two faults", first.Name())
		}
		heal(t, second) // must not heal the first
		heal(t, first)
		strike(t, second)
		heal(t, second)
	}
}
