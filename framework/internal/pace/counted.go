package pace

import "context"

// countedStep is how many messages are one step of work that reads very many.
const countedStep = 500

// Counted is a pace that counts messages.
type Counted struct {
	Pace

	n int
}

// Next counts a message, and rests where a step is over. The error is the cause of the end of ctx.
func (p *Counted) Next(ctx context.Context) error {
	if p.n++; p.n%countedStep != 0 {
		return nil
	}
	err := p.Rest(ctx)
	p.Begin()
	return err
}
