package tracking

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// track returns a tracker that ends with the test.
func track(t *testing.T, rdb redis.UniversalClient, o Options) *Tracker {
	t.Helper()
	tracker := New(t.Context(), rdb, o)
	t.Cleanup(func() {
		if err := tracker.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return tracker
}

// watched is a list whose wake-ups a test counts.
type watched struct {
	*List
	key   string
	woken atomic.Int64
	at    atomic.Int64 // ns: the last time
}

func (t *Tracker) watched(key string) *watched {
	w := &watched{key: key}
	w.List = t.Add(key, nil, func() {
		w.at.Store(time.Now().UnixNano())
		w.woken.Add(1)
	})
	return w
}

// quiet reports whether the next change of the list will be told of.
func (w *watched) quiet() bool {
	w.t.mu.Lock()
	defer w.t.mu.Unlock()
	return w.state == quiet
}

func push(t *testing.T, rdb redis.UniversalClient, key string) {
	t.Helper()
	queuetest.Must[int64](t)(rdb.RPush(t.Context(), key, "message").Result())
}

// A change of any of very many lists is told of over one connection, each time anew, and of
// no other.
func TestTellsOfEachList(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	tracker := track(t, rdb, Options{Name: "tells"})
	lists := make([]*watched, 300)
	for i := range lists {
		lists[i] = tracker.watched(queuetest.NewQueue().Queue)
		lists[i].Rest(false)
	}
	for _, l := range lists {
		lab.WaitFor(t, "registration", l.quiet)
	}
	if n := connections(t, rdb, "tells"); n != 1 {
		t.Errorf("%d connections", n)
	}
	var late []time.Duration
	for round := range int64(2) {
		for _, l := range lists {
			before := time.Now()
			push(t, rdb, l.key)
			lab.WaitFor(t, "news", func() bool { return l.woken.Load() > round })
			late = append(late, time.Unix(0, l.at.Load()).Sub(before))
			l.Awake()
			queuetest.Must[string](t)(rdb.LPop(t.Context(), l.key).Result())
			l.Rest(true)
			lab.WaitFor(t, "registration", l.quiet)
		}
	}
	for _, l := range lists {
		if n := l.woken.Load(); n != 2 {
			t.Errorf("%s woken %d times", l.key, n)
		}
	}
	slices.Sort(late)
	t.Logf("from the push to the wake: p50 %v, p99 %v", late[len(late)/2], late[len(late)*99/100])
}

func connections(t *testing.T, rdb *redis.Client, name string) int {
	t.Helper()
	return strings.Count(queuetest.Must[string](t)(rdb.ClientList(t.Context()).Result()), " name="+name+" ")
}

// What lies there before a queue rests, what a script moves, and what is deleted with
// everything else.
func TestTellsWhateverChanges(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	tracker := track(t, rdb, Options{})
	l := tracker.watched("before")
	push(t, rdb, l.key)
	l.Rest(false)
	lab.WaitFor(t, "what lay there", func() bool { return l.woken.Load() == 1 })
	l.Awake()

	moved := tracker.watched("{s}moved")
	moved.Rest(false)
	lab.WaitFor(t, "registration", moved.quiet)
	queuetest.Must[any](t)(rdb.Eval(t.Context(), `redis.call('SET', KEYS[1], 1) return redis.call('RPUSH', KEYS[2], 'x')`, []string{"{s}other", moved.key}).Result())
	lab.WaitFor(t, "news from a script", func() bool { return moved.woken.Load() == 1 })

	flushed := tracker.watched("flushed")
	flushed.Rest(false)
	lab.WaitFor(t, "registration", flushed.quiet)
	queuetest.Must[string](t)(rdb.FlushAll(t.Context()).Result())
	lab.WaitFor(t, "registration after all is gone", flushed.quiet)
	push(t, rdb, flushed.key)
	lab.WaitFor(t, "news after all was gone", func() bool { return flushed.woken.Load() == 1 })
}

// Nothing is told to a queue that is awake.
func TestLeavesTheAwakeAlone(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	tracker := track(t, rdb, Options{})
	l, other := tracker.watched(queuetest.NewQueue().Queue), tracker.watched(queuetest.NewQueue().Queue)
	l.Rest(false)
	lab.WaitFor(t, "registration", l.quiet)
	l.Awake()
	push(t, rdb, l.key)
	other.Rest(false)
	push(t, rdb, other.key)
	lab.WaitFor(t, "news of another one", func() bool { return other.woken.Load() == 1 })
	if l.woken.Load() != 0 {
		t.Error("woken while awake")
	}
}

// A connection that is lost is made anew; what came meanwhile is found.
func TestFindsWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	var lines logged
	tracker := track(t, rdb, Options{Name: "meanwhile", Logger: lines.logger()})
	l := tracker.watched("list")
	l.Rest(false)
	lab.WaitFor(t, "registration", l.quiet)
	for round := range int64(3) {
		id := clientID(t, rdb, "meanwhile")
		queuetest.Must[[]redis.Cmder](t)(rdb.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
			p.ClientKillByFilter(t.Context(), "ID", id)
			p.RPush(t.Context(), l.key, "x")
			return nil
		}))
		lab.WaitFor(t, "what came meanwhile", func() bool { return l.woken.Load() > round })
		l.Awake()
		queuetest.Must[string](t)(rdb.LPop(t.Context(), l.key).Result())
		l.Rest(true)
		lab.WaitFor(t, "registration", l.quiet)
	}
	if !lines.has("is lost") || !lines.has("reports changes of ready lists again") {
		t.Errorf("log: %v", lines.lines)
	}
}

