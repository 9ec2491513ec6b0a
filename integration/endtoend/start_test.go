package endtoend_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// as reports whether err is, or wraps, an error of type E.
func as[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

// TestWrongConfigurationsDoNotStart: each is refused by a typed error that names what
// is wrong; none falls back to anything.
func TestWrongConfigurationsDoNotStart(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t, lab.Password("right"))
	redis := func(c framework.RedisConfig) framework.Config { return framework.Config{Redis: c} }
	tests := []struct {
		name   string
		config framework.Config
		is     func(error) bool
		says   string
	}{
		{"nothing configured", framework.Config{}, as[fault.ConfigErrors], "no Redis is configured"},
		{"no server there", redis(framework.RedisConfig{URL: "redis://" + closedPort(t)}), as[*fault.UnreachableError], "127.0.0.1"},
		{"wrong password", redis(framework.RedisConfig{URL: "redis://:wrong@" + srv.Addr()}), as[*fault.RefusedError], "password"},
		{"no password", redis(framework.RedisConfig{Addrs: []string{srv.Addr()}}), as[*fault.RefusedError], "password"},
		{"not a URL", redis(framework.RedisConfig{URL: "localhost:6379"}), as[fault.ConfigErrors], "redis://"},
		{"a URL and addresses", redis(framework.RedisConfig{URL: srv.URL(), Addrs: []string{srv.Addr()}}), as[fault.ConfigErrors], "addrs"},
		{"cluster that is none", redis(framework.RedisConfig{URL: srv.URL(), Mode: framework.ModeCluster}), as[*fault.RefusedError], "cluster"},
		{"embedded without the module", redis(framework.RedisConfig{URL: framework.EmbeddedURL}), as[fault.ConfigErrors], "embedded"},
		{"lease shorter than block", framework.Config{
			Redis: framework.RedisConfig{URL: srv.URL()}, Lease: 2 * time.Second, Block: 5 * time.Second,
		}, as[fault.ConfigErrors], "lease"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, err := framework.Open(t.Context(), tt.config)
			if err == nil {
				t.Fatal("Open succeeded", client.Close())
			}
			if !tt.is(err) {
				t.Errorf("error of type %T: %v", err, err)
			}
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.says)) {
				t.Errorf("error does not say %q: %v", tt.says, err)
			}
			if strings.Contains(err.Error(), "wrong@") || strings.Contains(err.Error(), "right") {
				t.Errorf("error shows a password: %v", err)
			}
		})
	}
}

func TestWrongFileDoesNotLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "duequeue.yaml")
	if err := os.WriteFile(file, []byte("redis:\n  url: redis://localhost\n  urll: x\nlease: fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := framework.LoadConfig(file)
	if !as[fault.ConfigErrors](err) {
		t.Fatalf("error of type %T: %v", err, err)
	}
	for _, says := range []string{"duequeue.yaml:3", "urll", "duequeue.yaml:4", "lease"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("error does not say %q: %v", says, err)
		}
	}
}

// TestWrongDeclarationsDoNotStart: all mistakes together, each with its place.
func TestWrongDeclarationsDoNotStart(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	client := rig.Open(t, srv.URL())
	if _, err := framework.New(client, nil); !errors.Is(err, fault.ErrNoConsumers) {
		t.Errorf("no consumers: %v", err)
	}

	ok := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	twice := define(t, "_twice")
	again := define(t, "_twice")
	empty := registry.Define[string]("", "no code", registry.Codec(codecs.String()))
	_, err := framework.New(client, []framework.Consumer{
		framework.Consume(twice, ok), framework.Consume(again, ok), framework.Consume(empty, ok),
		framework.Consume(define(t, "_options"), ok, framework.Workers(-1)),
		framework.Consume[string](define(t, "_nil"), nil),
	})
	if err == nil {
		t.Fatal("New took all mistakes")
	}
	for _, says := range []string{twice.Code(), "Workers(-1)", "handler is nil", "main_test.go:", "start_test.go:"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("error does not say %q:\n%v", says, err)
		}
	}
	if !as[*registry.DuplicateCodeError](err) || !as[*registry.NameError](err) {
		t.Errorf("the duplicate code and the empty one are not told by type:\n%v", err)
	}
}

// TestSplitNamesOnlyMatterOnACluster: a name whose keys fall into different slots is
// an error on a cluster, and works elsewhere.
func TestSplitNamesOnlyMatterOnACluster(t *testing.T) {
	t.Parallel()
	queue := define(t, "_a}b")
	var collector rig.Collector[string]
	single := rig.Open(t, lab.StartRedis(t).URL())
	rig.Run(t, single, framework.Consume(queue, &collector))
	rig.Offer(t, single, queue, "m", 0)
	collector.Await(t, 1)

	cluster := lab.StartCluster(t)
	client := rig.OpenConfig(t, framework.Config{Redis: framework.RedisConfig{Addrs: cluster.Addrs()}})
	_, err := framework.New(client, []framework.Consumer{framework.Consume(queue, &collector)})
	if !as[*fault.SlotWarning](err) || !strings.Contains(err.Error(), queue.Code()) {
		t.Errorf("New on a cluster: %v", err)
	}
}

// closedPort is an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
