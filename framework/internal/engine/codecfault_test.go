package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/planted"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// faultyCodec is a queue whose codec misbehaves, on a real server.
type faultyCodec struct {
	server *lab.Server
	client *Client
	queue  *registry.Queue[string]
	good   chan string // what a handler got
}

func newFaultyCodec(t *testing.T, opts ...registry.Option) *faultyCodec {
	t.Helper()
	srv := lab.StartRedis(t)
	all := append([]registry.Option{registry.Codec(codecs.String())}, opts...)
	return &faultyCodec{
		server: srv, client: openFor(t, srv),
		queue: registry.Define[string]("faulty", "", all...), good: make(chan string, 100),
	}
}

// start handles the queue with a codec that calls before for each payload, in batches
// or one by one.
func (f *faultyCodec) start(t *testing.T, batches bool, before func(body string) error, p Policy) *Engine {
	t.Helper()
	c := consume(f.queue, p, func(_ context.Context, d *handlers.Delivery[string]) error {
		f.good <- d.Payload
		return nil
	})
	if batches {
		c = consumeBatch(f.queue, p, func(_ context.Context, ds []*handlers.Delivery[string]) error {
			for _, d := range ds {
				f.good <- d.Payload
			}
			return nil
		})
	}
	decode := c.Decode
	c.Decode = func(body []byte) (any, error) {
		if err := before(string(body)); err != nil {
			return nil, err
		}
		return decode(body)
	}
	return run(t, f.client, c)
}

func (f *faultyCodec) push(t *testing.T, bodies ...string) {
	t.Helper()
	all := make([]any, len(bodies))
	for i, b := range bodies {
		all[i] = b
	}
	if err := f.server.Client().RPush(t.Context(), f.queue.Key(), all...).Err(); err != nil {
		t.Fatal(err)
	}
}

func (f *faultyCodec) want(t *testing.T, bodies ...string) {
	t.Helper()
	for range bodies {
		lab.WaitFor(t, "a good one is handled", func() bool { return len(f.good) > 0 })
		if got := <-f.good; !slices.Contains(bodies, got) {
			t.Fatalf("handled %q", got)
		}
	}
}

// A codec that never returns, or ends its goroutine, costs its message attempts and
// nobody else anything.
func TestCodecThatDoesNotReturnHurtsOnlyItsMessage(t *testing.T) {
	t.Parallel()
	for _, batches := range []bool{false, true} {
		for _, how := range []string{"hangs", "exits"} {
			t.Run(fmt.Sprintf("%s in batches %v", how, batches), func(t *testing.T) {
				t.Parallel()
				attempts, reason := 2, handlers.ReasonExhausted
				if how == "hangs" { // it is called once in this process
					attempts, reason = 1, handlers.ReasonHung
				}
				f := newFaultyCodec(t, registry.Timeout(50*time.Millisecond), registry.Grace(50*time.Millisecond),
					registry.MaxAttempts(attempts), registry.Backoff(registry.Steps(10*time.Millisecond)))
				release := make(chan struct{})
				f.push(t, "a", "bad", "b")
				e := f.start(t, batches, func(body string) error {
					switch {
					case body != "bad":
					case how == "hangs":
						<-release
					default:
						runtime.Goexit()
					}
					return nil
				}, Policy{Workers: 2, Breaker: gate.Settings{Failures: 100}})
				f.want(t, "a", "b")
				lab.WaitFor(t, "the bad one in the dead store", func() bool {
					dead, err := f.server.Client().XRange(t.Context(), wire.KeysOf(f.queue.Key()).Dead, "-", "+").Result()
					return err == nil && len(dead) == 1 && dead[0].Values["reason"] == reason && dead[0].Values["body"] == "bad" && dead[0].Values["failed"] == strconv.Itoa(attempts)
				})
				f.push(t, "c", "d", "e")
				f.want(t, "c", "d", "e")
				close(release)
				lab.WaitFor(t, "all workers free, no handler hangs", func() bool {
					h := e.Health().Queues[0]
					return h.Running == 0 && h.Zombies == 0
				})
			})
		}
	}
}

// Decoding is part of a suspect's run: where it kills the process, that is charged.
func TestASuspectHasBegunWhenItIsDecoded(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t)
	rdb := f.server.Client()
	keys := wire.KeysOf(f.queue.Key())
	f.push(t, "killer")
	if err := planted.Record(t.Context(), rdb, keys, "killer", "2,0,2"); err != nil {
		t.Fatal(err)
	}
	marks := make(chan string, 10)
	f.start(t, true, func(string) error {
		lists, err := rdb.Keys(t.Context(), "duequeue:inflight:*").Result()
		for _, l := range lists {
			header, _ := rdb.LIndex(t.Context(), l, 0).Result()
			marks <- header[:1]
		}
		return err
	}, Policy{})
	f.want(t, "killer")
	if mark := <-marks; mark != "2" {
		t.Fatalf("the header begins with %s while the suspect is decoded", mark)
	}
}

