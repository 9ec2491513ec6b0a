package handlers

import "context"

// Next is one step of the chain that a message goes through; the innermost is
// the handler. See [Classify] for what its error means.
type Next func(ctx context.Context, m *Message) error

// Middleware wraps a step with something that all messages of a queue, or all
// queues, have in common. It is called once per queue, when the chain is
// built; the Next it returns is called once per message by several goroutines
// at once.
//
// A middleware must return the error of next, or one that wraps it, unless it
// means to change the outcome: returning nil completes the message.
type Middleware func(next Next) Next

// Chain wraps inner in the middlewares; the first listed is the outermost.
// Nil middlewares are left out, so that optional ones need no if.
func Chain(inner Next, mw ...Middleware) Next {
	for i := len(mw) - 1; i >= 0; i-- {
		if mw[i] != nil {
			inner = mw[i](inner)
		}
	}
	return inner
}