func clientID(t *testing.T, rdb *redis.Client, name string) (id string) {
	t.Helper()
	lab.WaitFor(t, "the connection "+name, func() bool {
		for _, found := range clientIDs(t, rdb, name) {
			id = found
		}
		return id != ""
	})
	return id
}

// clients returns what CLIENT LIST says of each connection.
func clients(t *testing.T, rdb *redis.Client) (all []map[string]string) {
	t.Helper()
	for line := range strings.Lines(queuetest.Must[string](t)(rdb.ClientList(t.Context()).Result())) {
		c := map[string]string{}
		for _, field := range strings.Fields(line) {
			name, value, _ := strings.Cut(field, "=")
			c[name] = value
		}
		all = append(all, c)
	}
	return all
}

// A connection over which nothing comes any more is given up.
func TestGivesUpASilentConnection(t *testing.T) {
	t.Parallel()
	proxy := lab.StartProxy(t, lab.Shared.Addr())
	through := lab.Connect(t, proxy.Addr())
	tracker := track(t, through, Options{Ping: 50 * time.Millisecond, PingTimeout: 200 * time.Millisecond})
	l := tracker.watched(queuetest.NewQueue().Queue)
	l.Rest(false)
	lab.WaitFor(t, "registration", l.quiet)
	proxy.Mute()
	push(t, lab.Connect(t, lab.Shared.Addr()), l.key)
	lab.WaitFor(t, "news over another connection", func() bool { return l.woken.Load() > 0 })
}

// Where Redis refuses to tell the lists are looked at, and the log says why.
func TestPollsWhereRedisRefuses(t *testing.T) {
	t.Parallel()
	poll := 20 * time.Millisecond
	for name, client := range map[string]func(t *testing.T) *redis.Client{
		"user": func(t *testing.T) *redis.Client {
			return lab.AsUser(t, lab.StartRedis(t), "-client")
		},
		"embedded": func(t *testing.T) *redis.Client { return lab.Connect(t, miniredis.RunT(t).Addr()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb := client(t)
			var lines logged
			tracker := track(t, rdb, Options{Poll: poll, Logger: lines.logger()})
			lists := []*watched{tracker.watched("one"), tracker.watched("two")}
			for _, l := range lists {
				l.Rest(false)
			}
			for _, l := range lists {
				push(t, rdb, l.key)
				lab.WaitFor(t, "news", func() bool { return l.woken.Load() > 0 })
			}
			if !lines.has("CLIENT TRACKING") {
				t.Errorf("log: %v", lines.lines)
			}
		})
	}
}

// Where a change that must have come was not told of, Redis is not relied on.
func TestPollsWhereChangesAreNotTold(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	var lines logged
	tracker := track(t, rdb, Options{Poll: 10 * time.Millisecond, PingTimeout: 50 * time.Millisecond, Logger: lines.logger()})
	l := tracker.watched(queuetest.NewQueue().Queue)
	l.Rest(false)
	lab.WaitFor(t, "registration", l.quiet)
	l.Took(time.Now()) // nothing has changed, so nothing will be told
	lab.WaitFor(t, "doubt", func() bool { return lines.has("was not told of") })
	push(t, rdb, l.key)
	lab.WaitFor(t, "news", func() bool { return l.woken.Load() > 0 })
}

// A list of the wrong type wakes its queue, whose take says what is the matter.
func TestWakesForAWrongType(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	key := queuetest.NewQueue().Queue
	queuetest.Must[string](t)(rdb.Set(t.Context(), key, "no list", 0).Result())
	l := track(t, rdb, Options{}).watched(key)
	l.Rest(false)
	lab.WaitFor(t, "news", func() bool { return l.woken.Load() > 0 })
}

// With a login, another database and TLS.
func TestConnectsAsTheClientDoes(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]lab.Option{
		"password": {lab.Password("se cret")},
		"TLS":      {lab.TLS(), lab.Password("secret")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := lab.StartRedis(t, opts...)
			rdb := srv.NewClient(func(o *redis.Options) { o.DB = 3 })
			l := track(t, rdb, Options{}).watched("list")
			l.Rest(false)
			lab.WaitFor(t, "registration", l.quiet)
			push(t, rdb, l.key)
			lab.WaitFor(t, "news", func() bool { return l.woken.Load() > 0 })
		})
	}
}

// A server that never answers does not hold up Stop.
func TestStopsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	silent := queuetest.Must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	defer func() { _ = silent.Close() }()
	tracker := New(t.Context(), lab.Connect(t, silent.Addr().String()), Options{})
	tracker.watched("list").Rest(false)
	asking := queuetest.Must[net.Conn](t)(silent.Accept())
	defer func() { _ = asking.Close() }()
	queuetest.Must[int](t)(asking.Read(make([]byte, 1)))
	if err := tracker.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// logged keeps what was logged.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

func (l *logged) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, text) })
}
