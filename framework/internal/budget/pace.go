package budget

import (
	"context"
	"iter"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

// restMost bounds one rest.
const restMost = time.Second

// Pace lets work take a share of the time: after each step it rests as long as that share asks for, a
// second at most. It belongs to one goroutine.
type Pace struct {
	share float64
	began time.Time // of the step
}

// PaceOf returns one of a share, above 0 and at most 1, whose first step begins now.
func PaceOf(share float64) Pace { return Pace{share: share, began: time.Now()} }

// PaceWithin is [PaceOf] for a share from 0.001 to 1; any other one means def.
func PaceWithin(share, def float64) Pace {
	if share < 0.001 || share > 1 {
		share = def
	}
	return PaceOf(share)
}

// Begin begins a step.
func (p *Pace) Begin() { p.began = time.Now() }

// Rest ends a step, and waits. What the budget of ctx knows of the network is no work of Redis. The
// error is the cause of the end of ctx.
func (p *Pace) Rest(ctx context.Context) error {
	took := max(time.Since(p.began)-Trip(ctx), 0)
	return retry.Pause(ctx, min(time.Duration(float64(took)*(1/p.share-1)), restMost))
}

// Ask asks for something as one step, and rests where there is an answer.
func Ask[T any](ctx context.Context, p *Pace, ask func() (T, error)) (T, error) {
	p.Begin()
	answer, err := ask()
	if err == nil {
		err = p.Rest(ctx)
	}
	return answer, err
}

// countedStep is how many messages are one step of work that reads very many.
const countedStep = 500

// CountedPace is a pace that counts messages.
type CountedPace struct {
	Pace

	n int
}

// Next counts a message, and rests where a step is over. The error is the cause of the end of ctx.
func (p *CountedPace) Next(ctx context.Context) error {
	if p.n++; p.n%countedStep != 0 {
		return nil
	}
	err := p.Rest(ctx)
	p.Begin()
	return err
}

// scanCount is how many keys one step looks at: about half a millisecond of Redis.
const scanCount = 1000

// Keys walks the keys of one server that match a pattern, and rests between its steps. A key may
// come twice. It ends with an error.
func (p *Pace) Keys(ctx context.Context, node redis.Cmdable, pattern string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for cursor := uint64(0); ; {
			p.Begin()
			keys, next, err := node.Scan(ctx, cursor, pattern, scanCount).Result()
			if err != nil {
				yield("", rediserr.Classify("SCAN", err))
				return
			}
			for _, key := range keys {
				if !yield(key, nil) {
					return
				}
			}
			if cursor = next; cursor == 0 {
				return
			}
			if err := p.Rest(ctx); err != nil {
				yield("", err)
				return
			}
		}
	}
}