// A batch of undecodable messages goes back in the order of the queue.
func TestUndecodableBatchGoesBackInOrder(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t)
	var bodies []string
	for i := range 40 {
		bodies = append(bodies, fmt.Sprintf("m%02d\x00", i)) // no text
	}
	f.push(t, bodies...)
	wrong := &codecs.DecodeError{Codec: "string"}
	e := f.start(t, true, func(string) error { return wrong }, Policy{Workers: 1, BatchSize: 30, Breaker: gate.Settings{OpenFor: time.Hour}})
	lab.WaitFor(t, "the intake closed", func() bool {
		h := e.Health().Queues[0]
		return h.Reason == health.BecauseUndecodable && h.Running == 0
	})
	got, err := f.server.Client().LRange(t.Context(), f.queue.Key(), 0, -1).Result()
	if err != nil || !slices.Equal(got, bodies) {
		t.Fatalf("the queue holds %d: %s %v", len(got), strings.Join(got, " "), err)
	}
	if n := f.server.Client().HLen(t.Context(), wire.KeysOf(f.queue.Key()).Attempts).Val(); n > 11 {
		t.Errorf("%d of 40 messages are counted as handed out", n)
	}
}

// littleShare leaves nearly all of the time of a stop for what comes after the handlers.
const littleShare = 0.01

// A codec that hangs does not hold up a stop: what it had goes back to the queue.
func TestStopWhileACodecHangs(t *testing.T) {
	t.Parallel()
	for _, batches := range []bool{false, true} {
		t.Run(fmt.Sprint("in batches ", batches), func(t *testing.T) {
			t.Parallel()
			f := newFaultyCodec(t)
			f.client.ShutdownShare = littleShare
			release, hangs := make(chan struct{}), make(chan struct{}, 9)
			defer close(release)
			f.push(t, "a", "b", "c")
			e := f.start(t, batches, func(string) error {
				hangs <- struct{}{}
				<-release
				return nil
			}, Policy{Workers: 1})
			<-hangs
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := e.Stop(ctx); err != nil {
				t.Fatal(err)
			}
			got := f.server.Client().LRange(t.Context(), f.queue.Key(), 0, -1).Val()
			if strings.Join(got, " ") != "a b c" {
				t.Fatalf("left in the queue: %q", got)
			}
		})
	}
}

// What waits behind a handler that ignores its cancelled context goes back in its place,
// with the mark of those that a handler has had.
func TestStopWhileMessagesWaitBehindAHungHandler(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t)
	f.client.ShutdownShare = littleShare
	release, alone := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(release) })
	bodies := []string{"a", "b", "c", "d", "e"}
	f.push(t, bodies...)
	c := consumeBatch(f.queue, Policy{Workers: 1}, func(_ context.Context, ds []*handlers.Delivery[string]) error {
		if len(ds) > 1 {
			return errors.New("as a whole")
		}
		close(alone)
		<-release
		return nil
	})
	e := run(t, f.client, c)
	<-alone
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	rdb, keys := f.server.Client(), wire.KeysOf(f.queue.Key())
	if got := rdb.LRange(t.Context(), f.queue.Key(), 0, -1).Val(); !slices.Equal(got, bodies) {
		t.Errorf("left in the queue: %q", got)
	}
	if n := rdb.HLen(t.Context(), keys.Attempts).Val(); n != int64(len(bodies)) {
		t.Errorf("%d of %d are known to have been delivered", n, len(bodies))
	}
}

// A message that cannot be decoded occupies no worker but its own while it is buried.
func TestUndecodableMessageLeavesOtherWorkersFree(t *testing.T) {
	t.Parallel()
	f := newFaultyCodec(t)
	burying, buried := make(chan struct{}), make(chan struct{})
	f.client.Explain = func([]byte, string) string {
		close(burying)
		<-buried
		return ""
	}
	f.push(t, "bad\x00") // no text
	e := f.start(t, false, func(body string) error {
		if body == "bad\x00" {
			return &codecs.DecodeError{Codec: "string"}
		}
		return nil
	}, Policy{Workers: 2})
	<-burying
	if busy, _ := e.intakes[0].pool.Counts(); busy != 1 { // a take may have claimed the other
		t.Errorf("%d of 2 workers are busy while one buries a message", busy)
	}
	close(buried)
	f.push(t, "good")
	f.want(t, "good")
}
