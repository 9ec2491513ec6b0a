package gate

// streak is the unbroken row of failures in the closed state.
type streak struct {
	len      int // failures
	distinct int // different messages among them
	entries  map[string]*entry
}

// entry is one payload's part in a streak. It outlives the streak in the hands
// of decisions that are not settled yet.
type entry struct {
	digest   string
	lastSeq  uint64 // number of its last failure
	charged  int
	settled  int
	dead     bool // a charge exhausted it: nothing to refund
	tripped  bool
	refunded bool
}

// add notes a failure. acquired is the number of failures reported when its
// permit was given, seq its own number.
func (s *streak) add(digest string, acquired, seq uint64) *entry {
	if s.entries == nil {
		s.entries = map[string]*entry{}
	}
	s.len++
	e := s.entries[digest]
	switch {
	case e == nil:
		e = &entry{digest: digest}
		s.entries[digest] = e
		s.distinct++
	case acquired < e.lastSeq:
		// Its permit is older than the other's failure, so this is no
		// redelivery: another message with the same payload.
		s.distinct++
	}
	e.lastSeq = seq
	return e
}

// reset forgets the streak.
func (s *streak) reset() { *s = streak{} }

// refunds ends the streak by a trip and returns the digests to refund now;
// those whose charge is still on its way follow when it settles.
func (s *streak) refunds() []string {
	var out []string
	for _, e := range s.entries {
		e.tripped = true
		if digest, ok := e.due(); ok {
			out = append(out, digest)
		}
	}
	s.reset()
	return out
}

// settle notes that one charge has reached Redis.
func (e *entry) settle() (digest string, refund bool) {
	e.settled++
	return e.due()
}

// due reports whether to refund the entry now: once per trip.
func (e *entry) due() (string, bool) {
	if !e.tripped || e.refunded || e.dead || e.settled == 0 {
		return "", false
	}
	e.refunded = true
	return e.digest, true
}
