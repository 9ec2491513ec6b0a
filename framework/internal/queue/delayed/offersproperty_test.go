package delayed

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// crowdOffer is one offer of a caller of many, and what the caller was told.
type crowdOffer struct {
	args   OfferArgs
	leaves int // the call to Redis after which the caller goes; 0: stays
	ctx    context.Context
	cancel context.CancelFunc
	outcome
}

// begin gives the offer a context of its own, which ends when its caller leaves.
func (o *crowdOffer) begin(ctx context.Context) {
	o.ctx, o.cancel = context.WithCancel(ctx)
}

// crowdKeys are those that several may have. An offer with the key alone gets one of its own.
var crowdKeys = []string{"a", "b", "c", "d"}

const alone = "alone"

// crowd is several callers who offer to one queue, each one message after the other.
type crowd struct {
	k       wire.Keys
	callers [][]*crowdOffer
}

// drawCrowd draws who offers what.
func drawCrowd(t *testing.T, rt *rapid.T, rdb *redis.Client) *crowd {
	c := &crowd{k: queuetest.NewQueue()}
	rdb.LPush(t.Context(), c.k.NonceRecord("wrong"), "of another type")
	due := time.UnixMilli(queuetest.NowMs(t, rdb)).Add(time.Hour)
	offer := rapid.Custom(func(rt *rapid.T) *crowdOffer {
		o := &crowdOffer{args: OfferArgs{At: due, Payload: []byte("same")}}
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		case 0:
			o.args.At, o.args.Delay = time.Time{}, -1
		case 1:
			o.args.Nonce = Nonce{Text: "wrong", Window: time.Hour}
		case 2, 3:
			o.args.Dedup = Dedup{Key: rapid.SampledFrom(crowdKeys).Draw(rt, "key"), Policy: rapid.SampledFrom([]DedupPolicy{DedupKeep, DedupReplace, DedupExtend}).Draw(rt, "policy")}
		case 4:
			o.args.Dedup.Key = alone
		}
		if rapid.Bool().Draw(rt, "traced") {
			o.args.Trace = bytes.Repeat([]byte{7}, wire.TraceContextBytes)
		}
		if rapid.IntRange(0, 5).Draw(rt, "leaves") == 0 {
			o.leaves = rapid.IntRange(1, 8).Draw(rt, "after call")
		}
		return o
	})
	c.callers = rapid.SliceOfN(rapid.SliceOfN(offer, 1, 6), 1, 20).Draw(rt, "callers")
	for who, offers := range c.callers {
		for n, o := range offers {
			if o.args.Dedup.Key == alone {
				o.args.Dedup.Key = fmt.Sprintf("%d of %d", n, who)
			}
			if (who+n)%3 > 0 {
				o.args.Payload = fmt.Appendf(nil, "%d of %d", n, who)
			}
			o.begin(t.Context())
		}
	}
	return c
}

// run lets all offer, until each of them has an answer.
func (c *crowd) run(s *Offers) {
	var all sync.WaitGroup
	for _, offers := range c.callers {
		all.Go(func() {
			for _, o := range offers {
				o.result, o.err = s.Offer(o.ctx, c.k, o.args)
			}
		})
	}
	all.Wait()
}

// after lets those go who leave after a call.
func (c *crowd) after(call int) {
	for _, offers := range c.callers {
		for _, o := range offers {
			if o.leaves == call {
				o.cancel()
			}
		}
	}
}

// Whatever is lost, whoever goes, and however messages and keys are alike: each caller is
// told the truth about its own message, nothing is there that nobody offered, and the
// messages of a caller that are due together are in the order of its offers.
func TestOffersProperty(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCrowd(t, rt, rdb)
		plans := rapid.SliceOfN(rapid.SampledFrom([]loss{noLoss, noLoss, lostReply, lostCall, dialLoss}), 0, 8).Draw(rt, "losses")
		faulty, l := losing(t, rdb, plans...)
		l.after = c.after
		o := NewOffers(t.Context(), faulty)
		o.second = rapid.SampledFrom([]int{1, 2, 4, secondTry}).Draw(rt, "second try")
		c.run(o)
		o.Close(t.Context())
		for _, offers := range c.callers {
			for _, o := range offers {
				o.cancel()
			}
		}
		c.check(t, rt, rdb, slices.Contains(plans, lostReply))
		rdb.Del(t.Context(), append(c.k.All(), c.k.NonceRecord("wrong"))...)
		_ = faulty.Close()
	})
}

