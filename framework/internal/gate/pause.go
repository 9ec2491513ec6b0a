package gate

import "time"

// Pause says why somebody stopped the intake.
type Pause struct {
	Reason string    // why
	By     string    // who; may be empty
	At     time.Time // when
	Until  time.Time // when it ends by itself; zero for never

	// Fleet says that it is for all Go processes, see package control.
	Fleet bool
	// Unread says that nobody asked for it: what operators want is not known yet.
	Unread bool
}

// SetPause stops the intake until it is called with nil. Messages that run go on, and
// their results count; those that have not started may not start. A breaker that trips
// or recovers meanwhile does so behind the pause. turn orders calls that race: one that
// is not greater than that of an earlier call is ignored.
func (g *Gate) SetPause(turn uint64, p *Pause) {
	g.mu.Lock()
	defer g.unlock()
	if turn <= g.pauseTurn {
		return
	}
	g.pauseTurn, g.paused = turn, p
	g.moved()
}
