package framework_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// hungFleet is a fleet that has one message among many which hangs wherever it is handled.
type hungFleet struct {
	queue   *registry.Queue[string]
	release chan struct{} // closed by free: hung handlers return
	free    func()

	mu      sync.Mutex
	handled map[string]int // good messages
	began   []int          // the bad message, by process
}

const good = 1000

func newHungFleet(t *testing.T, opts ...registry.Option) *hungFleet {
	t.Helper()
	f := &hungFleet{
		queue:   stringQueue("hanging", append(opts, registry.Timeout(time.Second), registry.Grace(time.Second))...),
		release: make(chan struct{}), handled: map[string]int{},
	}
	f.free = sync.OnceFunc(func() { close(f.release) })
	t.Cleanup(f.free)
	return f
}

// consumer is the queue's in one process; the messages themselves say which process it is.
func (f *hungFleet) consumer(process int) framework.Consumer {
	return framework.Consume(f.queue, handlers.Func[string](func(_ context.Context, d *handlers.Delivery[string]) error {
		f.mu.Lock()
		hangs := d.Payload == "hangs"
		if hangs {
			f.began = append(f.began, process)
		} else {
			f.handled[d.Payload]++
		}
		f.mu.Unlock()
		if hangs {
			<-f.release
		}
		return nil
	}), framework.Workers(8))
}

func (f *hungFleet) hung() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]int(nil), f.began...)
}

func (f *hungFleet) good() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.handled)
}

func (f *hungFleet) offer(t *testing.T, b *bundle) {
	t.Helper()
	for i := range good {
		if i == good/2 {
			b.offer(t, f.queue, "hangs")
		}
		b.offer(t, f.queue, fmt.Sprint("good ", i))
	}
}

// dead waits until the bad message is dead for having hung.
func (f *hungFleet) dead(t *testing.T, b *bundle) {
	t.Helper()
	// A process in which it hangs puts it off for longer and longer, until another one takes it.
	for minutes := 0; b.server == nil && minutes < 120 && len(b.dead(t, f.queue)) == 0; minutes++ {
		pass(time.Minute)
	}
	lab.WaitFor(t, "the message that hangs is dead", func() bool { return len(b.dead(t, f.queue)) > 0 })
	found := b.dead(t, f.queue)
	if m := found[0]; len(found) > 1 || m.Reason != handlers.ReasonHung || string(m.Body) != "hangs" || m.Hung < 1 || m.Hung > 2 {
		t.Errorf("dead are %+v, want one that hung once or twice", found)
	}
}

// open checks that no process has closed its intake.
func (f *hungFleet) open(t *testing.T, all ...*framework.Engine) {
	t.Helper()
	for i, e := range all {
		if h := e.Health(); !h.Ready || h.Queues[0].Intake != health.IntakeOpen {
			t.Errorf("process %d: %+v", i, h)
		}
	}
}

// A message that hangs costs two workers of the whole fleet, and nobody else waits.
func TestAMessageThatHangsHurtsItselfOnly(t *testing.T) {
	t.Parallel()
	for _, attempts := range []int{20, 1} {
		hurt := func(t *testing.T, b *bundle) { hurtsItself(t, b, attempts) }
		t.Run(fmt.Sprint("of attempts: ", attempts), func(t *testing.T) {
			t.Parallel()
			virtually(t, hurt)
		})
		t.Run(fmt.Sprint("on a real Redis, of attempts: ", attempts), func(t *testing.T) {
			t.Parallel()
			hurt(t, setup(t))
		})
	}
}

func hurtsItself(t *testing.T, b *bundle, attempts int) {
	t.Helper()
	f := newHungFleet(t, registry.MaxAttempts(attempts))
	var all []*framework.Engine
	for i := range 3 {
		all = append(all, b.run(t, f.consumer(i)))
	}
	f.offer(t, b)
	f.dead(t, b)
	b.offer(t, f.queue, "after it")
	lab.WaitFor(t, "all good ones are handled", func() bool { return f.good() == good+1 })
	if b.server == nil {
		pass(10 * time.Minute)
	}
	got := f.hung()
	if len(got) != min(attempts, 2) || len(got) == 2 && got[0] == got[1] {
		t.Errorf("it hung in the processes %v", got)
	}
	f.open(t, all...)
}

