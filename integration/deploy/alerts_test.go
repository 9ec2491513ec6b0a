package deploy_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

func queue(name string, opts ...registry.Option) *registry.Queue[string] {
	return registry.Define[string](name, "", append([]registry.Option{registry.Codec(codecs.String())}, opts...)...)
}

var (
	works   = queue("WORKS")
	fails   = queue("FAILS", registry.MaxAttempts(registry.Unlimited), registry.Backoff(registry.Steps(200*time.Millisecond)))
	dies    = queue("DIES")
	hangs   = queue("HANGS", registry.Timeout(300*time.Millisecond), registry.Grace(100*time.Millisecond), registry.MaxAttempts(registry.Unlimited), registry.Backoff(registry.Steps(time.Hour)))
	waits   = queue("WAITS")   // its consumer comes late
	overdue = queue("OVERDUE") // whoever transfers it comes late
	leased  = queue("LEASED")
	foreign = registry.Define[int64]("FOREIGN", "", registry.Codec(codecs.Long())) // others push what is no number
	broken  = queue("BROKEN")                                                      // others write a key of another type
)

// triedByPromtool are alerts whose faults take too long to have here: rules_test.yml has their
// series. Package oncall has the faults of DuequeueEarly and DuequeueOutboxRelayGone.
var triedByPromtool = []string{
	"DuequeueSuspects", "DuequeueViewBehind", "DuequeueClockSkew", "DuequeueOutboxBehind", "DuequeueOutboxRelayGone", "DuequeueOutboxAside",
	"DuequeueEarly",
}

// page serves the metrics of one process.
type page struct {
	address string
	handler http.Handler
	meters  *sdkmetric.MeterProvider
	server  *http.Server
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := newPageOn(t, "127.0.0.1:0")
	t.Cleanup(func() {
		p.stop()
		_ = p.meters.Shutdown(context.WithoutCancel(t.Context()))
	})
	return p
}

// newPageOn is newPage on an address; who calls it ends it.
func newPageOn(t *testing.T, address string) *page {
	t.Helper()
	handler, meters, err := metrics.Handler()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{handler: handler, meters: meters, address: address}
	p.start(t)
	return p
}

// start begins to serve, again on the same address.
func (p *page) start(t *testing.T) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.address = listener.Addr().String()
	p.server = &http.Server{Handler: p.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }()
}

func (p *page) stop() { _ = p.server.Close() }

// Each alert fires by its fault and goes away when that is gone, and each query of the dashboard
// returns data meanwhile.
func TestAlertsAndDashboard(t *testing.T) {
	begun := time.Now()
	f := newFleet(t)
	seen := startPrometheus(t, f)
	want := slices.DeleteFunc(prom.Names(t), func(name string) bool { return slices.Contains(triedByPromtool, name) })
	seen.await(t, "what Prometheus sees at the start", func(firing []string) string {
		if n := seen.Count(t, `up == 1`); n != 5 {
			return fmt.Sprintf("%d of 5 targets are up", n)
		}
		for _, begun := range []string{
			`messaging_redisson_dead_stored_messages_total{messaging_destination_name="DIES"}`,
			`messaging_redisson_lost_leases_total{messaging_destination_name="LEASED"}`,
			`messaging_redisson_possible_duplicate_messages_total{messaging_destination_name="LEASED"}`,
		} {
			if seen.Count(t, "count_over_time("+begun+"[1m]) > 1") == 0 {
				return begun + " has not begun"
			}
		}
		if len(firing) > 0 {
			return fmt.Sprintf("%q fire without a fault", firing)
		}
		return ""
	})
	empty, fired := prom.Dashboard(t, dashboardFile, "15s"), map[string]bool{}
	f.breakThings(t)
	broken := time.Now()
	seen.await(t, "the alerts", func(firing []string) string {
		for _, name := range firing {
			fired[name] = true
		}
		empty = slices.DeleteFunc(empty, func(q string) bool { return seen.Count(t, q) > 0 })
		missing := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return fired[name] })
		if len(missing) > 0 && time.Since(broken) > 30*time.Second {
			// What counts events looks back for 15 s: on a slow machine it may have missed them.
			broken = time.Now()
			f.happens(t)
		}
		if len(missing)+len(empty) > 0 {
			return fmt.Sprintf("not fired: %q; no data: %q", missing, empty)
		}
		return ""
	})
	f.mend(t)
	t.Logf("all fired after %v", time.Since(begun).Round(time.Second))
	seen.await(t, "the alerts to go away", func(firing []string) string {
		if len(firing) > 0 {
			return fmt.Sprintf("%q still fire", firing)
		}
		return ""
	})
}

