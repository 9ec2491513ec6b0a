package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

const (
	// envVictim makes this test binary a consumer of the queue on that Redis.
	envVictim   = "DUEQUEUE_TEST_VICTIM"
	victimQueue = "killed"
	victimLease = 2 * time.Second
	handledKey  = "handled" // list of what any process handled
)

// defineVictims declares the same queue in both processes.
func defineVictims() *registry.Queue[string] {
	return registry.Define[string](victimQueue, "its consumers are killed", registry.Codec(codecs.String()))
}

func victimConfig(url string) framework.Config {
	return framework.Config{Redis: framework.RedisConfig{URL: url}, Lease: victimLease, Block: time.Second}
}

// recording returns a handler that takes its time and then notes the message in Redis.
func recording(rdb *redis.Client) handlers.Handler[string] {
	return handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return rdb.RPush(ctx, handledKey, d.Payload).Err()
	})
}

// victim is the consumer process. It ends by being killed.
func victim(url string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := consumeUntil(ctx, url); err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		os.Exit(1)
	}
}

func consumeUntil(ctx context.Context, url string) error {
	options, err := redis.ParseURL(url)
	if err != nil {
		return err
	}
	rdb := redis.NewClient(options)
	defer func() { _ = rdb.Close() }()
	client, err := framework.Open(ctx, rig.AsUser(victimConfig(url)))
	if err != nil {
		return err
	}
	engine, err := framework.New(client, []framework.Consumer{framework.Consume(defineVictims(), recording(rdb), framework.Workers(4))})
	if err != nil {
		return err
	}
	if err := engine.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), rig.StopTimeout)
	defer cancel()
	return errors.Join(engine.Stop(stopping), client.Close())
}

// TestKilledConsumersLoseNothing: kill -9 hits the only consumer twice in the middle
// of its work; the next one handles the rest.
func TestKilledConsumersLoseNothing(t *testing.T) {
	t.Parallel()
	const messages, kills = 500, 2
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	client := rig.OpenConfig(t, victimConfig(srv.URL()))
	queue := defineVictims()
	for i := range messages {
		rig.Offer(t, client, queue, fmt.Sprint(i), time.Duration(i%100)*10*time.Millisecond)
	}
	handled := func() int64 { return rdb.LLen(t.Context(), handledKey).Val() }

	for kill := range kills {
		before := handled()
		process := startVictim(t, srv.URL())
		lab.Wait(t, func() string {
			if n := handled(); n < before+messages/5 {
				return fmt.Sprintf("consumer %d handled %d", kill+1, n-before)
			}
			return ""
		})
		if err := process.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		_ = process.Wait() // "signal: killed"
	}

	rig.Run(t, client, framework.Consume(queue, recording(rdb)))
	var distinct []string
	lab.Wait(t, func() string {
		distinct = rdb.LRange(t.Context(), handledKey, 0, -1).Val()
		slices.Sort(distinct)
		distinct = slices.Compact(distinct)
		if len(distinct) < messages {
			return fmt.Sprintf("%d of %d handled; %s", len(distinct), messages, rig.Standing(t, client, queue))
		}
		return ""
	})
	lab.Wait(t, func() string {
		if c := rig.Counts(t, client, queue); c.Ready+c.Delayed+c.Dead != 0 {
			return fmt.Sprintf("left over: %+v", c)
		}
		return ""
	})
	t.Logf("report: %d kills among %d messages: nothing lost, %d handled twice", kills, messages, handled()-messages)
}

func startVictim(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envVictim+"="+url)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // for a test that failed on the way
	return cmd
}
