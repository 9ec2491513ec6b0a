package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// envRole makes this binary play one part of a row; its value is a role as JSON.
const envRole = "DUEQUEUE_TEST_CHAOS_ROLE"

// TestMain lets this binary play the roles of the processes that the rows harm.
func TestMain(m *testing.M) {
	if text := os.Getenv(envRole); text != "" {
		if err := play(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// role is what a process does.
type role struct {
	Kind       string // a key of parts
	Name       string // in the ledger
	Codec      string // "kryo5", or "" for texts as they are
	Seed       uint64
	Partitions int // of the queue; 0: it is declared without

	Redis     framework.RedisConfig
	Ledger    string // host:port
	LedgerKey string

	Lease   time.Duration
	Workers int
	Work    time.Duration // the longest that a handler takes
	Fail    int           // one in so many messages fails at its first attempt; 0: none
	Batch   int           // messages that a batch has at most; 0: they are handled one by one
	FX      bool          // consume inside an fx application

	Every    time.Duration // mean pause between offers
	MaxDelay time.Duration
	Await    int // replicas that offers wait for
}

// parts are the kinds of roles.
var parts = map[string]func(ctx context.Context, r *role, l *ledger) error{
	"consume":       consume,
	"transfer":      transfer,
	"produce":       produce,
	"blpop":         consumeBLPOP,
	"asynq-consume": consumeAsynq,
	"asynq-produce": produceAsynq,
}

// play runs the role of this process until SIGTERM, or until its standard input ends,
// which is when whoever started it is gone.
func play(text string) error {
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return fmt.Errorf("role: %w", err)
	}
	part := parts[r.Kind]
	if part == nil {
		return fmt.Errorf("no role called %q", r.Kind)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is all that matters
		os.Exit(3)
	}()
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	l := openLedger(r.Ledger, r.LedgerKey, r.Name)
	defer l.close()
	if err := l.note(ctx, noteClock, "-", number(time.Now().UnixMilli())); err != nil {
		return err
	}
	return part(ctx, &r, l)
}

// command is the process that plays the role.
func (r *role) command() (*exec.Cmd, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), envRole+"="+string(text))
	return cmd, nil
}

const queueName = "chaos"

// queue declares the queue as all roles do. Its payloads are texts that begin with the
// message's id; Java writes the same with its StringCodec.
func (r *role) queue() *registry.Queue[string] {
	codec := codecs.String()
	if r.Codec == "kryo5" {
		codec = kryo5.New()
	}
	opts := []registry.Option{registry.Codec(codec), registry.Backoff(registry.Exponential(200*time.Millisecond, time.Second))}
	if r.Partitions > 0 {
		opts = append(opts, registry.Partitions(r.Partitions))
	}
	return registry.Define[string](queueName, "its processes and servers are harmed on purpose", opts...)
}

func (r *role) config() framework.Config {
	to := r.Redis
	to.ReadTimeout = r.Lease / 2 // as short as the lease is, which is a tenth of the default
	return framework.Config{Redis: to, Lease: r.Lease, Block: time.Second, StartRetryFor: 30 * time.Second}
}

func (r *role) random() *rand.Rand { return rand.New(rand.NewPCG(r.Seed, hash(r.Name))) }

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum64()
}

// idOf is the id that a payload begins with, or as much of another payload as the
// ledger can show.
func idOf(payload string) string {
	id, _, _ := strings.Cut(payload, " ")
	return strings.Map(func(c rune) rune {
		if c > ' ' && c < 0x7f {
			return c
		}
		return '?'
	}, id[:min(len(id), 60)])
}

// killer begins the id of a message whose handler ends the process.
const killer = "killer"

var errOnPurpose = errors.New("this message fails at its first attempt")

// handle does the work of some messages, with its notes, and returns the result of each. The
// effect counts as done when the second note stands.
func (r *role) handle(ctx context.Context, l *ledger, ids []string, attempts, died []int) []error {
	errs := make([]error, len(ids))
	all := func(err error) []error { return slices.Repeat([]error{err}, len(ids)) }
	deaths := make([]string, len(ids))
	for i := range ids {
		deaths[i] = number(died[i])
	}
	if err := l.noteAll(ctx, noteStarted, ids, deaths); err != nil {
		return all(err)
	}
	if slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, killer) }) {
		os.Exit(9)
	}
	texts := make([]string, len(ids))
	select {
	case <-time.After(time.Duration(hash("work "+ids[0]) % uint64(r.Work+1))):
	case <-ctx.Done():
		return all(errors.Join(context.Cause(ctx), l.noteAll(context.WithoutCancel(ctx), noteFailed, ids, texts)))
	}
	var done, failed []string
	for i, id := range ids {
		if r.Fail > 0 && attempts[i] == 1 && hash(id)%uint64(r.Fail) == 0 {
			errs[i], failed = errOnPurpose, append(failed, id)
		} else {
			done = append(done, id)
		}
	}
	if err := errors.Join(l.noteAll(ctx, noteFinished, done, texts), l.noteAll(ctx, noteFailed, failed, texts)); err != nil {
		return all(err)
	}
	return errs
}

// one is handle for one message of another consumer, which counts no deaths.
func (r *role) one(ctx context.Context, l *ledger, payload string) error {
	return r.handle(ctx, l, []string{idOf(payload)}, []int{2}, []int{0})[0] // none fails on purpose
}

