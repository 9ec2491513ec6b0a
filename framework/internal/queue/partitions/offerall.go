package partitions

import (
	"context"
	"iter"
	"slices"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of what a bulk offer sends to all partitions side by side.
const (
	turnEach  = 800     // messages of a partition, on average
	turnBytes = 4 << 20 // of all payloads
	turnLeast = 200     // messages for which a turn begins as soon as Redis has nothing to do
)

// OfferAll is [delayed.OfferAll] over partitions: place returns the one of a message, and is
// called in the order of offers, as done is. What is read while Redis is busy goes to all
// partitions side by side; two such turns are held at most, of 800 messages for each
// partition or a few MiB. Messages of one partition keep their order.
func OfferAll(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, place func(delayed.OfferArgs) (int, error),
	offers iter.Seq[delayed.OfferArgs], done func(i int, r delayed.OfferResult, err error),
) int {
	if len(keys) == 1 {
		return delayed.OfferAll(ctx, rdb, keys[0], offers, done)
	}
	read, reported := 0, 0
	var filling, under *bulkTurn
	report := func() {
		<-under.ended
		for i := range under.results {
			done(reported, under.results[i].OfferResult, under.results[i].err)
			reported++
		}
		under = nil
	}
	start := func() {
		if under != nil {
			report()
		}
		under, filling = filling, nil
		turn := under
		background.Go(ctx, "offer to partitions", func() { turn.run(ctx, rdb, keys) })
	}
	for args := range offers {
		if ctx.Err() != nil {
			break
		}
		if filling == nil {
			filling = &bulkTurn{ended: make(chan struct{})}
		}
		filling.add(args, place)
		read++
		n := len(filling.results)
		if n >= turnEach*len(keys) || filling.bytes >= turnBytes || n >= turnLeast && (under == nil || under.over()) {
			start()
		}
	}
	if filling != nil {
		start()
	}
	if under != nil {
		report()
	}
	return read
}

// bulkTurn is what goes to all partitions side by side.
type bulkTurn struct {
	bytes   int
	parts   map[int]*bulkPart
	results []bulkResult
	ended   chan struct{}
}

// bulkPart is what goes to one of them; places are indexes of results.
type bulkPart struct {
	offers []delayed.OfferArgs
	places []int
}

type bulkResult struct {
	delayed.OfferResult
	err error
}

func (t *bulkTurn) add(args delayed.OfferArgs, place func(delayed.OfferArgs) (int, error)) {
	at := len(t.results)
	t.results = append(t.results, bulkResult{err: args.Err})
	if args.Err != nil {
		return
	}
	partition, err := place(args)
	if err != nil {
		t.results[at].err = err
		return
	}
	if t.parts == nil {
		t.parts = map[int]*bulkPart{}
	}
	p := t.parts[partition]
	if p == nil {
		p = &bulkPart{}
		t.parts[partition] = p
	}
	p.offers, p.places = append(p.offers, args), append(p.places, at)
	t.bytes += len(args.Payload)
}

// over reports whether all of it was sent.
func (t *bulkTurn) over() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

func (t *bulkTurn) run(ctx context.Context, rdb redisapi.Client, keys []wire.Keys) {
	defer close(t.ended)
	var running background.Group
	for partition, p := range t.parts {
		running.Go(ctx, "offer to a partition", func() {
			told := 0
			err := background.Call(ctx, "offer to a partition", func() error {
				delayed.OfferAll(ctx, rdb, keys[partition], slices.Values(p.offers), func(i int, r delayed.OfferResult, err error) {
					t.results[p.places[i]] = bulkResult{r, err}
					told++
				})
				return context.Cause(ctx)
			})
			for _, at := range p.places[told:] { // ctx had ended
				t.results[at].err = err
			}
		})
	}
	running.Wait()
}
