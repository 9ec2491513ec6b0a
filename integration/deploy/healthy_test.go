package deploy_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
)

const (
	// envHealthy is for how long a healthy system is watched, such as 30m. Without it that is one
	// deploy, and in the long form three minutes, in which the alerts with the shorter "for" can fire.
	envHealthy    = "DUEQUEUE_TEST_HEALTHY"
	healthyFor    = 3 * time.Minute
	deployEvery   = 20 * time.Second
	pendingAtMost = time.Minute // an alert that is pending for longer is about to fire
)

var (
	idle   = queue("IDLE")
	busy   = queue("BUSY")
	future = queue("FUTURE")
)

const javaOnly = "JAVA_ONLY"

// No alert fires on a healthy system, with the rules as they are: an idle queue, a busy one whose
// processes are deployed in turn, one that Java alone uses, and one where all is due later. The whole
// form: DUEQUEUE_TEST_HEALTHY=30m go test ./deploy -run Healthy -timeout 40m.
func TestHealthySystemFiresNoAlert(t *testing.T) {
	length := deployEvery
	if lab.LongForm() {
		length = healthyFor
	}
	if text := os.Getenv(envHealthy); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	srv := lab.StartRedis(t)
	var slots []*slot
	for range 3 {
		s := &slot{url: srv.URL(), page: &page{address: "127.0.0.1:0"}}
		s.deploy(t)
		slots = append(slots, s)
		t.Cleanup(func() { s.stop(t) })
	}
	asJava(t, srv)
	client := rig.Open(t, srv.URL())
	for range 20 {
		rig.Offer(t, client, future, "later", 24*time.Hour)
	}
	offer(t, client)
	seen := watchHealthy(t, srv, slots)
	pending, looks := map[string]time.Time{}, time.NewTicker(time.Second)
	defer looks.Stop()
	for began, turn := time.Now(), 0; time.Since(began) < length; turn++ {
		slots[turn%len(slots)].deploy(t)
		for range deployEvery / time.Second {
			<-looks.C
			now := map[string]time.Time{}
			active, ok := seen.Active(t)
			if !ok {
				t.Fatal("Prometheus does not answer")
			}
			for _, a := range active {
				if now[a.Name()] = time.Now(); !pending[a.Name()].IsZero() {
					now[a.Name()] = pending[a.Name()]
				}
				if a.State == "firing" || time.Since(now[a.Name()]) > pendingAtMost {
					t.Errorf("after %v: %v, %s", time.Since(began).Round(time.Second), a.Labels, a.State)
				}
			}
			if pending = now; t.Failed() {
				return
			}
		}
	}
	if n := seen.Count(t, `sum(rate(messaging_redisson_lateness_seconds_count{messaging_destination_name="BUSY"}[1m])) > 10`); n == 0 {
		t.Error("the busy queue was not busy")
	}
	for _, name := range []string{idle.Key(), busy.Key(), future.Key(), javaOnly} {
		if seen.Count(t, fmt.Sprintf(`messaging_redisson_queue_delayed{messaging_destination_name=%q}`, name)) == 0 {
			t.Errorf("no metric of %s", name)
		}
	}
}

// slot is a place of the fleet, in which one process follows another.
type slot struct {
	url    string
	page   *page
	client *framework.Client
	engine *framework.Engine
}

// deploy stops the process of a slot, and starts the next one on its address.
func (s *slot) deploy(t *testing.T) {
	t.Helper()
	s.stop(t)
	next := newPageOn(t, s.page.address)
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: s.url}}, framework.WithMeterProvider(next.meters))
	if err != nil {
		t.Fatal(err)
	}
	work := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	engine, err := framework.New(c, []framework.Consumer{framework.Consume(idle, work), framework.Consume(busy, work), framework.Consume(future, work)})
	if err == nil {
		err = engine.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	s.page, s.client, s.engine = next, c, engine
}

func (s *slot) stop(t *testing.T) {
	t.Helper()
	if s.engine == nil {
		return
	}
	rig.Stop(t, s.engine)
	if err := s.client.Close(); err != nil {
		t.Error(err)
	}
	s.page.stop()
	_ = s.page.meters.Shutdown(context.WithoutCancel(t.Context()))
	s.engine = nil
}

// offer offers a hundred messages a second to the busy queue until the test ends.
func offer(t *testing.T, client *framework.Client) {
	t.Helper()
	q := framework.Bind(client, busy)
	each(t, 10*time.Millisecond, func(ctx context.Context) error {
		_, err := q.Offer(ctx, "an order", time.Second)
		return err
	})
}

// asJava offers, transfers and takes as Redisson does, in a queue that no Go process knows.
func asJava(t *testing.T, srv *lab.Server) {
	t.Helper()
	rdb, n := srv.Client(), uint64(0)
	const timeout, list = "redisson_delay_queue_timeout:{" + javaOnly + "}", "redisson_delay_queue:{" + javaOnly + "}"
	listening := rdb.Subscribe(t.Context(), "redisson_delay_queue_channel:{"+javaOnly+"}")
	t.Cleanup(func() { _ = listening.Close() })
	each(t, 500*time.Millisecond, func(ctx context.Context) error {
		n++
		element := string(binary.BigEndian.AppendUint64(nil, 7<<56|n)) + "\x01\x00\x00\x00\x00\x00\x00\x00x"
		rdb.ZAdd(ctx, timeout, redis.Z{Score: float64(time.Now().Add(5 * time.Second).UnixMilli()), Member: element})
		rdb.RPush(ctx, list, element)
		due, err := rdb.ZRangeArgs(ctx, redis.ZRangeArgs{Key: timeout, Start: "0", Stop: time.Now().UnixMilli(), ByScore: true}).Result()
		for _, e := range due {
			rdb.ZRem(ctx, timeout, e)
			rdb.LRem(ctx, list, 1, e)
			rdb.RPush(ctx, javaOnly, "x")
			rdb.LPop(ctx, javaOnly)
		}
		return err
	})
}

// each calls do at an interval until the test ends.
func each(t *testing.T, every time.Duration, do func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
}

// watchHealthy starts a Prometheus with the rules as they are, which reads the fleet and a console.
func watchHealthy(t *testing.T, srv *lab.Server, slots []*slot) *prom.Server {
	t.Helper()
	console := newPage(t)
	c, err := web.New(rig.Open(t, srv.URL()), web.Options{
		Authorize: func(*http.Request) (web.User, error) { return web.User{}, nil }, Meter: console.meters,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	targets := []string{fmt.Sprintf("%q", console.address)}
	for _, s := range slots {
		targets = append(targets, fmt.Sprintf("%q", s.page.address))
	}
	rules, err := os.ReadFile(prom.Rules)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`
global: {evaluation_interval: 5s}
rule_files: [rules.yml]
scrape_configs:
  - {job_name: duequeue, scrape_interval: 5s, static_configs: [{targets: [%s]}]}
`, strings.Join(targets, ", "))
	seen := prom.Start(t, map[string]string{"prometheus.yml": config, "rules.yml": string(rules)})
	lab.WaitFor(t, "all are scraped", func() bool { return seen.Count(t, `up == 1`) == len(targets) })
	return seen
}
