package endtoend_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	otelmetric "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/fx"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// envService makes this test binary a service: an fx application that handles one
// queue until a signal stops it. Its value is a serviceSpec as JSON.
const envService = "DUEQUEUE_TEST_SERVICE"

// serviceSpec says what a service process does.
type serviceSpec struct {
	URL     string
	Queue   string
	Workers int
	Batch   int // size of batches; 0 is a handler of single messages
	Lease   time.Duration
	Stop    time.Duration // fx.StopTimeout
	Handler string        // name in serviceHandlers

	program string // this binary's path of another version; "" is this one
}

// serviceHandlers are what services may do with a message, by name.
var serviceHandlers = map[string]func(*redis.Client) handlers.Func[string]{
	"record": recordSlowly,
	"killer": recordOrDie,
}

// What services write down in their Redis.
const (
	startedKey  = "test:started"  // list of messages whose handler began
	finishedKey = "test:finished" // list of messages whose handler ended well
	readyKey    = "test:ready"    // list of processes that serve
	doubtfulKey = "test:doubtful" // possible duplicates that processes counted
	rejectedKey = "test:rejected" // list of messages whose handler was cancelled
)

// service is the process. It ends as fx does: by a signal, with the budget given.
func service(text string) {
	var spec serviceSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(2)
	}
	options, err := redis.ParseURL(spec.URL)
	if err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(2)
	}
	rdb := redis.NewClient(options)
	reader := metric.NewManualReader()
	queue := registry.Define[string](spec.Queue, "handled by services", registry.Codec(codecs.String()))
	ctx := context.Background()
	fx.New(
		fx.NopLogger, fx.StopTimeout(spec.Stop), framework.Module,
		fx.Supply(rig.AsUser(framework.Config{Redis: framework.RedisConfig{URL: spec.URL}, Lease: spec.Lease, Block: time.Second})),
		fx.Provide(func() otelmetric.MeterProvider { return metric.NewMeterProvider(metric.WithReader(reader)) }),
		fx.Supply(slog.New(slog.NewTextHandler(os.Stderr, nil))),
		// Appended before the engine's, so it runs after them.
		fx.Decorate(func(lc fx.Lifecycle, log *slog.Logger) *slog.Logger {
			lc.Append(fx.StopHook(func(ctx context.Context) error { return countDoubtful(ctx, rdb, reader) }))
			return log
		}),
		spec.register(queue, serviceHandlers[spec.Handler](rdb)),
		fx.Invoke(func(lc fx.Lifecycle, _ *framework.Engine) {
			lc.Append(fx.StartHook(func() error { return rdb.RPush(ctx, readyKey, os.Getpid()).Err() }))
		}),
	).Run()
}

// register makes the handler one of single messages or of batches, whose messages it
// gets one after the other.
func (spec *serviceSpec) register(q *registry.Queue[string], h handlers.Func[string]) fx.Option {
	if spec.Batch == 0 {
		return framework.HandleFunc(q, h.Handle, framework.Workers(spec.Workers))
	}
	return framework.HandleBatchFunc(q, func(ctx context.Context, ds []*handlers.Delivery[string]) error {
		errs := make([]error, len(ds))
		for i, d := range ds {
			errs[i] = h(ctx, d)
		}
		return handlers.PerItem(errs)
	}, framework.Workers(spec.Workers), framework.BatchSize(spec.Batch))
}

// countDoubtful adds what this process counted as possible duplicates.
func countDoubtful(ctx context.Context, rdb *redis.Client, reader *metric.ManualReader) error {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		return err
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok || m.Name != "messaging.redisson.possible_duplicate.messages" {
				continue
			}
			for _, point := range sum.DataPoints {
				reason, _ := point.Attributes.Value("messaging.redisson.reason")
				if err := rdb.HIncrBy(ctx, doubtfulKey, reason.AsString(), point.Value).Err(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// recordSlowly takes as long as the message says: "name 20ms". One that says "deaf" too
// does not listen to its context.
func recordSlowly(rdb *redis.Client) handlers.Func[string] {
	return func(ctx context.Context, d *handlers.Delivery[string]) error {
		var name, kind string
		var takes string
		if _, err := fmt.Sscan(d.Payload, &name, &takes); err != nil {
			return handlers.Reject("not a name and a duration", err)
		}
		_, _ = fmt.Sscan(d.Payload, &name, &takes, &kind)
		wait, err := time.ParseDuration(takes)
		if err != nil {
			return handlers.Reject("no duration", err)
		}
		detached := context.WithoutCancel(ctx)
		if err := rdb.RPush(detached, startedKey, d.Payload).Err(); err != nil {
			return err
		}
		listening := ctx.Done()
		if kind == "deaf" {
			listening = nil
		}
		select {
		case <-time.After(wait):
			return rdb.RPush(detached, finishedKey, d.Payload).Err()
		case <-listening:
			return errors.Join(context.Cause(ctx), rdb.RPush(detached, rejectedKey, d.Payload).Err())
		}
	}
}

// child is a running service.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
	how   error // of ended
	out   *rig.Output
}

// startService runs this binary, or that of another version, as a service. It does not wait until it serves.
func startService(t *testing.T, spec serviceSpec) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(cmp.Or(spec.program, self)), ended: make(chan struct{}), out: &rig.Output{Most: 32 << 10}}
	c.cmd.Env = append(os.Environ(), envService+"="+string(text))
	c.cmd.Stdout, c.cmd.Stderr = c.out, c.out
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		c.how = c.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // for a test that failed on the way
		if t.Failed() {
			t.Logf("process %d said at last:\n%s", c.cmd.Process.Pid, c.out)
		}
	})
	return c
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		t.Fatalf("signal %v to process %d: %v", s, c.pid(), err)
	}
}

// wait returns how the process ended.
func (c *child) wait(t *testing.T) error {
	t.Helper()
	lab.WaitFor(t, fmt.Sprintf("process %d runs on", c.pid()), func() bool {
		select {
		case <-c.ended:
			return true
		default:
			return false
		}
	})
	return c.how
}
