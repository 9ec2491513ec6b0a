package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/registry"
)

// offerTimeout bounds one offer with all its tries.
const offerTimeout = 5 * time.Second

// producer offers one message after another, in every way there is.
type producer struct {
	*role

	book   *ledger
	client *framework.Client
	queues []*registry.Queue[string]
	queue  *registry.Queue[string] // of them, the one whose turn it is
	mark   string                  // of many queues which one, at the end of ids and groups
	random *rand.Rand
	made   int
}

func produce(ctx context.Context, r *role, l *ledger) error {
	p := &producer{role: r, book: l, random: r.random()}
	for i := range max(r.Queues, 1) {
		p.queues = append(p.queues, r.queueOf(i))
	}
	var err error
	for p.client == nil {
		if p.client, err = framework.Open(ctx, r.config(), sampled); err != nil && ctx.Err() != nil {
			return nil
		}
	}
	defer func() { _ = p.client.Close() }() // nothing more to send
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(p.random.ExpFloat64() * float64(r.Every))):
		}
		// What was begun is finished, also when the process is to end.
		if err := p.one(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
}

// one offers in a way drawn by lot.
func (p *producer) one(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, offerTimeout)
	defer cancel()
	p.choose()
	switch n := p.random.IntN(100); {
	case n < 10:
		return p.bulk(ctx)
	case n < 25:
		return p.keyed(ctx)
	case n < 30 && p.Await == 0: // Push knows no replicas, and tells no ID
		return p.single(ctx, p.distinct(), 0, func(value string, _ time.Duration) (framework.ID, error) {
			return "", framework.Bind(p.client, p.queue).Push(ctx, value)
		})
	default:
		return p.single(ctx, p.next(), p.delay(), func(value string, delay time.Duration) (framework.ID, error) {
			receipt, err := framework.Bind(p.client, p.queue).Offer(ctx, value, delay, p.await())
			return receipt.ID, err
		})
	}
}

// choose draws the queue by lot, seldom the first one of many: its handlers are slow.
func (p *producer) choose() {
	if p.queue = p.queues[0]; len(p.queues) == 1 {
		return
	}
	i := 0
	if p.random.IntN(60) > 0 {
		i = 1 + p.random.IntN(len(p.queues)-1)
	}
	p.queue, p.mark = p.queues[i], fmt.Sprintf("@%d", i)
}

func (p *producer) await() framework.ReplicaOption {
	return framework.AwaitReplicas(p.Await, 500*time.Millisecond)
}

// content is what a producer offers.
type content struct {
	id    string // in the ledger
	group string // what all of equal payloads begin with, after a "="; "": the payload is distinct and begins with the id
	value string
}

// offering is the rest of the note before the offer.
func (c *content) offering(delay time.Duration) string {
	return strings.TrimSpace(millis(delay) + " " + c.group)
}

// next makes a message. One in five is equal to all such of all producers, one in ten to
// a few others.
func (p *producer) next() content {
	switch n := p.random.IntN(10); {
	case p.Distinct || n > 2:
		return p.distinct()
	case n > 0:
		p.made++
		return content{p.id(), allEqual + p.mark, allEqual + p.mark + " ."}
	default:
		p.made++
		few := fmt.Sprintf("=%s-few%d%s", p.Name, p.made/50, p.mark)
		return content{p.id(), few, few + " " + strings.Repeat("x", 300)}
	}
}

// allEqual is the group of those that are all equal. It has what stands in every message,
// see inPayloads.
const allEqual = "=" + inPayloads + "-tick"

func (p *producer) id() string { return fmt.Sprintf("%s-%d%s", p.Name, p.made, p.mark) }

// distinct makes a message like no other, now and then a large one.
func (p *producer) distinct() content {
	p.made++
	id := p.id()
	size := p.random.IntN(200)
	switch n := p.random.IntN(300); {
	case n == 0:
		size = p.random.IntN(300_000)
	case n < 7:
		size = 3000 // large enough for digests instead of whole payloads
	}
	return content{id: id, value: id + " " + strings.Repeat("x", size)}
}

func (p *producer) delay() time.Duration {
	if p.random.IntN(5) == 0 {
		return 0
	}
	return time.Duration(p.random.Int64N(int64(p.MaxDelay) + 1))
}

func (p *producer) single(ctx context.Context, c content, delay time.Duration, offer func(string, time.Duration) (framework.ID, error)) error {
	if err := p.book.note(ctx, noteOffering, c.id, c.offering(delay)); err != nil {
		return err
	}
	receipt, err := offer(c.value, delay)
	return p.noteOutcome(ctx, c.id, receipt, err)
}

// keyed offers with the id as key, which lets an offer of unknown outcome be repeated.
func (p *producer) keyed(ctx context.Context) error {
	c := p.next()
	id := c.id
	delay := p.delay()
	if err := p.book.note(ctx, noteOffering, id, c.offering(delay)); err != nil {
		return err
	}
	var unknown error
	for range 3 {
		receipt, err := framework.Bind(p.client, p.queue).Offer(ctx, c.value, delay, framework.Key(id).Within(time.Minute), p.await())
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
		c := p.next()
		ids[i], messages[i].Value, messages[i].Delay = c.id, c.value, p.delay()
		delays[i] = c.offering(messages[i].Delay)
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
	_, _ = framework.Bind(p.client, p.queue).OfferAll(ctx, sequence, framework.OnResult(result), p.await()) // each told its own
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
			due = number(at.UnixMilli()) + " " + string(receipt)
		}
		return p.book.note(ctx, noteAccepted, id, due)
	case isUnknown(err), errors.As(err, &few): // "in, and a failover may lose it"
		return p.book.note(ctx, noteUnknown, id, err.Error())
	default:
		return p.book.note(ctx, noteRefused, id, err.Error())
	}
}