// With one process it hangs once, and waits for another one.
func TestAMessageThatHangsInAFleetOfOne(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		f := newHungFleet(t)
		e := b.start(t, f.consumer(0))
		f.offer(t, b)
		pass(20 * time.Minute)
		b.offer(t, f.queue, "after it")
		lab.WaitFor(t, "all good ones are handled", func() bool { return f.good() == good+1 })
		if got := f.hung(); len(got) != 1 {
			t.Errorf("it was called %d times beside its own hung handler", len(got))
		}
		f.open(t, e)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		b.run(t, f.consumer(1)) // the process restarts
		f.dead(t, b)
		if got := f.hung(); len(got) != 2 {
			t.Errorf("it was called %d times", len(got))
		}
	})
}

// A handler that returns late gives its worker back, and its message another try here; what
// was settled when it was given up stays.
func TestAHungHandlerThatReturnsLate(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		f := newHungFleet(t)
		e := b.run(t, f.consumer(0))
		b.offer(t, f.queue, "hangs")
		pass(10 * time.Minute)
		if got := f.hung(); len(got) != 1 {
			t.Fatalf("called %d times", len(got))
		}
		f.free()
		pass(2 * time.Minute) // it was postponed for a minute at most
		if got := f.hung(); len(got) != 2 {
			t.Errorf("called %d times", len(got))
		}
		if q := e.Health().Queues[0]; q.Zombies != 0 || q.Running != 0 || len(b.dead(t, f.queue)) > 0 {
			t.Errorf("%+v", q)
		}
		if !b.gone(t, f.queue) {
			t.Error("it was not handled")
		}
	})
}

// Where handlers hang for an outage, no message is to blame.
func TestHangsOfAnOutageKillNoMessage(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		release := make(chan struct{})
		var mu sync.Mutex
		hangs := 0
		q := stringQueue("outage", registry.Timeout(time.Second), registry.Grace(time.Second))
		consumer := framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error {
			mu.Lock()
			hangs++
			mu.Unlock()
			<-release
			return nil
		}), framework.Workers(40))
		b.run(t, consumer) // it takes all, and then the others may
		for i := range 20 {
			b.offer(t, q, fmt.Sprint("m", i))
		}
		pass(time.Second)
		b.run(t, consumer)
		b.run(t, consumer)
		pass(10 * time.Minute)
		mu.Lock()
		if hangs < 40 { // each in two processes or more
			t.Errorf("only %d hung", hangs)
		}
		mu.Unlock()
		close(release)
		pass(10 * time.Minute)
		if n := len(b.dead(t, q)); n > 0 {
			t.Errorf("%d messages are dead: %+v", n, b.dead(t, q)[0])
		}
		if !b.gone(t, q) {
			t.Error("not all are handled")
		}
	})
}

// Of a batch that hangs each message runs alone, in the same process at once; the one that
// hangs again does so once more elsewhere.
func TestABatchThatHangsHurtsOneMessageOnly(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		f := newHungFleet(t)
		var all []*framework.Engine
		for i := range 3 {
			all = append(all, b.run(t, framework.ConsumeBatch(f.queue, handlers.BatchFunc[string](func(_ context.Context, ds []*handlers.Delivery[string]) error {
				bad := false
				f.mu.Lock()
				for _, d := range ds {
					if d.Payload == "hangs" {
						bad = true
						f.began = append(f.began, i)
					}
				}
				for _, d := range ds {
					if !bad {
						f.handled[d.Payload]++
					}
				}
				f.mu.Unlock()
				if bad {
					<-f.release
				}
				return nil
			}), framework.Workers(8), framework.BatchSize(10))))
		}
		f.offer(t, b)
		f.dead(t, b)
		lab.WaitFor(t, "all good ones are handled", func() bool { return f.good() == good })
		pass(10 * time.Minute)
		if got := f.hung(); len(got) > 3 {
			t.Errorf("hung in the processes %v", got)
		}
		for m, n := range f.handled {
			if n != 1 {
				t.Errorf("%s was handled %d times", m, n)
			}
		}
		f.open(t, all...)
	})
}
