package gate

import "time"

// Snapshot is how a gate stands, for health pages and gauges.
type Snapshot struct {
	Code    string
	State   State     // of the intake: the stricter of both guards
	Breaker State     // of the breaker alone
	Decode  State     // of the decode guard alone
	Reason  Reason    // why it is not closed
	Since   time.Time // when State or Reason last changed
	Until   time.Time // when an open gate tries again; when there is a token
	Detail  string    // guess about undecodable payloads, reason of a pause
	Paused  *Pause    // nil where nobody paused it; not to be changed

	Successes   uint64 // results since New
	Failures    uint64
	Excluded    uint64
	Streak      int    // different messages that failed in a row, while closed
	Undecodable int    // undecodable payloads in a row
	Trips       uint64 // closed → open of the breaker
	ProbeFails  uint64 // half-open → open of the breaker

	LastError   error // last counted failure; nil when there was none
	LastErrorAt time.Time
}

// Snapshot returns how the gate stands now.
func (g *Gate) Snapshot() Snapshot {
	g.mu.Lock()
	v := g.verdict()
	if now := g.now(); v.State == Closed && g.bucket != nil && g.bucket.level(now) < 1 {
		v.Reason, v.Until = ReasonRate, now.Add(g.bucket.wait(now, 1))
	}
	s := Snapshot{
		Code: g.code, State: v.State, Breaker: g.breaker.state, Decode: g.decode.state, Reason: v.Reason,
		Since: g.since, Until: v.Until, Detail: v.Detail, Paused: g.paused,
		Successes: g.successes.Load(), Failures: g.failures.Load(), Excluded: g.excluded.Load(),
		Streak: len(g.streak), Undecodable: int(g.rowLen.Load()),
		Trips: g.trips, ProbeFails: g.probeFails, LastError: g.lastErr, LastErrorAt: g.lastErrAt,
	}
	g.mu.Unlock()
	return s
}
