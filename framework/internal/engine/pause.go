package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/registry"
)

// pauses are the queues that are paused, by code: in this process by [Engine.Pause], or in
// all processes by an operator. A queue is paused while one of both is set. Guarded by
// Engine.mu.
type pauses struct {
	turn  uint64 // orders the changes
	here  map[string]*gate.Pause
	fleet map[string]*gate.Pause
}

// of is the pause of a queue, nil where there is none.
func (p *pauses) of(code string) *gate.Pause {
	if f := p.fleet[code]; f != nil {
		return f
	}
	return p.here[code]
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
	if e.pauses.here == nil {
		e.pauses.here = map[string]*gate.Pause{}
	}
	for code := range codes {
		e.pauses.here[code] = p
	}
	e.mu.Unlock()
	e.applyPauses(codes)
	return nil
}

// applyPauses pauses the gates of these queues, or lets them take.
func (e *Engine) applyPauses(codes map[string]bool) {
	e.mu.Lock()
	e.pauses.turn++
	turn := e.pauses.turn
	paused := map[*intake]*gate.Pause{}
	for _, r := range e.intakes {
		if codes[r.code] {
			paused[r] = e.pauses.of(r.code)
		}
	}
	e.mu.Unlock()
	for r, p := range paused {
		r.gate.SetPause(turn, p)
		r.tellFleet()
	}
}

// codes are those of all queues that are handled here.
func (e *Engine) codes() map[string]bool {
	all := map[string]bool{}
	for _, c := range e.consumers {
		if c.Decode != nil { // it has a handler
			all[c.Code()] = true
		}
	}
	return all
}

// steer does what operators want of all processes, see package control.
func (e *Engine) steer(r *intake, s control.State) {
	was := r.control.Swap(&s)
	r.limit(was, s)
	p := fleetPause(s)
	e.mu.Lock()
	if e.pauses.fleet == nil {
		e.pauses.fleet = map[string]*gate.Pause{}
	}
	if old := e.pauses.fleet[r.code]; old != nil && p != nil && *old == *p {
		p = old // the same one: nothing is told
	}
	e.pauses.fleet[r.code] = p
	e.mu.Unlock()
	e.applyPauses(map[string]bool{r.code: true})
}

// fleetPause is the pause for all processes; one whose control was never understood is
// paused, too.
func fleetPause(s control.State) *gate.Pause {
	switch {
	case s.Pause != nil:
		return &gate.Pause{Reason: s.Pause.Reason, By: s.Pause.By, At: s.Pause.At, Until: s.Pause.Until, Fleet: true}
	case !s.Known:
		return &gate.Pause{Reason: "what operators want of all processes is not known yet", Fleet: true, Unread: true}
	}
	return nil
}

// limit bounds rate and workers, within what this process was declared with.
func (r *intake) limit(was *control.State, s control.State) {
	l := s.Limit
	if was != nil && was.Limit == l {
		return
	}
	perSecond, burst := r.own.Rate, r.own.Burst
	if l.Rate > 0 && (perSecond == 0 || l.Rate < perSecond) {
		second := int(min(math.Ceil(l.Rate), math.MaxInt32)) // what a second brings
		if perSecond, burst = l.Rate, max(second, 1); r.own.Burst > 0 {
			burst = min(burst, r.own.Burst)
		}
	}
	r.gate.SetRate(perSecond, burst)
	n := r.workersOf(l)
	if full := r.pool.LeaveUnused((r.own.Workers - n) * max(r.own.BatchSize, 1)); full {
		r.handling.endRest()
	}
	switch {
	case l.Any():
		r.log.Info("operators bound all processes of this queue", "rate", l.Rate, "workers", l.Workers, "workers_here", n, "why", l.Reason, "by", l.By)
	case was != nil && was.Limit.Any():
		r.log.Info("operators no longer bound the processes of this queue", "workers_here", n)
	}
}

// workersOf is how many workers a limit leaves.
func (r *intake) workersOf(l control.Limit) int {
	if l.Workers > 0 {
		return min(l.Workers, r.own.Workers)
	}
	return r.own.Workers
}

// follow makes the follower of what operators set.
func (e *Engine) follow() *control.Follower {
	queues := make([]control.Queue, len(e.intakes))
	for i, r := range e.intakes {
		queues[i] = control.Queue{
			Name: r.takers[0].keys.Queue, Key: r.takers[0].keys.Control, Log: r.log,
			Apply: func(s control.State) { e.steer(r, s) },
			Asked: func() { r.tellFleet() },
		}
	}
	sweep := e.client.Sweep
	if !e.client.Embedded {
		sweep = min(sweep, followWithin)
	}
	return control.NewFollower(e.client.Redis, queues, sweep+sweep/10, e.log)
}

// followWithin is how long a change may be unknown where no message tells of it.
const followWithin = 5 * time.Second

// handled returns the codes of the queues, of all that have a handler where none is given.
func (e *Engine) handled(queues []registry.Descriptor) (map[string]bool, error) {
	all := e.codes()
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
	h := &health.Pause{Reason: p.Reason, By: p.By, At: p.At, Fleet: p.Fleet}
	if !p.Until.IsZero() {
		h.Until = &p.Until
	}
	return h
}

// limitInfo describes what operators bound; nil where they bound nothing.
func limitInfo(l control.Limit) *health.Limit {
	if !l.Any() {
		return nil
	}
	return &health.Limit{Rate: l.Rate, Workers: l.Workers, Reason: l.Reason, By: l.By, At: l.At}
}
