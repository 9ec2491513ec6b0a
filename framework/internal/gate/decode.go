package gate

// Undecoded says what to do with an undecodable payload.
type Undecoded uint8

// The answers of Gate.Undecodable.
const (
	// Bury: to the dead store at once, it alone is bad.
	Bury Undecoded = iota
	// RestoreRow: this one filled the row and the intake is stopped now. Take
	// the others of the row back from the dead store and put all of them, this
	// one included, at the head of the queue in one script.
	RestoreRow
	// GiveBack: the intake is stopped already; this one goes back to the head.
	GiveBack
)

// Undecodable reports that the payload could not be decoded; guess is text for
// people about what the bytes look like. Call it before Done(Excluded).
// The Settings.Undecodable-th in a row stops the intake. The token of a rate limit
// returns: no handler is called.
func (g *Gate) Undecodable(p Permit, guess string) Undecoded {
	if g.set.Undecodable < 0 && p.drawn == nil {
		return Bury
	}
	g.mu.Lock()
	defer g.unlock()
	g.refill(p.drawn, 1)
	if g.set.Undecodable < 0 {
		return Bury
	}
	if g.decode.state != Closed {
		if p.probe != nil && g.decodeSlot == p.probe {
			g.guess = guess
			g.decodeSlot = nil
			g.open(&g.decode)
		}
		return GiveBack
	}
	if int(g.rowLen.Add(1)) < g.set.Undecodable {
		return Bury
	}
	g.guess = guess
	g.decode.rounds = 0
	g.open(&g.decode)
	return RestoreRow
}

// Unfit reports a payload that the codec wrote and that does not fit the Go type. It says of the
// codec what [Gate.Decoded] does; the token of a rate limit returns: no handler is called. Call
// it before Done(Excluded).
func (g *Gate) Unfit(p Permit) bool {
	if p.drawn != nil {
		g.mu.Lock()
		g.refill(p.drawn, 1)
		g.unlock()
	}
	return g.Decoded(p)
}

// Decoded reports that the payload could be decoded: it ends a row of
// undecodable ones, and lets messages flow again where it was the probe.
// Of messages that were taken before the intake stopped it changes nothing:
// the row is still at the head. It reports whether no row is left.
func (g *Gate) Decoded(p Permit) bool {
	if g.rowLen.Load() == 0 && p.probe == nil {
		return true
	}
	g.mu.Lock()
	defer g.unlock()
	if g.decode.state == Closed {
		g.rowLen.Store(0)
		return true
	}
	if p.probe == nil || g.decodeSlot != p.probe {
		return false
	}
	g.decodeSlot = nil
	g.rowLen.Store(0)
	g.guess = ""
	g.decode = guard{}
	g.moved()
	return true
}
