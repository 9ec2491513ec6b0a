package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

// offerTimeout bounds one offer with all its tries.
const offerTimeout = 5 * time.Second

// producer offers one message after another, in every way there is.
type producer struct {
	*role

	book   *ledger
	queue  *framework.Queue[string]
	random *rand.Rand
	made   int
}

func produce(ctx context.Context, r *role, l *ledger) error {
	var client *framework.Client
	for client == nil {
		var err error
		if client, err = framework.Open(ctx, r.config()); err != nil && ctx.Err() != nil {
			return nil
		}
	}
	defer func() { _ = client.Close() }() // nothing more to send
	p := &producer{role: r, book: l, random: r.random(), queue: framework.Bind(client, r.queue())}
	return p.forever(ctx, p.offer)
}

// forever offers one after the other. What was begun is finished, also when the process is to end.
func (p *producer) forever(ctx context.Context, offer func(ctx context.Context) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(p.random.ExpFloat64() * float64(p.Every))):
		}
		one, cancel := context.WithTimeout(context.WithoutCancel(ctx), offerTimeout)
		err := offer(one)
		cancel()
		if err != nil {
			return err
		}
	}
}

// offer offers in a way drawn by lot.
func (p *producer) offer(ctx context.Context) error {
	switch n := p.random.IntN(100); {
	case n < 10:
		return p.bulk(ctx)
	case n < 25:
		return p.keyed(ctx)
	case n < 30 && p.Await == 0: // Push knows no replicas, and tells no ID
		return p.single(ctx, 0, func(value string) (framework.ID, error) { return "", p.queue.Push(ctx, value) })
	default:
		delay := p.delay()
		return p.single(ctx, delay, func(value string) (framework.ID, error) {
			receipt, err := p.queue.Offer(ctx, value, delay, p.await())
			return receipt.ID, err
		})
	}
}

func (p *producer) await() framework.ReplicaOption {
	return framework.AwaitReplicas(p.Await, 500*time.Millisecond)
}

// next makes a message, now and then a large one.
func (p *producer) next() (id, value string) {
	p.made++
	id = fmt.Sprintf("%s-%d", p.Name, p.made)
	size := p.random.IntN(200)
	switch n := p.random.IntN(300); {
	case n == 0:
		size = p.random.IntN(300_000)
	case n < 7:
		size = 3000 // large enough for digests instead of whole payloads
	}
	return id, id + " " + strings.Repeat("x", size)
}

func (p *producer) delay() time.Duration {
	if p.random.IntN(5) == 0 {
		return 0
	}
	return time.Duration(p.random.Int64N(int64(p.MaxDelay) + 1))
}

func (p *producer) single(ctx context.Context, delay time.Duration, offer func(string) (framework.ID, error)) error {
	id, value := p.next()
	if err := p.book.note(ctx, noteOffering, id, millis(delay)); err != nil {
		return err
	}
	receipt, err := offer(value)
	return p.noteOutcome(ctx, id, receipt, err)
}

// keyed offers with the id as key, which lets an offer of unknown outcome be repeated.
func (p *producer) keyed(ctx context.Context) error {
	id, value := p.next()
	delay := p.delay()
	if err := p.book.note(ctx, noteOffering, id, millis(delay)); err != nil {
		return err
	}
	var unknown error
	for range 3 {
		receipt, err := p.queue.Offer(ctx, value, delay, framework.Key(id).Within(time.Minute), p.await())
		if !isUnknown(err) {
			// That this one added nothing says nothing about those before.
			if err != nil && unknown != nil {
				break
			}
			return p.noteOutcome(ctx, id, receipt.ID, err)
		}
		unknown = err
	}
	return p.noteOutcome(ctx, id, "", unknown)
}

func (p *producer) bulk(ctx context.Context) error {
	n := 2 + p.random.IntN(12)
	ids, delays := make([]string, n), make([]string, n)
	messages := make([]framework.Item[string], n)
	for i := range n {
		ids[i], messages[i].Value = p.next()
		messages[i].Delay = p.delay()
		delays[i] = millis(messages[i].Delay)
	}
	if err := p.book.noteAll(ctx, noteOffering, ids, delays); err != nil {
		return err
	}
	var notes error
	result := func(i int, r framework.Receipt, err error) {
		notes = errors.Join(notes, p.noteOutcome(ctx, ids[i], r.ID, err))
	}
	sequence := func(yield func(framework.Item[string]) bool) {
		for _, m := range messages {
			if !yield(m) {
				return
			}
		}
	}
	_, _ = p.queue.OfferAll(ctx, sequence, framework.OnResult(result), p.await()) // each told its own
	return notes
}

func isUnknown(err error) bool {
	var unknown *fault.OutcomeUnknownError
	return errors.As(err, &unknown)
}

// noteOutcome writes down what an offer said. By the documentation every error but two
// means that nothing was added; the account holds it to that.
func (p *producer) noteOutcome(ctx context.Context, id string, receipt framework.ID, err error) error {
	ctx = context.WithoutCancel(ctx)
	var few *fault.ReplicationError
	switch {
	case err == nil:
		due := ""
		if at, none := receipt.Due(); none == nil {
			due = number(at.UnixMilli())
		}
		return p.book.note(ctx, noteAccepted, id, due)
	case isUnknown(err), errors.As(err, &few): // "in, and a failover may lose it"
		return p.book.note(ctx, noteUnknown, id, err.Error())
	default:
		return p.book.note(ctx, noteRefused, id, err.Error())
	}
}
