package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

const (
	// soakPill ends a take(), when all else is over.
	soakPill = "pill"
	// soakTake is longer than a run.
	soakTake = 10 * time.Minute
)

// soakJava is one Java service: it holds all queues, so it transfers, takes from all of
// them, and does random operations.
type soakJava struct {
	jvm    *jvm.JVM
	name   string
	offers bool
	plan   soakPlan
	emit   func(soakEvent)
}

func openSoakJava(t *testing.T, j *jvm.JVM, plan soakPlan, number int, offers bool, emit func(soakEvent)) *soakJava {
	t.Helper()
	s := &soakJava{jvm: j, name: fmt.Sprintf("java%d", number), offers: offers, plan: plan, emit: emit}
	must := func(format string, args ...any) {
		t.Helper()
		if _, err := j.Call(t.Context(), format, args...); err != nil {
			t.Fatal(err)
		}
	}
	must("open %s %s", s.name, plan.URL)
	for _, q := range soakQueues {
		must("queue %s %s string %s", q.Name, s.name, q.Name)
		must("hold %s", q.Name)
	}
	t.Cleanup(func() {
		if err := j.CloseClient(context.WithoutCancel(t.Context()), s.name); err != nil {
			t.Errorf("close the Redisson client: %v", err)
		}
	})
	return s
}

// work begins two workers.
func (s *soakJava) work(ctx context.Context, working *sync.WaitGroup) {
	for _, suffix := range []string{"a", "b"} {
		w := &soakJavaWorker{java: s, soakWorker: soakWorker{
			soakRandom: newSoakRandom(s.plan.Seed, s.name+suffix), who: s.name + suffix, plan: s.plan, emit: s.emit, made: map[string]int{},
		}}
		working.Go(func() { w.pace(ctx, w.one) })
	}
}

// take begins take() loops, until they get the pill.
func (s *soakJava) take(ctx context.Context, taking *sync.WaitGroup) {
	for _, q := range soakTakes() {
		w := &soakJavaWorker{java: s, soakWorker: soakWorker{who: s.name + "-take", emit: s.emit}}
		taking.Go(func() {
			for {
				from := time.Now()
				answer, err := s.jvm.CallWithin(ctx, soakTake, "take %s %d null", q.Name, soakTake.Milliseconds())
				if err != nil {
					w.trouble(q.Name, "take", err, from)
					return
				}
				parts := strings.SplitN(answer, " ", 3)
				payload := w.text(q.Name, parts[len(parts)-1], from)
				if payload == soakPill || payload == "" {
					return
				}
				w.note(soakEvent{Op: soakTaken, Queue: q.Name, Payload: payload}, from)
			}
		})
	}
}

// soakJavaWorker does random operations by Redisson's methods.
type soakJavaWorker struct {
	soakWorker
	java *soakJava
}

// one does one operation on one queue.
func (w *soakJavaWorker) one(ctx context.Context) {
	q := soakQueues[w.below(len(soakQueues))]
	n := w.below(100)
	if !q.answers() && n >= 40 && n < 70 {
		n = 70 + (n-40)%30
	}
	switch {
	case n < 40 && w.java.offers:
		w.offer(ctx, q.Name)
	case n < 40: // another one does
		w.made[q.Name]++
	case n < 48:
		w.asks(ctx, "delayed.contains", q.Name, soakHolds)
	case n < 55:
		w.asks(ctx, "delayed.remove", q.Name, soakRemoved)
	case n < 60:
		w.size(ctx, q.Name)
	case n < 61:
		w.list(ctx, q.Name)
	case n < 64:
		w.poll(ctx, "delayed.poll", q.Name, soakPolled)
	case n < 66:
		w.poll(ctx, fmt.Sprintf("delayed.pollMany %s %d", q.Name, 1+w.below(3)), q.Name, soakPolled)
	case n < 70, n < 75:
		w.asks(ctx, "ready.contains", q.Name, soakReadyHas)
	case n < 80:
		w.asks(ctx, "ready.remove", q.Name, soakPicked)
	case n < 90:
		w.poll(ctx, "ready.poll", q.Name, soakTaken)
	default:
		w.poll(ctx, fmt.Sprintf("ready.pollMany %s %d", q.Name, 1+w.below(3)), q.Name, soakTaken)
	}
}

