package delayed

import (
	"context"
	"iter"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of a bulk offer.
const (
	bulkItems = 800     // messages of a batch, which is one pipeline
	bulkBytes = 1 << 20 // of its payloads, give or take one
	allItems  = 200     // of one script, about a millisecond; it unpacks two values for each
)

// bulkAhead is how many batches may be read beside the one that Redis executes. They
// are sent one after the other, so that the pending list has them in order, too.
const bulkAhead = 2

// OfferAll adds many messages, in scripts of up to 200, and calls done with the
// outcome of each, in the order of offers and on the caller's goroutine. Each message
// is treated as by [Offers.Offer]: those whose outcome is unknown are sent again with the
// same ids; an error of one stops no other.
//
// What is read while Redis is busy goes in one pipeline, of at most 800 messages; at
// most four of these, or a few MiB, are held at a time. When ctx ends it reads no
// more of offers, and those begun end with their error. Trace, IDs, NoView and Await of
// the first message hold for all; a [*fault.ReplicationError] comes with a result. It returns
// how many were read.
func OfferAll(ctx context.Context, rdb redisapi.Client, keys wire.Keys, offers iter.Seq[OfferArgs], done func(i int, r OfferResult, err error)) int {
	a := &allOffers{ctx: ctx, rdb: rdb, keys: keys, done: done}
	a.filling = a.batch()
	for args := range offers {
		if ctx.Err() != nil {
			break
		}
		a.filling.add(&a.keys, args)
		a.read++
		if a.filling.full() || len(a.filling.items) >= allItems && a.idle() {
			a.start() //nolint:contextcheck // it has that of the call
		}
	}
	if len(a.filling.items) > 0 {
		a.start() //nolint:contextcheck // it has that of the call
	}
	for len(a.under) > 0 {
		a.report()
	}
	return a.read
}

// allOffers is one call of [OfferAll]. All but what a [bulk] does is on the caller's
// goroutine.
type allOffers struct {
	ctx     context.Context //nolint:containedctx // of the call
	rdb     redisapi.Client
	keys    wire.Keys
	done    func(i int, r OfferResult, err error)
	read    int
	filling *bulk
	under   []*bulk // in the order in which they were begun
	free    []*bulk // reported: their memory is used again
}

// batch returns an empty batch for the messages that come next.
func (a *allOffers) batch() *bulk {
	b := &bulk{}
	if n := len(a.free); n > 0 {
		b.items, a.free = a.free[n-1].items[:0], a.free[:n-1]
	}
	b.first, b.passed, b.ended = a.read, make(chan struct{}), make(chan struct{})
	return b
}

// idle reports whether Redis has nothing of this call to do.
func (a *allOffers) idle() bool {
	if len(a.under) == 0 {
		return true
	}
	select {
	case <-a.under[len(a.under)-1].passed:
		return true
	default:
		return false
	}
}

// start begins what was read, and waits for the oldest batch where too many are held.
func (a *allOffers) start() {
	b := a.filling
	var before <-chan struct{}
	if len(a.under) > 0 {
		before = a.under[len(a.under)-1].passed
	}
	ctx, rdb, keys := a.ctx, a.rdb, &a.keys
	background.Go(ctx, sending, func() { b.run(ctx, rdb, keys, before) })
	if a.under = append(a.under, b); len(a.under) > bulkAhead {
		a.report()
	}
	a.filling = a.batch()
}

// report waits for the oldest batch and hands out its outcomes.
func (a *allOffers) report() {
	b := a.under[0]
	<-b.ended
	for n := range b.items {
		a.done(b.first+n, b.items[n].result, b.items[n].err)
	}
	clear(b.items)
	a.under, a.free = a.under[1:], append(a.free, b)
}

// bulk is one batch of a bulk offer.
type bulk struct {
	first  int // index of its first message
	bytes  int
	items  []item
	passed chan struct{} // closed when the next batch may be sent
	ended  chan struct{} // closed when all is settled
}

func (b *bulk) full() bool { return len(b.items) >= bulkItems || b.bytes >= bulkBytes }

func (b *bulk) add(keys *wire.Keys, args OfferArgs) {
	b.items = append(b.items, item{})
	i := &b.items[len(b.items)-1]
	if i.err = i.offer.prepare(keys, args); i.err == nil {
		i.offer.draw()
	}
	i.settled = i.err != nil
	b.bytes += len(args.Payload)
}

// run sends what is not settled until all is, once the batch before has passed.
func (b *bulk) run(ctx context.Context, rdb redisapi.Client, keys *wire.Keys, before <-chan struct{}) {
	defer close(b.ended)
	var once bool
	pass := func() {
		if !once {
			once = true
			close(b.passed)
		}
	}
	defer pass()
	for n := 0; ; n++ {
		open := b.open()
		err := background.Call(ctx, sending, func() error {
			t := newTurn(keys, open) // for the first turn while the batch before is on its way
			if n == 0 && before != nil {
				<-before
			}
			if err := context.Cause(ctx); err != nil {
				for _, i := range open {
					i.end(err)
				}
			} else if len(open) > 0 {
				t.send(ctx, rdb, pass)
			}
			return nil
		})
		if err != nil {
			if before != nil {
				<-before
			}
			for _, i := range open {
				i.fail(err)
			}
		}
		if len(open) == 0 {
			return
		}
		for _, i := range open {
			if i.retrying {
				// All at once: what ends the wait ends every try.
				_ = retry.Pause(ctx, retry.Backoff(n, offerBackoffFirst, offerBackoffMax))
				break
			}
		}
	}
}

func (b *bulk) open() []*item {
	open := make([]*item, 0, len(b.items))
	for n := range b.items {
		if !b.items[n].settled {
			open = append(open, &b.items[n])
		}
	}
	return open
}
