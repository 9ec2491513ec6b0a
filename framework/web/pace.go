package web

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/pace"
)

// paceStep is how many messages are one step of work that reads very many.
const paceStep = 500

// counted is a pace that counts messages.
type counted struct {
	pace.Pace

	n int
}

// pace is for work that goes on behind an answer, or in one that is long.
func (c *Console) pace() *counted { return &counted{Pace: pace.Of(c.options.SearchBudget)} }

// next counts a message, and rests where a step is over.
func (p *counted) next(ctx context.Context) error {
	if p.n++; p.n%paceStep != 0 {
		return nil
	}
	err := p.Rest(ctx)
	p.Begin()
	return err
}
