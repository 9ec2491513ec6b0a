package oncall_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// envService makes this test binary a service. Its value is a spec as JSON; which Redis it uses
// stands in the environment, as for the command line.
const envService = "DUEQUEUE_TEST_ONCALL"

func TestMain(m *testing.M) {
	if text := os.Getenv(envService); text != "" {
		if err := service(text); err != nil {
			fmt.Fprintln(os.Stderr, "service:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// spec is what a service does.
type spec struct {
	Does       string   // a word of works
	Queues     []string // those of the scene by default
	Codec      string   // by name, string by default
	Workers    int      // 2 by default
	Rate       float64  // messages a second, no limit by default
	Partitions int
	Needs      string // address of what handlers call
	Offers     bool   // it offers, too, again and again
	Database   string // SQLite with an outbox, into which it writes
	Relays     bool   // it sends the rows of the outbox, and writes none
	Lease      time.Duration

	meters  metric.MeterProvider
	Metrics string // address of its metrics
}

// works are what handlers do.
var works = map[string]func(s *spec) handlers.Func[string]{
	"handles": func(*spec) handlers.Func[string] {
		return func(context.Context, *handlers.Delivery[string]) error { return nil }
	},
	"takes long": func(*spec) handlers.Func[string] {
		return func(ctx context.Context, _ *handlers.Delivery[string]) error {
			<-ctx.Done()
			return ctx.Err()
		}
	},
	"hangs": func(*spec) handlers.Func[string] {
		return func(context.Context, *handlers.Delivery[string]) error { select {} }
	},
	"calls": func(s *spec) handlers.Func[string] {
		return func(ctx context.Context, _ *handlers.Delivery[string]) error {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Needs)
			if err != nil {
				return err
			}
			return conn.Close()
		}
	},
	"rejects": func(*spec) handlers.Func[string] {
		return func(_ context.Context, d *handlers.Delivery[string]) error {
			if strings.HasPrefix(d.Payload, "refund") {
				return handlers.Reject("no such refund: " + d.Payload)
			}
			return handlers.Reject("the order has no address: " + d.Payload)
		}
	},
	"dies": func(*spec) handlers.Func[string] {
		return func(context.Context, *handlers.Delivery[string]) error {
			os.Exit(9)
			return nil
		}
	},
}

// policies are what queues of such services declare.
var policies = map[string][]registry.Option{
	"hangs": {registry.Timeout(200 * time.Millisecond), registry.Grace(50 * time.Millisecond)},
	"calls": {registry.MaxAttempts(registry.Unlimited), registry.Backoff(registry.Steps(200 * time.Millisecond))},
}

// servesOn stands before the address of a service's metrics, when it serves.
const servesOn = "serves on"

// stopWithin bounds the stop of a service whose handlers hang.
const stopWithin = 2 * time.Second

// service handles until a signal comes.
func service(text string) error {
	s := spec{}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	page, meters, err := metrics.Handler()
	if err != nil {
		return err
	}
	cfg, err := framework.LoadConfig("")
	if err != nil {
		return err
	}
	s.meters = meters
	otel.SetMeterProvider(meters) // for offers to the outbox
	client, err := framework.Open(ctx, cfg, framework.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	consumers, err := s.consumers()
	if err != nil {
		return err
	}
	engine, err := framework.New(client, consumers)
	if err != nil {
		return err
	}
	if err = engine.Start(ctx); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Metrics)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: page, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	if s.Database != "" {
		end, err := s.outbox(ctx, client)
		if err != nil {
			return err
		}
		defer end()
	}
	if s.Offers {
		go s.offer(ctx, client)
	}
	fmt.Fprintln(os.Stdout, servesOn, listener.Addr())
	<-ctx.Done()
	_ = server.Close()
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return engine.Stop(within)
}

func (s *spec) consumers() (all []framework.Consumer, err error) {
	codec, err := catalog.Find(cmp.Or(s.Codec, "string"))
	if err != nil {
		return nil, err
	}
	opts := append([]registry.Option{registry.Codec(codec)}, policies[s.Does]...)
	if s.Partitions > 0 {
		opts = append(opts, registry.Partitions(s.Partitions))
	}
	consume := []framework.ConsumeOption{framework.Workers(cmp.Or(s.Workers, 2))}
	if s.Rate > 0 {
		consume = append(consume, framework.RateLimit(s.Rate, 1))
	}
	for _, name := range s.Queues {
		all = append(all, framework.Consume(registry.Define[string](name, "", opts...), works[s.Does](s), consume...))
	}
	return all, nil
}

// offer offers to the first queue until ctx ends. What fails is in the metrics.
func (s *spec) offer(ctx context.Context, client *framework.Client) {
	q := framework.Bind(client, registry.Define[string](s.Queues[0], "", registry.Codec(codecs.String())))
	for tick := time.NewTicker(200 * time.Millisecond); ctx.Err() == nil; <-tick.C {
		_, _ = q.Offer(ctx, "order", time.Hour)
	}
}

// outbox writes rows into an outbox, or sends them, until ctx ends; end waits for that.
func (s *spec) outbox(ctx context.Context, client *framework.Client) (end func(), err error) {
	db, err := sql.Open("sqlite", s.Database)
	if err != nil {
		return nil, err
	}
	box, err := outbox.New(sqldb.SQLite)
	if err != nil {
		return nil, err
	}
	q := registry.Define[string](s.Queues[0], "", registry.Codec(codecs.String()))
	if !s.Relays {
		var writing sync.WaitGroup
		writing.Go(func() {
			for tick := time.NewTicker(200 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				if err := write(ctx, db, box, q); err != nil && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, "outbox:", err)
				}
			}
		})
		return func() { writing.Wait(); _ = db.Close() }, nil
	}
	relay, err := outbox.NewRelay(client, db, box, []outbox.Queue{outbox.For(q)}, outbox.Poll(50*time.Millisecond), outbox.Meters(s.meters))
	if err == nil {
		err = relay.Start(ctx)
	}
	return func() {
		_ = relay.Stop(context.WithoutCancel(ctx))
		_ = db.Close()
	}, err
}

// write has an order in a transaction of its own.
func write(ctx context.Context, db *sql.DB, box *outbox.Box, q *registry.Queue[string]) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err = outbox.Offer(ctx, box.In(tx), q, "order", 0); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// program is a process of a scene.
type program struct {
	*lab.Process

	said *rig.Output
}

// serve runs a service whose metrics Prometheus reads, and returns when it serves.
func (s *scene) serve(does string, change ...func(*spec)) *program {
	s.t.Helper()
	p := s.launch(does, change...)
	s.scrape(p.await(s.t, servesOn))
	return p
}

// launch runs a service.
func (s *scene) launch(does string, change ...func(*spec)) *program {
	s.t.Helper()
	it := spec{Does: does, Queues: []string{s.queue}, Metrics: "127.0.0.1:0"}
	for _, f := range change {
		f(&it)
	}
	text, err := json.Marshal(it)
	if err != nil {
		s.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.start(exec.Command(self), envService+"="+string(text), "DUEQUEUE_LEASE="+cmp.Or(it.Lease, lease).String()) //nolint:noctx // lab ends it
}

// await waits until the program says a word, and returns the rest of that line.
func (p *program) await(t *testing.T, word string) (rest string) {
	t.Helper()
	lab.Wait(t, func() string {
		for line := range strings.Lines(p.said.String()) {
			if _, behind, ok := strings.Cut(line, word); ok && strings.HasSuffix(line, "\n") {
				rest = strings.TrimSpace(behind)
				return ""
			}
		}
		if !p.Running() {
			t.Fatalf("the program ended before it said %q:\n%s", word, p.said)
		}
		return "the program has not said " + word
	})
	return rest
}

// start runs a program in the environment of the scene until the test ends.
func (s *scene) start(cmd *exec.Cmd, env ...string) *program {
	s.t.Helper()
	p := &program{said: &rig.Output{Most: 8 << 10}}
	cmd.Env, cmd.Stdout, cmd.Stderr = append(s.environ(), env...), p.said, p.said
	var err error
	if p.Process, err = lab.StartProcess(cmd); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("%s said:\n%s", cmd.Args, p.said)
		}
	})
	return p
}

// stop ends a service in good order, as a deploy does.
func (s *scene) stop(p *program) {
	s.t.Helper()
	if err := p.Stop(); err != nil {
		s.t.Fatal(err)
	}
}

// kill ends one as the kernel does that is out of memory.
func (s *scene) kill(p *program) {
	s.t.Helper()
	if err := p.Kill(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) freeAddress() string {
	s.t.Helper()
	port, err := lab.FreePort()
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}
