// Package pace lets work that reads very much of Redis rest between its steps.
package pace

import (
	"context"
	"time"

	"github.com/duequeue/duequeue/framework/internal/budget"
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

// Of returns one of a share, above 0 and at most 1, whose first step begins now.
func Of(share float64) Pace { return Pace{share: share, began: time.Now()} }

// Within is [Of] for a share from 0.001 to 1; any other one means def.
func Within(share, def float64) Pace {
	if share < 0.001 || share > 1 {
		share = def
	}
	return Of(share)
}

// Begin begins a step.
func (p *Pace) Begin() { p.began = time.Now() }

// Rest ends a step, and waits. What the budget of ctx knows of the network is no work of Redis. The
// error is the cause of the end of ctx.
func (p *Pace) Rest(ctx context.Context) error {
	took := max(time.Since(p.began)-budget.Trip(ctx), 0)
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