func (w *soakWorker) trouble(queue, what string, err error, from time.Time) {
	w.note(soakEvent{Op: soakTrouble, Queue: queue, Out: what + ": " + err.Error()}, from)
}

// call asks Java; errors are noted.
func (w *soakJavaWorker) call(ctx context.Context, queue string, from time.Time, format string, args ...any) (string, bool) {
	answer, err := w.java.jvm.Call(ctx, format, args...)
	if err != nil {
		w.trouble(queue, "java", err, from)
	}
	return answer, err == nil
}

func quoted(payload string) string {
	b, _ := json.Marshal(payload) // strings can be marshalled
	return string(b)
}

// text reads a string, or "" for null.
func (w *soakJavaWorker) text(queue, answer string, from time.Time) string {
	v, err := jvm.Parse(jvm.Text(answer))
	if err != nil && answer != "" { // nothing: noted already
		w.trouble(queue, "answer", err, from)
	}
	s, _ := v.(string)
	return s
}

func (w *soakJavaWorker) offer(ctx context.Context, queue string) {
	payload, delay, from := w.next(queue), w.delay(), time.Now()
	if _, ok := w.call(ctx, queue, from, "offer %s %d %s", queue, delay.Milliseconds(), quoted(payload)); ok {
		due := from.UnixMilli() + delay.Milliseconds()
		w.note(soakEvent{Op: soakOffer, Queue: queue, Payload: payload, Due: due}, from)
	}
}

// asks calls a method that takes a value and answers true or false, for the value that
// peek shows or for some other.
func (w *soakJavaWorker) asks(ctx context.Context, method, queue string, then soakOp) {
	payload := w.someone(queue)
	if half, _, _ := strings.Cut(method, "."); w.below(2) == 0 {
		from := time.Now()
		answer, ok := w.call(ctx, queue, from, "%s.peek %s", half, queue)
		if first := w.text(queue, answer, from); ok && first != "" {
			payload = first
		}
	}
	from := time.Now()
	if answer, ok := w.call(ctx, queue, from, "%s %s %s", method, queue, quoted(payload)); ok {
		w.yes(answer == "true", then, queue, payload, from)
	}
}

func (w *soakJavaWorker) size(ctx context.Context, queue string) {
	from := time.Now()
	if answer, ok := w.call(ctx, queue, from, "delayed.size %s", queue); ok {
		n, err := strconv.ParseInt(answer, 10, 64)
		if err != nil {
			w.trouble(queue, "size", err, from)
			return
		}
		w.note(soakEvent{Op: soakSize, Queue: queue, N: n}, from)
	}
}

func (w *soakJavaWorker) list(ctx context.Context, queue string) {
	from := time.Now()
	answer, ok := w.call(ctx, queue, from, "delayed.readAll %s", queue)
	if !ok {
		return
	}
	w.note(soakEvent{Op: soakListed, Queue: queue, All: w.texts(queue, answer, from)}, from)
}

// texts reads what a poll or readAll answered: a list, a string, or null.
func (w *soakJavaWorker) texts(queue, answer string, from time.Time) []string {
	v, err := jvm.Parse(jvm.Text(answer))
	if err != nil {
		w.trouble(queue, "answer", err, from)
	}
	switch v := v.(type) {
	case string:
		return []string{v}
	case *java.List:
		out := make([]string, len(v.Elements))
		for i, x := range v.Elements {
			out[i] = fmt.Sprint(x)
		}
		return out
	}
	return nil
}

// poll calls a method that takes messages away; method is the whole command, or the
// method alone.
func (w *soakJavaWorker) poll(ctx context.Context, method, queue string, then soakOp) {
	if !strings.Contains(method, " ") {
		method += " " + queue
	}
	from := time.Now()
	answer, ok := w.call(ctx, queue, from, "%s", method)
	if !ok {
		return
	}
	found := w.texts(queue, answer, from)
	for _, payload := range found {
		w.note(soakEvent{Op: then, Queue: queue, Payload: payload}, from)
	}
	if len(found) == 0 && then == soakPolled {
		w.note(soakEvent{Op: soakEmpty, Queue: queue}, from)
	}
}
