package deploy_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/handlers"
)

// envRedis makes the test binary a service that handles leased on this Redis.
const envRedis = "DUEQUEUE_TEST_DEPLOY_REDIS"

func TestMain(m *testing.M) {
	if url := os.Getenv(envRedis); url != "" {
		if err := serveLeased(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// processLease is the lease of that service.
const processLease = 2 * time.Second

// serveLeased handles until a signal comes: a first delivery until its context ends, others at
// once.
func serveLeased(url string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	page, meters, err := metrics.Handler()
	if err != nil {
		return err
	}
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: url}, Lease: processLease}, framework.WithMeterProvider(meters))
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(leased, handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		if d.Redelivered() {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}))})
	if err != nil {
		return err
	}
	if err := engine.Start(ctx); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: page, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	if _, err := fmt.Fprintln(os.Stdout, listener.Addr()); err != nil {
		return err
	}
	<-ctx.Done()
	_ = server.Close()
	return engine.Stop(context.WithoutCancel(ctx))
}

// process is such a service.
type process struct {
	address string
	cmd     *exec.Cmd
}

func startProcess(t *testing.T, url string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self)
	cmd.Env, cmd.Stderr = append(os.Environ(), envRedis+"="+url), t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the service ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the service did not start: %v", err)
	}
	return &process{address: strings.TrimSpace(line), cmd: cmd}
}

// loseLease stops the service while it holds a message, until another process has taken that
// back.
func (p *process) loseLease(t *testing.T, client *framework.Client) {
	t.Helper()
	await := func(what string, ok func(c framework.Counts) bool) {
		t.Helper()
		lab.Wait(t, func() string {
			if c := rig.Counts(t, client, leased); !ok(c) {
				return fmt.Sprintf("%s: %+v", what, c)
			}
			return ""
		})
	}
	rig.Offer(t, client, leased, "order 4715", 0)
	await("the message to be in flight", func(c framework.Counts) bool { return c.InFlight == 1 })
	if err := lab.Pause(p.cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	await("the message to be taken back", func(c framework.Counts) bool { return c.Ready == 1 })
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}
