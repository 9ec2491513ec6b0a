package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// tripsOf counts the round trips of a client.
func tripsOf(c *framework.Client) *atomic.Int64 {
	var n atomic.Int64
	access.Of(c).Redis.AddHook(queuetest.EachTrip(func(context.Context, []redis.Cmder) { n.Add(1) }))
	return &n
}

// sent is how many bytes a server has sent.
func sent(t *testing.T, srv *lab.Server) int64 {
	t.Helper()
	stats, err := srv.Client().InfoMap(t.Context(), "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(stats["Stats"]["total_net_output_bytes"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each page takes few round trips and few bytes, so that a slow network and payloads of 8 MB do not
// matter: tables read the beginning of a large payload and show its true size.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	const large, mostTrips, mostBytes = 8_000_000, 12, 5 << 20
	const ofQueue = 50 // most of them the doctor's, for whom no page waits to the end
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[[]byte]("LARGE", "", registry.Codec(codecs.ByteArray()), registry.MaxPayload(2*large))
	bound, body := framework.Bind(c, q), bytes.Repeat([]byte("x"), large)
	for i := range 3 {
		if _, err := bound.Offer(t.Context(), append(body, byte(i)), time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := bound.Push(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bound.Offer(t.Context(), []byte("small"), time.Hour); err != nil {
		t.Fatal(err)
	}
	console := start(t, c, Options{OnlyDeclared: true, Queues: []registry.Descriptor{q}, History: -1})
	counted := tripsOf(c)
	// The page of the queue is last: its examination may go on behind it.
	for _, path := range []string{"/", "/pending?q=LARGE", "/ready?q=LARGE", "/inflight?q=LARGE", "/dead?q=LARGE", "/processes", "/processes?q=LARGE", "/audit", "/queue?q=LARGE"} {
		trips, bytes := counted.Load(), sent(t, srv)
		status, page := get(t, console, path)
		trips, bytes = counted.Load()-trips, sent(t, srv)-bytes
		t.Logf("%s: %d round trips, %d bytes", path, trips, bytes)
		if status != http.StatusOK || trips > mostTrips && !strings.HasPrefix(path, "/queue") || trips > ofQueue || bytes > mostBytes {
			t.Errorf("%s: %d, %d round trips, %d bytes", path, status, trips, bytes)
		}
		if strings.HasPrefix(path, "/pending") || strings.HasPrefix(path, "/ready") {
			wants(t, path, page, []string{"8\u202f000\u202f00", tooLarge}, []string{"xxxx"})
		}
	}
	if _, page := get(t, console, "/pending?q=LARGE&text=small"); !strings.Contains(page, "larger than 1 MiB, and not searched") {
		t.Errorf("a filter says nothing of what it does not look into:\n%s", page)
	}
}

// The page of a queue does not wait for the doctor to the end: it opens without, says so, and has what
// he found once he has.
func TestNoPageWaitsForTheDoctor(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[string]("ORDERS", "")
	console := start(t, c, Options{OnlyDeclared: true, Queues: []registry.Descriptor{q}, History: -1})
	until := make(chan struct{})
	access.Of(c).Redis.AddHook(queuetest.EachTrip(func(ctx context.Context, cmds []redis.Cmder) {
		if len(cmds) > 1 && cmds[0].Name() == "type" { // the doctor alone sends it in a pipeline
			select {
			case <-until:
			case <-ctx.Done():
			}
		}
	}))
	status, page := get(t, console, "/queue?q=ORDERS")
	wants(t, "at first", page, []string{"Not everything could be examined", "the examination is under way", "Falls due"}, []string{"All is well"})
	if status != http.StatusOK {
		t.Errorf("%d", status)
	}
	close(until)
	lab.WaitFor(t, "the doctor has ended", func() bool {
		_, page = get(t, console, "/queue?q=ORDERS")
		return !strings.Contains(page, "under way")
	})
}

// Of 10,000 queues one page reads how some hundred stand, says of how many it does not know, and
// finds each of them by its name.
func TestVeryManyQueues(t *testing.T) {
	t.Parallel()
	const many = 10_000
	srv := lab.StartRedis(t)
	rdb, c := srv.Client(), openOn(t, srv)
	for from := 0; from < many; from += 1000 {
		pipe := rdb.Pipeline()
		for i := range 1000 {
			pipe.ZAdd(t.Context(), wire.KeysOf(fmt.Sprintf("Q%05d", from+i)).Timeout, redis.Z{Score: 4e12, Member: wire.Pack(wire.NewIDs().Next(), []byte("x"))})
		}
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	console := start(t, c, Options{History: -1})
	<-console.discover()
	lab.WaitFor(t, "the search ends", func() bool { return console.names.has("Q00000") })
	console.cache.Dirty(func(string) bool { return true })
	counted := tripsOf(c)
	_, page := get(t, console, "/")
	wants(t, "all", page, []string{"The status of 9500 queues was not read yet", "200 of 500 are shown"}, []string{"all fine"})
	if n := counted.Load(); n > 40 {
		t.Errorf("%d round trips", n)
	}
	for _, name := range []string{"Q00000", "Q09999", "Q05432"} {
		_, page = get(t, console, "/?find="+name)
		wants(t, name, page, []string{`<a href="/queue?q=` + name + `">`}, nil)
	}
	lab.WaitFor(t, "all are read in turn", func() bool {
		console.cache.Dirty(func(name string) bool { return name == "queues" })
		_, page = get(t, console, "/")
		return strings.Contains(page, "all fine") || strings.Contains(page, "to keep an eye on") && !strings.Contains(page, "not read yet")
	})
}

// A console that reaches nothing says so, with the address and since when, and never that all is fine.
func TestReachesNothing(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	proxy := lab.StartProxy(t, srv.Addr())
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: proxy.URL()}, NoTransfer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	declared := registry.Define[string]("ORDERS", "")
	for what, o := range map[string]Options{"found": {}, "declared": {Queues: []registry.Descriptor{declared}, OnlyDeclared: true}} {
		proxy.Cut()
		o.History = -1
		console := start(t, c, o)
		lab.WaitFor(t, "it says so", func() bool {
			_, body := get(t, console, "/")
			if strings.Contains(body, "all fine") {
				t.Fatalf("%s: %s", what, body)
			}
			return strings.Contains(body, "Redis at "+proxy.Addr()+" does not answer since ")
		})
		proxy.Mend()
		lab.WaitFor(t, "it recovers", func() bool {
			console.names.mu.Lock()
			console.names.at = time.Time{} // it looks again
			console.names.mu.Unlock()
			_, body := get(t, console, "/")
			return !strings.Contains(body, "does not answer")
		})
	}
}

// What is old says so where the verdict stands, and no gauge says it as what is so now.
func TestOldIsNotNow(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := openOn(t, srv)
	q := registry.Define[string]("ORDERS", "")
	reader := metric.NewManualReader()
	console := start(t, c, Options{OnlyDeclared: true, Queues: []registry.Descriptor{q}, History: -1, Meter: metric.NewMeterProvider(metric.WithReader(reader))})
	r := &request{Request: httptest.NewRequest(http.MethodGet, "/queue?q=ORDERS", nil), console: console, path: "/queue", queue: "ORDERS", user: User{Name: "ann", Role: RoleLook}}
	data, err := console.queue(r)
	if err != nil {
		t.Fatal(err)
	}
	r.late = time.Now().Add(-45 * time.Second)
	v, w := console.view(r, console.pages["/queue"]), httptest.NewRecorder()
	v.Page = data
	console.render(w, http.StatusOK, console.pages["/queue"].tmpl, v)
	wants(t, "old", w.Body.String(), []string{"<h2>45 s ago: ", "This page is 45 s old: the console spares Redis"}, []string{`class="verdict good"`})

	if n := len(gauges(t, reader)); n == 0 {
		t.Error("no gauge")
	}
	k, _, err := cachedRead(t.Context(), console.cache, "queues", time.Hour, console.loadQueues)
	if err != nil {
		t.Fatal(err)
	}
	console.looking.Spend(time.Hour)
	k.At["ORDERS"] = time.Now().Add(-gaugeMost - time.Second)
	got := slices.DeleteFunc(gauges(t, reader), func(name string) bool { return !strings.HasPrefix(name, "messaging.redisson.queue.") })
	if len(got) > 0 {
		t.Errorf("old ones: %v", got)
	}
}

// A queue of which only the ready list is left, which no search finds, is not forgotten while messages
// wait there that no process takes.
func TestReadyListAloneIsNotForgotten(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, keys := srv.Client(), wire.KeysOf("ORDERS")
	console := start(t, openOn(t, srv), Options{History: -1})
	look := func() (page string, found bool) { // searches, and reads how the queues stand
		t.Helper()
		n, began := &console.names, time.Now()
		n.mu.Lock()
		n.at = began.Add(-2 * discoverEvery)
		n.mu.Unlock()
		lab.WaitFor(t, "a search ends", func() bool {
			console.discover()
			n.mu.Lock()
			defer n.mu.Unlock()
			return !n.under && n.at.After(began)
		})
		console.cache.Dirty(func(name string) bool { return name == "queues" })
		_, page = get(t, console, "/")
		return page, n.has("ORDERS")
	}
	rdb.ZAdd(t.Context(), keys.Timeout, redis.Z{Score: 4e12, Member: wire.Pack(wire.NewIDs().Next(), []byte("x"))})
	rdb.RPush(t.Context(), "ORDERS", "x")
	lab.WaitFor(t, "the ready message is counted", func() bool {
		page, found := look()
		return found && strings.Contains(page, "and no process takes it")
	})
	rdb.Del(t.Context(), keys.Timeout)
	for range 2 {
		page, found := look()
		if !found {
			t.Fatal("the queue is forgotten")
		}
		wants(t, "alone", page, []string{"and no process takes it"}, nil)
	}
	rdb.Del(t.Context(), "ORDERS")
	lab.WaitFor(t, "the queue is gone", func() bool {
		_, found := look()
		return !found
	})
}

// gauges are the names of those that have a value.
func gauges(t *testing.T, reader *metric.ManualReader) (names []string) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Gauge[int64]:
				if len(data.DataPoints) > 0 {
					names = append(names, m.Name)
				}
			case metricdata.Gauge[float64]:
				if len(data.DataPoints) > 0 {
					names = append(names, m.Name)
				}
			case metricdata.Sum[int64]:
				if len(data.DataPoints) > 0 {
					names = append(names, m.Name)
				}
			}
		}
	}
	return names
}
