package lease

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// scriptMemory is what the interpreter of scripts holds, garbage of the last calls included.
func (e *env) scriptMemory(t *testing.T) int {
	t.Helper()
	info := e.rdb.Info(t.Context(), "memory").Val()
	for _, field := range []string{"used_memory_vm_eval:", "used_memory_lua:"} {
		if _, rest, ok := strings.Cut(info, field); ok {
			text, _, _ := strings.Cut(rest, "\r\n")
			n, err := strconv.Atoi(text)
			must(t, err)
			return n
		}
	}
	t.Fatal("INFO tells nothing of the scripts' memory")
	return 0
}

// Large bodies: no script reads more of them than a batch holds, however many are ready, in
// flight or to be restored.
func TestLargeBodiesAreReadInSteps(t *testing.T) {
	t.Parallel()
	e, _ := own(t)
	const n, size, batch = 48, 256 << 10, 512 << 10
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%04d", i) + strings.Repeat("x", size-4)
		e.push(t, all[i])
	}
	heads := func() (out []string) {
		for _, body := range e.queue(t) {
			out = append(out, body[:4])
		}
		return out
	}
	want := heads()
	check := func(what string) {
		t.Helper()
		if used := e.scriptMemory(t); used > 6<<20 {
			t.Errorf("%s: the scripts hold %d KiB", what, used>>10)
		}
	}
	s := e.session(t, Options{MaxBatch: batch})
	var held []Released
	for len(held) < n {
		b := take(t, s, 128)
		if len(b.Messages) == 0 || len(b.Messages) > batch/size {
			t.Fatalf("took %d messages", len(b.Messages))
		}
		held = append(held, released(b)...)
		check("take")
	}
	r, err := s.Release(t.Context(), held)
	must(t, err)
	if check("release"); r.Given != n || r.Gone != 0 || !slices.Equal(heads(), want) {
		t.Fatalf("release %+v, queue %v", r, heads())
	}
	for range n {
		take(t, s, 128)
	}
	if h := e.reap(t, s); h.Bodies != n || !slices.Equal(heads(), want) {
		t.Fatalf("reaped %d, queue %v", h.Bodies, heads())
	}
	check("reap")
	e.wantKeys(t, "queue", "due", "attempts", "ids")
	var entries []string
	for range 10 {
		d, err := s.Dead(t.Context(), take(t, s, 1).Messages[0].Token, DeadArgs{Reason: "undecodable"})
		must(t, err)
		entries = append(entries, d.Entry)
	}
	back, err := s.Restore(t.Context(), entries)
	must(t, err)
	if check("restore"); back.Restored != len(entries) || !slices.Equal(heads(), want) {
		t.Fatalf("restored %+v, queue %v", back, heads())
	}
}

// One body that is larger than a batch goes alone; small ones fill a batch whatever lies
// behind them.
func TestMixedSizesFillBatches(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{MaxBatch: 1000})
	large := strings.Repeat("large", 400)
	small := numbered(60)
	e.push(t, large)
	e.push(t, small...)
	e.push(t, large, large)
	wantBodies(t, take(t, s, 100), large)
	got := bodies(take(t, s, 100))
	if len(got) < 50 || !slices.Equal(got, small[:len(got)]) {
		t.Fatalf("took %d", len(got))
	}
	for len(got) < 60 {
		got = append(got, bodies(take(t, s, 100))...)
	}
	if !slices.Equal(got, small) {
		t.Fatalf("took %q", got)
	}
	wantBodies(t, take(t, s, 100), large)
	wantBodies(t, take(t, s, 100), large)
}

// gauge measures each script that comes over its connections: how much the interpreter
// allocated for it, all of which it may hold at once.
type gauge struct {
	t   testing.TB
	rdb *redis.Client

	running     bool
	bytes, most int
}

func (g *gauge) eval(script string) int {
	n, err := g.rdb.Eval(context.Background(), script+" return collectgarbage('count') * 1024", nil).Int()
	must(g.t, err)
	return n
}

func (g *gauge) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	return &gaugedConn{c, g}, err
}

type gaugedConn struct {
	net.Conn
	g *gauge
}

func (c *gaugedConn) Write(b []byte) (int, error) {
	if g := c.g; !g.running && bytes.Contains(b[:min(len(b), 40)], []byte("eval")) {
		g.running = true
		g.eval("collectgarbage()")
		g.bytes = g.eval("collectgarbage('stop')")
	}
	return c.Conn.Write(b)
}

func (c *gaugedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if g := c.g; g.running {
		g.running = false
		g.most = max(g.most, g.eval("")-g.bytes)
		g.eval("collectgarbage('restart')")
	}
	return n, err
}

