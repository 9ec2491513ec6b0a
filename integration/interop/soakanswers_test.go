package interop_test

// told checks what somebody was told against what all did. Both are known with their
// beginnings and ends only: an answer is wrong where no moment between explains it.
func (l *soakLedger) told(e soakEvent) {
	q := l.queues[e.Queue]
	m := l.messages[e.Payload]
	switch e.Op {
	case soakGone:
		if m == nil {
			l.problem(e, "the id of a message that nobody offered")
		} else if m.surely(q, e.From, e.To) && !m.moved(e.To) {
			l.problem(e, "called gone while it was pending (%+v)", m.offer)
		}
	case soakHolds, soakReadyHas:
		if m == nil || !m.maybe(e.From, e.To) {
			l.problem(e, "found, and was not there")
		} else if e.Op == soakReadyHas && m.minDue > e.To/1000+1 {
			l.problem(e, "ready before it was due (%+v)", m.offer)
		}
	case soakLacks:
		// Pages pass a message by that is rescheduled meanwhile.
		if m != nil && m.surely(q, e.From, e.To) && !m.moved(e.To) {
			l.problem(e, "not found while it was pending (%+v)", m.offer)
		}
	case soakEmpty:
		for _, m := range l.byQueue[e.Queue] {
			if m.surely(q, e.From, e.To) {
				l.problem(e, "empty while this was pending (%+v)", m.offer)
				return
			}
		}
	case soakSize:
		var least, most int64
		for _, m := range l.byQueue[e.Queue] {
			if m.surely(q, e.From, e.To) {
				least++
			}
			if m.maybe(e.From, e.To) {
				most++
			}
		}
		if e.N < least || e.N > most {
			l.problem(e, "a size out of %d to %d", least, most)
		}
	case soakListed:
		l.listed(q, e)
	default: // nobody was told anything
	}
}

// listed checks a list of everything pending.
func (l *soakLedger) listed(q soakQueue, e soakEvent) {
	seen := map[string]bool{}
	for _, payload := range e.All {
		m := l.messages[payload]
		if m == nil || !m.maybe(e.From, e.To) {
			l.problem(soakEvent{Who: e.Who, Op: e.Op, Queue: e.Queue, Payload: payload, From: e.From, To: e.To}, "listed, and was not there")
		} else if seen[payload] && !m.moved(e.To) && len(m.ends) > 0 && m.minDue*1000 > e.To {
			l.problem(m.offer, "listed twice by %s", e.Who)
		}
		seen[payload] = true
	}
	for _, m := range l.byQueue[e.Queue] {
		if !seen[m.payload] && m.surely(q, e.From, e.To) && !m.moved(e.To) {
			l.problem(m.offer, "not listed by %s at %d to %d while it was pending", e.Who, e.From, e.To)
		}
	}
}
