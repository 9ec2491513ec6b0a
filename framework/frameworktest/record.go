package frameworktest

import (
	"context"
	"slices"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Call is one call of a handler that has ended.
type Call struct {
	Payload any           // as decoded, of the queue's type
	ID      string        // of the message
	Attempt int           // 1 for the first
	Last    bool          // no further attempt if this one fails
	Started time.Time     // virtual
	Ended   time.Time     // virtual
	Due     time.Time     // when the message was due; zero where unknown
	Err     error         // what the handler returned; a *handlers.PanicError if it panicked
	Outcome handlers.Kind // what the error means: done, retried or rejected

	// Batch is how many messages a batch handler had at once, itself included; 0 for
	// handlers of single messages. If a batch failed as a whole, Outcome is released and
	// Err is the batch's: each message then has another call, alone.
	Batch int
}

// callOf begins a call with what is known of its message.
func callOf(m *handlers.Message) Call {
	c := Call{Payload: m.Value, ID: m.ID(), Attempt: m.Attempt(), Last: m.LastAttempt(), Started: time.Now()}
	c.Due, _ = m.Due()
	return c
}

// Calls returns the calls of a queue's handler in the order of their ends.
func (k *Kit) Calls(q registry.Descriptor) []Call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.calls[q.Code()])
}

// Handled returns the payloads that the queue's handler has handled without an error,
// in that order.
func Handled[T any](k *Kit, q *registry.Queue[T]) []T {
	var out []T
	for _, c := range k.Calls(q) {
		if c.Outcome == handlers.Done {
			out = append(out, c.Payload.(T))
		}
	}
	return out
}

// record is the innermost middleware of every handler.
func (k *Kit) record(next handlers.Next) handlers.Next {
	return func(ctx context.Context, m *handlers.Message) error {
		c := callOf(m)
		k.count(m.Code, 1)
		defer k.count(m.Code, -1)
		c.Err = next(ctx, m)
		c.Ended = time.Now()
		k.judge(&c, m, c.Err)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.calls[m.Code] = append(k.calls[m.Code], c)
		return c.Err
	}
}

// judge notes what an error means by the rules of the queue.
func (k *Kit) judge(c *Call, m *handlers.Message, err error) {
	o := handlers.Classify(err)
	o.Delay = max(o.Delay, 0) // no schedule need be asked
	for _, q := range k.queues {
		if q.Code() == m.Code {
			o = q.Policy().Judge(o, m.Failed, m.Delivered)
		}
	}
	c.Outcome = o.Kind
	if o.MaxAttempts > 0 {
		c.Last = m.Attempt() >= o.MaxAttempts
	}
}

func (k *Kit) count(code string, by int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[code] += by
}
