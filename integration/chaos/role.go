package main

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
	"strings"
	"syscall"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// envRole makes this binary play one part of a row; its value is a role as JSON.
const envRole = "DUEQUEUE_TEST_CHAOS_ROLE"

// role is what a process does.
type role struct {
	Kind  string // a key of parts
	Name  string // in the ledger
	Queue string
	Codec string // "kryo5", or "" for texts as they are
	Seed  uint64

	Partitions int // of the queue; 0: it is declared without

	Redis     framework.RedisConfig
	Ledger    string // host:port
	LedgerKey string

	Lease     time.Duration
	Workers   int
	Work      time.Duration // the longest that a handler takes
	WorkLeast time.Duration // the shortest
	Engines   int           // of a process that consumes one by one; 0: one
	Queues    int           // more queues than one: this one and those beside it, see queueOf
	Fail      int           // one in so many messages fails at its first attempt; 0: none
	Batch     int           // messages that a batch has at most; 0: they are handled one by one
	Spoil     int           // one in so many messages spoils its whole batch, alone it is handled; 0: none
	FX        bool          // consume inside an fx application

	Binary string        // that plays it; "": this one
	Clock  time.Duration // how wrong its clock is, see fault.BuildSkewed

	Every    time.Duration // mean pause between offers
	MaxDelay time.Duration
	Await    int  // replicas that offers wait for
	Distinct bool // no payload is equal to another
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
	if err := l.note(ctx, noteClock, "-", number(nowMs())); err != nil {
		return err
	}
	return part(ctx, &r, l)
}

// command is the process that plays the role.
func (r *role) command() (*exec.Cmd, error) {
	binary, err := r.Binary, error(nil)
	if binary == "" {
		binary, err = os.Executable()
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), envRole+"="+string(text))
	if r.Clock != 0 {
		cmd.Env = append(cmd.Env, fault.GoSkew(r.Clock))
	}
	return cmd, nil
}

// queue declares the queue as all roles do. Its payloads are texts that begin with the
// message's id; Java writes the same with its StringCodec.
func (r *role) queue() *registry.Queue[string] { return r.queueOf(0) }

// slowWork is the longest that a handler of the first of many queues takes.
const slowWork = 1500 * time.Millisecond

// queueOf is one of many queues.
func (r *role) queueOf(i int) *registry.Queue[string] {
	name := r.Queue
	if i > 0 {
		name = fmt.Sprintf("%s-%d", r.Queue, i)
	}
	codec := codecs.String()
	if r.Codec == "kryo5" {
		codec = kryo5.New()
	}
	opts := []registry.Option{registry.Codec(codec), registry.Backoff(registry.Exponential(200*time.Millisecond, time.Second))}
	if r.Partitions > 0 {
		opts = append(opts, registry.Partitions(r.Partitions))
	}
	return registry.Define[string](name, "its processes and servers are harmed on purpose", opts...)
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

// noteOf is how the ledger knows a message: by the id that its payload begins with, and
// equal ones by their ID.
func noteOf(d *handlers.Delivery[string]) string {
	id := idOf(d.Payload)
	if strings.HasPrefix(id, "=") {
		id += "/" + d.ID()
	}
	return id
}

// sampled gives clients a tracer that samples half of all and keeps nothing.
var sampled = framework.WithTracerProvider(sampling)

var sampling = sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.TraceIDRatioBased(0.5)), sdktrace.WithSyncer(dropSpans{}))

type dropSpans struct{}

func (dropSpans) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (dropSpans) Shutdown(context.Context) error                             { return nil }

// handle does the work of one message, with its notes. The effect counts as done when
// the second note stands.
func (r *role) handle(ctx context.Context, l *ledger, id string, attempt, died int) error {
	if err := l.note(ctx, noteStarted, id, startText(attempt, 1, died)); err != nil {
		return err
	}
	least, most := r.WorkLeast, r.Work
	if r.Queues > 0 && strings.Contains(id, "@0") {
		most = slowWork
	}
	work := least + time.Duration(hash("work "+id)%uint64(most-least+1))
	select {
	case <-time.After(work):
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), l.note(context.WithoutCancel(ctx), noteFailed, id, "stopped"))
	}
	if r.fails(id, attempt) {
		return errors.Join(errOnPurpose, l.note(ctx, noteFailed, id, onPurpose))
	}
	return l.note(ctx, noteFinished, id, "")
}

// startText is what the note of a start tells.
func startText(attempt, batch, died int) string {
	return fmt.Sprintf("%d/%d/%d", attempt, batch, died)
}

func (r *role) fails(id string, attempt int) bool {
	return r.Fail > 0 && attempt == 1 && hash(id)%uint64(r.Fail) == 0
}

var errOnPurpose = errors.New("this message fails at its first attempt")
