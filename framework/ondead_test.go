package framework_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Two processes with partitions: letters that lay there before and those that die now are told
// of once each, with the queue's code; the other queue has no function.
func TestOnDead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := stringQueue("told", registry.Partitions(3))
	quiet := stringQueue("quiet")
	b.bury(t, "told", handlers.ReasonExhausted, "before 1", "before 2")
	told := make(chan framework.DeadMessage, 100)
	tell := func(_ context.Context, m framework.DeadMessage) error {
		told <- m
		return nil
	}
	reject := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return handlers.Reject("broken") })
	b.run(t, framework.Consume(q, reject, framework.OnDead(tell)), framework.Consume(quiet, reject))
	b.run(t, framework.Consume(q, reject, framework.OnDead(tell)))
	for i := range 12 {
		b.offer(t, q, fmt.Sprint("now ", i))
		b.offer(t, quiet, fmt.Sprint("quiet ", i))
	}
	got := map[string]int{}
	for range 14 {
		m := await(t, told, "letter")
		got[string(m.Body)]++
		if m.Queue != "told" || m.Reason == "" {
			t.Errorf("%+v", m)
		}
		if one, err := framework.Bind(b.client, q).Dead().Get(t.Context(), m.Entry); err != nil || string(one.Body) != string(m.Body) {
			t.Errorf("its entry leads to %q, %v", one.Body, err)
		}
	}
	if len(got) != 14 || len(told) != 0 {
		t.Errorf("told of %v, and of %d more", got, len(told))
	}
}

// Letters that the function refuses hurt themselves only: all others are told of within two minutes, and the
// bound deletes them. Of any number.
func TestRefusedLettersHurtThemselvesOnly(t *testing.T) {
	t.Parallel()
	for _, refused := range []int{1, 10, 40} {
		t.Run(fmt.Sprint(refused), func(t *testing.T) {
			t.Parallel()
			virtually(t, func(t *testing.T, b *bundle) {
				q := stringQueue("refused", registry.DeadLimit(100))
				for i := range refused {
					b.bury(t, "refused", handlers.ReasonExhausted, fmt.Sprint("bad ", i))
				}
				var mu sync.Mutex
				told, calls := map[string]bool{}, 0
				b.run(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil }),
					framework.OnDead(func(_ context.Context, m framework.DeadMessage) error {
						mu.Lock()
						defer mu.Unlock()
						switch {
						case !strings.HasPrefix(string(m.Body), "bad"):
							told[string(m.Body)] = true
							return nil
						case calls%2 == 0:
							calls++
							panic("refused")
						}
						calls++
						return errors.New("refused")
					})))
				const good = 200
				for i := range good {
					b.bury(t, "refused", handlers.ReasonExhausted, fmt.Sprint("good ", i))
					<-time.After(time.Second)
				}
				<-time.After(2 * time.Minute)
				mu.Lock()
				defer mu.Unlock()
				if len(told) != good || calls < 2*refused || calls > 10*refused {
					t.Errorf("told of %d letters of %d; %d calls for %d refused ones", len(told), good, calls, refused)
				}
				if n := b.redis.XLen(t.Context(), "duequeue:dead:{refused}").Val(); n > int64(100+refused) {
					t.Errorf("%d letters lie in the store", n)
				}
			})
		})
	}
}

// A function that never returns holds four goroutines and no more, and health says so; the process tells
// of letters again when it returns.
func TestOnDeadThatHangs(t *testing.T) {
	t.Parallel()
	virtually(t, func(t *testing.T, b *bundle) {
		q := stringQueue("hangs")
		var calls, under atomic.Int32
		hang := make(chan struct{})
		e := b.run(t, framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil }),
			framework.OnDead(func(context.Context, framework.DeadMessage) error {
				calls.Add(1)
				under.Add(1)
				<-hang
				under.Add(-1)
				return nil
			})))
		health := func(want string) {
			t.Helper()
			if got := strings.Join(e.Health().Degraded, "\n"); !strings.Contains(got, want) || want == "" && got != "" || !e.Health().Ready {
				t.Errorf("health says %q, want %q", got, want)
			}
		}
		for i := range 20 {
			b.bury(t, "hangs", handlers.ReasonExhausted, fmt.Sprint(i))
		}
		<-time.After(40 * time.Second)
		health("hangs: calls of framework.OnDead do not return: 1, since ")
		<-time.After(4 * time.Minute)
		if calls.Load() != 4 || under.Load() != 4 {
			t.Errorf("%d calls, %d under way, want 4", calls.Load(), under.Load())
		}
		health("; this process tells of no dead letter until one returns")
		close(hang)
		<-time.After(5 * time.Minute)
		health("")
		if calls.Load() < 24 || under.Load() != 0 {
			t.Errorf("%d calls, %d under way", calls.Load(), under.Load())
		}
	})
}

func TestOnDeadNeedsAFunction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	h := handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })
	_, err := framework.New(b.client, []framework.Consumer{framework.Consume(stringQueue("nil"), h, framework.OnDead(nil))})
	if err == nil || !strings.Contains(err.Error(), "OnDead(…): the function is nil") {
		t.Fatal(err)
	}
}
