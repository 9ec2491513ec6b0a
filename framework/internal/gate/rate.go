package gate

import (
	"time"

	"golang.org/x/time/rate"
)

// gather is the time for which tokens are gathered where none was left: a refused
// runner is not woken for each single one of a fast rate.
const gather = 10 * time.Millisecond

// bucket is the rate limit of a gate: one token for each permit. Guarded by the gate's
// mutex.
type bucket struct {
	limiter *rate.Limiter
	armed   func() bool // stops the timer that wakes a refused runner; nil when none runs
	until   time.Time   // when it fires
}

// newBucket returns nil where there is no limit.
func newBucket(s Settings) *bucket {
	if s.Rate == 0 {
		return nil
	}
	return &bucket{limiter: rate.NewLimiter(rate.Limit(s.Rate), s.Burst)}
}

// level returns how many tokens there are, never more than the burst.
func (b *bucket) level(now time.Time) float64 { return b.limiter.TokensAt(now) }

// take takes up to n tokens.
func (b *bucket) take(now time.Time, n int) int {
	n = min(n, int(b.level(now)))
	if n <= 0 || !b.limiter.AllowN(now, n) {
		return 0
	}
	return n
}

// giveBack puts tokens back that were not used. The limiter has no call for that, since
// a reservation cannot be cancelled once its time has come; a negative number of events
// does it, and the limiter caps at the burst what it holds.
func (b *bucket) giveBack(now time.Time, n int) { b.limiter.AllowN(now, -n) }

// wait returns how long it takes until there are enough tokens for a fetch of n.
func (b *bucket) wait(now time.Time, n int) time.Duration {
	perSecond := float64(b.limiter.Limit())
	enough := min(n, b.limiter.Burst(), max(int(perSecond*gather.Seconds()), 1))
	missing := float64(enough) - b.level(now)
	if missing <= 0 {
		return 0
	}
	seconds := min(missing/perSecond, (time.Hour * 24 * 365).Seconds())
	return time.Duration(seconds*float64(time.Second)) + time.Microsecond // above what rounding takes
}

// draw takes up to n tokens; all n where there is no limit. Caller holds mu.
func (g *Gate) draw(n int) int {
	if g.bucket == nil {
		return n
	}
	return g.bucket.take(g.now(), n)
}

// refill gives tokens back. Caller holds mu.
func (g *Gate) refill(n int) {
	if g.bucket == nil || n <= 0 {
		return
	}
	g.bucket.giveBack(g.now(), n)
	if g.bucket.armed != nil { // somebody waits for tokens
		g.disarm()
		g.broadcast()
	}
}

// limited is the verdict v where no token is left, and arms the timer that wakes who
// was refused. Caller holds mu.
func (g *Gate) limited(v Verdict, n int) Verdict {
	g.disarm()
	d := g.bucket.wait(g.now(), n)
	v.Reason, v.Until, v.Changed = ReasonRate, g.now().Add(d), g.changed
	if g.stopped {
		return v
	}
	g.bucket.until = v.Until
	g.bucket.armed = g.after(d, func() {
		g.mu.Lock()
		defer g.unlock()
		if g.bucket.armed != nil && !g.now().Before(g.bucket.until) {
			g.disarm()
			g.broadcast()
		}
	})
	return v
}

// disarm stops the timer of limited. Caller holds mu.
func (g *Gate) disarm() {
	if g.bucket != nil && g.bucket.armed != nil {
		g.bucket.armed()
		g.bucket.armed = nil
	}
}