// check compares what callers were told with what is in Redis; lost says whether replies were.
func (c *crowd) check(t *testing.T, rt *rapid.T, rdb *redis.Client, lost bool) {
	pending := map[string]string{} // payloads by id
	at := map[string]int{}         // places in Java's list
	for i, e := range rdb.LRange(t.Context(), c.k.Pending, 0, -1).Val() {
		at[e[:8]] = i
	}
	for _, e := range rdb.ZRange(t.Context(), c.k.Timeout, 0, -1).Val() {
		pending[e[:8]] = e[16:]
		if _, ok := at[e[:8]]; !ok {
			rt.Fatalf("%q is not in Java's list", e)
		}
	}
	if len(at) != len(pending) {
		rt.Fatalf("%d are listed, %d pending", len(at), len(pending))
	}
	told := map[string]*crowdOffer{} // of what was added or may have been, by id
	tell := func(id string, o *crowdOffer) {
		if told[id] != nil {
			rt.Fatalf("two callers have the ID %x", id)
		}
		told[id] = o
	}
	holders := map[string][]*crowdOffer{} // of what a key kept or extended
	for _, offers := range c.callers {
		last := ""
		for _, o := range offers {
			var unknown *fault.OutcomeUnknownError
			keyed := o.args.Dedup.Key != ""
			id := string(o.result.ID.Raw[:])
			switch {
			case errors.As(o.err, &unknown):
				raw, _ := hex.DecodeString(unknown.ID)
				id = string(raw)
				tell(id, o)
				if payload, ok := pending[id]; ok && payload != string(o.args.Payload) {
					rt.Fatalf("%q: of unknown outcome, but its ID is that of %q", o.args.Payload, payload)
				}
				continue
			case o.err != nil:
				c.checkRefusal(rt, o)
				continue
			case o.result.Dedup == DedupKept, o.result.Dedup == DedupExtended:
				holders[id] = append(holders[id], o)
				continue
			}
			tell(id, o)
			payload, ok := pending[id]
			switch {
			case !ok && !keyed: // one with a key may have been replaced
				rt.Fatalf("%q was added, and is not there", o.args.Payload)
			case ok && payload != string(o.args.Payload):
				rt.Fatalf("%q has the ID of %q", o.args.Payload, payload)
			}
			if ok && last != "" && (id <= last || at[id] <= at[last]) {
				rt.Fatalf("%q stands before what its caller offered before", o.args.Payload)
			}
			if ok {
				last = id
			}
		}
	}
	holds := map[string]string{} // payloads by key
	for id, payload := range pending {
		if told[id] == nil {
			rt.Fatalf("%q is there, though nobody was told so", payload)
		}
		key := told[id].args.Dedup.Key
		if other, both := holds[key]; both && key != "" {
			rt.Fatalf("%q and %q are there with the key %s", payload, other, key)
		}
		holds[key] = payload
		if rdb.HGet(t.Context(), c.k.MessageNames, "k"+key).Val() != "u"+id && key != "" {
			rt.Fatalf("the key %s does not lead to %q", key, payload)
		}
	}
	for id, offers := range holders {
		// Where a reply was lost, the one that was added may have been replaced before it
		// was sent again.
		if o := told[id]; o == nil && !lost || o != nil && o.args.Dedup.Key != offers[0].args.Dedup.Key {
			rt.Fatalf("%q was told of a message of its key that nobody added", offers[0].args.Payload)
		}
	}
}

// checkRefusal checks the error of what was not added.
func (c *crowd) checkRefusal(rt *rapid.T, o *crowdOffer) {
	var delay *fault.DelayError
	var wrong *fault.WrongTypeError
	switch {
	case o.args.Delay < 0 && errors.As(o.err, &delay):
	case o.args.Nonce.Text == "wrong" && errors.As(o.err, &wrong):
	case o.leaves > 0 && errors.Is(o.err, context.Canceled):
	default:
		// Where no connection is made in five tries nothing was sent.
		if dial := (*net.OpError)(nil); !errors.As(o.err, &dial) || o.args.Delay < 0 {
			rt.Fatalf("%q: %v", o.args.Payload, o.err)
		}
	}
}
