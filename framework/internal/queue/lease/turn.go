package lease

import "context"

// turn lets one call at a time use the session's own connection. It is held while Redis
// answers, so a call that waits for it may give up.
type turn chan struct{}

// take waits for the turn until ctx ends, whose cause it returns then. A turn that is free
// is taken also where ctx has ended.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) pass() { <-t }