// Java removed small messages and offered as many large ones: the entries of the former, which
// are still there, tell nothing of the latter, also where the last body is what its entry says.
func TestEntriesOfOthersReadNoLargeBodies(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	g := &gauge{t: t, rdb: srv.Client()}
	measured := srv.NewClient(func(o *redis.Options) { o.Dialer, o.PoolSize = g.dial, 1 })
	const size, batch = 1 << 20, 2 << 20
	large := strings.Repeat("x", size)
	for name, last := range map[string]string{"large at the end": "", "small at the end": "small"} {
		must(t, e.rdb.FlushAll(t.Context()).Err())
		e.push(t, "first")
		for i, small := range append([]string{"first"}, slices.Repeat([]string{"small"}, 29)...) {
			rec := wire.DueRecord{ID: wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(i)}}, DueMs: 1, WrittenMs: 1}
			must(t, e.rdb.RPush(t.Context(), e.keys.Due, rec.Entry([]byte(small))).Err())
		}
		for i := range 28 {
			e.push(t, fmt.Sprintf("%02d", i)+large[2:])
		}
		e.push(t, cmp.Or(last, large))
		g.most = 0
		s, err := New(measured, measured, e.keys, Options{MaxBatch: batch})
		must(t, err)
		t.Cleanup(s.lanes.close)
		b, err := s.Take(t.Context(), 128, nil)
		must(t, err)
		if want := batch / size; len(b.Messages) != want || g.most > 2*batch+size {
			t.Errorf("%s: took %d messages, and the script allocated %d KiB; want %d, and at most %d", name, len(b.Messages), g.most>>10, want, (2*batch+size)>>10)
		}
	}
}

// Small bodies and large ones in any order, ready, staged, in flight and dead, with due
// records and without: no script holds more than two batches and one body.
func TestMixedSizesStayWithinTheBound(t *testing.T) {
	t.Parallel()
	_, srv := own(t)
	g := &gauge{t: t, rdb: srv.Client()}
	measured := srv.NewClient(func(o *redis.Options) { o.Dialer, o.PoolSize = g.dial, 1 })
	for _, script := range Scripts() { // what it costs to compile them is not meant
		must(t, g.rdb.ScriptLoad(t.Context(), script.Source()).Err())
	}
	const batch, largest = giveBackStep, giveBackStep / 4
	large, most := strings.Repeat("x", largest), 0
	rapid.Check(t, func(t *rapid.T) {
		e := &env{rdb: srv.Client(), keys: newKeys()}
		defer e.rdb.FlushAll(context.Background())
		s, err := New(measured, measured, e.keys, Options{MaxBatch: batch, MaxPayload: rapid.SampledFrom([]int{largest / 2, 2 * largest}).Draw(t, "max payload")})
		must(g.t, err)
		defer s.lanes.close()
		made := 0
		ctx := context.Background()
		body := func() string {
			made++
			name := fmt.Sprintf("%010d", made)
			if rapid.Bool().Draw(t, "large") {
				return name + large[:rapid.IntRange(largest/2, largest).Draw(t, "size")-len(name)]
			}
			return rapid.SampledFrom([]string{name, "equal body"}).Draw(t, "body")
		}
		push := func() {
			recorded := rapid.IntRange(0, 3).Draw(t, "recorded") > 0
			for range rapid.IntRange(1, 12).Draw(t, "runs") {
				b := body()
				for n := range rapid.SampledFrom([]int{1, 1, 2, 30}).Draw(t, "copies") {
					if len(b) > 100 { // equal strings are one in Lua
						if b = fmt.Sprintf("%02d", n) + b[2:]; e.rdb.LLen(ctx, e.keys.Queue).Val() > 60 {
							break
						}
					}
					must(g.t, e.rdb.RPush(ctx, e.keys.Queue, b).Err())
					if recorded {
						rec := wire.DueRecord{ID: wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(made)}}, DueMs: int64(made), WrittenMs: int64(made)}
						must(g.t, e.rdb.RPush(ctx, e.keys.Due, rec.Entry([]byte(b))).Err())
					}
				}
			}
		}
		check := func(what string, err error) {
			t.Helper()
			must(g.t, err)
			most = max(most, g.most)
			if g.most > 2*batch+largest {
				defer func() { g.most = 0 }()
				t.Fatalf("%s: a script allocated %d KiB", what, g.most>>10)
			}
			g.most = 0
		}
		push()
		for range 6 {
			switch rapid.SampledFrom([]string{"push", "pop", "stage", "bury", "release", "reap"}).Draw(t, "step") {
			case "push":
				push()
			case "pop": // as Java does, without the records
				e.rdb.LPopCount(ctx, e.keys.Queue, rapid.IntRange(1, 9).Draw(t, "popped"))
			case "stage":
				for range rapid.IntRange(1, 9).Draw(t, "staged") {
					e.rdb.LMove(ctx, e.keys.Queue, e.keys.Stage(s.ID()), "LEFT", "RIGHT")
				}
			case "bury":
				b, err := s.Take(ctx, 20, nil)
				check("take", err)
				var entries []string
				for _, m := range b.Messages {
					d, err := s.Dead(ctx, m.Token, DeadArgs{Reason: "undecodable"})
					check("dead", err)
					entries = append(entries, d.Entry)
				}
				_, err = s.Restore(ctx, entries)
				check("restore", err)
			case "release":
				var held []Released
				for range 3 {
					b, err := s.Take(ctx, rapid.SampledFrom([]int{1, 20, 200, 1000}).Draw(t, "n"), nil)
					check("take", err)
					held = append(held, released(b)...)
				}
				_, err := s.Release(ctx, held)
				check("release", err)
			case "reap":
				for range 3 {
					_, err := s.Take(ctx, 100, nil)
					check("take", err)
				}
				must(g.t, e.rdb.ZAddXX(ctx, e.keys.Sessions, redis.Z{Score: 1, Member: s.ID()}).Err())
				_, err := NewReaper(measured, e.keys, ReaperOptions{}).Reap(ctx, s.ID())
				check("reap", err)
			}
		}
	})
	t.Logf("at most %d KiB", most>>10)
}

