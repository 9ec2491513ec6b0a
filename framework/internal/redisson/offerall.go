package redisson

import (
	"context"
	"errors"
	"iter"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

// Bounds of one script of a bulk offer.
const (
	bulkItems = 200     // the script unpacks two values for each
	bulkBytes = 1 << 20 // of elements, give or take one
)

// bulkAhead is how many batches may be read beside the one that Redis executes. They
// are sent one after the other, so that the pending list has them in order, too.
const bulkAhead = 2

// offerAllScript adds many elements; see lua/offerall.lua.
var offerAllScript = embedded("offerall", "clock", "types", "refusal", "add", "digest", "records", "trace")

// OfferAll adds many messages, in scripts of up to 200, and calls done with the
// outcome of each, in the order of offers and on the caller's goroutine. Each message
// is treated as by [Offer]: those whose outcome is unknown are sent again with the
// same ids; an error of one stops no other. Messages with a key go in the same
// pipelines, one script each.
//
// It holds a few hundred messages at a time, or a few MiB. When ctx ends it reads no
// more of offers, and those begun end with their error. Trace, IDs, View and Await of
// the first message hold for all; a [*ReplicationError] comes with a result. It returns
// how many were read.
func OfferAll(ctx context.Context, rdb redis.UniversalClient, keys Keys, offers iter.Seq[OfferArgs], done func(i int, r OfferResult, err error)) int {
	var under []*bulk // in the order in which they were begun
	n, b := 0, newBulk(0)
	start := func() {
		var before <-chan struct{}
		if len(under) > 0 {
			before = under[len(under)-1].ended
		}
		go b.run(ctx, rdb, keys, before)
		if under = append(under, b); len(under) > bulkAhead {
			under[0].report(done)
			under = under[1:]
		}
		b = newBulk(n)
	}
	for args := range offers {
		if ctx.Err() != nil {
			break
		}
		b.add(keys, args)
		n++
		if len(b.items) >= bulkItems || b.bytes >= bulkBytes {
			start()
		}
	}
	if len(b.items) > 0 {
		start()
	}
	for _, u := range under {
		u.report(done)
	}
	return n
}

// bulk is one batch of a bulk offer.
type bulk struct {
	first int // index of its first message
	bytes int
	items []*bulkItem
	ended chan struct{}
}

// bulkItem is one message of a batch.
type bulkItem struct {
	offer    *offer
	redraws  int
	settled  bool
	result   OfferResult
	err      error
	retrying bool // it failed in a way that may go away
}

func newBulk(first int) *bulk {
	return &bulk{first: first, ended: make(chan struct{})}
}

func (b *bulk) add(keys Keys, args OfferArgs) {
	o, err := newOffer(keys, args)
	b.items = append(b.items, &bulkItem{offer: o, err: err, settled: err != nil})
	b.bytes += len(args.Payload)
}

// run sends what is not settled until all is, once the batch before has ended.
func (b *bulk) run(ctx context.Context, rdb redis.UniversalClient, keys Keys, before <-chan struct{}) {
	defer close(b.ended)
	if before != nil {
		<-before
	}
	for turn := 0; ; turn++ {
		open := b.open()
		if len(open) == 0 {
			return
		}
		if ctx.Err() != nil {
			for _, i := range open {
				i.end(context.Cause(ctx))
			}
			return
		}
		client, err := pipelined(ctx, rdb, keys, open)
		if err != nil {
			for _, i := range open {
				i.offer.tries++
				i.settle(OfferResult{}, &net.OpError{Op: "dial", Err: err}) // nothing was sent
			}
		} else {
			sendBulk(ctx, client, keys, open)
		}
		for _, i := range open {
			if i.retrying {
				// All at once: what ends the wait ends every try.
				_ = pause(ctx, backoff(turn, offerBackoffFirst, offerBackoffMax))
				break
			}
		}
	}
}

// pipelined returns the client for one turn: that of the node, or the cluster's
// where a node said that the slot is elsewhere.
func pipelined(ctx context.Context, rdb redis.UniversalClient, keys Keys, open []*bulkItem) (Pipelined, error) {
	for _, i := range open {
		if i.offer.moving {
			return rdb, nil
		}
	}
	direct, err := Direct(ctx, rdb, keys.Queue)
	if err != nil {
		return nil, err
	}
	return direct.(Pipelined), nil
}

func (b *bulk) open() []*bulkItem {
	var open []*bulkItem
	for _, i := range b.items {
		if !i.settled {
			open = append(open, i)
		}
	}
	return open
}

// report waits for the batch and hands out its outcomes.
func (b *bulk) report(done func(i int, r OfferResult, err error)) {
	<-b.ended
	for n, i := range b.items {
		done(b.first+n, i.result, i.err)
	}
}

// sendBulk makes one try for all items: one script for those without a key that
// have the same age, one each for the others. It waits for replicas on the same
// connection.
func sendBulk(ctx context.Context, rdb Pipelined, keys Keys, open []*bulkItem) {
	await := open[0].offer.args.Await
	rdb, conn := await.connection(rdb)
	if conn != nil {
		defer func() { _ = conn.Close() }()
	}
	tryBulk(ctx, rdb, keys, open)
	var in []*bulkItem // those that are in
	wrote := false
	for _, i := range open {
		if i.settled && i.err == nil {
			in, wrote = append(in, i), wrote || i.result.wrote()
		}
	}
	if len(in) == 0 {
		return
	}
	if err := await.wait(ctx, conn, keys, wrote); err != nil {
		for _, i := range in {
			i.err = err
		}
	}
}

// tryBulk is [sendBulk] without the wait.
func tryBulk(ctx context.Context, rdb Pipelined, keys Keys, open []*bulkItem) {
	var calls []Call
	var of [][]*bulkItem
	ages := map[time.Time]int{} // of those without a key, by the first try that may have been executed
	for _, i := range open {
		if i.offer.args.Dedup.Key != "" {
			calls, of = append(calls, i.offer.next()), append(of, []*bulkItem{i})
			continue
		}
		at, ok := ages[i.offer.firstSent]
		if !ok {
			at = len(calls)
			ages[i.offer.firstSent] = at
			calls, of = append(calls, Call{}), append(of, nil)
		}
		of[at] = append(of[at], i)
	}
	for at, items := range of {
		if calls[at].Script == nil {
			calls[at] = allCall(keys, items)
		}
	}
	for at, reply := range RunAll(ctx, rdb, calls) {
		if calls[at].Script == offerAllScript {
			settleAll(of[at], reply)
			continue
		}
		i := of[at][0]
		i.offer.elsewhere(reply.Err)
		i.settle(i.offer.settle(reply.Value, reply.Err))
	}
}

// allCall returns the call for items of one age.
func allCall(keys Keys, items []*bulkItem) Call {
	head, began := items[0].offer, time.Now()
	args := make([]any, 4, 4+3*len(items))
	for _, i := range items {
		single := i.offer.next()
		i.offer.began = began // one for all, so that they have one age later
		args = append(args, single.Args[0], single.Args[1], single.Args[2])
		args[0], args[1], args[2], args[3] = single.Args[3], head.args.Trace, head.args.TraceTTL.Milliseconds(), head.args.View.listed()
	}
	return Call{
		Script: offerAllScript, Keys: []string{keys.Timeout, keys.Pending, keys.Channel, keys.Queue, keys.Trace}, Args: args,
	}
}

var allStatus = map[byte]string{'+': "added", 'p': "pending", 't': "taken", 'u': "unknown", 'r': "range"}

// settleAll hands the reply of one script to its items.
func settleAll(items []*bulkItem, reply Reply) {
	fail := func(err error) {
		for _, i := range items {
			i.offer.elsewhere(err)
			i.settle(i.offer.settle(nil, err))
		}
	}
	if reply.Err != nil {
		fail(reply.Err)
		return
	}
	r := newReader(offerAllScript, reply.Value)
	nowUs, head, statuses := r.micros(), r.integer(), r.text()
	dues, _ := r.item().([]any)
	if r.err == nil && (len(statuses) != len(items) || len(dues) != len(items)) {
		r.err = r.unexpected("not one status and due time for each message")
	}
	if r.err != nil {
		fail(r.err)
		return
	}
	for n, i := range items {
		i.offer.moving = false
		i.settle(i.offer.settle([]any{allStatus[statuses[n]], dues[n], head, nowUs / 1e6, nowUs % 1e6}, nil))
		head = 0 // one of them is the head; which one does not matter to anybody
	}
}

// settle takes what one try gave: the item is settled, or will be sent again.
func (i *bulkItem) settle(result OfferResult, err error) {
	i.retrying = false
	switch {
	case err == nil:
		i.result, i.settled = result, true
	case errors.Is(err, errTaken) && i.redraws < offerRedraws:
		i.redraws++
		i.offer.redraw()
	case i.offer.retryable(err):
		i.retrying = true
	default:
		i.end(err)
	}
}

func (i *bulkItem) end(err error) { i.err, i.settled = i.offer.failure(err), true }
