package interop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// envSoakProcess makes this test binary one of the Go processes of a soak: a
// soakOrder in JSON.
const envSoakProcess = "DUEQUEUE_TEST_SOAK"

// Lines between the test and its processes, beside events in JSON.
const (
	soakReady = "ready" // the process runs
	soakGo    = "go"    // begin
	soakQuiet = "quiet" // its operations are over, its handlers are not
)

// soakRejectedKey is the set of messages that a handler rejected already.
const soakRejectedKey = "soak:rejected"

type soakOrder struct {
	Name string
	Plan soakPlan
}

// TestMain becomes another program when the soak starts this binary again.
func TestMain(m *testing.M) {
	if order := os.Getenv(envSoakProcess); order != "" {
		if err := soakMain(order); err != nil {
			fmt.Fprintln(os.Stderr, "soak:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// defineSoakQueues declares the queues alike in all processes.
func defineSoakQueues() []*registry.Queue[string] {
	out := make([]*registry.Queue[string], len(soakQueues))
	for i, q := range soakQueues {
		out[i] = registry.Define[string](q.Name, "soaked", registry.Codec(codecs.String()), registry.View(q.View),
			registry.MaxAttempts(20), registry.Backoff(registry.Steps(30*time.Millisecond, 200*time.Millisecond)))
	}
	return out
}

// soakMain is a Go process: it handles all queues, does operations for the time of the
// plan, and goes on handling until its input ends.
func soakMain(text string) error {
	var order soakOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	var mu sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	emit := func(e soakEvent) {
		mu.Lock()
		defer mu.Unlock()
		_ = errors.Join(lines.Encode(e), out.Flush()) // without its reader it ends soon
	}
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintln(out, line)
		_ = out.Flush()
	}

	ctx := context.Background()
	client, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: order.Plan.URL}, Block: time.Second},
		framework.WithLogger(slog.New(slog.DiscardHandler))) // failing handlers would fill pages; the ledger tells what is wrong
	if err != nil {
		return err
	}
	options, err := redis.ParseURL(order.Plan.URL)
	if err != nil {
		return err
	}
	rdb := redis.NewClient(options)
	p := &soakRunner{name: order.Name, client: client, rdb: rdb, queues: defineSoakQueues(), emit: emit}
	if err := p.start(ctx); err != nil {
		return err
	}
	say(soakReady)
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	p.work(ctx, order.Plan)
	say(soakQuiet)
	_, _ = io.Copy(io.Discard, in)
	return errors.Join(p.failed, p.stop(ctx), client.Close(), rdb.Close())
}

// soakRunner is the consuming side of a Go process.
type soakRunner struct {
	name   string
	client *framework.Client
	rdb    *redis.Client
	queues []*registry.Queue[string]
	emit   func(soakEvent)
	engine *framework.Engine
	failed error
}

func (p *soakRunner) start(ctx context.Context) (err error) {
	var consumers []framework.Consumer
	for i, q := range p.queues {
		workers := 3
		if soakQueues[i].Slow {
			workers = 1
		}
		consumers = append(consumers, framework.Consume(q, p.handler(soakQueues[i]), framework.Workers(workers)))
	}
	if p.engine, err = framework.New(p.client, consumers); err != nil {
		return err
	}
	return p.engine.Start(ctx)
}

func (p *soakRunner) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rig.StopTimeout)
	defer cancel()
	return p.engine.Stop(ctx)
}

// work lets two workers do operations, and restarts the engine twice meanwhile.
func (p *soakRunner) work(ctx context.Context, plan soakPlan) {
	var working sync.WaitGroup
	for _, suffix := range []string{"a", "b"} {
		w := &soakGoWorker{
			soakWorker: soakWorker{
				soakRandom: newSoakRandom(plan.Seed, p.name+suffix), who: p.name + suffix, plan: plan, emit: p.emit, made: map[string]int{},
			},
			client: p.client, queues: p.queues,
		}
		working.Go(func() { w.pace(ctx, w.one) })
	}
	for range 2 {
		restart := time.NewTimer(plan.Duration / 3)
		<-restart.C
		if err := errors.Join(p.stop(ctx), p.start(ctx)); err != nil {
			p.failed = errors.Join(p.failed, fmt.Errorf("restart of the engine: %w", err))
		}
	}
	working.Wait()
}

// handler does with a message what its name says.
func (p *soakRunner) handler(q soakQueue) handlers.Handler[string] {
	return handlers.Func[string](func(ctx context.Context, d *handlers.Delivery[string]) error {
		e := soakEvent{Who: p.name, Queue: q.Name, Payload: d.Payload, Op: soakHandled, From: time.Now().UnixMicro()}
		takes := time.Duration(len(d.Payload)%4) * time.Millisecond
		if q.Slow {
			takes += 20 * time.Millisecond
		}
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		var result error
		switch kind := d.Payload[strings.LastIndexByte(d.Payload, '.')+1:]; {
		case kind == "fails-once" && d.Attempt() < 2, kind == "fails-twice" && d.Attempt() < 3:
			e.Op, result = soakFailed, handlers.Retry(errors.New("not yet"))
		case kind == "dies":
			first, err := p.rdb.SAdd(context.WithoutCancel(ctx), soakRejectedKey, d.Payload).Result()
			if err != nil {
				return err
			}
			if first == 1 {
				e.Op, result = soakRejected, handlers.Reject("as its name says")
			}
		}
		e.To = time.Now().UnixMicro()
		p.emit(e)
		return result
	})
}

// soakProcess is such a process as the test sees it.
type soakProcess struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
	ended chan error
}

func startSoakProcess(t *testing.T, plan soakPlan, number int, add func(soakEvent)) *soakProcess {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &soakProcess{name: fmt.Sprintf("go%d", number), lines: make(chan string, 8), ended: make(chan error, 1)}
	order, err := json.Marshal(soakOrder{Name: p.name, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(self)
	p.cmd.Env = append(os.Environ(), envSoakProcess+"="+string(order))
	p.cmd.Stderr = t.Output()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // for a test that failed on the way
	go func() { p.ended <- errors.Join(p.read(stdout, add), p.cmd.Wait()) }()
	return p
}

// read takes events and passes other lines on.
func (p *soakProcess) read(stdout io.Reader, add func(soakEvent)) error {
	in := bufio.NewReaderSize(stdout, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil //nolint:nilerr // its end, which Wait tells of
		}
		if !strings.HasPrefix(line, "{") {
			p.lines <- strings.TrimSpace(line)
			continue
		}
		var e soakEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return fmt.Errorf("%s said %q: %w", p.name, line, err)
		}
		add(e)
	}
}

func (p *soakProcess) awaitLine(t *testing.T, want string, limit time.Duration) {
	t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line := <-p.lines:
		if line != want {
			t.Fatalf("%s said %q, want %q", p.name, line, want)
		}
	case err := <-p.ended:
		t.Fatalf("%s ended: %v", p.name, err)
	case <-timer.C:
		t.Fatalf("%s has not said %q within %v", p.name, want, limit)
	}
}

func (p *soakProcess) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		t.Fatal(err)
	}
}

// stop ends the process in good order.
func (p *soakProcess) stop(t *testing.T) {
	t.Helper()
	_ = p.stdin.Close() // what ends it; fails only when it is gone
	timer := time.NewTimer(rig.StopTimeout + 10*time.Second)
	defer timer.Stop()
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	case <-timer.C:
		t.Errorf("%s does not end", p.name)
	}
}