// fleet are the processes that are watched.
type fleet struct {
	first, second *lab.Server
	client        *framework.Client // of all that is offered
	full          *lab.Server       // has no room for what refused offers
	refused       *framework.Client
	targets       []string
	gone          *page    // the one that is shut down
	slow          *page    // the one whose Redis hangs
	stopped       *process // the one that is stopped for longer than its lease

	broken  atomic.Bool   // handlers of fails fail
	release chan struct{} // ends those that hang
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{first: lab.StartRedis(t), second: lab.StartRedis(t), release: make(chan struct{})}
	done := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	service := newPage(t)
	f.client = rig.Open(t, f.first.URL(), framework.WithMeterProvider(service.meters))
	f.full = lab.StartRedis(t)
	f.refused = rig.Open(t, f.full.URL(), framework.WithMeterProvider(service.meters))
	rig.Offer(t, f.refused, works, "order 4716", time.Hour)
	soon := framework.Config{Redis: framework.RedisConfig{URL: f.first.URL()}, Lease: 3 * time.Second} // and so are its looks for leases that have ended
	rig.Run(t, rig.OpenConfig(t, soon, framework.WithMeterProvider(service.meters)),
		framework.Consume(works, done),
		framework.Consume(fails, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			if f.broken.Load() {
				return handlers.Transient(errors.New("the payment service is down"))
			}
			return nil
		}), framework.Breaker(framework.BreakerConfig{OpenFor: 100 * time.Millisecond, MaxOpenFor: 500 * time.Millisecond})),
		framework.Consume(dies, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return handlers.Reject("no such order") })),
		framework.Consume(hangs, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			<-f.release // whatever the context says
			return nil
		})),
		framework.Consume(foreign, handlers.Func[int64](func(context.Context, *handlers.Delivery[int64]) error { return nil })),
		framework.TransferOnly(broken), framework.TransferOnly(waits), framework.TransferOnly(leased)) // it gives back what a process holds that is stopped
	f.gone = newPage(t)
	rig.Run(t, rig.Open(t, f.first.URL(), framework.WithMeterProvider(f.gone.meters)), framework.TransferOnly(works))
	f.slow = newPage(t)
	rig.Run(t, rig.Open(t, f.second.URL(), framework.WithMeterProvider(f.slow.meters)), framework.Consume(works, done))
	f.stopped = startProcess(t, f.first.URL())
	f.offerAsJava(t, time.Now().Add(time.Hour)) // the console looks for queues when it starts, and then once a minute
	console := newPage(t)
	c, err := web.New(rig.Open(t, f.first.URL()), web.Options{
		Authorize: func(*http.Request) (web.User, error) { return web.User{}, nil }, Meter: console.meters, Budget: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	f.targets = []string{service.address, f.gone.address, console.address, f.stopped.address}
	f.trickle(t)
	return f
}

// trickle offers to works until the test ends.
func (f *fleet) trickle(t *testing.T) {
	t.Helper()
	q := framework.Bind(f.client, works)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if _, err := q.Offer(ctx, "an order", 10*time.Millisecond); err != nil && ctx.Err() == nil {
				t.Errorf("offer: %v", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
}

// breakThings has one fault for each alert.
func (f *fleet) breakThings(t *testing.T) {
	t.Helper()
	f.happens(t)
	f.broken.Store(true)
	for i := range 12 {
		rig.Offer(t, f.client, fails, fmt.Sprint("payment ", i), 0)
	}
	rig.Offer(t, f.client, hangs, "order 4712", 0)
	rig.Offer(t, f.client, waits, "order 4713", 0)
	f.offerAsJava(t, time.Now())
	rdb := f.first.Client()
	for i := range 12 {
		if err := rdb.RPush(t.Context(), foreign.Key(), fmt.Sprint("no number ", i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rdb.Set(t.Context(), brokenSet, "no set", 0).Err(); err != nil {
		t.Fatal(err)
	}
	f.second.Pause()
	f.gone.stop()
}

// offerAsJava has a message in a queue that nobody serves, or gives it another due time.
func (f *fleet) offerAsJava(t *testing.T, due time.Time) {
	t.Helper()
	element := "\x07\x00\x00\x00\x00\x00\x00\x01\x0a\x00\x00\x00\x00\x00\x00\x00order 4714"
	rdb := f.first.Client()
	added, err := rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{OVERDUE}", redis.Z{Score: float64(due.UnixMilli()), Member: element}).Result()
	if err == nil && added == 1 {
		err = rdb.RPush(t.Context(), "redisson_delay_queue:{OVERDUE}", element).Err()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// happens has the faults that are events.
func (f *fleet) happens(t *testing.T) {
	t.Helper()
	f.stopped.loseLease(t, f.client)
	rig.Offer(t, f.client, dies, "order 4711", 0)
	if err := f.full.Client().ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Bind(f.refused, works).Offer(t.Context(), "order 4717", time.Hour); err == nil {
		t.Error("a full Redis takes an offer")
	}
}

// mend takes the faults away.
func (f *fleet) mend(t *testing.T) {
	t.Helper()
	f.broken.Store(false)
	close(f.release)
	if err := f.first.Client().Del(t.Context(), foreign.Key(), brokenSet).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.Bind(f.client, foreign).Offer(t.Context(), 4718, 0); err != nil {
		t.Error(err)
	}
	done := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	rig.Run(t, rig.Open(t, f.first.URL()), framework.Consume(waits, done), framework.Consume(overdue, done))
	f.gone.start(t)
	f.second.Resume()
}

const (
	brokenSet = "redisson_delay_queue_timeout:{BROKEN}" // the due times of broken

	dashboardFile = "../../examples/20-deploy/grafana/dashboard.json"
)

// prometheus reads the pages of the fleet, with the rules.
type prometheus struct{ *prom.Server }

func startPrometheus(t *testing.T, f *fleet) *prometheus {
	t.Helper()
	var targets []string
	for _, address := range f.targets {
		targets = append(targets, fmt.Sprintf("%q", address))
	}
	// The one whose Redis hangs answers after two seconds.
	config := fmt.Sprintf(`
global: {evaluation_interval: 500ms}
rule_files: [rules.yml]
scrape_configs:
  - {job_name: duequeue, scrape_interval: 1s, scrape_timeout: 1s, static_configs: [{targets: [%s]}]}
  - job_name: slow
    scrape_interval: 4s
    scrape_timeout: 4s
    static_configs: [{targets: [%q]}]
    relabel_configs: [{target_label: job, replacement: duequeue}]
`, strings.Join(targets, ", "), f.slow.address)
	return &prometheus{prom.Start(t, map[string]string{"prometheus.yml": config, "rules.yml": prom.Hurried(t)})}
}

// await waits with the names of the alerts that fire.
func (p *prometheus) await(t *testing.T, what string, missing func(firing []string) string) {
	t.Helper()
	lab.Wait(t, func() string {
		alerts, ok := p.Firing(t)
		if !ok {
			return what + ": Prometheus does not answer yet"
		}
		var firing []string
		for _, a := range alerts {
			firing = append(firing, a.Name())
		}
		if text := missing(firing); text != "" {
			return what + ": " + text
		}
		return ""
	})
}
