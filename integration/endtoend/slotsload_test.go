package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// slotMessage is what is known of one message.
type slotMessage struct {
	accepted, unknown, cancelled, maybeCancelled bool
	handled                                      int
}

// slotLoad is the load on a queue whose slot moves, and its ledger.
type slotLoad struct {
	t     *testing.T
	queue *registry.Queue[string]

	mu      sync.Mutex
	state   map[string]*slotMessage
	handled int
	errors  map[string]int
}

// Handle notes a message.
func (l *slotLoad) Handle(_ context.Context, d *handlers.Delivery[string]) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handled++
	m := l.state[d.Payload]
	if m == nil {
		l.t.Errorf("%s was handled and never offered", d.Payload)
		return nil
	}
	m.handled++
	return nil
}

// produce offers a message every few ms, and cancels one in five at some later time.
func (l *slotLoad) produce(ctx context.Context, client *framework.Client, number int) {
	random := rand.New(rand.NewPCG(uint64(number), 7))
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var cancelling sync.WaitGroup
	defer cancelling.Wait()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		m := &slotMessage{}
		payload := fmt.Sprintf("%d-%d", number, i)
		l.set(func() { l.state[payload] = m })
		delay := time.Duration(random.IntN(1000)) * time.Millisecond
		receipt, err := framework.Bind(client, l.queue).Offer(context.WithoutCancel(ctx), payload, delay)
		l.set(func() { m.accepted, m.unknown = err == nil, l.unknown("offer", err) })
		if err == nil && i%5 == 0 {
			after := time.After(time.Duration(random.IntN(1000)) * time.Millisecond)
			cancelling.Go(func() {
				<-after
				err := framework.Bind(client, l.queue).Cancel(context.WithoutCancel(ctx), receipt.ID)
				l.set(func() { m.cancelled, m.maybeCancelled = err == nil, l.unknown("cancel", err) })
			})
		}
	}
}

func (l *slotLoad) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// unknown counts an error, and reports whether the call may have been executed.
func (l *slotLoad) unknown(call string, err error) bool {
	var offer *fault.OutcomeUnknownError
	var change *fault.ChangeUnknownError
	var server *fault.ServerError
	kind := ""
	switch {
	case err == nil:
		return false
	case errors.Is(err, fault.ErrGone):
		kind = "gone"
	case errors.As(err, &offer), errors.As(err, &change):
		kind = "unknown"
	case errors.As(err, &server):
		kind = server.Kind.String()
	default:
		l.t.Errorf("%s: %T %v", call, err, err)
	}
	l.errors[call+": "+kind]++
	return kind == "unknown"
}

// await waits until that many more were handled.
func (l *slotLoad) await(more int) {
	l.t.Helper()
	var begin int
	l.set(func() { begin = l.handled })
	lab.Wait(l.t, func() string {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.handled < begin+more {
			return fmt.Sprintf("%d handled, want %d; %v", l.handled, begin+more, l.errors)
		}
		return ""
	})
}

// open counts the messages that must come and have not.
func (l *slotLoad) open() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.state {
		if m.accepted && !m.cancelled && !m.maybeCancelled && m.handled == 0 {
			n++
		}
	}
	return n
}

// judge looks at all messages when all is over.
func (l *slotLoad) judge(moves int, torn time.Duration) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	cancelled, refused := 0, 0
	for payload, m := range l.state {
		most := 1
		switch {
		case m.cancelled:
			cancelled++
			most = 0
		case !m.accepted && !m.unknown:
			refused++
			most = 0
		}
		if m.handled > most {
			l.t.Errorf("%s was handled %d times: %+v", payload, m.handled, *m)
		}
	}
	if cancelled == 0 {
		l.t.Error("nothing was cancelled: there was no race")
	}
	l.t.Logf("report: %d moves of a queue's slot, on two nodes for %v: of %d offers %d handled, %d cancelled, %d refused; %v",
		moves, torn.Round(time.Millisecond), len(l.state), l.handled, cancelled, refused, l.errors)
}