func (r *role) deliver(ctx context.Context, l *ledger, ds []*handlers.Delivery[string]) []error {
	ids, attempts, died := make([]string, len(ds)), make([]int, len(ds)), make([]int, len(ds))
	for i, d := range ds {
		ids[i], attempts[i], died[i] = idOf(d.Payload), d.Attempt(), d.Message().Died
	}
	return r.handle(ctx, l, ids, attempts, died)
}

// batchWait is how long the batches of consumers in fx wait for more messages; those of
// the others do not wait.
const batchWait = 20 * time.Millisecond

// consume runs an engine that handles the queue, one by one or in batches.
func consume(ctx context.Context, r *role, l *ledger) error {
	single := func(ctx context.Context, d *handlers.Delivery[string]) error {
		return r.deliver(ctx, l, []*handlers.Delivery[string]{d})[0]
	}
	batch := func(ctx context.Context, ds []*handlers.Delivery[string]) error {
		return handlers.PerItem(r.deliver(ctx, l, ds))
	}
	var handles fx.Option
	var consumer framework.Consumer
	if r.Batch > 0 {
		handles = framework.HandleBatchFunc(r.queue(), batch, framework.Workers(r.Workers), framework.BatchSize(r.Batch), framework.BatchWait(batchWait))
		consumer = framework.ConsumeBatch(r.queue(), handlers.BatchFunc[string](batch), framework.Workers(r.Workers), framework.BatchSize(r.Batch))
	} else {
		handles = framework.HandleFunc(r.queue(), single, framework.Workers(r.Workers))
		consumer = framework.Consume(r.queue(), handlers.Func[string](single), framework.Workers(r.Workers))
	}
	if r.FX {
		return insist(ctx, func() (stopper, error) { return r.startApp(ctx, handles) })
	}
	return insist(ctx, func() (stopper, error) { return r.startEngine(ctx, consumer) })
}

// transfer runs an engine that only transfers.
func transfer(ctx context.Context, r *role, _ *ledger) error {
	return insist(ctx, func() (stopper, error) { return r.startEngine(ctx, framework.TransferOnly(r.queue())) })
}

const (
	stopTimeout = 8 * time.Second
	startPause  = 200 * time.Millisecond // before a start that failed is tried again
)

// stopper ends what was started.
type stopper func(ctx context.Context) error

// insist starts, again and again as a supervisor of services would, waits for ctx and
// stops.
func insist(ctx context.Context, start func() (stopper, error)) error {
	for {
		stop, err := start()
		if err == nil {
			<-ctx.Done()
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return stop(stopping)
		}
		fmt.Fprintln(os.Stderr, "start:", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startPause):
		}
	}
}

func (r *role) startEngine(ctx context.Context, consumer framework.Consumer) (stopper, error) {
	client, err := framework.Open(ctx, r.config())
	if err != nil {
		return nil, err
	}
	engine, err := framework.New(client, []framework.Consumer{consumer})
	if err == nil {
		err = engine.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return func(ctx context.Context) error { return errors.Join(engine.Stop(ctx), client.Close()) }, nil
}

func (r *role) startApp(ctx context.Context, handles fx.Option) (stopper, error) {
	app := fx.New(framework.Module, fx.Supply(r.config()), fx.StartTimeout(time.Minute), handles,
		fx.WithLogger(func() fxevent.Logger { return fxevent.NopLogger }))
	if err := app.Start(ctx); err != nil {
		return nil, err
	}
	return app.Stop, nil
}

// consumeBLPOP is the plainest consumer there is, and what Redisson's take() does on
// the wire: pop, then work.
func consumeBLPOP(ctx context.Context, r *role, l *ledger) error {
	options, err := redis.ParseURL(r.Redis.URL)
	if err != nil {
		return err
	}
	rdb := redis.NewClient(options)
	defer func() { _ = rdb.Close() }() // nothing more to send
	var running sync.WaitGroup
	for range r.Workers {
		running.Go(func() {
			for ctx.Err() == nil {
				got, err := rdb.BLPop(context.WithoutCancel(ctx), time.Second, queueName).Result()
				if err == nil {
					_ = r.one(context.WithoutCancel(ctx), l, got[1]) // what fails is gone
				}
			}
		})
	}
	running.Wait()
	return nil
}

const asynqType = "chaos"

// consumeAsynq is asynq's server with its defaults.
func consumeAsynq(ctx context.Context, r *role, l *ledger) error {
	to, err := asynq.ParseRedisURI(r.Redis.URL)
	if err != nil {
		return err
	}
	srv := asynq.NewServer(to, asynq.Config{Concurrency: r.Workers, LogLevel: asynq.FatalLevel})
	err = srv.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error { return r.one(ctx, l, string(t.Payload())) }))
	if err != nil {
		return err
	}
	<-ctx.Done()
	srv.Shutdown()
	return nil
}

func produceAsynq(ctx context.Context, r *role, l *ledger) error {
	to, err := asynq.ParseRedisURI(r.Redis.URL)
	if err != nil {
		return err
	}
	client := asynq.NewClient(to)
	defer func() { _ = client.Close() }() // nothing more to send
	p := &producer{role: r, book: l, random: r.random()}
	return p.forever(ctx, func(ctx context.Context) error {
		id, value := p.next()
		delay := p.delay()
		if err := l.note(ctx, noteOffering, id, millis(delay)); err != nil {
			return err
		}
		// Named tasks: an offer that was sent twice is found out.
		_, err := client.EnqueueContext(ctx, asynq.NewTask(asynqType, []byte(value)), asynq.ProcessIn(delay), asynq.TaskID(id))
		if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
			return l.note(ctx, noteUnknown, id, err.Error())
		}
		return l.note(ctx, noteAccepted, id, "")
	})
}
