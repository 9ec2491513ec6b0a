package engine

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/registry"
)

// pauses are the queues that are paused, by code; guarded by Engine.mu.
type pauses struct {
	turn   uint64 // orders calls of Pause and Resume
	byCode map[string]*gate.Pause
}

// Pause is that of framework.Engine.
func (e *Engine) Pause(reason, by string, queues ...registry.Descriptor) error {
	if reason == "" {
		return fault.ErrNoPauseReason
	}
	return e.setPause(&gate.Pause{Reason: reason, By: by, At: time.Now()}, queues)
}

// Resume is that of framework.Engine.
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
		if c.Decode != nil { // it has a handler
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
		case q == nil || reflect.ValueOf(q).IsNil():
			errs = append(errs, fmt.Errorf("nil queue: %w", fault.ErrNotHandled))
		case !all[q.Code()]:
			errs = append(errs, fmt.Errorf("queue %q: %w", q.Code(), fault.ErrNotHandled))
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