// What tools ask for keeps the bound, too: views, samples, searches, redrives, trims.
func TestViewsOfLargeBodiesAreReadInSteps(t *testing.T) {
	t.Parallel()
	e, srv := own(t)
	g := &gauge{t: t, rdb: srv.Client()}
	rdb := srv.NewClient(func(o *redis.Options) { o.Dialer, o.PoolSize = g.dial, 1 })
	const n, size = 24, 1 << 20
	now := time.Now().UnixMilli()
	var dead []delayed.RedriveEntry
	for i := range n {
		body := fmt.Sprintf("%08d", i)
		if i%12 > 0 { // small ones first
			body += strings.Repeat("x", size)
		}
		element := wire.Pack(wire.ElementID{Kind: 'u', Raw: [8]byte{7, byte(i)}}, []byte(body))
		e.push(t, body)
		must(t, e.rdb.ZAdd(t.Context(), e.keys.Timeout, redis.Z{Score: float64(now + 3_600_000 + int64(i)), Member: element}).Err())
		must(t, e.rdb.RPush(t.Context(), e.keys.Pending, element, "ghost "+body).Err())
		entry := e.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: e.keys.Dead, Values: []any{"body", body, "reason", "rejected", "id", "1-0102030405060a"}}).Val()
		dead = append(dead, delayed.RedriveEntry{Entry: entry})
	}
	for _, row := range []struct {
		what string
		run  func(k wire.Keys) (got, want int, err error)
	}{
		{"view of pending", func(k wire.Keys) (got, want int, err error) {
			for _, err = range delayed.WalkPending(t.Context(), rdb, k, 0, 100, true) {
				got++
			}
			return got, n, err
		}},
		{"view of the list", func(k wire.Keys) (got, want int, err error) {
			for _, err = range delayed.WalkList(t.Context(), rdb, k, delayed.Whole) {
				got++
			}
			return got, 2 * n, err
		}},
		{"sample", func(k wire.Keys) (int, int, error) {
			_, err := delayed.Sample(t.Context(), rdb, k, true)
			return 0, 0, err
		}},
		{"find", func(k wire.Keys) (int, int, error) {
			return 0, 0, Find(t.Context(), rdb, k, &delayed.NotPending{NotPendingError: &fault.NotPendingError{ID: "1-0102030405060b"}}, false)
		}},
		{"redrive", func(k wire.Keys) (got, want int, err error) {
			statuses, err := delayed.Redrive(t.Context(), rdb, k, delayed.RedriveArgs{Entries: dead[n/2:]})
			for _, s := range statuses {
				if s == delayed.Redriven {
					got++
				}
			}
			return got, n / 2, err
		}},
		{"trim", func(k wire.Keys) (got, want int, err error) {
			for more := true; more && err == nil; {
				var r delayed.TrimResult
				r, err = delayed.TrimDead(t.Context(), rdb, k, delayed.TrimArgs{Most: 1})
				got, more = got+len(r.Trimmed), r.More
			}
			return got, n/2 - 1, err
		}},
		{"ghosts", func(k wire.Keys) (int, int, error) {
			removed, err := delayed.RemoveGhosts(t.Context(), rdb, k)
			return int(removed), n, err
		}},
	} {
		_, _, _ = row.run(newKeys()) // compiled on an empty queue
		g.most = 0
		got, want, err := row.run(e.keys)
		if must(t, err); got != want {
			t.Errorf("%s: %d of %d", row.what, got, want)
		}
		t.Logf("%s: at most %d KiB", row.what, g.most>>10)
		if g.most > 6*size {
			t.Errorf("%s: a script allocated %d KiB", row.what, g.most>>10)
		}
	}
}
