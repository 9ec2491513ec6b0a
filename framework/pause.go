package framework

import (
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/registry"
)

var (
	// ErrNotHandled says that an engine does not handle the queue it was asked for.
	ErrNotHandled = errors.New("this engine does not handle the queue")

	// ErrNoPauseReason says that Pause was called without a reason.
	ErrNoPauseReason = errors.New("a pause needs a reason: the health page shows it")
)

// pauses are the queues that are paused, by code; guarded by Engine.mu.
type pauses struct {
	turn   uint64 // orders calls of Pause and Resume
	byCode map[string]*gate.Pause
}

// Pause stops taking messages of these queues, or of all that the engine handles where
// none is given, until Resume is called. Handlers that run finish; what was taken and
// has not started goes back to the head of its queue, uncharged, as does what a take
// under way still brings. Due messages still move to the ready list: Java and other
// processes go on. It holds for this process as long as it lives; paused before
// the start, an engine starts paused.
//
// reason and by, which may be empty, are shown by [Engine.Health], which stays ready: a
// pause is wanted, and must neither take the process out of its service nor hold up a
// rollout. A queue that is paused already takes the new reason. A breaker that trips or
// recovers meanwhile does so behind the pause.
//
// Errors: [ErrNoPauseReason], and [ErrNotHandled] for queues that are not handled here;
// then nothing is paused.
func (e *Engine) Pause(reason, by string, queues ...registry.Descriptor) error {
	if reason == "" {
		return ErrNoPauseReason
	}
	return e.setPause(&gate.Pause{Reason: reason, By: by, At: time.Now()}, queues)
}

// Resume takes messages of these queues again, or of all where none is given. For queues
// that are not paused it does nothing. Errors: [ErrNotHandled]; then nothing is resumed.
func (e *Engine) Resume(queues ...registry.Descriptor) error { return e.setPause(nil, queues) }

func (e *Engine) setPause(p *gate.Pause, queues []registry.Descriptor) error {
	codes, err := e.handled(queues)
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.pauses.turn++
	if e.pauses.byCode == nil {
		e.pauses.byCode = map[string]*gate.Pause{}
	}
	for code := range codes {
		e.pauses.byCode[code] = p
	}
	turn, runners := e.pauses.turn, e.runners
	e.mu.Unlock()
	for _, r := range runners {
		if codes[r.code] {
			r.gate.SetPause(turn, p)
		}
	}
	return nil
}

// applyPauses pauses new gates as was asked before the start.
func (e *Engine) applyPauses() {
	e.mu.Lock()
	turn, runners := e.pauses.turn, e.runners
	paused := make([]*gate.Pause, len(runners))
	for i, r := range runners {
		paused[i] = e.pauses.byCode[r.code]
	}
	e.mu.Unlock()
	for i, r := range runners {
		r.gate.SetPause(turn, paused[i])
	}
}

// handled returns the codes of the queues, of all that have a handler where none is given.
func (e *Engine) handled(queues []registry.Descriptor) (map[string]bool, error) {
	all := map[string]bool{}
	for _, c := range e.consumers {
		if c.decode != nil { // it has a handler
			all[c.Code()] = true
		}
	}
	if len(queues) == 0 {
		return all, nil
	}
	var errs []error
	codes := map[string]bool{}
	for _, q := range queues {
		switch {
		case missing(q):
			errs = append(errs, fmt.Errorf("nil queue: %w", ErrNotHandled))
		case !all[q.Code()]:
			errs = append(errs, fmt.Errorf("queue %q: %w", q.Code(), ErrNotHandled))
		default:
			codes[q.Code()] = true
		}
	}
	return codes, errors.Join(errs...)
}

// pausedInfo describes a pause for people; nil where there is none.
func pausedInfo(p *gate.Pause) *health.Pause {
	if p == nil {
		return nil
	}
	return &health.Pause{Reason: p.Reason, By: p.By, At: p.At}
}
